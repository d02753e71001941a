package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/index"
)

// A view is one read transaction.
type view struct {
	c      *Catalog
	cn     *conn // nil once the function that it was given to has returned
	ctx    context.Context
	seq    index.Seq
	purged index.Seq
}

var _ index.View = (*view)(nil)

// errStop ends a loop over rows early, without being an error.
var errStop = errors.New("stop")

func (v *view) end() { v.cn = nil }

// load reads where the catalog stands. It is the first statement of the
// transaction and so fixes the state that the view shows.
func (v *view) load() error {
	return v.each(`SELECT key, value FROM meta WHERE key IN ('seq', 'purged')`, nil, func(r *sql.Rows) error {
		var key string
		var value index.Seq
		if err := r.Scan(&key, &value); err != nil {
			return err
		}
		if key == "seq" {
			v.seq = value
		} else {
			v.purged = value
		}
		return nil
	})
}

// each calls row for every row of a query.
func (v *view) each(query string, args []any, row func(*sql.Rows) error) error {
	if v.cn == nil {
		return fmt.Errorf("read catalog %s: the view is used after its function returned", v.c.path)
	}
	err := v.cn.each(v.ctx, query, args, func(r *sql.Rows) (bool, error) {
		if err := v.ctx.Err(); err != nil {
			return false, err
		}
		err := row(r)
		if err == errStop {
			return false, nil
		}
		return true, err
	})
	return v.err(err)
}

// one reads a single row; false means that there is none.
func (v *view) one(query string, args []any, dest ...any) (bool, error) {
	found := false
	err := v.each(query, args, func(r *sql.Rows) error {
		found = true
		if err := r.Scan(dest...); err != nil {
			return err
		}
		return errStop
	})
	return found, err
}

// err explains an error of SQLite; others pass.
func (v *view) err(err error) error {
	if code(err) == 0 {
		return err
	}
	return v.c.wrap("read catalog", err)
}

// corrupt reports data that does not come back as it was written.
func (v *view) corrupt(what string, id any, err error) error {
	return v.c.damaged("read catalog "+v.c.path, fmt.Errorf("%s %v: %w", what, id, err))
}

func (v *view) Seq() index.Seq    { return v.seq }
func (v *view) Purged() index.Seq { return v.purged }

func (v *view) Stats() (index.Stats, error) {
	s := index.Stats{ByFingerprint: make(map[index.Fingerprint]int)}
	err := v.each(`SELECT f.model, f.scheme, f.budget, f.converter, count(*), sum(c.chunks), sum(c.bytes)
		FROM documents d JOIN contents c ON c.id = d.content JOIN fingerprints f ON f.id = c.fingerprint
		WHERE d.to_seq = 9223372036854775807 GROUP BY f.id`, nil, func(r *sql.Rows) error {
		var f index.Fingerprint
		var documents, chunks int
		var bytes int64
		if err := r.Scan(&f.Model, &f.Scheme, &f.Budget, &f.Converter, &documents, &chunks, &bytes); err != nil {
			return err
		}
		s.Documents += documents
		s.Chunks += chunks
		s.Bytes += bytes
		s.ByFingerprint[f] += chunks
		return nil
	})
	return s, err
}

const documentColumns = `SELECT d.content, d.source, d.kind, d.title, d.hash, d.size, d.mtime, d.mtime_nsec,
	d.ingested, d.ingested_nsec, f.model, f.scheme, f.budget, f.converter, c.category, d.ocr, d.warnings,
	c.chunks, c.bytes, d.from_seq, d.to_seq
	FROM documents d JOIN contents c ON c.id = d.content JOIN fingerprints f ON f.id = c.fingerprint `

func (v *view) scanDocument(r *sql.Rows) (index.Document, error) {
	var d index.Document
	var mod, modNano, in, inNano sql.NullInt64
	var warnings []byte
	err := r.Scan(&d.ID, &d.Source, &d.Kind, &d.Title, &d.Hash, &d.Size, &mod, &modNano, &in, &inNano,
		&d.Model, &d.Scheme, &d.Budget, &d.Converter, &d.Category, &d.OCREngine, &warnings,
		&d.Chunks, &d.Bytes, &d.From, &d.To)
	if err != nil {
		return d, err
	}
	if mod.Valid {
		d.ModTime = time.Unix(mod.Int64, modNano.Int64).UTC()
	}
	if in.Valid {
		d.IngestedAt = time.Unix(in.Int64, inNano.Int64).UTC()
	}
	if len(warnings) > 0 {
		if err := json.Unmarshal(warnings, &d.Warnings); err != nil {
			return d, v.corrupt("warnings of document", d.Source, err)
		}
	}
	return d, nil
}

func (v *view) documents(query string, args []any, fn func(index.Document) error) error {
	return v.each(query, args, func(r *sql.Rows) error {
		d, err := v.scanDocument(r)
		if err != nil {
			return err
		}
		return fn(d)
	})
}

func (v *view) Document(source string) (index.Document, error) {
	var doc index.Document
	found := false
	err := v.documents(documentColumns+`WHERE d.source = ? AND d.to_seq = 9223372036854775807`, []any{source},
		func(d index.Document) error {
			doc, found = d, true
			return errStop
		})
	if err == nil && !found {
		err = fmt.Errorf("document %q: %w", source, index.ErrNotFound)
	}
	return doc, err
}

func (v *view) Documents(q index.DocumentQuery) iter.Seq2[index.Document, error] {
	return func(yield func(index.Document, error) bool) {
		// The plan follows the index of the order, so nothing is sorted.
		where := `WHERE d.to_seq = 9223372036854775807 AND d.source >= ? AND d.source < ? AND (? = '' OR d.kind = ?) ORDER BY d.source`
		var at []any
		if q.At != 0 && q.At < v.seq {
			if q.At < v.purged {
				yield(index.Document{}, fmt.Errorf("documents at %d: %w", q.At, index.ErrPurged))
				return
			}
			where = `WHERE d.source >= ? AND d.source < ? AND (? = '' OR d.kind = ?) AND d.from_seq <= ? AND d.to_seq > ? ORDER BY d.source`
			at = []any{q.At, q.At}
		}
		stopped := false
		for _, s := range spans(q.Scopes) {
			args := append([]any{s.low, s.bound(), q.Kind, q.Kind}, at...)
			err := v.documents(documentColumns+where, args, func(d index.Document) error {
				if !yield(d, nil) {
					stopped = true
					return errStop
				}
				return nil
			})
			if err != nil && !stopped {
				yield(index.Document{}, err)
			}
			if err != nil || stopped {
				return
			}
		}
	}
}

func (v *view) ByContent(ids []index.DocID) ([]index.Document, error) {
	var docs []index.Document
	for _, id := range ids {
		err := v.documents(documentColumns+`WHERE d.content = ? ORDER BY d.from_seq, d.id`, []any{id}, func(d index.Document) error {
			docs = append(docs, d)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return docs, nil
}

func (v *view) Markdown(id index.DocID) (string, error) {
	var data sql.RawBytes
	var text string
	found := false
	err := v.each(`SELECT bytes, markdown FROM contents WHERE id = ?`, []any{id}, func(r *sql.Rows) error {
		var size int
		if err := r.Scan(&size, &data); err != nil {
			return err
		}
		found = true
		var err error
		if text, err = v.c.expand(data, size); err != nil {
			return v.corrupt("text of content", id, err)
		}
		return errStop
	})
	if err == nil && !found {
		err = fmt.Errorf("text of content %d: %w", id, index.ErrNotFound)
	}
	return text, err
}

func (v *view) Sections(id index.DocID) ([]chunk.Section, error) {
	var data []byte
	found, err := v.one(`SELECT sections FROM contents WHERE id = ?`, []any{id}, &data)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("sections of content %d: %w", id, index.ErrNotFound)
	}
	sections, err := v.c.decodeSections(data)
	if err != nil {
		return nil, v.corrupt("sections of content", id, err)
	}
	return sections, nil
}
