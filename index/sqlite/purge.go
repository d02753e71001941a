package sqlite

import (
	"context"
	"database/sql"

	"github.com/minirag/minirag/index"
)

// Bounds of one transaction of Purge, so that other writers have their turn
// and the log stays small.
const (
	purgeVersions = 256
	purgeChunks   = 2048
)

// Purge implements [index.Catalog]. It may be stopped anywhere and called
// again.
func (c *Catalog) Purge(ctx context.Context, upTo index.Seq) error {
	for done := false; !done; {
		err := c.write(ctx, func(t *tx) error {
			upTo = min(upTo, t.seq)
			if upTo > t.purged {
				// First of all: from now on nobody may count on them.
				t.purged, t.dirty = upTo, true
			}
			var err error
			done, err = t.purge(upTo)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// purge removes some versions that were closed at or before upTo, and
// reports whether none is left.
func (t *tx) purge(upTo index.Seq) (done bool, err error) {
	type version struct{ id, content int64 }
	var versions []version
	err = t.each(`SELECT id, content FROM documents WHERE to_seq <= ? ORDER BY to_seq, id LIMIT ?`, []any{upTo, purgeVersions},
		func(r *sql.Rows) error {
			var v version
			if err := r.Scan(&v.id, &v.content); err != nil {
				return err
			}
			versions = append(versions, v)
			return nil
		})
	if err != nil {
		return false, err
	}
	chunks := int64(purgeChunks)
	for _, v := range versions {
		var kept bool
		if _, err := t.one(`SELECT EXISTS (SELECT 1 FROM documents WHERE content = ? AND to_seq > ?)`, []any{v.content, upTo}, &kept); err != nil {
			return false, err
		}
		if kept {
			if _, err := t.run(`DELETE FROM documents WHERE id = ?`, v.id); err != nil {
				return false, err
			}
			continue
		}
		// The vectors go with their chunks.
		res, err := t.run(`DELETE FROM chunks WHERE id IN (SELECT id FROM chunks WHERE content = ? LIMIT ?)`, v.content, chunks)
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return false, err
		}
		if chunks -= n; chunks <= 0 {
			return false, nil
		}
		// Another version of the content may be among those that follow.
		for _, q := range []string{`DELETE FROM documents WHERE content = ?`, `DELETE FROM contents WHERE id = ?`} {
			if _, err := t.run(q, v.content); err != nil {
				return false, err
			}
		}
	}
	return len(versions) < purgeVersions, nil
}
