package archive_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/archive"
)

func documents() []*index.NewDocument {
	return []*index.NewDocument{
		{Document: index.Document{Source: "/a.md", Kind: index.File, Title: "A", ModTime: time.Unix(1_700_000_000, 5).UTC(),
			Warnings: []string{"w"}, Fingerprint: index.Fingerprint{Model: "m", Scheme: 2, Budget: 200, Converter: "1"}},
			Markdown: "# A\n\ntext\n", Sections: []chunk.Section{{End: 9, Headings: []string{"A"}}},
			Chunks:  []chunk.Chunk{{End: 9, Text: "text", Tokens: 3}, {Start: 5, End: 9, Text: "t", Tokens: 1}},
			Vectors: [][]float32{{1, 0}, {0, 1}}},
		{Document: index.Document{Source: "empty", Kind: index.Data}, Vectors: [][]float32{}},
	}
}

func write(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := archive.NewWriter(&out, archive.Header{Catalog: "c"})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents() {
		if err := w.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(in io.ReadSeeker) ([]*index.NewDocument, error) {
	r, err := archive.NewReader(in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var docs []*index.NewDocument
	for {
		d, err := r.Next()
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
}

func TestRoundTrip(t *testing.T) {
	in := bytes.NewReader(write(t))
	if err := archive.Check(in); err != nil {
		t.Fatal(err)
	}
	got, err := read(in)
	if diff := cmp.Diff(documents(), got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestEveryByteCounts(t *testing.T) {
	data := write(t)
	for i := range data {
		flipped := bytes.Clone(data)
		flipped[i] ^= 0x10
		for name, in := range map[string][]byte{"flipped": flipped, "cut": data[:i]} {
			err := archive.Check(bytes.NewReader(in))
			if !errors.Is(err, archive.ErrDamaged) && !errors.Is(err, archive.ErrForeign) && !errors.Is(err, archive.ErrNewer) {
				t.Errorf("%s at %d: %v", name, i, err)
			}
		}
	}
}

// FuzzRead reads what no checksum has passed: an error or documents whose
// vectors fit their chunks, and no panic.
func FuzzRead(f *testing.F) {
	f.Add(write(f))
	f.Add([]byte("mrexport\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, err := read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, d := range docs {
			if len(d.Vectors) != len(d.Chunks) {
				t.Errorf("%d chunks and %d vectors", len(d.Chunks), len(d.Vectors))
			}
		}
	})
}
