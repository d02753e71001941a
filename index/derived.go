package index

import (
	"context"
	"iter"
)

// Changes carry a derived index from one sequence to a later one.
type Changes[E any] struct {
	// From is the sequence that the index must have reached. From 0 means to
	// begin anew: everything that the index holds is replaced.
	From Seq
	// To is the sequence that the index has reached afterwards.
	To Seq
	// Remove are chunks that are no longer live. Unknown ones are ignored.
	Remove []ChunkID
	// Add yields the chunks that became live. It is read once, and an error
	// from it ends Apply with nothing changed. A chunk that the index has
	// already is replaced.
	Add iter.Seq2[E, error]
}

// A VectorEntry is a chunk as a [VectorStore] knows it.
type VectorEntry struct {
	Chunk  ChunkID
	Doc    DocID
	Vector []float32 // of length 1 (L2)
}

// A VectorQuery asks for the nearest chunks.
type VectorQuery struct {
	// Vector is the question, of length 1 (L2).
	Vector []float32
	// Limit is the largest number of hits.
	Limit int
	// Filter is applied before Limit.
	Filter *Filter
	// Overlay holds chunks that are searched as if they were in the store.
	// Where the store has the same chunk, it is returned once.
	Overlay []VectorEntry
}

// A VectorStore finds the chunks whose vectors are nearest to a vector.
//
// A store that is missing, damaged or of another [Origin] presents itself as
// empty at sequence 0. All methods are safe for concurrent use by several
// goroutines; Apply is called only while the caller holds the lock that all
// processes share for it, the other methods at any time, also while another
// process applies.
type VectorStore interface {
	// Snapshot returns the newest state, also if another process wrote it.
	Snapshot(ctx context.Context) (VectorSnapshot, error)
	// Apply makes changes durable, all or none, and visible to later
	// snapshots of every process. It returns [ErrSequence] if the store is
	// not at changes.From.
	Apply(ctx context.Context, changes Changes[VectorEntry]) error
	// Close frees what the store holds. Snapshots must be closed before.
	Close() error
}

// A VectorSnapshot is one state of a [VectorStore]. It does not change while
// the store does. It is safe for concurrent use and must be closed.
type VectorSnapshot interface {
	// Seq is the sequence that this state has reached.
	Seq() Seq
	// Search returns the chunks with the highest cosine, best first, equal
	// ones by chunk. Hit.Score is the cosine, between -1 and 1. The error
	// wraps [ErrDamaged] if the store must be rebuilt.
	Search(ctx context.Context, query VectorQuery) ([]Hit, error)
	Close() error
}

// A KeywordEntry is a chunk as a [KeywordIndex] knows it.
type KeywordEntry struct {
	Chunk    ChunkID
	Doc      DocID
	Title    string // of the document
	Headings string // above the chunk, outermost first
	Body     string
}

// A KeywordQuery asks for chunks with the words of a text.
type KeywordQuery struct {
	// Text is searched as words; nothing in it is an operator and no text
	// makes a search fail.
	Text string
	// Limit, Filter and Overlay are those of [VectorQuery].
	Limit   int
	Filter  *Filter
	Overlay []KeywordEntry
	// Phrases are texts of which a hit must have each, as words that follow
	// each other in one field; analysis.Phrase has the terms. An index may
	// ignore them: the caller looks at the text of the hits.
	Phrases []string
	// Documents is the share, from 0 to 1, of a hit's score that is for the
	// whole document of the chunk. It orders the best chunks anew and brings
	// no others. An index may ignore it.
	Documents float64
	// Phonetic looks for the words also as they sound in another script, which
	// counts less. Where no chunk has what sounds so, scores do not change.
	Phonetic bool
}

// A KeywordIndex finds chunks by their words. The rules of [VectorStore] hold
// for it too; an index made by another version of the analyzer is empty at
// sequence 0.
type KeywordIndex interface {
	Snapshot(ctx context.Context) (KeywordSnapshot, error)
	Apply(ctx context.Context, changes Changes[KeywordEntry]) error
	Close() error
}

// A KeywordSnapshot is one state of a [KeywordIndex]. It does not change
// while the index does. It is safe for concurrent use and must be closed.
type KeywordSnapshot interface {
	Seq() Seq
	// Search returns the chunks that share a word with the query, best
	// first, equal ones by chunk. Hit.Score is the share, above 0 and below 1,
	// that it has of the weight of the query's words, where a rarer word weighs
	// more and more occurrences come nearer to the whole of it. The error wraps
	// [ErrDamaged] if the index must be rebuilt.
	Search(ctx context.Context, query KeywordQuery) ([]Hit, error)
	Close() error
}

// A JointIndex is a [KeywordIndex] that keeps its chunks in the same files as
// a [VectorStore], so that both sides change in one step and are always at the
// same sequence. Their own Apply is then not used.
type JointIndex interface {
	KeywordIndex
	// Joins reports whether v is the other side.
	Joins(v VectorStore) bool
	// ApplyJoint is Apply for both sides. An entry without a vector is found
	// by its words only.
	ApplyJoint(ctx context.Context, changes Changes[Entry]) error
}
