// Package letter fills a Word template and puts the letter into a corpus. It
// imports the root package and a library for Word templates.
package letter

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/nguyenthenguyen/docx"

	"github.com/minirag/minirag"
)

// MediaType is that of Word documents.
const MediaType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// Fill returns a copy of a Word document in which each key of values is
// replaced by its value, the longest key first.
func Fill(template []byte, values map[string]string) ([]byte, error) {
	r, err := docx.ReadDocxFromMemory(bytes.NewReader(template), int64(len(template)))
	if err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	defer r.Close()
	doc := r.Editable()
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return len(b) - len(a) })
	for _, key := range keys {
		if err := doc.Replace(key, values[key], -1); err != nil {
			return nil, fmt.Errorf("fill %s: %w", key, err)
		}
	}
	var out bytes.Buffer
	if err := doc.Write(&out); err != nil {
		return nil, fmt.Errorf("write letter: %w", err)
	}
	return out.Bytes(), nil
}

// Send fills the template and ingests the letter under the name source.
func Send(ctx context.Context, corpus *minirag.Corpus, source string, template []byte, values map[string]string) (*minirag.Source, error) {
	data, err := Fill(template, values)
	if err != nil {
		return nil, err
	}
	return corpus.Ingest(ctx, minirag.Bytes(source, MediaType, data))
}
