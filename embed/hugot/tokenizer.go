package hugot

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/minirag/minirag/embed/bert"
)

// A tokenizerFile is tokenizer.json, as Hugging Face's tokenizers writes it.
type tokenizerFile struct {
	Added []struct {
		ID      int
		Content string
		Special bool
	} `json:"added_tokens"`
	Normalizer    *step
	PreTokenizer  *step `json:"pre_tokenizer"`
	PostProcessor *step `json:"post_processor"`
	Model         struct {
		Type         string
		Vocab        json.RawMessage
		Unknown      string `json:"unk_token"`
		UnknownID    *int   `json:"unk_id"`
		Continuing   string `json:"continuing_subword_prefix"`
		MaxRunes     *int   `json:"max_input_chars_per_word"`
		ByteFallback bool   `json:"byte_fallback"`
	}
}

// A step is a normalizer, a pre-tokenizer or a post-processor: the fields of
// all kinds that are known.
type step struct {
	Type string
	// Sequence
	Normalizers   []step
	Pretokenizers []step
	Processors    []step
	// BertNormalizer
	Clean      *bool `json:"clean_text"`
	Ideographs *bool `json:"handle_chinese_chars"`
	Strip      *bool `json:"strip_accents"`
	Lower      *bool `json:"lowercase"`
	// Precompiled
	Charsmap string `json:"precompiled_charsmap"`
	// Replace
	Pattern struct{ String, Regex string }
	Content string
	// Strip
	Left  bool `json:"strip_left"`
	Right bool `json:"strip_right"`
	// Metaspace
	Replacement string
	Prefix      *bool   `json:"add_prefix_space"`
	Scheme      *string `json:"prepend_scheme"`
	Split       *bool
	// TemplateProcessing, BertProcessing, RobertaProcessing
	Single   []part
	Specials map[string]struct{ IDs []int } `json:"special_tokens"`
	CLS, SEP []any
}

// A part is a place in a template.
type part struct {
	Special  *struct{ ID string } `json:"SpecialToken"`
	Sequence *struct{ ID string }
}

// readTokenizer makes the tokenizer that a tokenizer.json describes. What is
// not known to be tokenized exactly is refused. Truncation and padding in the
// file are not followed.
func readTokenizer(data []byte) (*bert.Tokenizer, error) {
	var f tokenizerFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%w: read tokenizer.json: %v", ErrTokenizer, err)
	}
	spec := &bert.TokenizerSpec{Begin: -1, End: -1}
	var err error
	switch f.Model.Type {
	case "WordPiece", "": // old files leave it out
		err = f.wordPiece(spec)
	case "Unigram":
		err = f.unigram(spec)
	default:
		err = refused("model", f.Model.Type)
	}
	if err == nil {
		err = f.added(spec)
	}
	if err == nil {
		err = f.around(spec)
	}
	if err != nil {
		return nil, err
	}
	t, err := bert.NewTokenizer(spec)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTokenizer, err)
	}
	return t, nil
}

func refused(what, kind string) error {
	return fmt.Errorf("%w: %s %q; WordPiece with BertNormalizer and BertPreTokenizer, and Unigram with Precompiled and Metaspace are supported",
		ErrTokenizer, what, kind)
}

func or(v *bool, def bool) bool {
	if v == nil {
		return def
	}
	return *v
}

func kind(s *step) string {
	if s == nil {
		return "none"
	}
	return s.Type
}

// maxPieces bounds what an id can make of the table's size.
const maxPieces = 1 << 22

func (f *tokenizerFile) wordPiece(spec *bert.TokenizerSpec) error {
	var vocab map[string]int
	if err := json.Unmarshal(f.Model.Vocab, &vocab); err != nil {
		return fmt.Errorf("%w: vocabulary: %v", ErrTokenizer, err)
	}
	n := f.Normalizer
	if n == nil || n.Type != "BertNormalizer" {
		return refused("normalizer", kind(n))
	}
	if kind(f.PreTokenizer) != "BertPreTokenizer" {
		return refused("pre-tokenizer", kind(f.PreTokenizer))
	}
	r := &bert.WordPieceRules{
		Continuing: f.Model.Continuing, MaxWordRunes: 100,
		Clean: or(n.Clean, true), Ideographs: or(n.Ideographs, true), Lower: or(n.Lower, true),
	}
	r.Strip = or(n.Strip, r.Lower)
	if r.Continuing == "" {
		r.Continuing = "##"
	}
	if f.Model.MaxRunes != nil {
		r.MaxWordRunes = *f.Model.MaxRunes
	}
	for text, id := range vocab {
		if err := put(spec, id, bert.Piece{Text: text}); err != nil {
			return err
		}
	}
	unknown := f.Model.Unknown
	if unknown == "" {
		unknown = "[UNK]"
	}
	id, ok := vocab[unknown]
	if !ok {
		return fmt.Errorf("%w: the vocabulary has no %q", ErrTokenizer, unknown)
	}
	spec.Unknown, spec.WordPiece = id, r
	spec.Pieces[id].Special = true
	return nil
}

func put(spec *bert.TokenizerSpec, id int, p bert.Piece) error {
	if id < 0 || id >= maxPieces {
		return fmt.Errorf("%w: %q has the id %d", ErrTokenizer, p.Text, id)
	}
	if need := id + 1 - len(spec.Pieces); need > 0 {
		spec.Pieces = append(spec.Pieces, make([]bert.Piece, need)...)
	}
	spec.Pieces[id] = p
	return nil
}

func (f *tokenizerFile) unigram(spec *bert.TokenizerSpec) error {
	var vocab [][2]any
	if err := json.Unmarshal(f.Model.Vocab, &vocab); err != nil {
		return fmt.Errorf("%w: vocabulary: %v", ErrTokenizer, err)
	}
	if f.Model.ByteFallback {
		return refused("model", "Unigram with byte_fallback")
	}
	if len(vocab) > maxPieces || f.Model.UnknownID == nil || *f.Model.UnknownID < 0 || *f.Model.UnknownID >= len(vocab) {
		return fmt.Errorf("%w: a vocabulary of %d pieces without an unknown one", ErrTokenizer, len(vocab))
	}
	for i, entry := range vocab {
		text, isText := entry[0].(string)
		score, isScore := entry[1].(float64)
		if !isText || !isScore {
			return fmt.Errorf("%w: piece %d of the vocabulary is no text with a score", ErrTokenizer, i)
		}
		spec.Pieces = append(spec.Pieces, bert.Piece{Text: text, Score: float32(score)})
	}
	spec.Unknown = *f.Model.UnknownID
	spec.Pieces[spec.Unknown].Special = true
	r := &bert.UnigramRules{}
	spec.Unigram = r
	if err := f.normalizers(r); err != nil {
		return err
	}
	return f.metaspace(r)
}

// normalizers takes Precompiled, alone or followed by what sentencepiece does
// to spaces: Strip at the end, and Replace of several by one.
func (f *tokenizerFile) normalizers(r *bert.UnigramRules) error {
	steps := list(f.Normalizer, func(s *step) []step { return s.Normalizers })
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Type == "Precompiled" && i == 0:
			blob, err := base64.StdEncoding.DecodeString(s.Charsmap)
			if err != nil {
				return fmt.Errorf("%w: precompiled_charsmap: %v", ErrTokenizer, err)
			}
			r.Charsmap = string(blob)
		case s.Type == "Strip" && s.Right && !s.Left && !r.Collapse:
			r.Trim = true
		case s.Type == "Replace" && s.Pattern.Regex == " {2,}" && (s.Content == " " || s.Content == "\u2581"):
			r.Collapse = true
		default:
			return refused("normalizer", s.Type)
		}
	}
	if r.Trim && !r.Collapse {
		return refused("normalizer", "Strip")
	}
	return nil
}

func (f *tokenizerFile) metaspace(r *bert.UnigramRules) error {
	steps := list(f.PreTokenizer, func(s *step) []step { return s.Pretokenizers })
	if len(steps) == 2 && steps[0].Type == "WhitespaceSplit" {
		r.Words = true
		steps = steps[1:]
	}
	if len(steps) != 1 || steps[0].Type != "Metaspace" {
		return refused("pre-tokenizer", kind(f.PreTokenizer))
	}
	s := &steps[0]
	always := or(s.Prefix, true)
	if s.Scheme != nil {
		always = *s.Scheme == "always" || *s.Scheme == "first" && !r.Words
	}
	if s.Replacement != "\u2581" || !always || !or(s.Split, true) {
		return refused("pre-tokenizer", "Metaspace without a space before the text")
	}
	return nil
}

// list is a step as the list of its parts.
func list(s *step, parts func(*step) []step) []step {
	switch {
	case s == nil:
		return nil
	case s.Type == "Sequence":
		return parts(s)
	}
	return []step{*s}
}

// added marks the special tokens. Others would have to be found before the
// text is split.
func (f *tokenizerFile) added(spec *bert.TokenizerSpec) error {
	for _, t := range f.Added {
		if !t.Special {
			return fmt.Errorf("%w: the added token %q is not special", ErrTokenizer, t.Content)
		}
		var score float32
		if t.ID >= 0 && t.ID < len(spec.Pieces) {
			score = spec.Pieces[t.ID].Score
		}
		if err := put(spec, t.ID, bert.Piece{Text: t.Content, Score: score, Special: true}); err != nil {
			return err
		}
	}
	return nil
}

// around finds the ids before and after a text.
func (f *tokenizerFile) around(spec *bert.TokenizerSpec) error {
	steps := list(f.PostProcessor, func(s *step) []step { return s.Processors })
	if len(steps) > 1 {
		return refused("post-processor", "Sequence")
	}
	for i := range steps {
		s := &steps[i]
		switch s.Type {
		case "TemplateProcessing":
			return s.template(spec)
		case "BertProcessing", "RobertaProcessing":
			var ok [2]bool
			spec.Begin, ok[0] = pairID(s.CLS)
			spec.End, ok[1] = pairID(s.SEP)
			if !ok[0] || !ok[1] {
				return fmt.Errorf("%w: %s without ids", ErrTokenizer, s.Type)
			}
		default:
			return refused("post-processor", s.Type)
		}
	}
	return nil
}

// pairID is the id in a pair of a token and its id.
func pairID(pair []any) (int, bool) {
	if len(pair) != 2 {
		return -1, false
	}
	id, ok := pair[1].(float64)
	return int(id), ok && id >= 0 && id < maxPieces
}

func (s *step) template(spec *bert.TokenizerSpec) error {
	at := slices.IndexFunc(s.Single, func(p part) bool { return p.Sequence != nil })
	if at < 0 || at > 1 || len(s.Single) > at+2 {
		return refused("post-processor", "TemplateProcessing with more than one token on a side")
	}
	for i, p := range s.Single {
		if i == at {
			continue
		}
		if p.Special == nil || len(s.Specials[p.Special.ID].IDs) != 1 {
			return fmt.Errorf("%w: TemplateProcessing has no id for its token %d", ErrTokenizer, i)
		}
		id := s.Specials[p.Special.ID].IDs[0]
		if id < 0 {
			return fmt.Errorf("%w: TemplateProcessing has the id %d", ErrTokenizer, id)
		}
		if i < at {
			spec.Begin = id
		} else {
			spec.End = id
		}
	}
	return nil
}
