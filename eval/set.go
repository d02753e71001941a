package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Document is a document of a set.
type Document struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// A Question is a query of a set.
type Question struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// A Span says where in its document the answer to a question stands.
type Span struct {
	Question string   `json:"qid"`
	Document string   `json:"doc"`
	Start    int      `json:"para_start"` // of the paragraph, in characters of the document's text
	End      int      `json:"para_end"`
	Answers  []string `json:"answers"`
}

// A Set is documents, questions, and which documents answer which question.
type Set struct {
	Name      string
	Documents []Document
	Questions []Question
	// Relevant holds a grade above 0 by the IDs of a question and a document.
	Relevant map[string]map[string]float64
	// Spans are by the ID of the question. Most sets have none.
	Spans map[string]Span
}

// LoadOptions tune [Load]. Nil and the zero value mean the defaults.
type LoadOptions struct {
	// Part chooses queries.PART.jsonl. Empty: queries.jsonl, or else the only
	// such file.
	Part string
}

// Load reads a set from a folder:
//
//   - corpus.jsonl: {"id", "title", "text"} a line
//   - queries.jsonl: {"id", "text"} a line
//   - qrels.tsv: question, document and grade a line, separated by tabs
//   - spans.jsonl, if it is there: see [Span]
//
// Questions without a relevant document are left out. A set without
// documents or questions is an error.
func Load(dir string, o *LoadOptions) (*Set, error) {
	part := ""
	if o != nil {
		part = o.Part
	}
	s := &Set{Name: filepath.Base(filepath.Clean(dir)), Relevant: make(map[string]map[string]float64), Spans: make(map[string]Span)}
	queries, err := questionsFile(dir, part)
	if err != nil {
		return nil, fmt.Errorf("load set %s: %w", dir, err)
	}
	var spans []Span
	var all []Question
	err = errors.Join(
		lines(filepath.Join(dir, "corpus.jsonl"), decoded(&s.Documents)),
		lines(queries, decoded(&all)),
		lines(filepath.Join(dir, "qrels.tsv"), s.grade),
	)
	if err == nil {
		err = lines(filepath.Join(dir, "spans.jsonl"), decoded(&spans))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("load set %s: %w", dir, err)
	}
	for _, span := range spans {
		s.Spans[span.Question] = span
	}
	for _, q := range all {
		if len(s.Relevant[q.ID]) > 0 {
			s.Questions = append(s.Questions, q)
		}
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("load set %s: %w", dir, err)
	}
	return s, nil
}

func (s *Set) check() error {
	seen := make(map[string]bool, len(s.Documents))
	for _, d := range s.Documents {
		if d.ID == "" || seen[d.ID] {
			return fmt.Errorf("document %q is empty or there twice in corpus.jsonl", d.ID)
		}
		seen[d.ID] = true
	}
	switch {
	case len(s.Documents) == 0:
		return errors.New("corpus.jsonl has no documents")
	case len(s.Questions) == 0:
		return errors.New("no question has a relevant document in qrels.tsv")
	}
	return nil
}

// questionsFile chooses the file with the questions.
func questionsFile(dir, part string) (string, error) {
	if part != "" {
		return filepath.Join(dir, "queries."+part+".jsonl"), nil
	}
	whole := filepath.Join(dir, "queries.jsonl")
	if _, err := os.Stat(whole); err == nil {
		return whole, nil
	}
	parts, err := filepath.Glob(filepath.Join(dir, "queries.*.jsonl"))
	if err != nil || len(parts) == 0 {
		return whole, nil // whose absence is then the error
	}
	if len(parts) > 1 {
		return "", fmt.Errorf("there is no queries.jsonl but %d parts; choose one", len(parts))
	}
	return parts[0], nil
}

// decoded appends the JSON of each line to out.
func decoded[T any](out *[]T) func(string) error {
	return func(line string) error {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return err
		}
		*out = append(*out, v)
		return nil
	}
}

func (s *Set) grade(line string) error {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 {
		return errors.New("want question, document and grade separated by tabs")
	}
	grade, err := strconv.ParseFloat(strings.TrimSpace(fields[2]), 64)
	if err != nil || !(grade >= 0 && grade <= 20) {
		return fmt.Errorf("grade %q is no number from 0 to 20", fields[2])
	}
	if grade == 0 {
		return nil
	}
	if s.Relevant[fields[0]] == nil {
		s.Relevant[fields[0]] = make(map[string]float64)
	}
	s.Relevant[fields[0]][fields[1]] = grade
	return nil
}

// lines calls fn with each line that is not blank.
func lines(path string, fn func(string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read %s: %w", path, err)
		}
		if text := strings.TrimRight(line, "\r\n"); strings.TrimSpace(text) != "" {
			if err := fn(text); err != nil {
				return fmt.Errorf("%s, line %d: %w", path, n, err)
			}
		}
		if err != nil {
			return nil
		}
	}
}

// WriteFiles writes each document as a Markdown file into dir, which it
// creates: its title as a heading, then its text.
func (s *Set) WriteFiles(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write set: %w", err)
	}
	for _, d := range s.Documents {
		text := d.Text + "\n"
		if d.Title != "" {
			text = "# " + d.Title + "\n\n" + text
		}
		path := filepath.Join(dir, fileName(d.ID))
		if old, err := os.ReadFile(path); err == nil && string(old) == text {
			continue // a kept index goes by the time of the file
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fmt.Errorf("write set: %w", err)
		}
	}
	return nil
}

// fileName is the name of the file for a document's ID: characters that a
// file system may refuse, or take for a folder, are written as hexadecimals.
func fileName(id string) string {
	var b strings.Builder
	for i, r := range id {
		switch {
		case r < ' ', r == utf8.RuneError, strings.ContainsRune(`/\:*?"<>|%`, r), (r == '.' || r == '~') && i == 0:
			fmt.Fprintf(&b, "%%%02X", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + ".md"
}
