// Package convert turns documents into Markdown for search: whole text, in
// reading order, with headings and tables as Markdown.
//
// A [Converter] handles one family of formats and lives in a sub-package; a
// [Router] picks one by name, media type and content and runs it under
// [Limits], so that a hostile file ends in an error and never in a crash.
// Package convert itself imports the standard library and golang.org/x/text only.
package convert

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Sentinel errors. A converter wraps one of them where it fits.
var (
	// ErrUnsupported says that nothing here reads this kind of document.
	ErrUnsupported = errors.New("unsupported format")
	// ErrDamaged says that the content is not what its name or type says, or is broken.
	ErrDamaged = errors.New("damaged or mislabelled document")
	// ErrEncrypted says that the document needs a password.
	ErrEncrypted = errors.New("document is encrypted")
	// ErrTooLarge says that a limit of [Limits] was met.
	ErrTooLarge = errors.New("document exceeds a limit")
	// ErrNoText says that the document holds no text, as a scan does.
	ErrNoText = errors.New("document holds no text")
)

// A Source is one document to be converted.
type Source struct {
	// Name is a file name or URL. Its last element gives the extension and is
	// what errors name.
	Name string
	// MediaType is the type that came with the bytes, such as "text/html;
	// charset=utf-8", or empty.
	MediaType string
	// Data is the content. A converter must not change or keep it.
	Data []byte
	// Page says that the document is a web page fetched by its address, so
	// that navigation and boilerplate around the article may go.
	Page bool
}

// A Document is what came out.
type Document struct {
	// Markdown is the whole text. From a [Router] or [Guard] it is in the form
	// of [Normalize]: valid UTF-8 in NFC, "\n" line ends, no byte order mark
	// and no control characters but tab, line feed and form feed.
	Markdown string
	// Title is a title that the format itself declares (an HTML title
	// element, an EPUB dc:title), trimmed, or empty. Headings are not looked at.
	Title string
	// Metadata holds what else the format declares ("author", "language",
	// "created", ...), or nil. Keys are lower case.
	Metadata map[string]string
	// Warnings are for the reader: what is in the document but not in
	// Markdown, such as pages without text. Lower case, one sentence each.
	Warnings []string
	// Format is the short name of what the content turned out to be, such as "docx".
	Format string
}

// A Converter reads one family of formats.
//
// Convert must be safe for concurrent use, must stop soon after ctx is done,
// must keep to the limits and must return an error wrapping one of the
// package's sentinels for content that it cannot read: never a document that
// holds the raw bytes of one. A document without any text is [ErrNoText] or
// an empty Markdown. Package converttest has the contract's tests.
type Converter interface {
	Convert(ctx context.Context, src Source, limits Limits) (*Document, error)
}

// Limits bound what one conversion may use. The zero value of each field
// means its default.
type Limits struct {
	// InputBytes bounds Source.Data. Default 100 MiB.
	InputBytes int64
	// ExpandedBytes bounds everything that is unpacked from containers and
	// compressed streams, in sum. Default 512 MiB.
	ExpandedBytes int64
	// OutputBytes bounds Markdown. Default 64 MiB.
	OutputBytes int64
	// Entries bounds the members of a container. Default 10,000.
	Entries int
	// Depth bounds the nesting of elements, tables, groups and page trees. Default 200.
	Depth int
	// Pages bounds pages, slides and sheets. Default 10,000.
	Pages int
	// Cells bounds the cells of tables. Default 2,000,000.
	Cells int
	// Memory bounds a sandboxed engine's memory in bytes. Default 512 MiB.
	Memory int64
	// Time bounds one conversion. Default 2 minutes.
	Time time.Duration
}

// WithDefaults returns l with every zero field set to its default.
func (l Limits) WithDefaults() Limits {
	set := func(v *int64, def int64) {
		if *v == 0 {
			*v = def
		}
	}
	setInt := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	set(&l.InputBytes, 100<<20)
	set(&l.ExpandedBytes, 512<<20)
	set(&l.OutputBytes, 64<<20)
	setInt(&l.Entries, 10_000)
	setInt(&l.Depth, 200)
	setInt(&l.Pages, 10_000)
	setInt(&l.Cells, 2_000_000)
	set(&l.Memory, 512<<20)
	if l.Time == 0 {
		l.Time = 2 * time.Minute
	}
	return l
}

// A LimitError says which limit was met. It wraps [ErrTooLarge].
type LimitError struct {
	What string // for instance "expanded size" or "pages"
	Max  int64  // bytes, or a count
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%v: %s over %d", ErrTooLarge, e.What, e.Max)
}

func (e *LimitError) Unwrap() error { return ErrTooLarge }

// A ConverterFunc is a function as a [Converter].
type ConverterFunc func(ctx context.Context, src Source, limits Limits) (*Document, error)

// Convert calls f.
func (f ConverterFunc) Convert(ctx context.Context, src Source, limits Limits) (*Document, error) {
	return f(ctx, src, limits)
}
