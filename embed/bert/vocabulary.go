package bert

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
)

// A vocabulary is the table of tokens as the file has it.
type vocabulary struct {
	count  int
	data   string // the tokens as the file has them
	tokens func(yield func(int, string) bool)
	scores string // float32 each, may be empty
	kinds  string // int32 each, may be empty
}

func (v *vocabulary) kind(i int) uint32 {
	if v.kinds == "" {
		return kindNormal
	}
	return le32(v.kinds[4*i:])
}

func (v *vocabulary) score(i int) float32 {
	if v.scores == "" {
		return 0
	}
	return math.Float32frombits(le32(v.scores[4*i:]))
}

// special finds the id of a token by its name, -1 if there is none.
func (v *vocabulary) special(name string) int32 {
	for i, s := range v.tokens {
		if s == name {
			return int32(i)
		}
	}
	return -1
}

// text tells whether token i can stand for text: control, unknown and unused
// tokens cannot.
func (v *vocabulary) text(i int, s string) bool {
	switch v.kind(i) {
	case kindNormal, kindUserDefined:
		return s != ""
	}
	return false
}

// bracketed tells whether s is written as BERT writes its special tokens.
func bracketed(s string) bool {
	return len(s) > 2 && strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]")
}

// A prepared vocabulary is, little-endian: tableMagic with the version of the
// format, the checksum of the vocabulary that it was made from (CRC-32C of the
// tokens, scores and kinds as the GGUF has them), the checksum of the units,
// the lowest score (float32), and the units of the trie to the end.
const (
	tableMagic  = "mrvocab\x01"
	tableHeader = len(tableMagic) + 12
)

// checksum is the CRC-32C of parts one after the other.
func checksum(parts ...string) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	var sum uint32
	for _, s := range parts {
		sum = crc32.Update(sum, table, bytesOf(s))
	}
	return sum
}

func (v *vocabulary) checksum() uint32 { return checksum(v.data, v.scores, v.kinds) }

// unigramTable is the trie of a Unigram vocabulary with its lowest score.
type unigramTable struct {
	trie   trie
	lowest float32
}

// parseTable finds the table in prepared, if it was made from v.
func (v *vocabulary) parseTable(prepared string) (t unigramTable, ok bool) {
	rest, ok := strings.CutPrefix(prepared, tableMagic)
	if !ok || len(prepared) < tableHeader || (len(prepared)-tableHeader)%unitBytes != 0 {
		return t, false
	}
	t = unigramTable{trie: trie{units: rest[12:]}, lowest: math.Float32frombits(le32(rest[8:]))}
	return t, le32(rest) == v.checksum() && le32(rest[4:]) == checksum(t.trie.units)
}

// buildTable makes the table from the vocabulary itself.
func (v *vocabulary) buildTable() (unigramTable, error) {
	lowest := float32(math.Inf(1))
	pieces := make([]piece, 0, v.count)
	for i, s := range v.tokens {
		score := v.score(i)
		if !v.text(i, s) || score != score {
			continue // a score that is not a number orders nothing
		}
		lowest = min(lowest, score)
		pieces = append(pieces, piece{s, int32(i)})
	}
	if math.IsInf(float64(lowest), 0) {
		lowest = 0
	}
	t, err := buildTrie(pieces)
	return unigramTable{trie: t, lowest: lowest}, err
}

// PrepareVocabulary returns what [New] would compute from the Unigram
// vocabulary of a GGUF file at every start, for [Options.Vocabulary].
func PrepareVocabulary(gguf string) ([]byte, error) {
	f, err := parseGGUF(gguf)
	if err != nil {
		return nil, fmt.Errorf("prepare vocabulary: %w", err)
	}
	v, err := readVocabulary(f)
	if err != nil {
		return nil, fmt.Errorf("prepare vocabulary: %w", err)
	}
	t, err := v.buildTable()
	if err != nil {
		return nil, fmt.Errorf("prepare vocabulary: %w", err)
	}
	b := []byte(tableMagic)
	b = binary.LittleEndian.AppendUint32(b, v.checksum())
	b = binary.LittleEndian.AppendUint32(b, checksum(t.trie.units))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(t.lowest))
	return append(b, t.trie.units...), nil
}
