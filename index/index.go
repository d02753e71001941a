// Package index defines where documents are kept and how they are found.
//
// The [Catalog] is the only truth: converted Markdown, sections, chunks and
// vectors of every document, as versions with a sequence number. A
// [KeywordIndex] and a [VectorStore] are derived from it and can be thrown
// away and rebuilt at any time, without converting or embedding anything.
//
// # The sequence protocol
//
// Every change of the catalog gets the next [Seq]. A derived index holds
// exactly the chunks that were live at the sequence that it says it has
// reached; [KeywordIndex.Apply] and [VectorStore.Apply] carry it to a later
// one. A reader takes a snapshot of each index first and reads the catalog
// afterwards, so that the catalog is never behind an index; what the catalog
// has and an index lacks is handed to the search as an overlay, and a hit
// whose version is closed is dropped. So a reader sees the old version of a
// document or the new one, never both and never neither.
//
// Package index imports chunk for its types and else the standard library.
// Package indextest has the tests that every implementation must pass.
package index

import "errors"

// Sentinel errors.
var (
	// ErrNotFound says that there is no such document.
	ErrNotFound = errors.New("not found in the index")
	// ErrDamaged says that stored data cannot be read back as it was written.
	ErrDamaged = errors.New("index is damaged")
	// ErrSequence says that changes do not follow on what the index holds.
	ErrSequence = errors.New("changes do not follow on the index")
	// ErrPurged says that versions that the call needs are no longer kept.
	ErrPurged = errors.New("old versions are purged")
	// ErrNewer says that the data was written by a newer version of the program.
	ErrNewer = errors.New("index was written by a newer version")
	// ErrReadOnly says that the place of the index cannot be written.
	ErrReadOnly = errors.New("index is read-only")
)

// A Seq numbers the changes of a catalog: 0 is the empty catalog.
type Seq int64

// A DocID names one stored content of a document. A new version of a document
// gets a new one; it is never reused. A document that is moved keeps it.
type DocID int64

// A ChunkID names one stored chunk. It is never reused.
type ChunkID int64

// A Hit is a chunk that a search found. A higher Score is better; scores of
// different searches compare only within one kind of index.
type Hit struct {
	Chunk ChunkID
	Doc   DocID
	Score float64
}

// A Filter restricts a search. A nil Filter lets everything through. Filters
// apply before the limit of a search, never after it.
type Filter struct {
	// Docs are the documents whose chunks may be returned. Nil: all of them.
	Docs *DocSet
}

// Allows reports whether chunks of doc may be returned.
func (f *Filter) Allows(doc DocID) bool {
	return f == nil || f.Docs == nil || f.Docs.Has(doc)
}

// An Origin names what a derived index is made from. An index of another
// origin is as good as none.
type Origin struct {
	// Catalog is [Catalog.UUID].
	Catalog string
	// Model is the ID of the embedding model. Empty for keyword indexes.
	Model string
	// Dims is the length of a vector. Zero for keyword indexes.
	Dims int
}
