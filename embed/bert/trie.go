package bert

// A trie holds the pieces of a vocabulary, one node for each of their
// prefixes of whole characters. Its edges are the entries of one hash table
// with open addressing: it is built in a single pass over an unsorted
// vocabulary, with no string of its own, and a step costs about one cache
// line. A node is known by the slot of the edge that leads to it.
type trie struct {
	slots []slot
	shift uint    // 64 - log2(len(slots))
	root  []int32 // slots of the first characters below rootRunes, -1 for none
	used  int
}

// slot is an edge: from a node over a character to a node, whose piece (if
// id is not negative) has the given score.
type slot struct {
	key   uint64 // parent slot + 2, then the rune in 21 bits; 0 is free
	id    int32
	score float32
}

const (
	noNode    = -1
	rootNode  = -1
	rootRunes = 1 << 16
	runeBits  = 21
)

// newTrie makes a trie for about n pieces.
func newTrie(n int) *trie {
	t := &trie{root: make([]int32, rootRunes)}
	for i := range t.root {
		t.root[i] = noNode
	}
	t.shift = 64 - 10
	for n > 1<<(64-t.shift)/2 {
		t.shift--
	}
	t.slots = make([]slot, 1<<(64-t.shift))
	return t
}

func (t *trie) hash(key uint64) int {
	// Fibonacci hashing: the high bits of a product with 2^64/phi.
	return int(key * 0x9e3779b97f4a7c15 >> t.shift)
}

func edge(node int, r rune) uint64 { return uint64(node+2)<<runeBits | uint64(uint32(r)) }

// step goes from node over r; noNode when no piece continues so.
func (t *trie) step(node int, r rune) int {
	key := edge(node, r)
	for i := t.hash(key); ; i = (i + 1) & (len(t.slots) - 1) {
		switch t.slots[i].key {
		case key:
			return i
		case 0:
			return noNode
		}
	}
}

// first is step from the root.
func (t *trie) first(r rune) int {
	if uint32(r) < rootRunes {
		return int(t.root[r])
	}
	return t.step(rootNode, r)
}

// add enters a piece; the first of equal pieces wins, as in a map that is
// filled once. It reports whether there was room.
func (t *trie) add(piece string, id int32, score float32) bool {
	node := rootNode
	for _, r := range piece {
		key := edge(node, r)
		i := t.hash(key)
		for t.slots[i].key != key {
			if t.slots[i].key == 0 {
				if t.used >= len(t.slots)/4*3 {
					return false
				}
				t.used++
				t.slots[i] = slot{key: key, id: -1}
				if node == rootNode && uint32(r) < rootRunes {
					t.root[r] = int32(i)
				}
				break
			}
			i = (i + 1) & (len(t.slots) - 1)
		}
		node = i
	}
	if node != rootNode && t.slots[node].id < 0 {
		t.slots[node].id, t.slots[node].score = id, score
	}
	return true
}

// A piece is an entry of a vocabulary.
type piece struct {
	text  string
	id    int32
	score float32
}

// buildTrie enters all pieces, in a table that is doubled until they fit.
func buildTrie(n int, each func(yield func(piece) bool)) *trie {
	for {
		t, full := newTrie(n), false
		for p := range each {
			if !t.add(p.text, p.id, p.score) {
				full = true
				break
			}
		}
		if !full {
			return t
		}
		n = len(t.slots)
	}
}
