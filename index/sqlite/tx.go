package sqlite

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/minirag/minirag/index"
)

// A tx is the write transaction.
type tx struct {
	view
	changed bool // a sequence was taken
	dirty   bool // meta is to be written
	recount bool // the totals cannot be carried on
}

var _ index.Tx = (*tx)(nil)

func (t *tx) run(query string, args ...any) (sql.Result, error) {
	if t.cn == nil {
		return nil, fmt.Errorf("change catalog %s: the transaction is used after its function returned", t.c.path)
	}
	res, err := t.cn.run(t.ctx, query, args...)
	return res, t.c.wrap("change catalog", err)
}

// advance takes the sequence of this transaction, once.
func (t *tx) advance() error {
	if t.cn == nil {
		return fmt.Errorf("change catalog %s: the transaction is used after its function returned", t.c.path)
	}
	if !t.changed {
		t.seq++
		t.changed, t.dirty = true, true
	}
	return nil
}

// save writes what the transaction has changed of meta.
func (t *tx) save() error {
	if !t.dirty {
		return nil
	}
	var err error
	if t.recount {
		if t.totals, err = count(t.ctx, t.cn); err != nil {
			return t.c.wrap("change catalog", err)
		}
	}
	return t.c.wrap("change catalog", writeMeta(t.ctx, t.cn, &t.metaState))
}

// closeLive closes the live version of a source, if there is one. It may be
// damaged: replacing it is the cure.
func (t *tx) closeLive(source string) error {
	var found bool
	var d index.Document
	var sum int64
	err := t.each(documentColumns+documentTables+`WHERE d.source = ? AND d.to_seq = 9223372036854775807`, []any{source}, func(r *sql.Rows) (err error) {
		found = true
		d, sum, err = scanDocument(r)
		return err
	})
	if code(err) != 0 || err == nil && !found {
		return err
	}
	if err != nil || sum != int64(documentSum(&d)) {
		t.recount = true
	}
	t.totals.add(&d, -1)
	d.To = t.seq
	_, err = t.run(`UPDATE documents SET to_seq = ?, sum = ? WHERE source = ? AND to_seq = 9223372036854775807`, t.seq, int64(documentSum(&d)), source)
	return err
}

func checkSource(source string) error {
	if source == "" || strings.ContainsRune(source, 0) {
		return fmt.Errorf("source %q: it must not be empty or hold a NUL", source)
	}
	return nil
}

// check refuses what could not be read back.
func check(doc *index.NewDocument) error {
	if err := checkSource(doc.Source); err != nil {
		return err
	}
	if len(doc.Markdown) > maxText {
		return errors.New("the text is larger than 1 GB")
	}
	if len(doc.Vectors) != len(doc.Chunks) {
		return fmt.Errorf("%d chunks and %d vectors", len(doc.Chunks), len(doc.Vectors))
	}
	inside := func(start, end int) bool { return 0 <= start && start <= end && end <= len(doc.Markdown) }
	for i, s := range doc.Sections {
		if !inside(s.Start, s.End) {
			return fmt.Errorf("section %d has the range %d to %d of %d", i, s.Start, s.End, len(doc.Markdown))
		}
	}
	for i, c := range doc.Chunks {
		if !inside(c.Start, c.End) {
			return fmt.Errorf("chunk %d has the range %d to %d of %d", i, c.Start, c.End, len(doc.Markdown))
		}
		if c.Section < 0 || c.Section >= len(doc.Sections) {
			return fmt.Errorf("chunk %d is of section %d of %d", i, c.Section, len(doc.Sections))
		}
	}
	return checkVectors(doc.Vectors)
}

func (t *tx) Put(doc *index.NewDocument) (index.Document, error) {
	d, err := t.put(doc)
	if err != nil {
		return index.Document{}, fmt.Errorf("store %q: %w", doc.Source, err)
	}
	return d, nil
}

func (t *tx) put(doc *index.NewDocument) (index.Document, error) {
	if err := check(doc); err != nil {
		return index.Document{}, err
	}
	sections, err := t.c.encodeSections(doc.Sections)
	if err != nil {
		return index.Document{}, err
	}
	if err := t.advance(); err != nil {
		return index.Document{}, err
	}
	if err := t.closeLive(doc.Source); err != nil {
		return index.Document{}, err
	}
	markdown := t.c.compress(doc.Markdown)
	fingerprint, err := t.fingerprint(doc.Fingerprint)
	if err != nil {
		return index.Document{}, err
	}
	res, err := t.run(`INSERT INTO contents (fingerprint, category, chunks, bytes, sections, markdown) VALUES (?, ?, ?, ?, ?, ?)`,
		fingerprint, doc.Category, len(doc.Chunks), len(doc.Markdown), sections, markdown)
	if err != nil {
		return index.Document{}, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return index.Document{}, err
	}
	content := index.DocID(id)
	if _, err := t.run(`INSERT INTO sums (content, markdown, sections) VALUES (?, ?, ?)`, id,
		int64(blobSum(content, len(doc.Markdown), markdown)), int64(blobSum(content, 0, sections))); err != nil {
		return index.Document{}, err
	}
	d := doc.Document
	d.ID, d.Chunks, d.Bytes = content, len(doc.Chunks), len(doc.Markdown)
	d.From, d.To = t.seq, index.Live
	if err := t.insert(&d); err != nil {
		return index.Document{}, err
	}
	if err := t.insertChunks(d.ID, doc); err != nil {
		return index.Document{}, err
	}
	return d, nil
}

func (t *tx) fingerprint(f index.Fingerprint) (int64, error) {
	args := []any{f.Model, f.Scheme, f.Budget, f.Converter}
	var id int64
	found, err := t.one(`SELECT id FROM fingerprints WHERE model = ? AND scheme = ? AND budget = ? AND converter = ?`, args, &id)
	if err != nil || found {
		return id, err
	}
	res, err := t.run(`INSERT INTO fingerprints (model, scheme, budget, converter) VALUES (?, ?, ?, ?)`, args...)
	if err != nil {
		return 0, err
	}
	if id, err = res.LastInsertId(); err != nil {
		return 0, err
	}
	_, err = t.run(`UPDATE fingerprints SET sum = ? WHERE id = ?`, int64(fingerprintSum(id, &f)), id)
	return id, err
}

// insert writes a version of a document.
func (t *tx) insert(d *index.Document) error {
	var warnings []byte
	if len(d.Warnings) > 0 {
		var err error
		if warnings, err = json.Marshal(d.Warnings); err != nil {
			return err
		}
	}
	mod, modNano := encodeTime(d.ModTime)
	in, inNano := encodeTime(d.IngestedAt)
	_, err := t.run(`INSERT INTO documents (content, from_seq, to_seq, source, kind, title, hash, size, mtime, mtime_nsec,
		ingested, ingested_nsec, ocr, warnings, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		d.ID, d.From, d.To, d.Source, d.Kind, d.Title, d.Hash, d.Size, mod, modNano, in, inNano, d.OCREngine, warnings, int64(documentSum(d)))
	t.totals.add(d, 1)
	return err
}

func (t *tx) insertChunks(doc index.DocID, d *index.NewDocument) error {
	// The id is part of the checksum, so that it is taken first. Nobody else
	// writes meanwhile, and AUTOINCREMENT remembers the highest one.
	var last index.ChunkID
	if _, err := t.one(`SELECT seq FROM sqlite_sequence WHERE name = 'chunks'`, nil, &last); err != nil {
		return err
	}
	var vector []byte
	for i, ch := range d.Chunks {
		c := index.Chunk{ID: last + index.ChunkID(i) + 1, Doc: doc, Index: i, Section: ch.Section, Start: ch.Start, End: ch.End, Text: ch.Text, Tokens: ch.Tokens}
		_, err := t.run(`INSERT INTO chunks (id, content, idx, section, start, stop, tokens, sum, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.ID, c.Doc, c.Index, c.Section, c.Start, c.End, c.Tokens, int64(chunkSum(&c)), c.Text)
		if err != nil {
			return err
		}
		vector = encodeVector(vector[:0], c.ID, d.Vectors[i])
		if _, err := t.run(`INSERT INTO vectors (chunk, data) VALUES (?, ?)`, c.ID, vector); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) Delete(source string) (index.Document, error) {
	d, err := t.Document(source)
	if errors.Is(err, errSum) {
		d, err = index.Document{Source: source}, nil // it may go all the same
	}
	if err != nil {
		return index.Document{}, fmt.Errorf("delete: %w", err)
	}
	if err := t.advance(); err != nil {
		return index.Document{}, err
	}
	if err := t.closeLive(source); err != nil {
		return index.Document{}, err
	}
	d.To = t.seq
	return d, nil
}

func (t *tx) Move(from, to string, modTime time.Time) (index.Document, error) {
	if err := checkSource(to); err != nil {
		return index.Document{}, fmt.Errorf("move %q: %w", from, err)
	}
	d, err := t.Document(from)
	if err != nil {
		return index.Document{}, fmt.Errorf("move: %w", err)
	}
	if err := t.advance(); err != nil {
		return index.Document{}, err
	}
	for _, source := range []string{from, to} {
		if err := t.closeLive(source); err != nil {
			return index.Document{}, err
		}
	}
	d.Source, d.ModTime, d.From, d.To = to, modTime, t.seq, index.Live
	if err := t.insert(&d); err != nil {
		return index.Document{}, err
	}
	return d, nil
}

func (t *tx) Touch(source string, size int64, modTime time.Time) error {
	d, err := t.Document(source)
	if err != nil {
		return fmt.Errorf("touch: %w", err)
	}
	d.Size, d.ModTime = size, modTime
	mod, modNano := encodeTime(modTime)
	_, err = t.run(`UPDATE documents SET size = ?, mtime = ?, mtime_nsec = ?, sum = ? WHERE source = ? AND to_seq = 9223372036854775807`,
		size, mod, modNano, int64(documentSum(&d)), source)
	return err
}
