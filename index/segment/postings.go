package segment

import (
	"encoding/binary"
	"math"
	"slices"
)

// The postings of a term are blocks of blockLen entries, the last one of what
// is left. First comes a skipSize record for each block:
//
//	last entry       4 bytes
//	end of the block 4 bytes, from the first block's start
//	end in positions 4 bytes, from the start of the term's positions
//	most of body     4 bytes, float32
//	most of others   4 bytes, float32
//
// and then the blocks: a width in bits for each of the four columns, 1 byte
// each, and the columns, packed: entries as gaps (entry - one before - 1), and
// how often the term is in title, headings and body.
//
// The most of body is the largest weighted count (see weigh) of the body that
// an entry of the block has, with the average lengths of its segment, and the
// most of others that of title and headings together; both are rounded up.
//
// Positions are, for each entry and each field in order, the positions of the
// term in the field as gaps (position - one before, the first from 0), varints.
const (
	blockLen = 128
	skipSize = 20
)

// A list holds the postings of one term, decoded.
type list struct {
	entries   []uint32
	counts    [fields][]uint32
	positions []byte
	ends      []int // of each entry in positions
}

func (l *list) reset() {
	l.entries, l.positions, l.ends = l.entries[:0], l.positions[:0], l.ends[:0]
	for f := range l.counts {
		l.counts[f] = l.counts[f][:0]
	}
}

func (l *list) add(entry uint32, counts [fields]uint32) {
	l.entries = append(l.entries, entry)
	for f, n := range counts {
		l.counts[f] = append(l.counts[f], n)
	}
}

func (l *list) positionsOf(i int) []byte {
	start := 0
	if i > 0 {
		start = l.ends[i-1]
	}
	return l.positions[start:l.ends[i]]
}

// sort orders the postings by entry.
func (l *list) sort() {
	if slices.IsSorted(l.entries) {
		return
	}
	order := make([]int, len(l.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(l.entries[a]) - int(l.entries[b]) })
	var sorted list
	for _, i := range order {
		sorted.add(l.entries[i], [fields]uint32{l.counts[title][i], l.counts[headings][i], l.counts[body][i]})
		sorted.positions = append(sorted.positions, l.positionsOf(i)...)
		sorted.ends = append(sorted.ends, len(sorted.positions))
	}
	*l = sorted
}

// encode appends the postings and positions of a term to dst. norms are those
// of the segment, lengths and runOf those of its entries.
func (l *list) encode(dst []byte, norms *norms, lengths []length, runOf []uint32) ([]byte, termInfo) {
	info := termInfo{count: len(l.entries), positions: len(l.positions)}
	for i, e := range l.entries {
		if i == 0 || runOf[e] != runOf[l.entries[i-1]] {
			info.runs++
		}
	}
	start := len(dst)
	blocks := (len(l.entries) + blockLen - 1) / blockLen
	dst = append(dst, make([]byte, blocks*skipSize)...)
	first := len(dst)
	next := uint32(0)
	var gaps [blockLen]uint32
	for b := range blocks {
		from, to := b*blockLen, min((b+1)*blockLen, len(l.entries))
		columns := [1 + fields][]uint32{gaps[:to-from]}
		for i, e := range l.entries[from:to] {
			gaps[i] = e - next
			next = e + 1
		}
		for f := range fields {
			columns[1+f] = l.counts[f][from:to]
		}
		for _, c := range columns {
			dst = append(dst, byte(widthOf(c)))
		}
		for _, c := range columns {
			dst = pack(dst, c, widthOf(c))
		}
		mostBody, mostOthers := l.most(from, to, norms, lengths, &info)
		skip := dst[start+b*skipSize:]
		binary.LittleEndian.PutUint32(skip, l.entries[to-1])
		binary.LittleEndian.PutUint32(skip[4:], uint32(len(dst)-first))
		binary.LittleEndian.PutUint32(skip[8:], uint32(l.ends[to-1]))
		binary.LittleEndian.PutUint32(skip[12:], math.Float32bits(roundUp(mostBody)))
		binary.LittleEndian.PutUint32(skip[16:], math.Float32bits(roundUp(mostOthers)))
	}
	info.postings = len(dst) - start
	return append(dst, l.positions...), info
}

// most returns the largest weights of a block and counts its fields.
func (l *list) most(from, to int, norms *norms, lengths []length, info *termInfo) (mostBody, mostOthers float64) {
	for i := from; i < to; i++ {
		var others float64
		for f := range fields {
			n := l.counts[f][i]
			if n == 0 {
				continue
			}
			info.frequency[f]++
			w := norms.weigh(f, n, lengths[l.entries[i]])
			if f == body {
				mostBody = max(mostBody, w)
			} else {
				others += w
			}
		}
		mostOthers = max(mostOthers, others)
	}
	return mostBody, mostOthers
}

func roundUp(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}

// A cursor reads the postings of a term block by block.
type cursor struct {
	skips  []byte
	data   []byte // blocks, positions and packTail bytes
	pos    []byte // positions
	count  int
	blocks int

	block   int // that is decoded, or -1
	widths  [1 + fields]int
	columns int // where those of the decoded block begin in data
	counted bool
	n       int // entries of the block
	entries [blockLen]uint32
	counts  [fields][blockLen]uint32
}

// open makes c read the current term of d.
func (c *cursor) open(d *dictReader) {
	all := d.bytes()
	c.count = d.info.count
	c.blocks = (c.count + blockLen - 1) / blockLen
	c.skips = all[:c.blocks*skipSize]
	c.data = all[c.blocks*skipSize:]
	c.pos = all[d.info.postings : d.info.postings+d.info.positions]
	c.block = -1
}

func (c *cursor) skip(b int) []byte { return c.skips[b*skipSize:][:skipSize] }

// last returns the last entry of a block.
func (c *cursor) last(b int) uint32 { return binary.LittleEndian.Uint32(c.skip(b)) }

// most returns the largest weights of a block.
func (c *cursor) most(b int) (body, others float64) {
	s := c.skip(b)
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(s[12:]))), float64(math.Float32frombits(binary.LittleEndian.Uint32(s[16:])))
}

// decode reads the entries of a block.
func (c *cursor) decode(b int) {
	if b == c.block {
		return
	}
	start, next := 0, uint32(0)
	if b > 0 {
		start = int(binary.LittleEndian.Uint32(c.skip(b - 1)[4:]))
		next = c.last(b-1) + 1
	}
	c.block, c.counted = b, false
	c.n = min(blockLen, c.count-b*blockLen)
	for i := range c.widths {
		c.widths[i] = int(c.data[start+i])
	}
	start += len(c.widths)
	unpack(c.entries[:c.n], c.data[start:], c.widths[0], 0)
	for i, gap := range c.entries[:c.n] {
		next += gap
		c.entries[i] = next
		next++
	}
	c.columns = start + packedSize(c.n, c.widths[0])
}

// decodeCounts reads how often the fields of the block's entries have the term.
func (c *cursor) decodeCounts() {
	if c.counted {
		return
	}
	c.counted = true
	at := c.columns
	for f := range fields {
		w := c.widths[1+f]
		unpack(c.counts[f][:c.n], c.data[at:], w, 0)
		at += packedSize(c.n, w)
	}
}

// countsAt returns the counts of one entry of the decoded block.
func (c *cursor) countsAt(i int) (counts [fields]uint32) {
	at := c.columns
	for f := range fields {
		w := c.widths[1+f]
		if w > 0 {
			unpack(counts[f:f+1], c.data[at+i*w>>3:], w, i*w&7)
		}
		at += packedSize(c.n, w)
	}
	return counts
}

// readPositions calls visit with the position bytes of each entry of the
// decoded block.
func (c *cursor) readPositions(visit func(i int, bytes []byte)) {
	c.decodeCounts()
	start := 0
	if c.block > 0 {
		start = int(binary.LittleEndian.Uint32(c.skip(c.block - 1)[8:]))
	}
	left := c.pos[start:]
	for i := range c.n {
		size := 0
		for n := c.counts[title][i] + c.counts[headings][i] + c.counts[body][i]; n > 0; n-- {
			for left[size] >= 0x80 {
				size++
			}
			size++
		}
		visit(i, left[:size])
		left = left[size:]
	}
}

// appendTo adds all postings to l, with entries renumbered. dropped entries
// are left out.
func (c *cursor) appendTo(l *list, numbers []uint32) {
	for b := range c.blocks {
		c.decode(b)
		c.readPositions(func(i int, bytes []byte) {
			to := numbers[c.entries[i]]
			if to == dropped {
				return
			}
			l.add(to, [fields]uint32{c.counts[title][i], c.counts[headings][i], c.counts[body][i]})
			l.positions = append(l.positions, bytes...)
			l.ends = append(l.ends, len(l.positions))
		})
	}
}

// dropped stands for an entry that is not in a merged segment.
const dropped = math.MaxUint32
