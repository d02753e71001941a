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
	c   *Catalog
	cn  *conn // nil once the function that it was given to has returned
	ctx context.Context
	metaState
}

var _ index.View = (*view)(nil)

// errStop ends a loop over rows early, without being an error.
var errStop = errors.New("stop")

func (v *view) end() { v.cn = nil }

// load reads where the catalog stands. It is the first statement of the
// transaction and so fixes the state that the view shows.
func (v *view) load() error {
	var err error
	if v.metaState, err = readMeta(v.ctx, v.cn); err == errSum {
		return v.corrupt("state of the catalog", v.seq, err)
	}
	return v.err(err)
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
			return v.corrupt("row", "", err)
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
	err := v.each(`SELECT f.id, f.sum, f.model, f.scheme, f.budget, f.converter, count(*), sum(c.chunks), sum(c.bytes)
		FROM documents d LEFT JOIN contents c ON c.id = d.content LEFT JOIN fingerprints f ON f.id = c.fingerprint
		WHERE d.to_seq = 9223372036854775807 GROUP BY f.id`, nil, func(r *sql.Rows) error {
		var f index.Fingerprint
		var id, sum int64
		var documents, chunks int
		var bytes int64
		err := r.Scan(&id, &sum, &f.Model, &f.Scheme, &f.Budget, &f.Converter, &documents, &chunks, &bytes)
		if err == nil && sum != int64(fingerprintSum(id, &f)) {
			err = errSum
		}
		if err != nil {
			return v.corrupt("fingerprint", id, err)
		}
		s.Documents += documents
		s.Chunks += chunks
		s.Bytes += bytes
		s.ByFingerprint[f] += chunks
		return nil
	})
	if now := (totals{int64(s.Documents), int64(s.Chunks), s.Bytes}); err == nil && now != v.totals {
		err = v.corrupt("number of documents", s.Documents, fmt.Errorf("%v are found, %v are stored", now, v.totals))
	}
	return s, err
}

const documentColumns = `SELECT d.content, d.source, d.kind, d.title, d.hash, d.size, d.mtime, d.mtime_nsec,
	d.ingested, d.ingested_nsec, f.model, f.scheme, f.budget, f.converter, c.category, d.ocr, d.warnings,
	c.chunks, c.bytes, d.from_seq, d.to_seq, d.sum`

// An outer join: a document whose content is not found must not vanish.
const documentTables = ` FROM documents d LEFT JOIN contents c ON c.id = d.content LEFT JOIN fingerprints f ON f.id = c.fingerprint `

// scanDocument reads a row of documentColumns and whatever follows them.
func scanDocument(r *sql.Rows, more ...any) (d index.Document, sum int64, err error) {
	var mod, modNano, in, inNano sql.NullInt64
	var warnings []byte
	err = r.Scan(append([]any{&d.ID, &d.Source, &d.Kind, &d.Title, &d.Hash, &d.Size, &mod, &modNano, &in, &inNano,
		&d.Model, &d.Scheme, &d.Budget, &d.Converter, &d.Category, &d.OCREngine, &warnings,
		&d.Chunks, &d.Bytes, &d.From, &d.To, &sum}, more...)...)
	if err != nil {
		return d, 0, err
	}
	if mod.Valid {
		d.ModTime = time.Unix(mod.Int64, modNano.Int64).UTC()
	}
	if in.Valid {
		d.IngestedAt = time.Unix(in.Int64, inNano.Int64).UTC()
	}
	if len(warnings) > 0 {
		if err := json.Unmarshal(warnings, &d.Warnings); err != nil {
			return d, 0, fmt.Errorf("warnings: %w", err)
		}
	}
	return d, sum, nil
}

func (v *view) documents(query string, args []any, fn func(index.Document) error) error {
	return v.each(query, args, func(r *sql.Rows) error {
		d, sum, err := scanDocument(r)
		if err == nil && sum != int64(documentSum(&d)) {
			err = errSum
		}
		if err != nil {
			return v.corrupt("document", d.Source, err)
		}
		return fn(d)
	})
}

func (v *view) Document(source string) (index.Document, error) {
	var doc index.Document
	found := false
	err := v.documents(documentColumns+documentTables+`WHERE d.source = ? AND d.to_seq = 9223372036854775807`, []any{source},
		func(d index.Document) error {
			doc, found = d, true
			return errStop
		})
	if err == nil && !found {
		// Another index of the same table says whether the first one is right.
		_, err = v.one(`SELECT count(*) FROM documents INDEXED BY documents_source WHERE source = ? AND +to_seq = 9223372036854775807`, []any{source}, &found)
		if err == nil && found {
			return doc, v.corrupt("document", source, errLost)
		}
		if err == nil {
			err = fmt.Errorf("document %q: %w", source, index.ErrNotFound)
		}
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
		stopped, found := false, int64(0)
		ranges := spans(q.Scopes)
		if q.Outside {
			ranges = outside(q.Scopes)
		}
		for _, s := range ranges {
			args := append([]any{s.low, s.bound(), q.Kind, q.Kind}, at...)
			err := v.documents(documentColumns+documentTables+where, args, func(d index.Document) error {
				found++
				if q.Outside && !absolute(d.Source) {
					return nil
				}
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
		if q.Scopes == nil && !q.Outside && q.Kind == "" && at == nil && found != v.totals.documents {
			yield(index.Document{}, v.corrupt("number of documents", found, errLost))
		}
	}
}

func (v *view) ByContent(ids []index.DocID) ([]index.Document, error) {
	var docs []index.Document
	for _, id := range ids {
		err := v.documents(documentColumns+documentTables+`WHERE d.content = ? ORDER BY d.from_seq, d.id`, []any{id}, func(d index.Document) error {
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
	err := v.each(`SELECT c.bytes, c.markdown, s.markdown FROM contents c LEFT JOIN sums s ON s.content = c.id WHERE c.id = ?`, []any{id}, func(r *sql.Rows) error {
		var size int
		var sum int64
		err := r.Scan(&size, &data, &sum)
		if err == nil && sum != int64(blobSum(id, size, data)) {
			err = errSum
		}
		if err == nil {
			text, err = v.c.expand(data, size)
		}
		if err != nil {
			return v.corrupt("text of content", id, err)
		}
		found = true
		return errStop
	})
	if err == nil && !found {
		err = v.noContent("text of content", id)
	}
	return text, err
}

// noContent reports a content that is not there, which is damage if there is
// a document of it.
func (v *view) noContent(what string, id index.DocID) error {
	var used bool
	if _, err := v.one(`SELECT EXISTS (SELECT 1 FROM documents WHERE content = ?)`, []any{id}, &used); err != nil {
		return err
	}
	if used {
		return v.corrupt(what, id, errLost)
	}
	return fmt.Errorf("%s %d: %w", what, id, index.ErrNotFound)
}

func (v *view) Sections(id index.DocID) ([]chunk.Section, error) {
	var sections []chunk.Section
	found := false
	err := v.each(`SELECT c.sections, s.sections FROM contents c LEFT JOIN sums s ON s.content = c.id WHERE c.id = ?`, []any{id}, func(r *sql.Rows) error {
		var data sql.RawBytes
		var sum int64
		err := r.Scan(&data, &sum)
		if err == nil && sum != int64(blobSum(id, 0, data)) {
			err = errSum
		}
		if err == nil {
			sections, err = v.c.decodeSections(data)
		}
		if err != nil {
			return v.corrupt("sections of content", id, err)
		}
		found = true
		return errStop
	})
	if err == nil && !found {
		err = v.noContent("sections of content", id)
	}
	return sections, err
}
