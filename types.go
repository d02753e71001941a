package minirag

import (
	"time"

	"github.com/minirag/minirag/chunk"
)

// An Input is something to ingest. Make one with [Path], [Bytes], [Reader] or
// [Address]; Title and, for an address, Source may be set afterwards.
type Input struct {
	// Source identifies the document in the index. For a path it is the
	// resolved path.
	Source string
	// Title overrides the title that the document gives. Not used for a path.
	Title string

	kind      Kind
	path      string
	url       string
	mediaType string
	open      func(limit int64) ([]byte, error)
}

// A Source describes an indexed document.
type Source struct {
	// ID names it in every call: the absolute path of a file, or what the
	// caller chose.
	ID    string
	Kind  Kind
	Title string
	// DisplayPath is ID without the root that it lies in, for people.
	DisplayPath string
	Chunks      int
	IngestedAt  time.Time
	// Warnings say what of the document is not in the index.
	Warnings []string
}

// A Query is a question. Only Text is required.
type Query struct {
	// Text is a question or words. A "phrase in double quotes" must stand in
	// a hit, and -word or -"a phrase" must not; see package search, Parse. Forms of
	// a word count as the word. If nothing has the phrases, their words are
	// searched for, and Notice says so. Nothing in it is an error.
	Text string
	// TopK is the largest number of hits. Zero: 8. Over 100: 100.
	TopK int
	// Scope restricts the search to sources that equal one of these or lie
	// below it, by path component. Absolute paths and paths relative to a
	// root (display paths) both serve. Nil: everything.
	Scope []string
	// Ranking replaces [Options.Ranking] for this query. Nil: it does not.
	Ranking *Ranking
	// PerDocument is the largest number of hits of one document as long as
	// others have hits. Zero: half of TopK, at least 5. Negative: no bound.
	PerDocument int
	// Duplicates keeps hits with nearly the same text as a better one of
	// another document, instead of naming their sources in [Hit.AlsoIn].
	//
	// With Ranking.HybridWeight set, which asks for the plain fusion of ranks,
	// there is no bound, and duplicates stay, unless PerDocument is set.
	Duplicates bool
	// Explain asks for [Hit.Signals].
	Explain bool
}

// Signals say why a hit stands where it stands.
type Signals struct {
	// VectorRank and KeywordRank count from 1 among the candidates of each
	// side. 0: the side did not find the chunk.
	VectorRank, KeywordRank int
	// Cosine is valid with a VectorRank, KeywordScore with a KeywordRank.
	Cosine, KeywordScore float64
	// Background is the mean cosine between the question and a sample of all
	// chunks, and Deviation its standard deviation; both are 0 if not known.
	Background, Deviation float64
	// Matched is the share of the weight of the question's words in the chunk.
	Matched float64
}

// A Section is the part of a document that a hit lies in.
type Section struct {
	// ID is the same for all hits in the section.
	ID string
	// Headings is the chain of headings, outermost first.
	Headings []string
	// Text is the section as it stands in the document.
	Text string
	// Start and End are its byte range in [Text.Markdown].
	Start, End int
}

// A Hit is a chunk that answers a query, or a neighbour of one.
type Hit struct {
	Source *Source
	// Index is the position of the chunk in its document, from 0.
	Index int
	// Text is the chunk: its headings, table header and text.
	Text string
	// Section is where it stands. It is shared by the hits in it.
	Section *Section
	// Score orders the hits; higher is better. It compares within one result
	// only. A hit that makes room for one of another section has the score of
	// the one before it.
	Score float64
	// Distance is 2 - 2·cosine between query and chunk, or nil if only its
	// words were found.
	Distance *float64
	// Relevance estimates, from 0 to 1, whether the chunk is about the
	// question at all. Unlike Score it compares between queries.
	Relevance float64
	// AlsoIn are the other sources with the same or nearly the same text,
	// which have no hit of their own.
	AlsoIn []*Source
	// Signals is nil unless [Query.Explain] asked for it.
	Signals *Signals
}

// A Result answers a [Query].
type Result struct {
	// Hits are ordered from the best.
	Hits []Hit
	// Sources are the distinct sources of Hits in their order.
	Sources []SourceHits
	// Notice says why there are no hits, or what the search could not look
	// at. It is for people and may be empty.
	Notice string
}

// SourceHits counts the hits of one source.
type SourceHits struct {
	Source *Source
	Hits   int
}

// A Text is a whole document.
type Text struct {
	Source   Source
	Markdown string
	Category chunk.Category
	// Sections are ranges of Markdown, in order. The ID of the section i is
	// the source's with "#p" and i behind it.
	Sections []chunk.Section
}

// Counts of a sync. Scanned is the sum of the files looked at.
type Counts struct {
	Scanned    int
	Ingested   int
	Skipped    int // unchanged
	Moved      int
	Deleted    int
	Relabelled int
	Unreadable int
	Failed     int
}

// SyncOptions tune [Corpus.Sync]. Nil and the zero value mean the defaults.
type SyncOptions struct {
	// Path restricts the sync to a file or folder inside a root. Empty: all roots.
	Path string
	// Progress is called with every step, one call at a time. It must return
	// quickly.
	Progress func(Progress)
}

// An Event says what a [Progress] tells.
type Event string

// The events of a sync.
const (
	EventScanned  Event = "scanned"  // Total is known now
	EventStarted  Event = "started"  // a document is being converted
	EventIngested Event = "ingested" // a document is stored
	EventSkipped  Event = "skipped"
	EventMoved    Event = "moved"
	EventDeleted  Event = "deleted"
	EventFailed   Event = "failed"
	EventIndexed  Event = "indexed" // the derived indexes were brought up to date
)

// Progress is one step of a sync.
type Progress struct {
	Event  Event
	Source string // the document; for EventMoved the old one
	To     string // for EventMoved the new one
	Err    error  // for EventFailed
	Done   int    // files that are finished
	Total  int    // files that were found, 0 before EventScanned
	Counts Counts // so far
}

// A SyncReport is the outcome of a sync.
type SyncReport struct {
	Counts Counts
	// Errors are about single files and folders, in no particular order;
	// what they do not name is in the index. A folder that cannot be listed
	// and has nothing in the index is among them, though not in Counts.Failed.
	Errors []*SourceError
}

// A State says how a file and the index agree.
type State string

// The states of a [Listed] source.
const (
	StateIngested    State = "ingested"
	StateStale       State = "stale"        // the file has changed
	StateStaleScheme State = "stale_scheme" // model, chunking or conversion has changed
	StateNotIngested State = "not_ingested"
	StateUnreadable  State = "unreadable"
	StateUnlisted    State = "unlisted" // its folder cannot be listed now
	StateMissing     State = "missing"  // the file is gone; the next sync removes it
)

// ListOptions tune [Corpus.List]. Nil and the zero value mean the defaults.
type ListOptions struct {
	Scope []string // as in [Query]
}

// A Listed is a source or a file that could become one.
type Listed struct {
	Source
	State State
	// OCREngine is set if text was recognised from pictures.
	OCREngine string
}

// An UnlistedFolder could not be looked into.
type UnlistedFolder struct {
	Path    string
	Err     error // nil: an empty root
	Indexed int   // sources below it that are in the index
	Message string
}

// A Listing is the outcome of [Corpus.List], ordered by source.
type Listing struct {
	Sources         []Listed
	UnlistedFolders []UnlistedFolder
}

// Status describes a corpus.
type Status struct {
	Roots   []string
	Sources int
	Chunks  int
	// StaleChunks were made by another model, chunking or conversion; the
	// next sync makes them anew.
	StaleChunks int
	Model       ModelInfo
	Budget      int
	Scheme      int
	Seq         int64 // of the catalog
	// KeywordSeq and VectorSeq say how far the derived indexes are.
	KeywordSeq int64
	VectorSeq  int64
	// Warnings are about the corpus as a whole.
	Warnings []string
}
