package segset_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/minirag/minirag/index/internal/segset"
)

func TestDiscard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	must(t, segset.Discard(dir)) // nothing is there
	apply(t, new(counter).set(dir), 0, 1, nil, 1, 2)
	must(t, os.WriteFile(filepath.Join(dir, ".minirag-tmp-1-manifest"), nil, 0o600))
	must(t, segset.Discard(dir))
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder of an index is still there: %v", err)
	}

	must(t, os.Mkdir(dir, 0o700))
	mine := filepath.Join(dir, "film.seg")
	must(t, os.WriteFile(mine, []byte("a segment of a film"), 0o600))
	must(t, segset.Discard(dir))
	apply(t, new(counter).set(dir), 0, 1, nil, 1, 2)
	must(t, os.WriteFile(mine, []byte("a segment of a film"), 0o600)) // a change takes files of its kind of name
	must(t, segset.Discard(dir))
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 || entries[0].Name() != "film.seg" {
		t.Errorf("the folder holds %v, want the file that is of no index", entries)
	}
}
