package index

import (
	"context"
	"iter"
	"time"

	"github.com/minirag/minirag/chunk"
)

// A Kind says where a document came from.
type Kind string

// The kinds of documents.
const (
	File Kind = "file" // Source is an absolute path
	Data Kind = "data" // Source was chosen by the caller
	URL  Kind = "url"  // Source is an address, or was chosen by the caller
)

// A Fingerprint says how a document was made into chunks and vectors. A
// document whose fingerprint is not the current one is stale.
type Fingerprint struct {
	Model     string // [embed.ModelInfo] ID
	Scheme    int    // chunk.Scheme
	Budget    int    // tokens
	Converter string // version of the conversion
}

// A Document is one version of a document, without its content.
type Document struct {
	ID         DocID
	Source     string // unique among the live documents
	Kind       Kind
	Title      string
	Hash       string    // SHA-256 of the bytes, lower-case hex; empty if unknown
	Size       int64     // bytes
	ModTime    time.Time // of the file, nanoseconds; zero if it is none
	IngestedAt time.Time
	Fingerprint
	Category  chunk.Category
	OCREngine string   // empty: no text was recognised from pictures
	Warnings  []string // of the conversion
	Chunks    int      // number of chunks
	Bytes     int      // length of the Markdown
	// From and To are the sequences between which this version is live:
	// From <= s < To. To is [Live] while it is the newest.
	From, To Seq
}

// Live is the To of a version that has not been replaced.
const Live Seq = 1<<63 - 1

// At reports whether the version is the one to be seen at s.
func (d *Document) At(s Seq) bool { return d.From <= s && s < d.To }

// A NewDocument is a document to be stored. ID, Chunks, Bytes, From and To of
// its Document are set by the catalog.
type NewDocument struct {
	Document
	Markdown string
	Sections []chunk.Section
	Chunks   []chunk.Chunk
	Vectors  [][]float32 // one for each chunk, of length 1 (L2)
}

// A Chunk is a stored chunk.
type Chunk struct {
	ID      ChunkID
	Doc     DocID
	Index   int // position in the document, from 0
	Section int // index of its section
	Start   int // byte range in the Markdown
	End     int
	Text    string
	Tokens  int
}

// An Entry is a chunk as the derived indexes need it.
type Entry struct {
	Chunk    ChunkID
	Doc      DocID
	Title    string
	Headings string // the section's headings, joined by " > "
	Text     string
	Vector   []float32 // nil unless asked for
}

// Stats counts what is live.
type Stats struct {
	Documents int
	Chunks    int
	Bytes     int64 // of Markdown
	// ByFingerprint counts the chunks of each fingerprint.
	ByFingerprint map[Fingerprint]int
}

// A DocumentQuery chooses documents. The zero value means all live ones.
type DocumentQuery struct {
	// Scopes are prefixes of Source by path component: a document matches if
	// its source equals a scope or begins with it and a "/". Trailing slashes
	// are ignored. Nil means no restriction; no wildcard is known.
	Scopes []string
	// Outside chooses the others instead, of those whose source is an
	// absolute path.
	Outside bool
	// Kind restricts the kind. Empty: any.
	Kind Kind
	// At is the sequence whose versions are returned. Zero: the newest.
	At Seq
}

// A Catalog keeps the documents.
//
// It is safe for concurrent use by several goroutines and several processes:
// readers never wait for a writer, writers queue. A committed change survives
// the loss of the process and of the machine.
type Catalog interface {
	// UUID identifies the catalog's content for derived indexes.
	UUID() string
	// View calls fn with one consistent state. The View is valid until fn
	// returns. fn must not wait for anything but the catalog.
	View(ctx context.Context, fn func(View) error) error
	// Update calls fn in a transaction that no other writer can interleave
	// with, and commits it if fn returns nil. All changes of fn get one new
	// sequence, which is returned; without a change it is the current one.
	Update(ctx context.Context, fn func(Tx) error) (Seq, error)
	// Purge removes versions that were closed at or before upTo.
	Purge(ctx context.Context, upTo Seq) error
	Close() error
}

// A View is one consistent state of a [Catalog]. It is used by one goroutine.
type View interface {
	// Seq is the newest sequence.
	Seq() Seq
	// Purged is the highest upTo of a purge: versions closed at or before it
	// are gone.
	Purged() Seq
	Stats() (Stats, error)

	// Document returns the live document of a source, or [ErrNotFound].
	Document(source string) (Document, error)
	// Documents yields documents ordered by Source (bytes).
	Documents(q DocumentQuery) iter.Seq2[Document, error]
	// ByContent returns the versions that have one of the contents, live or
	// closed: a moved document has two versions of one content.
	ByContent(ids []DocID) ([]Document, error)

	// Markdown returns the whole text of a content, or [ErrNotFound].
	Markdown(id DocID) (string, error)
	// Sections returns the sections of a content in order.
	Sections(id DocID) ([]chunk.Section, error)
	// Chunks returns those of the chunks that are still kept, by ID.
	Chunks(ids []ChunkID) (map[ChunkID]Chunk, error)
	// ChunkRange returns the chunks of a content with from <= Index <= to, in
	// order.
	ChunkRange(id DocID, from, to int) ([]Chunk, error)

	// Added yields the chunks live at to and not at from, by chunk. With a
	// model, only those of documents embedded by it, with their vectors.
	// [ErrPurged] if from is neither 0 nor at least Purged.
	Added(from, to Seq, model string) iter.Seq2[Entry, error]
	// CountAdded is the number of chunks that Added would yield.
	CountAdded(from, to Seq, model string) (int, error)
	// Removed returns the chunks live at from and not at to.
	Removed(from, to Seq) ([]ChunkID, error)
}

// A Tx is a [View] that can change the catalog and sees its own changes.
type Tx interface {
	View
	// Put stores a document and closes the live version of its source.
	Put(doc *NewDocument) (Document, error)
	// Delete closes the live version of a source and returns it, or
	// [ErrNotFound].
	Delete(source string) (Document, error)
	// Move gives the live document of a source another source and
	// modification time, and closes what lived there. The content stays.
	Move(from, to string, modTime time.Time) (Document, error)
	// Touch records a file's size and modification time for the live
	// document of a source whose content is unchanged. It is not a change
	// with a sequence of its own.
	Touch(source string, size int64, modTime time.Time) error
}
