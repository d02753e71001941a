// Package chunk cuts Markdown into sections, which a reader gets, and chunks,
// which are embedded and ranked.
//
// A section is a byte range of the Markdown, so that it can be given back
// exactly. A chunk is a rendered text of at most a budget of tokens: a
// breadcrumb of headings, a repeated table header where there is one, and a
// range of the section's text. Package chunk is pure: no I/O, no model; it
// counts with the [Counter] that it is given, and imports the standard
// library only. Its functions are safe for concurrent use if the Counter is.
package chunk

// Scheme is the version of the rules by which texts are cut. A source cut by
// another scheme is stale.
const Scheme = 3

// DefaultBudget is the token budget of a chunk when none is chosen.
const DefaultBudget = 200

// A Counter counts the tokens of a text as the embedding model does,
// including its special tokens.
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
	// Markdown is the whole text. Ranges refer to it.
	Markdown string
}

// A Section is a part of the document that makes sense alone.
type Section struct {
	// Start and End are the byte range in Markdown, with the heading line.
	// Sections do not overlap and stand in the order of the text.
	Start, End int
	// Headings is the chain of headings above and of this section, outermost
	// first, without markup. It may be empty.
	Headings []string
	// Label names a part that has no heading, such as "[Slide 3]". It may be empty.
	Label string
}

// A Chunk is one unit of retrieval.
type Chunk struct {
	// Section is the index of the section that the chunk is cut from.
	Section int
	// Start and End are the byte range in Markdown that the body comes from.
	Start, End int
	// Text is the rendered text: breadcrumb, table header, body.
	Text string
	// Tokens is the Counter's count of Text, at most the budget.
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
	// At least 16.
	Budget int
	// Strategies are tried in order; the first that accepts a document cuts
	// it into sections. Nil means all categories in their order.
	Strategies []Strategy
}

// A Strategy knows one kind of structure.
type Strategy interface {
	// Category names the structure.
	Category() Category
	// Sections cuts a document, or returns nil if it is not of this kind.
	Sections(doc Outline) []RawSection
}
