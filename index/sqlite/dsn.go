package sqlite

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// An access says what a connection is for.
type access int

const (
	write     access = iota // creates the file
	read                    // of a file that may be written by others, as we could
	readOnly                // of a place that cannot be written
	immutable               // the same, and there is no log to be read
)

// dataSource returns the data source name for a file. path is absolute.
func dataSource(path string, a access, timeout time.Duration) string {
	q := url.Values{}
	for _, p := range []string{
		fmt.Sprintf("busy_timeout(%d)", timeout.Milliseconds()),
		"synchronous(FULL)",
		"foreign_keys(1)",
		"temp_store(MEMORY)",
		"trusted_schema(0)",
		"cell_size_check(1)",
		"journal_size_limit(16777216)", // the log shrinks to this after a large change
	} {
		q.Add("_pragma", p)
	}
	switch a {
	case write:
		q.Set("_txlock", "immediate")
	case read:
		q.Add("_pragma", "query_only(1)")
	case readOnly:
		q.Set("mode", "ro")
	case immutable:
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	return "file:" + escapePath(filepath.ToSlash(path)) + "?" + q.Encode()
}

// escapePath writes an absolute path with slashes as the path of a file URI:
// SQLite wants "/C:/dir" for a Windows drive and takes "//server/share" as it
// stands behind an empty authority.
func escapePath(path string) string {
	var b strings.Builder
	b.WriteString("//")
	if !strings.HasPrefix(path, "/") {
		b.WriteByte('/')
	}
	for i := range len(path) {
		switch c := path[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("/-_.~:", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
