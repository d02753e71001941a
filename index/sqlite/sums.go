package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"time"

	"github.com/minirag/minirag/index"
)

// A summer adds up the parts of a checksum, each with its length, so that
// what moves from one part to the next is noticed.
type summer struct{ b []byte }

func (s *summer) ints(values ...int64) {
	for _, v := range values {
		s.b = binary.LittleEndian.AppendUint64(s.b, uint64(v))
	}
}

func (s *summer) texts(values ...string) {
	for _, v := range values {
		s.ints(int64(len(v)))
		s.b = append(s.b, v...)
	}
}

func (s *summer) time(t time.Time) {
	if t.IsZero() {
		s.ints(0)
		return
	}
	s.ints(1, t.Unix(), int64(t.Nanosecond()))
}

// documentSum covers everything that a version of a document says, also what
// it takes from other tables.
func documentSum(d *index.Document) uint32 {
	var s summer
	s.ints(int64(d.ID), int64(d.From), int64(d.To), d.Size, int64(d.Scheme), int64(d.Budget), int64(d.Chunks), int64(d.Bytes))
	s.texts(d.Source, string(d.Kind), d.Title, d.Hash, d.Model, d.Converter, string(d.Category), d.OCREngine)
	s.time(d.ModTime)
	s.time(d.IngestedAt)
	s.texts(d.Warnings...)
	return checksum(s.b)
}

func fingerprintSum(id int64, f *index.Fingerprint) uint32 {
	var s summer
	s.ints(id, int64(f.Scheme), int64(f.Budget))
	s.texts(f.Model, f.Converter)
	return checksum(s.b)
}

// blobSum ties a compressed column to its row.
func blobSum(content index.DocID, size int, data []byte) uint32 {
	var s summer
	s.ints(int64(content), int64(size))
	return checksum(s.b, data)
}

// totals are what the live documents add up to. They are kept beside the
// documents, so that one that cannot be found is missed.
type totals struct{ documents, chunks, bytes int64 }

func (t *totals) add(d *index.Document, sign int64) {
	t.documents += sign
	t.chunks += sign * int64(d.Chunks)
	t.bytes += sign * int64(d.Bytes)
}

// metaState is the table meta.
type metaState struct {
	uuid        string
	seq, purged index.Seq
	totals
}

func (m *metaState) sum() uint32 {
	var s summer
	s.texts(m.uuid)
	s.ints(int64(m.seq), int64(m.purged), m.documents, m.chunks, m.bytes)
	return checksum(s.b)
}

// readMeta reads the state and checks it.
func readMeta(ctx context.Context, cn *conn) (metaState, error) {
	var m metaState
	var sum int64
	ints := map[string]*int64{"seq": (*int64)(&m.seq), "purged": (*int64)(&m.purged),
		"documents": &m.documents, "chunks": &m.chunks, "bytes": &m.bytes, "sum": &sum}
	err := cn.each(ctx, `SELECT key, value FROM meta`, nil, func(r *sql.Rows) (bool, error) {
		var key string
		var value any
		if err := r.Scan(&key, &value); err != nil {
			return false, err
		}
		switch v := value.(type) {
		case int64:
			if p := ints[key]; p != nil {
				*p = v
			}
		case string:
			if key == "uuid" {
				m.uuid = v
			}
		}
		return true, nil
	})
	if err == nil && sum != int64(m.sum()) {
		err = errSum
	}
	return m, err
}

// writeMeta is the inverse of readMeta, but for the UUID.
func writeMeta(ctx context.Context, cn *conn, m *metaState) error {
	return cn.exec(ctx, `INSERT OR REPLACE INTO meta VALUES ('seq', ?), ('purged', ?), ('documents', ?), ('chunks', ?), ('bytes', ?), ('sum', ?)`,
		m.seq, m.purged, m.documents, m.chunks, m.bytes, int64(m.sum()))
}

// count adds up the live documents.
func count(ctx context.Context, cn *conn) (totals, error) {
	var t totals
	err := cn.one(ctx, `SELECT count(*), coalesce(sum(c.chunks), 0), coalesce(sum(c.bytes), 0)
		FROM documents d LEFT JOIN contents c ON c.id = d.content WHERE d.to_seq = 9223372036854775807`, nil,
		&t.documents, &t.chunks, &t.bytes)
	return t, err
}

// addSums is the step to format 2: everything that format 1 kept without a
// checksum gets one. What it says is taken as it is.
func addSums(ctx context.Context, cn *conn) error {
	for _, s := range []string{
		`ALTER TABLE documents ADD COLUMN sum INTEGER NOT NULL DEFAULT 0`,
		`ALTER TABLE fingerprints ADD COLUMN sum INTEGER NOT NULL DEFAULT 0`,
		// Not columns of contents: behind the Markdown they would be slow to
		// read, and every row would have to be written again.
		`CREATE TABLE sums (content INTEGER PRIMARY KEY REFERENCES contents ON DELETE CASCADE,
			markdown INTEGER NOT NULL, sections INTEGER NOT NULL)`,
	} {
		if err := cn.exec(ctx, s); err != nil {
			return err
		}
	}
	for _, table := range []func(context.Context, *conn) error{sumFingerprints, sumContents, sumDocuments} {
		if err := table(ctx, cn); err != nil {
			return err
		}
	}
	var m metaState
	err := cn.one(ctx, `SELECT (SELECT value FROM meta WHERE key = 'uuid'), (SELECT value FROM meta WHERE key = 'seq'),
		(SELECT value FROM meta WHERE key = 'purged')`, nil, &m.uuid, &m.seq, &m.purged)
	if err != nil {
		return err
	}
	if m.totals, err = count(ctx, cn); err != nil {
		return err
	}
	return writeMeta(ctx, cn, &m)
}

func sumFingerprints(ctx context.Context, cn *conn) error {
	sums := make(map[int64]uint32)
	err := cn.each(ctx, `SELECT id, model, scheme, budget, converter FROM fingerprints`, nil, func(r *sql.Rows) (bool, error) {
		var id int64
		var f index.Fingerprint
		err := r.Scan(&id, &f.Model, &f.Scheme, &f.Budget, &f.Converter)
		sums[id] = fingerprintSum(id, &f)
		return true, err
	})
	return update(ctx, cn, `UPDATE fingerprints SET sum = ?2 WHERE id = ?1`, sums, err)
}

func sumContents(ctx context.Context, cn *conn) error {
	return cn.each(ctx, `SELECT id, bytes, sections, markdown FROM contents`, nil, func(r *sql.Rows) (bool, error) {
		var id index.DocID
		var size int
		var sections, markdown sql.RawBytes
		if err := r.Scan(&id, &size, &sections, &markdown); err != nil {
			return false, err
		}
		return true, cn.exec(ctx, `INSERT INTO sums VALUES (?, ?, ?)`, id, int64(blobSum(id, size, markdown)), int64(blobSum(id, 0, sections)))
	})
}

// sumDocuments does not change what it reads: an UPDATE could move a row.
func sumDocuments(ctx context.Context, cn *conn) error {
	for last := int64(0); ; {
		sums := make(map[int64]uint32)
		err := cn.each(ctx, documentColumns+`, d.id`+documentTables+`WHERE d.id > ? ORDER BY d.id LIMIT 1000`, []any{last}, func(r *sql.Rows) (bool, error) {
			d, _, err := scanDocument(r, &last)
			sums[last] = documentSum(&d)
			return true, err
		})
		if err := update(ctx, cn, `UPDATE documents SET sum = ?2 WHERE id = ?1`, sums, err); err != nil || len(sums) == 0 {
			return err
		}
	}
}

func update(ctx context.Context, cn *conn, query string, sums map[int64]uint32, err error) error {
	for id, sum := range sums {
		if err == nil {
			err = cn.exec(ctx, query, id, int64(sum))
		}
	}
	return err
}
