package minirag

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/archive"
)

// ErrNotEmpty says that a corpus has documents already.
var ErrNotEmpty = errors.New("the index is not empty")

// ErrExport says that a stream is no export that can be read.
var ErrExport = errors.New("not a sound export")

// Export writes everything that the corpus holds, also below other roots, as
// one stream, which [Corpus.Import] reads and docs/FORMAT.md describes. It is
// one state, whatever is stored meanwhile, and holds no old versions.
func (c *Corpus) Export(ctx context.Context, out io.Writer) (*ImportReport, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	report := &ImportReport{}
	err = c.o.Catalog.View(ctx, func(v index.View) error {
		w, err := archive.NewWriter(out, archive.Header{Created: time.Now().UTC(), Catalog: c.o.Catalog.UUID()})
		if err != nil {
			return err
		}
		x := exporter{v: v, w: w, report: report, docs: make(map[index.DocID]*index.Document)}
		if err := x.all(); err != nil {
			return err
		}
		return w.Close()
	})
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return report, nil
}

type exporter struct {
	v      index.View
	w      *archive.Writer
	docs   map[index.DocID]*index.Document // not yet written
	report *ImportReport
}

func (x *exporter) all() error {
	models := make(map[string]bool)
	for d, err := range x.v.Documents(index.DocumentQuery{}) {
		if err != nil {
			return err
		}
		x.docs[d.ID] = &d
		models[d.Model] = true
	}
	for model := range models {
		if err := x.model(model); err != nil {
			return err
		}
	}
	for id := range x.docs { // those without chunks, and without a model
		if err := x.document(id, nil); err != nil {
			return err
		}
	}
	return nil
}

// model writes the documents that were embedded by a model.
func (x *exporter) model(model string) error {
	if model == "" {
		return nil
	}
	var current index.DocID
	var vectors [][]float32
	for e, err := range x.v.Added(0, x.v.Seq(), model) {
		if err != nil {
			return err
		}
		if e.Doc != current && current != 0 {
			if err := x.document(current, vectors); err != nil {
				return err
			}
			vectors = nil
		}
		current = e.Doc
		vectors = append(vectors, e.Vector)
	}
	if current == 0 {
		return nil
	}
	return x.document(current, vectors)
}

func (x *exporter) document(id index.DocID, vectors [][]float32) error {
	d, ok := x.docs[id]
	if !ok {
		return fmt.Errorf("content %d has no document: %w", id, index.ErrDamaged)
	}
	delete(x.docs, id)
	text, err := x.v.Markdown(id)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	sections, err := x.v.Sections(id)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	stored, err := x.v.ChunkRange(id, 0, math.MaxInt32)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	if len(stored) != len(vectors) {
		return fmt.Errorf("%s: %d chunks and %d vectors: %w", d.Source, len(stored), len(vectors), index.ErrDamaged)
	}
	out := &index.NewDocument{Document: *d, Markdown: text, Sections: sections, Vectors: vectors}
	for _, s := range stored {
		out.Chunks = append(out.Chunks, chunk.Chunk{Section: s.Section, Start: s.Start, End: s.End, Text: s.Text, Tokens: s.Tokens})
	}
	x.report.Sources++
	x.report.Chunks += len(stored)
	return x.w.Add(out)
}

// An ImportReport is the outcome of [Corpus.Export] and [Corpus.Import].
type ImportReport struct {
	Sources, Chunks int
}

// Import fills an empty corpus with what [Corpus.Export] wrote: all of it or,
// if it returns an error, nothing. The error wraps [ErrNotEmpty] or, if in is
// not a sound export, [ErrExport]. Documents of another model, chunking or
// conversion than this corpus has are made anew by the next sync.
func (c *Corpus) Import(ctx context.Context, in io.ReadSeeker) (*ImportReport, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if err := CheckExport(in); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	report := &ImportReport{}
	_, err = c.o.Catalog.Update(ctx, func(tx index.Tx) error {
		if s, err := tx.Stats(); err != nil || s.Documents > 0 {
			return errors.Join(err, notEmpty(s.Documents))
		}
		return readExport(in, func(d *index.NewDocument) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			report.Sources++
			report.Chunks += len(d.Chunks)
			_, err := tx.Put(d)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	if _, err := c.catchUp(ctx); err != nil {
		c.log.WarnContext(ctx, "derived indexes are behind", "error", err)
	}
	return report, nil
}

func notEmpty(documents int) error {
	if documents == 0 {
		return nil
	}
	return fmt.Errorf("%w: it has %d documents; import into another folder", ErrNotEmpty, documents)
}

// CheckExport reads an export and says whether it is whole: nil, or an error
// that wraps [ErrExport]. It leaves in at the beginning.
func CheckExport(in io.ReadSeeker) error {
	err := archive.Check(in)
	if err == nil {
		err = readExport(in, func(*index.NewDocument) error { return nil })
	}
	if err == nil {
		_, err = in.Seek(0, io.SeekStart)
	}
	for _, kind := range []error{archive.ErrDamaged, archive.ErrForeign, archive.ErrNewer} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%w: %w", ErrExport, err)
		}
	}
	return err
}

func readExport(in io.ReadSeeker, each func(*index.NewDocument) error) error {
	r, err := archive.NewReader(in)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		d, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(d); err != nil {
			return err
		}
	}
}
