package bert

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// A Piece is an entry of a vocabulary.
type Piece struct {
	Text string
	// Score is the logarithm of the piece's probability (Unigram).
	Score float32
	// Special pieces, and empty ones, never stand for text.
	Special bool
}

// A TokenizerSpec describes a tokenizer that comes without a GGUF file.
// Exactly one of WordPiece and Unigram is set.
type TokenizerSpec struct {
	Pieces  []Piece // by id
	Unknown int     // id of the unknown token
	// Begin and End are the ids around each text; negative: none.
	Begin, End int
	WordPiece  *WordPieceRules
	Unigram    *UnigramRules
}

// WordPieceRules are the switches of BERT's tokenizer.
type WordPieceRules struct {
	// Continuing begins the pieces that do not begin a word, as "##" does.
	Continuing string
	// Clean drops controls, Ideographs splits at them, Lower folds case,
	// Strip takes accents off.
	Clean, Ideographs, Lower, Strip bool
	// MaxWordRunes: longer words are unknown.
	MaxWordRunes int
}

// UnigramRules say what happens to text before it is split.
type UnigramRules struct {
	// Charsmap is sentencepiece's precompiled normaliser; empty: none.
	Charsmap string
	// Collapse makes one of several spaces, Trim drops those at the end. Trim
	// needs Collapse.
	Collapse, Trim bool
	// Words splits at white space of every kind, so that spaces have no pieces
	// of their own.
	Words bool
}

// NewTokenizer makes the tokenizer that s describes.
func NewTokenizer(s *TokenizerSpec) (*Tokenizer, error) {
	n := len(s.Pieces)
	switch {
	case n == 0 || n > math.MaxInt32:
		return nil, fmt.Errorf("make tokenizer: a vocabulary of %d tokens", n)
	case s.Unknown < 0 || s.Unknown >= n || s.Begin >= n || s.End >= n:
		return nil, fmt.Errorf("make tokenizer: ids %d, %d and %d in a vocabulary of %d tokens", s.Unknown, s.Begin, s.End, n)
	case (s.WordPiece == nil) == (s.Unigram == nil):
		return nil, errors.New("make tokenizer: neither or both of WordPiece and Unigram")
	}
	t := &Tokenizer{bos: int32(max(s.Begin, -1)), eos: int32(max(s.End, -1)), unk: int32(s.Unknown), size: n}
	var err error
	if s.WordPiece != nil {
		t.split, err = s.wordPiece()
	} else {
		t.split, err = s.unigram()
	}
	if err != nil {
		return nil, fmt.Errorf("make tokenizer: %w", err)
	}
	return t, nil
}

func (s *TokenizerSpec) wordPiece() (*wordPiece, error) {
	r := s.WordPiece
	if r.Continuing == "" || r.MaxWordRunes <= 0 {
		return nil, errors.New("continuing pieces without a mark, or words without a longest one")
	}
	pieces := make([]piece, 0, len(s.Pieces))
	for i, p := range s.Pieces {
		if p.Special || p.Text == "" || !utf8.ValidString(p.Text) {
			continue
		}
		text := string(metaspace) + p.Text
		if rest, ok := strings.CutPrefix(p.Text, r.Continuing); ok && rest != "" {
			text = rest
		}
		pieces = append(pieces, piece{text, int32(i)})
	}
	t, err := buildTrie(pieces)
	return &wordPiece{trie: t, unk: int32(s.Unknown), rules: *r}, err
}

func (s *TokenizerSpec) unigram() (*unigram, error) {
	r := s.Unigram
	if r.Trim && !r.Collapse {
		return nil, errors.New("spaces that are trimmed but not collapsed")
	}
	m, err := parseCharsmap(r.Charsmap)
	if err != nil {
		return nil, err
	}
	lowest := float32(math.Inf(1))
	scores := make([]byte, 0, 4*len(s.Pieces))
	pieces := make([]piece, 0, len(s.Pieces))
	for i, p := range s.Pieces {
		scores = binary.LittleEndian.AppendUint32(scores, math.Float32bits(p.Score))
		if p.Score != p.Score || p.Text == "" {
			continue // a score that is not a number orders nothing
		}
		lowest = min(lowest, p.Score)
		if !p.Special {
			pieces = append(pieces, piece{p.Text, int32(i)})
		}
	}
	if math.IsInf(float64(lowest), 0) {
		lowest = 0
	}
	t, err := buildTrie(pieces)
	return &unigram{
		trie: t, scores: string(scores), charsmap: m,
		unk: int32(s.Unknown), unkScore: float64(lowest) - unknownPenalty, rules: *r,
	}, err
}
