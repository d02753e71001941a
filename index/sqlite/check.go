package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/minirag/minirag/index"
)

var (
	_ index.Checker   = (*Catalog)(nil)
	_ index.Compacter = (*Catalog)(nil)
)

// part is what findings call the catalog.
const part = "catalog"

// checkBatch is how many documents are looked at in one View.
const checkBatch = 200

// Check implements [index.Checker]: the file's structure, the counts, and
// everything that live documents have. A repair makes SQLite's indexes anew,
// counts again, and closes the damaged versions of what can be read again.
func (c *Catalog) Check(ctx context.Context, o *index.CheckOptions) ([]index.Finding, error) {
	found, err := c.check(ctx, o)
	if faulted(err) {
		found = append(found, index.Finding{Part: part, Subject: c.path + "-shm", Problem: "it was cut while it was in use", Remedy: faultRemedy})
		err = nil
	}
	return found, err
}

func (c *Catalog) check(ctx context.Context, o *index.CheckOptions) ([]index.Finding, error) {
	if o == nil {
		o = new(index.CheckOptions)
	}
	repair := o.Repair && !c.readOnly
	found, err := c.checkStructure(ctx)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 && repair && c.reindex(ctx) == nil {
		again, err := c.checkStructure(ctx)
		if err != nil {
			return nil, err
		}
		if len(again) == 0 {
			repaired(found)
		}
	}
	damaged, err := c.checkDocuments(ctx)
	if err != nil {
		return nil, err
	}
	for i := range damaged {
		d := &damaged[i]
		// A row that is damaged itself does not say for sure what it is of;
		// whatever file that was, a sync finds it.
		if again := d.unsure && d.Kind == index.File || o.Reread != nil && o.Reread(d.Source, d.Kind); again {
			d.finding.Remedy = "sync: it is read again"
			if repair {
				if err := c.discard(ctx, d); err != nil {
					return nil, err
				}
				d.finding.Repaired = true
			} else {
				d.finding.Remedy = "minirag doctor --repair, then sync: it is read again"
			}
		}
		found = append(found, d.finding)
	}
	counts, err := c.checkCounts(ctx, repair)
	return append(found, counts...), err
}

func repaired(found []index.Finding) {
	for i := range found {
		found[i].Repaired = true
	}
}

// checkStructure lets SQLite look through the file.
func (c *Catalog) checkStructure(ctx context.Context) ([]index.Finding, error) {
	var found []index.Finding
	note := func(problem string) {
		found = append(found, index.Finding{Part: part, Subject: c.path, Problem: problem,
			Remedy: "minirag doctor --repair; if that does not help, restore the file from a backup, or move the index away and sync again"})
	}
	err := c.View(ctx, func(v index.View) error {
		cn := v.(*view).cn
		err := cn.each(ctx, "PRAGMA integrity_check(20)", nil, func(r *sql.Rows) (bool, error) {
			var text string
			if err := r.Scan(&text); err != nil {
				return false, err
			}
			if text != "ok" {
				note(text)
			}
			return true, nil
		})
		for _, t := range strays() {
			var n int
			if err == nil && len(found) == 0 {
				err = cn.one(ctx, `SELECT count(*)`+t.where, nil, &n)
			}
			if n > 0 {
				note(fmt.Sprintf("%d rows of %s belong to nothing", n, t.name))
			}
		}
		return err
	})
	if isDamage(err) {
		note(err.Error())
		err = nil
	}
	return found, err
}

// isDamage tells what is found wrong from what keeps a check from going on.
func isDamage(err error) bool {
	return errors.Is(err, index.ErrDamaged) || code(err) == sqlite3.SQLITE_CORRUPT || code(err) == sqlite3.SQLITE_NOTADB || cutOff(err)
}

type stray struct{ name, where string }

// strays are the rows that no other leads to.
func strays() []stray {
	return []stray{
		{"vectors", ` FROM vectors WHERE chunk NOT IN (SELECT id FROM chunks)`},
		{"chunks", ` FROM chunks WHERE content NOT IN (SELECT id FROM contents)`},
		{"sums", ` FROM sums WHERE content NOT IN (SELECT id FROM contents)`},
	}
}

// reindex makes anew what follows from other tables.
func (c *Catalog) reindex(ctx context.Context) error {
	return c.write(ctx, func(t *tx) error {
		err := t.cn.exec(ctx, "REINDEX")
		for _, s := range strays() {
			if err == nil {
				err = t.cn.exec(ctx, "DELETE"+s.where)
			}
		}
		return err
	})
}

// A damagedDocument is a live version that cannot be read back.
type damagedDocument struct {
	row int64
	index.Document
	unsure  bool // also what Document says
	finding index.Finding
}

// checkDocuments reads everything of every live document, in the order of the
// table, so that it does not depend on an index.
func (c *Catalog) checkDocuments(ctx context.Context) ([]damagedDocument, error) {
	var all []damagedDocument
	dims := make(map[string]int) // of a model's vectors
	for last, more := int64(0), true; more; {
		err := c.View(ctx, func(view1 index.View) error {
			v := view1.(*view)
			batch, err := v.batch(last)
			more = len(batch) == checkBatch
			for i := range batch {
				d := &batch[i]
				last = d.row
				err := d.broken
				if err == nil {
					err = v.checkContent(&d.Document, dims)
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err == nil {
					continue
				}
				all = append(all, damagedDocument{row: d.row, Document: d.Document, unsure: d.broken != nil, finding: index.Finding{
					Part: part, Subject: d.Source, Problem: problem(err),
					Remedy: "ingest it again, or delete it, or restore the index from a backup"}})
				if v.cn.failed != nil { // the connection is of no more use
					more = true
					return nil
				}
			}
			return err
		})
		if isDamage(err) {
			f := index.Finding{Part: part, Subject: c.path, Problem: problem(err), Remedy: "restore the file from a backup, or move the index away and sync again"}
			return append(all, damagedDocument{finding: f}), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

type checked struct {
	row int64
	index.Document
	broken error
}

// batch reads the next live documents of the table.
func (v *view) batch(last int64) ([]checked, error) {
	var batch []checked
	err := v.each(`SELECT id FROM documents WHERE id > ? AND +to_seq = 9223372036854775807 ORDER BY id LIMIT ?`, []any{last, checkBatch},
		func(r *sql.Rows) error {
			var c checked
			err := r.Scan(&c.row)
			batch = append(batch, c)
			return err
		})
	for i := range batch {
		c := &batch[i]
		found := false
		if err == nil {
			err = v.each(documentColumns+documentTables+`WHERE d.id = ?`, []any{c.row}, func(r *sql.Rows) error {
				var sum int64
				found = true
				c.Document, sum, c.broken = scanDocument(r)
				if c.broken == nil && sum != int64(documentSum(&c.Document)) {
					c.broken = errSum
				}
				return nil
			})
		}
		if !found {
			c.broken = errLost
		}
	}
	return batch, err
}

// checkContent reads what belongs to a document.
func (v *view) checkContent(d *index.Document, dims map[string]int) error {
	text, err := v.Markdown(d.ID)
	if err != nil {
		return err
	}
	sections, err := v.Sections(d.ID)
	if err != nil {
		return err
	}
	for i, s := range sections {
		if s.Start < 0 || s.Start > s.End || s.End > len(text) {
			return fmt.Errorf("section %d has the range %d to %d of %d", i, s.Start, s.End, len(text))
		}
	}
	chunks, err := v.ChunkRange(d.ID, 0, math.MaxInt32)
	if err != nil {
		return err
	}
	if len(text) != d.Bytes || len(chunks) != d.Chunks {
		return fmt.Errorf("%d bytes and %d chunks, %d and %d are expected", len(text), len(chunks), d.Bytes, d.Chunks)
	}
	for i := range chunks {
		c := &chunks[i]
		if c.Start < 0 || c.Start > c.End || c.End > len(text) || c.Section < 0 || c.Section >= len(sections) || c.Index != i {
			return fmt.Errorf("chunk %d does not lie in the document", i)
		}
	}
	var odd error
	err = v.entries(index.Entry{Doc: d.ID}, d.Chunks, true, func(e index.Entry) bool {
		known, ok := dims[d.Model]
		switch {
		case !ok:
			dims[d.Model] = len(e.Vector)
		case known != len(e.Vector):
			odd = fmt.Errorf("the vector of chunk %d has %d dimensions, others of its model have %d", e.Chunk, len(e.Vector), known)
		}
		if slices.ContainsFunc(e.Vector, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
			odd = fmt.Errorf("the vector of chunk %d has a component that is no number", e.Chunk)
		}
		return odd == nil
	})
	if err == nil {
		err = odd
	}
	return err
}

// problem is an error without what the finding says anyway.
func problem(err error) string {
	var e *damageError
	if errors.As(err, &e) {
		return e.cause.Error()
	}
	return err.Error()
}

// discard closes a damaged version, so that its source counts as not indexed.
func (c *Catalog) discard(ctx context.Context, d *damagedDocument) error {
	return c.write(ctx, func(t *tx) error {
		if err := t.advance(); err != nil {
			return err
		}
		t.recount = true
		d.To = t.seq
		_, err := t.run(`UPDATE documents SET to_seq = ?, sum = ? WHERE id = ? AND +to_seq = 9223372036854775807`, t.seq, int64(documentSum(&d.Document)), d.row)
		return err
	})
}

// checkCounts compares the counts that are kept with what is there.
func (c *Catalog) checkCounts(ctx context.Context, repair bool) ([]index.Finding, error) {
	var kept, real totals
	err := c.View(ctx, func(v1 index.View) (err error) {
		v := v1.(*view)
		kept = v.totals
		real, err = count(ctx, v.cn)
		return err
	})
	if isDamage(err) {
		return nil, nil // has been found before
	}
	if err != nil || kept == real {
		return nil, err
	}
	f := index.Finding{Part: part, Subject: c.path, Remedy: "minirag doctor --repair counts again",
		Problem: fmt.Sprintf("%d documents with %d chunks are found, %d with %d are expected", real.documents, real.chunks, kept.documents, kept.chunks)}
	if repair {
		err = c.write(ctx, func(t *tx) error {
			t.recount, t.dirty = true, true
			return nil
		})
		f.Repaired = err == nil
	}
	return []index.Finding{f}, err
}

// Compact implements [index.Compacter]: it gives free pages back to the file
// system, in steps between which other writers have their turn.
func (c *Catalog) Compact(ctx context.Context) error {
	for {
		var left, before int
		err := c.write(ctx, func(t *tx) error {
			if _, err := t.one("PRAGMA freelist_count", nil, &before); err != nil || before == 0 {
				return err
			}
			err := t.each("PRAGMA incremental_vacuum(2000)", nil, func(*sql.Rows) error { return nil })
			if err != nil {
				return err
			}
			_, err = t.one("PRAGMA freelist_count", nil, &left)
			return err
		})
		if err != nil {
			return err
		}
		if left == 0 || left >= before {
			break
		}
	}
	return c.wrap("compact catalog", c.truncateLog(ctx))
}

// truncateLog moves the log into the file and empties it, unless somebody
// needs it now.
func (c *Catalog) truncateLog(ctx context.Context) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.running.Done()
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	cn, err := c.writers.get(ctx)
	if err != nil {
		return err
	}
	defer c.writers.put(cn, false) // which does not wait for anybody
	if err := cn.exec(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return err
	}
	err = cn.exec(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if k := code(err); k == sqlite3.SQLITE_BUSY || k == sqlite3.SQLITE_LOCKED {
		err = nil
	}
	return err
}
