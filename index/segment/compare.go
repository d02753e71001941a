package segment

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/internal/mmap"
)

var _ index.Comparer = (*Engine)(nil)

// Compare implements [index.Comparer]. It needs 8 bytes for each chunk, and
// what a batch of Apply takes.
func (e *Engine) Compare(ctx context.Context, entries iter.Seq2[index.Entry, error]) (int, error) {
	state, err := e.set.Acquire()
	if err != nil {
		return 0, fmt.Errorf("compare index: %w", err)
	}
	defer state.Release()
	c := &comparison{parts: state.Parts}
	err = mmap.Guard(func() error { return c.run(ctx, e, entries) })
	if errors.Is(err, mmap.ErrFault) {
		err = fmt.Errorf("%w: %w", index.ErrDamaged, err)
	}
	if err == nil {
		err = state.Verify()
	}
	if err != nil {
		return c.done, fmt.Errorf("compare index: %w", err)
	}
	return c.done, nil
}

type comparison struct {
	parts []*segset.Part[*segment]
	sums  [][]uint64 // of the words of each entry of a part
	done  int
}

func (c *comparison) run(ctx context.Context, e *Engine, entries iter.Seq2[index.Entry, error]) error {
	if e.keywords {
		for _, p := range c.parts {
			sums, err := p.Data.wordSums(ctx)
			if err != nil {
				return err
			}
			c.sums = append(c.sums, sums)
		}
	}
	b := newBatch(e.origin.Dims, e.keywords)
	for entry, err := range entries {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		b.add(&entry)
		if b.full() > 0 {
			if err := c.batch(b); err != nil {
				return err
			}
			b = b.next()
		}
	}
	return c.batch(b)
}

// batch compares the entries of a batch with those of the parts.
func (c *comparison) batch(b *batch) error {
	var analysed []*analysed
	if b.keywords {
		analysed = b.analyse()
	}
	for i := range b.entries {
		it := &b.entries[i]
		part, entry, ok := c.find(it.chunk)
		if !ok {
			return c.differs(it, "it is not there")
		}
		s := c.parts[part].Data
		if s.doc(entry) != it.doc {
			return c.differs(it, "it is said to be of another document")
		}
		if b.dims > 0 {
			scale := s.scales[entry]
			same := math.Float32bits(scale) == math.Float32bits(it.scale) || it.vector == nil && math.IsNaN(float64(scale))
			if !same || it.vector != nil && !bytes.Equal(raw(s.vector(entry)), raw(it.vector)) {
				return c.differs(it, "its vector is another one")
			}
		}
		if b.keywords {
			a := analysed[i]
			if s.lengths[entry] != newLength(a.words()) || c.sums[part][entry] != a.sum() {
				return c.differs(it, "its words are not those of its text")
			}
		}
		c.done++
	}
	return nil
}

// find returns where the live entry of a chunk is.
func (c *comparison) find(chunk index.ChunkID) (part, entry int, ok bool) {
	for i, p := range c.parts {
		if e, ok := p.Find(chunk); ok && !p.Deleted.Has(e) {
			return i, e, true
		}
	}
	return 0, 0, false
}

func (c *comparison) differs(it *item, how string) error {
	return fmt.Errorf("%w: chunk %d of document %d differs from the catalog: %s", index.ErrDamaged, it.chunk, it.doc, how)
}

// wordSums returns for each entry the sum over all occurrences in it, as
// [analysed.sum] has it, read from the postings of all terms.
func (s *segment) wordSums(ctx context.Context) ([]uint64, error) {
	sums := make([]uint64, s.Len())
	d := &dictReader{s: s}
	var c cursor
	for d.read() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		term := hashTerm(string(d.term))
		c.open(d)
		for b := range c.blocks {
			c.decode(b)
			c.readPositions(func(i int, bytes []byte) {
				for f := range fields {
					position := uint64(0)
					for range c.counts[f][i] {
						gap, size := binary.Uvarint(bytes)
						bytes = bytes[size:]
						position += gap
						sums[c.entries[i]] += hashPlace(term, f, position)
					}
				}
			})
		}
	}
	return sums, nil
}

// sum adds up a hash of each occurrence: the order of adding does not matter,
// and it is another one if a term is lost, moved or another one.
func (a *analysed) sum() (sum uint64) {
	for f := range fields {
		for _, t := range a[f] {
			sum += hashPlace(hashTerm(t.Term), f, uint64(min(t.Position, maxPosition)))
		}
	}
	return sum
}

// hashTerm is FNV-1a of 64 bits.
func hashTerm(term string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(term) {
		h = (h ^ uint64(term[i])) * 0x100000001b3
	}
	return h
}

// hashPlace mixes a term with a place as MurmurHash3 ends, so that sums of
// several do not agree by chance.
func hashPlace(term uint64, field int, position uint64) uint64 {
	h := term ^ (uint64(field)<<fieldShift|position+1)*0x9e3779b97f4a7c15
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
