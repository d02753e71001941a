package chromem

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	chromemgo "github.com/philippgille/chromem-go"

	"github.com/minirag/minirag/index"
)

// What an export has: a collection of the chunks, each a document with the
// chunk as its ID and its document under docKey, and one with a document that
// says what they are. Of a collection chromem-go tells no metadata.
const (
	chunksName = "minirag-chunks"
	stateName  = "minirag-state"
	stateID    = "state"
	docKey     = "doc"

	fileVersion = "1"
)

// ErrOrigin says that a file was exported by a store of another origin, or by
// another program.
var ErrOrigin = errors.New("vectors of another origin")

// Export writes the newest state as one compressed file of chromem-go.
func (s *Store) Export(ctx context.Context, w io.Writer) error {
	if err := s.export(ctx, w); err != nil {
		return fmt.Errorf("export vectors: %w", err)
	}
	return nil
}

func (s *Store) export(ctx context.Context, w io.Writer) error {
	st := s.state.Load()
	db := chromemgo.NewDB()
	chunks, err := db.CreateCollection(chunksName, nil, refuse)
	if err != nil {
		return err
	}
	var undirected strings.Builder
	for _, e := range st.entries() {
		if !directed(e.Vector) {
			fmt.Fprintln(&undirected, e.Chunk, e.Doc)
		} else if err := chunks.AddDocument(ctx, document(e)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	about, err := db.CreateCollection(stateName, nil, refuse)
	if err != nil {
		return err
	}
	stored, err := s.read(ctx, chunks, undirected.String())
	if err != nil {
		return err
	}
	err = about.AddDocument(ctx, chromemgo.Document{ID: stateID, Content: undirected.String(), Embedding: []float32{1}, Metadata: map[string]string{
		"version": fileVersion, "catalog": s.origin.Catalog, "model": s.origin.Model, "dims": strconv.Itoa(s.origin.Dims),
		"seq": strconv.FormatInt(int64(st.seq), 10), "sum": sum(st.seq, stored),
	}})
	if err != nil {
		return err
	}
	return db.ExportToWriter(w, true, "")
}

// Import replaces what the store holds by what Export wrote, all or nothing.
// The error wraps [ErrOrigin] or, if the file is not as it was written,
// [index.ErrDamaged]. The file must be trusted not to be made to exhaust the
// memory. It is read from its beginning.
func (s *Store) Import(ctx context.Context, r io.ReadSeeker) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.load(ctx, r)
	if err != nil {
		return fmt.Errorf("import vectors: %w", err)
	}
	s.state.Store(next)
	return nil
}

func (s *Store) load(ctx context.Context, r io.ReadSeeker) (next *state, err error) {
	defer func() {
		if p := recover(); p != nil {
			next, err = nil, fmt.Errorf("%w: %v", index.ErrDamaged, p)
		}
	}()
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	db := chromemgo.NewDB()
	if err := db.ImportFromReader(r, ""); err != nil {
		return nil, fmt.Errorf("%w: %v", index.ErrDamaged, err)
	}
	about, chunks := db.GetCollection(stateName, refuse), db.GetCollection(chunksName, refuse)
	if about == nil || chunks == nil {
		return nil, fmt.Errorf("%w: the file has no state", ErrOrigin)
	}
	doc, err := about.GetByID(ctx, stateID)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrOrigin, err)
	}
	m := doc.Metadata
	if m["version"] != fileVersion || m["catalog"] != s.origin.Catalog || m["model"] != s.origin.Model || m["dims"] != strconv.Itoa(s.origin.Dims) {
		return nil, fmt.Errorf("%w: version %s, catalog %s, model %s, %s dimensions", ErrOrigin, m["version"], m["catalog"], m["model"], m["dims"])
	}
	seq, err := strconv.ParseInt(m["seq"], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", index.ErrDamaged, err)
	}
	stored, err := s.read(ctx, chunks, doc.Content)
	if err != nil {
		return nil, err
	}
	if sum(index.Seq(seq), stored) != m["sum"] {
		return nil, fmt.Errorf("%w: the checksum does not fit", index.ErrDamaged)
	}
	entries := make(map[index.ChunkID]index.VectorEntry, len(stored))
	for _, e := range stored {
		entries[e.Chunk] = e
	}
	next = &state{seq: index.Seq(seq), dims: s.origin.Dims}
	return next, next.add(ctx, entries)
}

// read returns what a collection holds and what undirected lists, by chunk.
func (s *Store) read(ctx context.Context, chunks *chromemgo.Collection, undirected string) ([]index.VectorEntry, error) {
	entries := make([]index.VectorEntry, 0, chunks.Count())
	add := func(chunk, doc string, vector []float32) error {
		id, err := strconv.ParseInt(chunk, 10, 64)
		of, derr := strconv.ParseInt(doc, 10, 64)
		if err := errors.Join(err, derr); err != nil {
			return fmt.Errorf("%w: %v", index.ErrDamaged, err)
		}
		entries = append(entries, index.VectorEntry{Chunk: index.ChunkID(id), Doc: index.DocID(of), Vector: vector})
		return nil
	}
	for line := range strings.Lines(undirected) {
		chunk, doc, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := add(chunk, doc, make([]float32, s.origin.Dims)); err != nil {
			return nil, err
		}
	}
	if chunks.Count() > 0 {
		// There is no other way to list documents than to ask for all.
		query := make([]float32, s.origin.Dims)
		query[0] = 1
		found, err := chunks.QueryEmbedding(ctx, query, chunks.Count(), nil, nil)
		if err == nil {
			err = ctx.Err()
		} else {
			err = fmt.Errorf("%w: %v", index.ErrDamaged, err)
		}
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if err := add(r.ID, r.Metadata[docKey], r.Embedding); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(entries, func(a, b index.VectorEntry) int { return cmp.Compare(a.Chunk, b.Chunk) })
	return entries, nil
}

// entries returns what is live.
func (s *state) entries() []index.VectorEntry {
	var out []index.VectorEntry
	for _, p := range s.parts {
		for id, e := range p.entries {
			if !p.gone[id] {
				out = append(out, e)
			}
		}
	}
	return out
}

// sum is a checksum of everything that is kept.
func sum(seq index.Seq, entries []index.VectorEntry) string {
	h := sha256.New()
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, uint64(seq))
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Chunk))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Doc))
		for _, x := range e.Vector {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		h.Write(b)
		b = b[:0]
	}
	return hex.EncodeToString(h.Sum(nil))
}
