package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/convert"
)

// The types of the JSON output. Names and nesting are those of the MCP tools.
type (
	hitJSON struct {
		Text       string   `json:"text"`
		Source     string   `json:"source"`
		Title      string   `json:"title"`
		ChunkIndex int      `json:"chunkIndex"`
		Score      float64  `json:"score"`
		Distance   *float64 `json:"distance"`
		ParentID   *string  `json:"parentId"`
	}
	sourceHitsJSON struct {
		Source      string `json:"source"`
		Title       string `json:"title"`
		Hits        int    `json:"hits"`
		DisplayPath string `json:"displayPath"`
	}
	queryJSON struct {
		Results []hitJSON         `json:"results"`
		Sources []sourceHitsJSON  `json:"sources"`
		Parents map[string]string `json:"parents"`
		Notice  string            `json:"notice,omitempty"`
	}
	neighborsJSON struct {
		Chunks []hitJSON `json:"chunks"`
	}
	textJSON struct {
		Source     string `json:"source"`
		SourceType string `json:"sourceType"`
		Title      string `json:"title"`
		ChunkCount int    `json:"chunkCount"`
		Text       string `json:"text"`
	}
	countsJSON struct {
		Scanned    int `json:"scanned"`
		Ingested   int `json:"ingested"`
		Skipped    int `json:"skipped"`
		Moved      int `json:"moved"`
		Deleted    int `json:"deleted"`
		Relabelled int `json:"relabelled"`
		Unreadable int `json:"unreadable"`
		Failed     int `json:"failed"`
	}
	errorJSON struct {
		Source string `json:"source"`
		Error  string `json:"error"`
	}
	syncJSON struct {
		Counts countsJSON  `json:"counts"`
		Errors []errorJSON `json:"errors"`
	}
	ingestedJSON struct {
		Source     string  `json:"source"`
		ChunkCount int     `json:"chunkCount"`
		Title      *string `json:"title,omitempty"`
	}
	ingestJSON struct {
		Ingested []ingestedJSON `json:"ingested"`
		Failed   []errorJSON    `json:"failed"`
	}
	listedJSON struct {
		Source     string `json:"source"`
		SourceType string `json:"sourceType"`
		Title      string `json:"title"`
		State      string `json:"state"`
		ChunkCount int    `json:"chunkCount"`
		OCREngine  string `json:"ocrEngine"`
	}
	unlistedJSON struct {
		Path         string  `json:"path"`
		Error        *string `json:"error"`
		IndexedCount int     `json:"indexedCount"`
		Message      string  `json:"message"`
	}
	listJSON struct {
		Files           []listedJSON   `json:"files"`
		UnlistedFolders []unlistedJSON `json:"unlistedFolders"`
	}
	deletedJSON struct {
		Source        string `json:"source"`
		DeletedChunks int    `json:"deletedChunks"`
	}
	convertedJSON struct {
		Title    string            `json:"title"`
		Format   string            `json:"format"`
		Metadata map[string]string `json:"metadata"`
		Warnings []string          `json:"warnings"`
		Markdown string            `json:"markdown"`
	}
)

// An object is JSON with its keys in a given order.
type object []field

type field struct {
	key   string
	value any
}

func (o *object) add(key string, value any) { *o = append(*o, field{key, value}) }

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(f.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil && !isClosedPipe(err) {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

func toHits(hits []minirag.Hit) []hitJSON {
	rows := []hitJSON{}
	for _, h := range hits {
		row := hitJSON{Text: h.Text, ChunkIndex: h.Index, Score: h.Score, Distance: h.Distance}
		if h.Source != nil {
			row.Source, row.Title = h.Source.ID, h.Source.Title
		}
		if h.Section != nil {
			row.ParentID = &h.Section.ID
		}
		rows = append(rows, row)
	}
	return rows
}

func toQuery(r *minirag.Result) queryJSON {
	q := queryJSON{Results: toHits(r.Hits), Sources: []sourceHitsJSON{}, Parents: map[string]string{}, Notice: r.Notice}
	for _, s := range r.Sources {
		q.Sources = append(q.Sources, sourceHitsJSON{s.Source.ID, s.Source.Title, s.Hits, s.Source.DisplayPath})
	}
	for _, h := range r.Hits {
		if h.Section != nil {
			q.Parents[h.Section.ID] = h.Section.Text
		}
	}
	return q
}

func toErrors(errs []*minirag.SourceError) []errorJSON {
	rows := []errorJSON{}
	for _, e := range errs {
		rows = append(rows, errorJSON{e.Source, detail(e)})
	}
	return rows
}

// detail is the message of an error next to which its source stands already.
func detail(err error) string {
	var (
		source *minirag.SourceError
		conv   *convert.Error
		hint   string
	)
	switch {
	case errors.As(err, &source):
		err, hint = source.Err, source.Hint
		if errors.As(err, &conv) {
			return detail(err)
		}
	case errors.As(err, &conv):
		err, hint = conv.Err, conv.Hint
	}
	if hint != "" {
		return fmt.Sprintf("%v (%s)", err, hint)
	}
	return err.Error()
}
