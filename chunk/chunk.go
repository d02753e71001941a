// Package chunk cuts Markdown into sections, which a reader gets, and chunks,
// which are embedded and ranked.
//
// A section is a byte range of the Markdown, so that it can be given back
// exactly. A chunk is a rendered text of at most a budget of tokens: a
// breadcrumb of headings, a repeated table header where there is one, and a
// range of the section's text. Package chunk is pure: no I/O, no model; it
// counts with the [Counter] that it is given, and imports the standard
// library only. Its functions are safe for concurrent use if the Counter is.
//
// # What is promised
//
//   - Sections stand in the order of the text, do not overlap, and what lies
//     between them is white space only, or lines of characters that nobody sees
//     such as zero-width spaces: nothing is lost. A heading without text
//     of its own belongs to the section of the first heading below it.
//   - No chunk counts more tokens than [Options] allow, unless the Counter
//     counts a single character as more; such a character is a chunk of its own.
//   - Cuts never divide a character, nor, within reason, a character and the
//     marks that combine with it.
//   - Time grows with the length of the text, whatever its shape.
//
// # Rules
//
// A document is cut by the first [Category] that fits it, its sections above
// [SectionCap] characters are cut at blank lines, table rows or sentence ends,
// and each is packed greedily with sentences, table rows and code blocks.
// Headings, markers and timestamps inside closed code fences do not count, and
// a fence that is never closed is text.
package chunk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Scheme is the version of the rules by which texts are cut, JoinedScheme that
// of the rules with [Options].Join. A source cut by another one is stale.
const (
	Scheme       = 3
	JoinedScheme = 4
)

// DefaultBudget is the token budget of a chunk when none is chosen.
const DefaultBudget = 200

// MinBudget is the smallest budget that may be chosen.
const MinBudget = 16

// SectionCap is the length in characters above which a section is cut.
const SectionCap = 4000

// SplitNote begins each piece of a code block that did not fit whole.
const SplitNote = "[code block split to fit the token budget]"

// ErrBudget says that a budget leaves no room for text.
var ErrBudget = errors.New("token budget too small")

// A Counter counts the tokens of a text as the embedding model does,
// including its special tokens.
//
// Cutting is fastest, and as even as the rules say, when the tokens of texts
// joined by white space are the sum of their tokens; a Counter for which that
// is not so costs more calls. A longer text should not count less.
type Counter interface {
	CountTokens(text string) int
}

// A Category is the kind of structure by which a document is cut.
type Category string

// The categories, in the order in which they are tried.
const (
	Transcript Category = "transcript"
	Slides     Category = "slides"
	Headings   Category = "headings"
	Generic    Category = "generic"
)

// A Document is what is cut.
type Document struct {
	// Title is put in front of the first chunk unless the text there has it
	// already. Empty: no title is known that says anything.
	Title string
	// Markdown is the whole text, valid UTF-8 with "\n" line ends. Ranges refer to it.
	Markdown string
}

// A Section is a part of the document that makes sense alone.
type Section struct {
	// Start and End are the byte range in Markdown, with the heading line.
	// Sections do not overlap and stand in the order of the text.
	Start, End int
	// Headings is the chain of headings above and of this section, outermost
	// first, without markup. It may be empty. It is shared between sections
	// and must not be changed.
	Headings []string
	// Label names a part that has no heading, such as "[Slide 3]". It may be empty.
	Label string
}

// A Chunk is one unit of retrieval.
type Chunk struct {
	// Section is the index of the section that the chunk is cut from.
	Section int
	// Start and End are the byte range in Markdown that the body comes from.
	// A chunk that holds nothing but the document's title has an empty range.
	Start, End int
	// Text is the rendered text: breadcrumb, table header, body.
	Text string
	// Tokens is the Counter's count of Text, at most the budget (see
	// [Options] for whole code blocks).
	Tokens int
}

// A Result is a document cut.
type Result struct {
	Category Category
	Sections []Section
	Chunks   []Chunk
}

// Options tune the cutting. The zero value has the documented defaults.
type Options struct {
	// Budget is the largest Tokens of a chunk; zero means [DefaultBudget].
	// At least [MinBudget].
	Budget int
	// MaxTokens is what the embedding model reads of one text, counted as the
	// Counter does. A closed code block stays whole up to four budgets as long
	// as the model reads all of it. Zero means Budget: no chunk is longer.
	MaxTokens int
	// Join makes one section of neighbouring sections of a [Generic] document
	// as long as it is within [SectionCap]: where no heading says what belongs
	// together, a reader needs more than a paragraph. Chunks are the same.
	Join bool
}

// resolve checks o against what counter adds to every text and fills in defaults.
func (o *Options) resolve(special int) (budget, codeLimit int, err error) {
	var v Options
	if o != nil {
		v = *o
	}
	budget = v.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	if budget < MinBudget {
		return 0, 0, fmt.Errorf("chunk: budget of %d tokens is below the minimum of %d: %w", budget, MinBudget, ErrBudget)
	}
	if v.MaxTokens != 0 && v.MaxTokens < budget {
		return 0, 0, fmt.Errorf("chunk: budget of %d tokens is above the %d that the model reads: %w", budget, v.MaxTokens, ErrBudget)
	}
	if special >= budget {
		return 0, 0, fmt.Errorf("chunk: budget of %d tokens leaves no room beside the %d that every text costs: %w", budget, special, ErrBudget)
	}
	return budget, max(budget, min(fenceBudgets*budget, v.MaxTokens)), nil
}

// Split cuts doc into sections and chunks. A document without text has none.
//
// It returns an error wrapping [ErrBudget] for options that cannot work, an
// error for Markdown that is not UTF-8, and ctx's error when ctx is done.
// counter must not be nil; opts may be.
func Split(ctx context.Context, doc Document, counter Counter, opts *Options) (*Result, error) {
	special := counter.CountTokens("")
	budget, codeLimit, err := opts.resolve(special)
	if err != nil {
		return nil, err
	}
	if !utf8.ValidString(doc.Markdown) {
		return nil, errors.New("chunk: markdown is not valid UTF-8")
	}
	doc.Title = strings.Join(strings.Fields(strings.ToValidUTF8(doc.Title, "\uFFFD")), " ")
	o, err := scan(ctx, doc)
	if err != nil {
		return nil, fmt.Errorf("chunk: %w", err)
	}
	category, parts := o.parts()
	p := &packer{
		ctx: ctx, md: doc.Markdown, counter: counter,
		special: special, budget: budget, codeLimit: codeLimit,
	}
	result := &Result{Category: category}
	for part := range parts {
		if err := p.section(result, o, &part); err != nil {
			return nil, fmt.Errorf("chunk: %w", err)
		}
	}
	if category == Generic && opts != nil && opts.Join {
		result.join(doc.Markdown)
	}
	return result, nil
}

// join makes one section of neighbouring ones that are short enough together.
func (r *Result) join(md string) {
	var joined []Section
	to := make([]int, len(r.Sections)) // where each section goes
	size := 0                          // characters of the last of joined
	for i, s := range r.Sections {
		last := len(joined) - 1
		if last >= 0 {
			size += utf8.RuneCountInString(md[joined[last].End:s.End])
		}
		if last < 0 || size > SectionCap {
			joined = append(joined, s)
			size = utf8.RuneCountInString(md[s.Start:s.End])
		} else {
			joined[last].End = s.End
		}
		to[i] = len(joined) - 1
	}
	r.Sections = joined
	for i := range r.Chunks {
		r.Chunks[i].Section = to[r.Chunks[i].Section]
	}
}
