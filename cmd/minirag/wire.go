package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/minirag/minirag/mcpserver/wire"
)

// The types of the JSON output that no MCP tool has.
type (
	syncJSON struct {
		Counts wire.Counts  `json:"counts"`
		Errors []wire.Error `json:"errors"`
	}
	ingestedJSON struct {
		Source     string  `json:"source"`
		ChunkCount int     `json:"chunkCount"`
		Title      *string `json:"title,omitempty"`
	}
	ingestJSON struct {
		Ingested []ingestedJSON `json:"ingested"`
		Failed   []wire.Error   `json:"failed"`
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

// detail is the message of an error next to which its source stands already.
func detail(err error) string {
	_, _, text, hint := wire.Parts(err)
	return wire.WithHint(text, hint)
}
