// Package wire has the JSON shapes of results that the MCP tools and the
// command's --json share. Names and order of the keys are the wire format of
// the reference; lists and maps are never null. It imports the root, convert
// and the standard library.
package wire

import (
	"errors"
	"fmt"
	"math"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/convert"
)

// A Row is a chunk in a result.
type Row struct {
	Text       string   `json:"text"`
	Source     string   `json:"source"`
	Title      string   `json:"title"`
	ChunkIndex int      `json:"chunkIndex"`
	Score      float64  `json:"score"`
	Distance   *float64 `json:"distance"`
	ParentID   *string  `json:"parentId"`
	Relevance  *float64 `json:"relevance,omitempty"`
	AlsoIn     []string `json:"alsoIn,omitempty"` // sources with nearly the same text
	Signals    *Signals `json:"signals,omitempty"`
}

// Signals say why a chunk stands where it stands. Ranks count from 1.
type Signals struct {
	VectorRank   int     `json:"vectorRank,omitempty"`
	Cosine       float64 `json:"cosine,omitempty"`
	Background   float64 `json:"background,omitempty"`
	Deviation    float64 `json:"deviation,omitempty"`
	KeywordRank  int     `json:"keywordRank,omitempty"`
	KeywordScore float64 `json:"keywordScore,omitempty"`
	Matched      float64 `json:"matched"`
}

// A SourceRow is a source of a result.
type SourceRow struct {
	Source      string `json:"source"`
	Title       string `json:"title"`
	Hits        int    `json:"hits"`
	DisplayPath string `json:"displayPath"`
}

// A Query answers a question.
type Query struct {
	Results []Row             `json:"results"`
	Sources []SourceRow       `json:"sources"`
	Parents map[string]string `json:"parents"` // section text by Row.ParentID
	Notice  string            `json:"notice,omitempty"`
}

// Neighbors are chunks beside each other.
type Neighbors struct {
	Chunks []Row  `json:"chunks"`
	Notice string `json:"notice,omitempty"`
}

// A Text is a whole document.
type Text struct {
	Source     string   `json:"source"`
	SourceType string   `json:"sourceType"`
	Title      string   `json:"title"`
	ChunkCount int      `json:"chunkCount"`
	Text       string   `json:"text"`
	Warnings   []string `json:"warnings,omitempty"`
	*Part
}

// A Part says which part of a document a text is. Lines count from 1.
type Part struct {
	FromLine  int `json:"fromLine"`
	ToLine    int `json:"toLine"`
	LineCount int `json:"lineCount"` // of the document
	// NextOffset goes on with the part; absent at its end.
	NextOffset int `json:"nextOffset,omitempty"`
}

// Counts are those of a sync.
type Counts struct {
	Scanned    int `json:"scanned"`
	Ingested   int `json:"ingested"`
	Skipped    int `json:"skipped"`
	Moved      int `json:"moved"`
	Deleted    int `json:"deleted"`
	Relabelled int `json:"relabelled"`
	Unreadable int `json:"unreadable"`
	Failed     int `json:"failed"`
}

// An Error is what went wrong with a source.
type Error struct {
	Source string `json:"source"`
	Error  string `json:"error"`
}

// A File is a source or a file that could become one.
type File struct {
	Source     string   `json:"source"`
	SourceType string   `json:"sourceType"`
	Title      string   `json:"title"`
	State      string   `json:"state"`
	ChunkCount int      `json:"chunkCount"`
	OCREngine  string   `json:"ocrEngine"`
	Warnings   []string `json:"warnings,omitempty"`
}

// A Folder could not be listed.
type Folder struct {
	Path         string  `json:"path"`
	Error        *string `json:"error"`
	IndexedCount int     `json:"indexedCount"`
	Message      string  `json:"message"`
}

// A List has all files.
type List struct {
	Files           []File   `json:"files"`
	UnlistedFolders []Folder `json:"unlistedFolders"`
}

// Deleted says what a deletion removed.
type Deleted struct {
	Source        string `json:"source"`
	DeletedChunks int    `json:"deletedChunks"`
}

// Rows shapes hits.
func Rows(hits []minirag.Hit) []Row {
	rows := make([]Row, 0, len(hits))
	for _, h := range hits {
		r := Row{Text: h.Text, ChunkIndex: h.Index, Score: h.Score, Distance: h.Distance}
		if h.Source != nil {
			r.Source, r.Title = h.Source.ID, h.Source.Title
		}
		if h.Section != nil {
			r.ParentID = &h.Section.ID
		}
		rows = append(rows, r)
	}
	return rows
}

// QueryOf shapes the answer to a query.
func QueryOf(res *minirag.Result) Query {
	rows := Rows(res.Hits)
	for i := range rows {
		relevance := math.Round(res.Hits[i].Relevance*1000) / 1000
		rows[i].Relevance = &relevance
		for _, s := range res.Hits[i].AlsoIn {
			rows[i].AlsoIn = append(rows[i].AlsoIn, s.ID)
		}
		if s := res.Hits[i].Signals; s != nil {
			rows[i].Signals = &Signals{
				VectorRank: s.VectorRank, Cosine: s.Cosine, Background: s.Background, Deviation: s.Deviation,
				KeywordRank: s.KeywordRank, KeywordScore: s.KeywordScore, Matched: s.Matched,
			}
		}
	}
	q := Query{Results: rows, Sources: make([]SourceRow, 0, len(res.Sources)), Parents: map[string]string{}, Notice: res.Notice}
	for _, s := range res.Sources {
		q.Sources = append(q.Sources, SourceRow{s.Source.ID, s.Source.Title, s.Hits, s.Source.DisplayPath})
	}
	for _, h := range res.Hits {
		if h.Section != nil {
			q.Parents[h.Section.ID] = h.Section.Text
		}
	}
	return q
}

// TextOf shapes a document.
func TextOf(t *minirag.Text) Text {
	return Text{t.Source.ID, string(t.Source.Kind), t.Source.Title, t.Source.Chunks, t.Markdown, t.Source.Warnings, nil}
}

// PartOf shapes a part of a document.
func PartOf(t *minirag.Text, p *minirag.Part) Text {
	out := TextOf(t)
	out.Text = p.Text
	out.Part = &Part{p.FromLine, p.ToLine, p.Lines, p.Next}
	return out
}

// ListOf shapes a listing.
func ListOf(l *minirag.Listing) List {
	out := List{Files: make([]File, 0, len(l.Sources)), UnlistedFolders: make([]Folder, 0, len(l.UnlistedFolders))}
	for _, s := range l.Sources {
		out.Files = append(out.Files, File{s.ID, string(s.Kind), s.Title, string(s.State), s.Chunks, s.OCREngine, s.Warnings})
	}
	for _, f := range l.UnlistedFolders {
		row := Folder{Path: f.Path, IndexedCount: f.Indexed, Message: f.Message}
		if f.Err != nil {
			text := f.Err.Error()
			row.Error = &text
		}
		out.UnlistedFolders = append(out.UnlistedFolders, row)
	}
	return out
}

// ErrorsOf shapes the errors of a sync.
func ErrorsOf(errs []*minirag.SourceError) []Error {
	rows := make([]Error, 0, len(errs))
	for _, e := range errs {
		rows = append(rows, ErrorOf(e.Source, e))
	}
	return rows
}

// ErrorOf shapes an error; source is used if the error names none.
func ErrorOf(source string, err error) Error {
	_, named, text, hint := Parts(err)
	if named != "" {
		source = named
	}
	return Error{source, WithHint(text, hint)}
}

// Parts takes an error of the library apart, so that neither operation nor
// source is said twice: of a converter's error inside another only the inner
// one counts. What is not there is empty.
func Parts(err error) (op, source, text, hint string) {
	text = err.Error()
	var e *minirag.SourceError
	if errors.As(err, &e) {
		op, source, text, hint = e.Op, e.Source, e.Err.Error(), e.Hint
	}
	var c *convert.Error
	if errors.As(err, &c) {
		op, text = "convert", c.Err.Error()
		if source == "" {
			source = c.Source
		}
		if c.Hint != "" {
			hint = c.Hint
		}
	}
	return op, source, text, hint
}

// WithHint puts a hint behind a text.
func WithHint(text, hint string) string {
	if hint == "" {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, hint)
}
