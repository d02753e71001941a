package minirag

import (
	"context"
	"io"
)

// A Corpus is an open collection of documents. All methods are safe for
// concurrent use, and several processes may have the same one open.
type Corpus struct {
	o Options
}

// Open opens a corpus over the given parts, which it takes over: Close closes them.
func Open(ctx context.Context, o Options) (*Corpus, error) { panic("soon") }

// Close waits for running calls and closes the parts.
func (c *Corpus) Close() error { panic("soon") }

// Path is a file inside a root.
func Path(path string) Input { panic("soon") }

// Bytes is a document in memory. mediaType is for instance "text/markdown".
func Bytes(source, mediaType string, data []byte) Input { panic("soon") }

// Reader is a document that is read when it is ingested, once.
func Reader(source, mediaType string, r io.Reader) Input { panic("soon") }

// Address is a document on the network, fetched when it is ingested.
func Address(url string) Input { panic("soon") }

// Ingest converts, cuts, embeds and stores one document, replacing what its
// source had before. When it returns, queries find it.
func (c *Corpus) Ingest(ctx context.Context, in Input) (*Source, error) { panic("soon") }

// Sync makes the index agree with the files below the roots.
func (c *Corpus) Sync(ctx context.Context, o *SyncOptions) (*SyncReport, error) { panic("soon") }

// Query searches.
func (c *Corpus) Query(ctx context.Context, q Query) (*Result, error) { panic("soon") }

// Read returns a whole document as it was converted, or [ErrNotFound].
func (c *Corpus) Read(ctx context.Context, source string) (*Text, error) { panic("soon") }

// Neighbors returns the chunks of a document from index-before to
// index+after, in order. Beyond its ends there are none.
func (c *Corpus) Neighbors(ctx context.Context, source string, index, before, after int) ([]Hit, error) {
	panic("soon")
}

// List returns what is indexed and what could be.
func (c *Corpus) List(ctx context.Context, o *ListOptions) (*Listing, error) { panic("soon") }

// Delete removes a source from the index and returns what it was, or [ErrNotFound].
func (c *Corpus) Delete(ctx context.Context, source string) (*Source, error) { panic("soon") }

// Status describes the corpus.
func (c *Corpus) Status(ctx context.Context) (*Status, error) { panic("soon") }

// Resolve checks that an absolute path lies in a root and returns the source
// that a sync would give it. The file need not exist.
func (c *Corpus) Resolve(path string) (string, error) { panic("soon") }
