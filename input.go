package minirag

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/readfile"
)

// Path is a file inside a root. Its source is the path with links followed.
func Path(path string) Input { return Input{kind: KindFile, path: path} }

// Bytes is a document in memory. mediaType is for instance "text/markdown" or
// "text/html"; empty leaves the choice to the content and to the extension of
// source. data must not change until it is ingested.
func Bytes(source, mediaType string, data []byte) Input {
	return Input{Source: source, kind: KindData, mediaType: mediaType,
		open: func(int64) ([]byte, error) { return data, nil }}
}

// Reader is a document that is read when it is ingested, once.
func Reader(source, mediaType string, r io.Reader) Input {
	return Input{Source: source, kind: KindData, mediaType: mediaType,
		open: func(limit int64) ([]byte, error) { return io.ReadAll(io.LimitReader(r, limit+1)) }}
}

// Address is a document on the network, fetched when it is ingested. Its
// source is the address unless Source is set.
func Address(url string) Input { return Input{Source: url, kind: KindURL, url: url} }

// load reads the bytes of an input and completes what it says of itself.
func (c *Corpus) load(ctx context.Context, in *Input) (convert.Source, *loaded, error) {
	switch in.kind {
	case KindFile:
		resolved, err := c.Resolve(in.path)
		if err != nil {
			return convert.Source{}, nil, err
		}
		in.Source = resolved
		return c.loadFile(resolved)
	case KindData:
		if in.Source == "" {
			return convert.Source{}, nil, fmt.Errorf("ingest: %w: the source is empty; name the document", ErrInvalid)
		}
		if strings.ContainsRune(in.Source, 0) {
			return convert.Source{}, nil, fmt.Errorf("ingest: %w: the source %q holds a NUL character", ErrInvalid, in.Source)
		}
		if filepath.IsAbs(in.Source) && c.roots.Contains(filepath.Clean(in.Source)) {
			return convert.Source{}, nil, &SourceError{Op: "ingest", Source: in.Source,
				Err: fmt.Errorf("%w: the source is the path of a file in a root", ErrInvalid), Hint: "choose another name, or ingest the file"}
		}
		data, err := in.open(c.o.MaxFileSize)
		if err != nil {
			return convert.Source{}, nil, &SourceError{Op: "read", Source: in.Source, Err: err}
		}
		if int64(len(data)) > c.o.MaxFileSize {
			return convert.Source{}, nil, c.tooLarge(in.Source, &readfile.SizeError{Size: int64(len(data)), Max: c.o.MaxFileSize})
		}
		src := convert.Source{MediaType: in.mediaType, Data: data}
		if in.mediaType == "" {
			src.Name = in.Source // a given type is surer than what the source's name ends in
		}
		return src, &loaded{}, nil
	case KindURL:
		if c.o.Fetcher == nil {
			return convert.Source{}, nil, &SourceError{Op: "fetch", Source: in.url, Err: ErrNoFetcher}
		}
		got, err := c.o.Fetcher.Fetch(ctx, in.url)
		if err != nil {
			return convert.Source{}, nil, &SourceError{Op: "fetch", Source: in.url, Err: err}
		}
		if in.Source == "" {
			in.Source = in.url
		}
		return convert.Source{Name: got.URL, MediaType: got.MediaType, Data: got.Data, Page: true}, &loaded{}, nil
	}
	return convert.Source{}, nil, fmt.Errorf("ingest: %w: an Input is made by Path, Bytes, Reader or Address", ErrInvalid)
}
