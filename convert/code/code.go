// Package code converts data, logs and source code to Markdown: the text as
// it is, in a fence that names its language.
//
// Its formats are not taken up by a synchronisation, as folders of documents
// hold data files that nobody wants to read; naming a file takes it. It imports
// convert and internal/{charset,mdtext}.
package code

import (
	"context"
	"fmt"
	"mime"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/charset"
	"github.com/minirag/minirag/internal/mdtext"
)

// languages are the formats by the name that stands behind the fence, and the
// extensions of each.
var languages = []struct{ name, extensions, media string }{
	{"json", ".json .jsonl .ndjson .geojson .json5", "application/json application/x-ndjson application/ld+json"},
	{"xml", ".xml .xsd .xsl .xslt .wsdl .rss .atom", "application/xml text/xml application/rss+xml application/atom+xml"},
	{"", ".log", ""},
	{"yaml", ".yaml .yml", "application/yaml text/yaml"},
	{"toml", ".toml", "application/toml"},
	{"ini", ".ini .cfg .conf .properties", ""},
	{"bash", ".sh .bash .zsh", "application/x-sh"},
	{"powershell", ".ps1 .psm1", ""},
	{"bat", ".bat .cmd", ""},
	{"c", ".c .h", ""},
	{"cpp", ".cc .cpp .cxx .hh .hpp .hxx", ""},
	{"csharp", ".cs", ""},
	{"clojure", ".clj .cljs", ""},
	{"css", ".css .scss .less", "text/css"},
	{"dart", ".dart", ""},
	{"diff", ".diff .patch", "text/x-diff"},
	{"elixir", ".ex .exs", ""},
	{"erlang", ".erl .hrl", ""},
	{"fortran", ".f .f90 .f95", ""},
	{"go", ".go", ""},
	{"graphql", ".graphql .gql", ""},
	{"groovy", ".groovy .gradle", ""},
	{"haskell", ".hs", ""},
	{"hcl", ".hcl .tf", ""},
	{"java", ".java", ""},
	{"javascript", ".js .mjs .cjs .jsx", "application/javascript text/javascript"},
	{"julia", ".jl", ""},
	{"kotlin", ".kt .kts", ""},
	{"latex", ".tex .bib", "application/x-tex"},
	{"lua", ".lua", ""},
	{"makefile", ".mk .mak", ""},
	{"objectivec", ".m .mm", ""},
	{"ocaml", ".ml .mli", ""},
	{"pascal", ".pas .dpr", ""},
	{"perl", ".pl .pm", ""},
	{"php", ".php", ""},
	{"protobuf", ".proto", ""},
	{"python", ".py .pyi", "text/x-python"},
	{"r", ".r", ""},
	{"ruby", ".rb", ""},
	{"rust", ".rs", ""},
	{"scala", ".scala", ""},
	{"sql", ".sql", "application/sql"},
	{"swift", ".swift", ""},
	{"typescript", ".ts .tsx", ""},
	{"vb", ".vb .vbs .bas", ""},
	{"zig", ".zig", ""},
}

// Formats returns the formats of this package. None of them is synchronised.
func Formats() []convert.Format {
	formats := make([]convert.Format, 0, len(languages))
	for _, l := range languages {
		name := l.name
		if name == "" {
			name = "log"
		}
		formats = append(formats, convert.Format{
			Name: name, Extensions: strings.Fields(l.extensions), MediaTypes: strings.Fields(l.media),
			Content: convert.Text, Converter: Code{Language: l.name},
		})
	}
	return formats
}

// Code is a [convert.Converter] for one language. It is safe for concurrent use.
type Code struct {
	// Language stands behind the fence; empty means none.
	Language string
}

var _ convert.Converter = Code{}

// Convert decodes the text and puts it into a fence. Blank text stays without one.
func (c Code) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	_, params, _ := mime.ParseMediaType(src.MediaType)
	text, _, err := charset.Decode(src.Data, params["charset"])
	if err != nil {
		return nil, fmt.Errorf("%w: decode text: %v", convert.ErrDamaged, err)
	}
	w := mdtext.Writer{Max: limits.OutputBytes}
	w.Code(c.Language, convert.Normalize(text))
	if w.Full() {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	format := c.Language
	if format == "" {
		format = "log"
	}
	return &convert.Document{Markdown: w.String(), Format: format}, nil
}
