package sqlite

import (
	"database/sql"
	"fmt"
	"iter"
	"strings"

	"github.com/minirag/minirag/index"
)

const chunkColumns = `SELECT id, content, idx, section, start, stop, text, tokens, sum FROM chunks `

func (v *view) chunks(query string, args []any, fn func(index.Chunk)) error {
	return v.each(query, args, func(r *sql.Rows) error {
		var c index.Chunk
		var sum uint32
		err := r.Scan(&c.ID, &c.Doc, &c.Index, &c.Section, &c.Start, &c.End, &c.Text, &c.Tokens, &sum)
		if err == nil && sum != chunkSum(&c) {
			err = errSum
		}
		if err != nil {
			return v.corrupt("chunk", c.ID, err)
		}
		fn(c)
		return nil
	})
}

func (v *view) Chunks(ids []index.ChunkID) (map[index.ChunkID]index.Chunk, error) {
	out := make(map[index.ChunkID]index.Chunk, len(ids))
	for _, id := range ids {
		err := v.chunks(chunkColumns+`WHERE id = ?`, []any{id}, func(c index.Chunk) { out[c.ID] = c })
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (v *view) ChunkRange(id index.DocID, from, to int) ([]index.Chunk, error) {
	var out []index.Chunk
	err := v.chunks(chunkColumns+`WHERE content = ? AND idx >= ? AND idx <= ? ORDER BY idx`, []any{id, from, to},
		func(c index.Chunk) { out = append(out, c) })
	if err != nil {
		return nil, err
	}
	var n int
	if _, err := v.one(`SELECT chunks FROM contents WHERE id = ?`, []any{id}, &n); err != nil {
		return nil, err
	}
	if want := min(to, n-1) - max(from, 0) + 1; len(out) != max(want, 0) {
		return nil, v.corrupt("chunks of content", id, errLost)
	}
	return out, nil
}

// The contents that are live at one sequence and not at an earlier one. A
// moved document has two versions of its content, so that it is not enough
// that a version began or ended.
const (
	addedContents = ` FROM documents d LEFT JOIN contents c ON c.id = d.content LEFT JOIN fingerprints f ON f.id = c.fingerprint
		WHERE d.from_seq > ?1 AND d.from_seq <= ?2 AND d.to_seq > ?2 AND (?3 = '' OR f.model = ?3 OR f.id IS NULL)
		AND NOT EXISTS (SELECT 1 FROM documents o WHERE o.content = d.content AND o.from_seq <= ?1 AND o.to_seq > ?1)`
	removedContents = ` FROM documents d
		WHERE d.to_seq > ?1 AND d.to_seq <= ?2 AND d.from_seq <= ?1
		AND NOT EXISTS (SELECT 1 FROM documents o WHERE o.content = d.content AND o.from_seq <= ?2 AND o.to_seq > ?2)`
)

// checkRange refuses sequences between which the changes are not known.
func (v *view) checkRange(from, to index.Seq) error {
	switch {
	case from < 0 || from > to:
		return fmt.Errorf("changes from %d to %d: %w", from, to, index.ErrSequence)
	case from != 0 && from < v.purged, to < v.purged:
		return fmt.Errorf("changes from %d to %d: %w up to %d", from, to, index.ErrPurged, v.purged)
	}
	return nil
}

func (v *view) Added(from, to index.Seq, model string) iter.Seq2[index.Entry, error] {
	return func(yield func(index.Entry, error) bool) {
		if err := v.checkRange(from, to); err != nil {
			yield(index.Entry{}, err)
			return
		}
		stopped, found := false, 0
		err := v.each(documentColumns+addedContents+` ORDER BY d.content`, []any{from, to, model}, func(r *sql.Rows) error {
			d, sum, err := scanDocument(r)
			if err == nil && sum != int64(documentSum(&d)) {
				err = errSum
			}
			if err != nil {
				return v.corrupt("document", d.Source, err)
			}
			found++
			e := index.Entry{Doc: d.ID, Title: d.Title}
			err = v.entries(e, d.Chunks, model != "", func(e index.Entry) bool {
				stopped = !yield(e, nil)
				return !stopped
			})
			if err == nil && stopped {
				err = errStop
			}
			return err
		})
		if err == nil && !stopped && from == 0 && to == v.seq {
			err = v.complete(found, model)
		}
		if err != nil && !stopped {
			yield(index.Entry{}, err)
		}
	}
}

// complete compares the number of live documents that an index led to with
// that in the table.
func (v *view) complete(found int, model string) error {
	var n int
	_, err := v.one(`SELECT count(*) FROM documents d NOT INDEXED LEFT JOIN contents c ON c.id = d.content LEFT JOIN fingerprints f ON f.id = c.fingerprint
		WHERE d.to_seq = 9223372036854775807 AND (?1 = '' OR f.model = ?1)`, []any{model}, &n)
	if err == nil && (n != found || model == "" && int64(n) != v.totals.documents) {
		err = v.corrupt("number of documents", found, errLost)
	}
	return err
}

// entries yields the chunks of the content that e names, which are n.
func (v *view) entries(e index.Entry, n int, vectors bool, yield func(index.Entry) bool) error {
	sections, err := v.Sections(e.Doc)
	if err != nil {
		return err
	}
	headings := make([]string, len(sections))
	for i, s := range sections {
		headings[i] = strings.Join(s.Headings, " > ")
	}
	query := `SELECT id, content, idx, section, start, stop, text, tokens, sum, NULL FROM chunks WHERE content = ? ORDER BY idx`
	if vectors {
		query = `SELECT c.id, c.content, c.idx, c.section, c.start, c.stop, c.text, c.tokens, c.sum, v.data
			FROM chunks c LEFT JOIN vectors v ON v.chunk = c.id WHERE c.content = ? ORDER BY c.idx`
	}
	stopped := false
	err = v.each(query, []any{e.Doc}, func(r *sql.Rows) error {
		var c index.Chunk
		var sum uint32
		var data sql.RawBytes
		err := r.Scan(&c.ID, &c.Doc, &c.Index, &c.Section, &c.Start, &c.End, &c.Text, &c.Tokens, &sum, &data)
		if err == nil && (sum != chunkSum(&c) || c.Section < 0 || c.Section >= len(headings)) {
			err = errSum
		}
		if err != nil {
			return v.corrupt("chunk", c.ID, err)
		}
		n--
		e.Chunk, e.Headings, e.Text, e.Vector = c.ID, headings[c.Section], c.Text, nil
		if vectors {
			if e.Vector, err = decodeVector(c.ID, data); err != nil {
				return v.corrupt("vector of chunk", c.ID, err)
			}
		}
		if !yield(e) {
			stopped = true
			return errStop
		}
		return nil
	})
	if err == nil && !stopped && n != 0 {
		err = v.corrupt("chunks of content", e.Doc, errLost)
	}
	return err
}

func (v *view) CountAdded(from, to index.Seq, model string) (int, error) {
	if err := v.checkRange(from, to); err != nil {
		return 0, err
	}
	var n int
	_, err := v.one(`SELECT coalesce(sum(c.chunks), 0)`+addedContents, []any{from, to, model}, &n)
	return n, err
}

func (v *view) Removed(from, to index.Seq) ([]index.ChunkID, error) {
	if err := v.checkRange(from, to); err != nil {
		return nil, err
	}
	if from == 0 {
		return nil, nil
	}
	var ids []index.ChunkID
	err := v.each(`SELECT id FROM chunks WHERE content IN (SELECT d.content`+removedContents+`) ORDER BY id`, []any{from, to},
		func(r *sql.Rows) error {
			var id index.ChunkID
			if err := r.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
			return nil
		})
	return ids, err
}
