package notebook

import (
	"encoding/json"
	"strings"
)

// A word is a string; whatever else stands in its place is no reason to lose the notebook.
type word string

func (w *word) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*w = word(s)
	}
	return nil
}

// A multiline is text: a string, or a list of strings that are parts of it.
type multiline string

func (m *multiline) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*m = multiline(s)
		return nil
	}
	var parts []any
	if json.Unmarshal(data, &parts) == nil {
		var b strings.Builder
		for _, p := range parts {
			if s, ok := p.(string); ok {
				b.WriteString(s)
			}
		}
		*m = multiline(b.String())
	}
	return nil
}

// lines are like a multiline, but each is a line even without its end.
type lines []string

func (l *lines) UnmarshalJSON(data []byte) error {
	var parts []any
	if json.Unmarshal(data, &parts) == nil {
		for _, p := range parts {
			if s, ok := p.(string); ok {
				*l = append(*l, strings.TrimRight(s, "\n"))
			}
		}
		return nil
	}
	var s string
	if json.Unmarshal(data, &s) == nil {
		*l = lines{s}
	}
	return nil
}

// authors are strings or objects with a name.
type authors []string

func (a *authors) UnmarshalJSON(data []byte) error {
	var list []any
	_ = json.Unmarshal(data, &list) // anything else is no list of authors
	for _, v := range list {
		switch v := v.(type) {
		case string:
			*a = append(*a, v)
		case map[string]any:
			if name, ok := v["name"].(string); ok {
				*a = append(*a, name)
			}
		}
	}
	return nil
}

// A bundle is the data of an output by media type. Only text is kept.
type bundle map[string]string

func (b *bundle) UnmarshalJSON(data []byte) error {
	var raw map[string]json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	*b = bundle{}
	for media, v := range raw {
		switch {
		case strings.HasPrefix(media, "text/"):
			var m multiline
			if json.Unmarshal(v, &m) == nil {
				(*b)[media] = string(m)
			}
		case strings.HasPrefix(media, "image/"):
			(*b)["image"] = "yes"
		}
	}
	return nil
}

type cell struct {
	Type     word      `json:"cell_type"`
	Source   multiline `json:"source"`
	Input    multiline `json:"input"` // before version 4
	Language word      `json:"language"`
	Level    int       `json:"level"`
	Metadata struct {
		VSCode struct {
			Language word `json:"languageId"`
		} `json:"vscode"`
	} `json:"metadata"`
	Outputs []output `json:"outputs"`
}

type output struct {
	Type      word      `json:"output_type"`
	Text      multiline `json:"text"` // of a stream; text/plain before version 4
	Data      bundle    `json:"data"`
	Name      word      `json:"ename"`
	Value     word      `json:"evalue"`
	Traceback lines     `json:"traceback"`

	// Version 3 has the data beside the type.
	HTML     multiline `json:"html"`
	Markdown multiline `json:"markdown"`
	LaTeX    multiline `json:"latex"`
	PNG      present   `json:"png"`
	JPEG     present   `json:"jpeg"`
	SVG      present   `json:"svg"`
}

// present tells that there is a value, which is not kept.
type present bool

func (p *present) UnmarshalJSON(data []byte) error {
	*p = string(data) != "null"
	return nil
}

func (o *output) bundle() bundle {
	if o.Data != nil {
		return o.Data
	}
	b := bundle{"text/plain": string(o.Text), "text/html": string(o.HTML), "text/markdown": string(o.Markdown), "text/latex": string(o.LaTeX)}
	if o.PNG || o.JPEG || o.SVG {
		b["image"] = "yes"
	}
	return b
}
