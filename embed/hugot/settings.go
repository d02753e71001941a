package hugot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minirag/minirag/embed/internal/prefix"
)

// pooling says how the vectors of the tokens become one.
type pooling int

const (
	poolMean pooling = iota
	poolCLS
	poolMax
	poolDone // by the model itself
)

func (p pooling) String() string { return [...]string{"mean", "cls", "max", "own"}[p] }

// settings are what the files of a folder say of its model.
type settings struct {
	dir       string
	onnx      string   // its file
	data      []string // files with weights beside it
	tokenizer []byte   // tokenizer.json

	pooling       pooling
	dims          int // 0: unknown
	maxTokens     int // with special tokens and prefix
	pad           int32
	lower         bool
	queryPrefix   string
	passagePrefix string
}

// maxJSON is the largest file of settings that is read; a tokenizer.json of
// 250,000 pieces has 17 MB.
const maxJSON = 256 << 20

// fallbackTokens is the longest text if no file tells: that of BERT.
const fallbackTokens = 512

func readSettings(dir string) (*settings, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%w: it is a file; name the folder with tokenizer.json and the .onnx file", ErrModel)
	}
	s := &settings{dir: dir}
	if err := s.findWeights(); err != nil {
		return nil, err
	}
	s.tokenizer, err = readFile(filepath.Join(dir, "tokenizer.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: the folder has no tokenizer.json", ErrModel)
	}
	if err != nil {
		return nil, err
	}
	for _, read := range []func() error{s.readModules, s.readLength, s.readPrompts} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// findWeights looks for the model's file: model.onnx in the folder or in its
// folder onnx, or else the only .onnx file of both.
func (s *settings) findWeights() error {
	var found []string
	for _, sub := range []string{".", "onnx"} {
		entries, err := os.ReadDir(filepath.Join(s.dir, sub))
		if err != nil && sub == "." {
			return err
		}
		for _, e := range entries {
			if path.Ext(e.Name()) == ".onnx" && !e.IsDir() {
				found = append(found, filepath.Join(s.dir, sub, e.Name()))
			}
		}
	}
	at := slices.IndexFunc(found, func(f string) bool { return filepath.Base(f) == "model.onnx" })
	switch {
	case at >= 0:
	case len(found) == 1:
		at = 0
	case len(found) == 0:
		return fmt.Errorf("%w: neither the folder nor its folder onnx has a .onnx file", ErrModel)
	default:
		return fmt.Errorf("%w: there are %d .onnx files and none is called model.onnx", ErrModel, len(found))
	}
	s.onnx = found[at]
	entries, err := os.ReadDir(filepath.Dir(s.onnx))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); !e.IsDir() && (strings.HasSuffix(name, ".onnx_data") || strings.HasSuffix(name, ".onnx.data")) {
			s.data = append(s.data, filepath.Join(filepath.Dir(s.onnx), name))
		}
	}
	return nil
}

// fingerprint begins the SHA-256 of everything that decides about a vector.
func (s *settings) fingerprint() (string, error) {
	all := sha256.New()
	for _, name := range append([]string{s.onnx}, s.data...) {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", err
		}
		all.Write(h.Sum(nil))
	}
	vocabulary := sha256.Sum256(s.tokenizer)
	all.Write(vocabulary[:])
	fmt.Fprintf(all, "%v %t %q %q", s.pooling, s.lower, s.queryPrefix, s.passagePrefix)
	return hex.EncodeToString(all.Sum(nil)[:8]), nil
}

// readModules follows modules.json to the pooling. Without it the tokens'
// mean is taken, as sentence-transformers does.
func (s *settings) readModules() error {
	var modules []struct{ Type, Path string }
	found, err := s.json("modules.json", &modules)
	if err != nil {
		return err
	}
	pool := "1_Pooling"
	for i, m := range modules {
		kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]
		switch {
		case kind == "Transformer" && i == 0, kind == "Normalize":
		case kind == "Pooling" && i > 0 && filepath.IsLocal(filepath.FromSlash(m.Path)):
			pool = m.Path
		default:
			return fmt.Errorf("%w: its module %q is not in the .onnx file and not supported", ErrModel, m.Type)
		}
	}
	if found && len(modules) == 1 {
		return nil
	}
	var c struct {
		Dims          int   `json:"word_embedding_dimension"`
		CLS           bool  `json:"pooling_mode_cls_token"`
		Mean          bool  `json:"pooling_mode_mean_tokens"`
		Max           bool  `json:"pooling_mode_max_tokens"`
		Root          bool  `json:"pooling_mode_mean_sqrt_len_tokens"`
		Weighted      bool  `json:"pooling_mode_weightedmean_tokens"`
		Last          bool  `json:"pooling_mode_lasttoken"`
		IncludePrompt *bool `json:"include_prompt"`
	}
	name := path.Join(pool, "config.json")
	if found, err = s.json(name, &c); err != nil || !found {
		return err
	}
	n := 0
	for _, mode := range []struct {
		set  bool
		pool pooling
	}{{c.CLS, poolCLS}, {c.Mean, poolMean}, {c.Max, poolMax}, {c.Root, poolMean}} { // the root gives another length only
		if mode.set {
			s.pooling = mode.pool
			n++
		}
	}
	if n != 1 || c.Weighted || c.Last {
		return fmt.Errorf("%w: %s asks for a pooling that is none of mean, cls and max", ErrModel, name)
	}
	if c.IncludePrompt != nil && !*c.IncludePrompt {
		return fmt.Errorf("%w: %s leaves the prompt out of the pooling", ErrModel, name)
	}
	if c.Dims > 0 {
		s.dims = c.Dims
	}
	return nil
}

// readLength finds the longest sequence, which is the least that a file names,
// and the length of a vector.
func (s *settings) readLength() error {
	var c struct {
		Type      string `json:"model_type"`
		Positions int    `json:"max_position_embeddings"`
		Hidden    int    `json:"hidden_size"`
		Pad       int32  `json:"pad_token_id"`
	}
	if _, err := s.json("config.json", &c); err != nil {
		return err
	}
	if s.dims == 0 {
		s.dims = c.Hidden
	}
	s.pad = max(c.Pad, 0)
	switch c.Type {
	case "roberta", "xlm-roberta", "camembert", "mpnet", "xlm-roberta-xl":
		// Their positions begin behind the one of padding.
		c.Positions -= int(s.pad) + 1
	}
	var sentence struct {
		Max   int  `json:"max_seq_length"`
		Lower bool `json:"do_lower_case"`
	}
	if _, err := s.json("sentence_bert_config.json", &sentence); err != nil {
		return err
	}
	s.lower = sentence.Lower
	// Without a limit it is a number of 31 digits.
	var tok struct {
		Max float64 `json:"model_max_length"`
	}
	if _, err := s.json("tokenizer_config.json", &tok); err != nil {
		return err
	}
	for _, n := range []float64{float64(c.Positions), float64(sentence.Max), tok.Max} {
		if n > 0 && n < 1<<20 && (s.maxTokens == 0 || int(n) < s.maxTokens) {
			s.maxTokens = int(n)
		}
	}
	if s.maxTokens == 0 {
		var t struct{ Truncation struct{ Max_Length int } }
		if err := json.Unmarshal(s.tokenizer, &t); err == nil && t.Truncation.Max_Length > 0 {
			s.maxTokens = t.Truncation.Max_Length
		} else {
			s.maxTokens = fallbackTokens
		}
	}
	return nil
}

// readPrompts finds what stands before questions and documents.
func (s *settings) readPrompts() error {
	var c struct {
		Prompts map[string]string
		Default *string `json:"default_prompt_name"`
	}
	if _, err := s.json("config_sentence_transformers.json", &c); err != nil {
		return err
	}
	first := func(names ...string) string {
		for _, name := range names {
			if p := c.Prompts[name]; p != "" {
				return p
			}
		}
		return ""
	}
	s.queryPrefix = first("query", "search_query", "retrieval.query")
	s.passagePrefix = first("passage", "document", "corpus", "search_document", "retrieval.passage")
	if s.queryPrefix != "" || s.passagePrefix != "" {
		return nil
	}
	if c.Default != nil {
		s.queryPrefix = c.Prompts[*c.Default]
		s.passagePrefix = s.queryPrefix
		return nil
	}
	var config struct {
		Name string `json:"_name_or_path"`
	}
	if _, err := s.json("config.json", &config); err != nil {
		return err
	}
	// The folder's name is its user's word, config.json has the trainer's.
	for _, name := range []string{filepath.Base(s.dir), path.Base(config.Name)} {
		if s.queryPrefix == "" {
			s.queryPrefix, s.passagePrefix = prefix.For(name)
		}
	}
	return nil
}

// json reads a file of the folder into v; it tells whether there is one.
func (s *settings) json(name string, v any) (bool, error) {
	data, err := readFile(filepath.Join(s.dir, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("%w: read %s: %v", ErrModel, name, err)
	}
	return true, nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxJSON+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxJSON {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", name, maxJSON)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}
