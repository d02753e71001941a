package convert

import (
	"context"
	"fmt"
	"log/slog"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A Format says what one [Converter] reads and how documents of that format
// are recognised.
type Format struct {
	// Name is the short name, such as "docx".
	Name string
	// Extensions are lower case with the dot, such as ".docx".
	Extensions []string
	// MediaTypes are lower case without parameters, such as "text/html".
	MediaTypes []string
	// Content is what the first bytes must look like. The zero value, Any,
	// leaves the check to the converter.
	Content Content
	// Sync says that files of this format are taken up when a folder is
	// synchronised, and not only when they are named one by one.
	Sync bool
	// Converter reads it.
	Converter Converter
}

// RouterOptions configures a [Router]. The zero value of each field is its default.
type RouterOptions struct {
	// Logger gets one debug record for each conversion. Default: none.
	Logger *slog.Logger
}

// A Router is a [Converter] for many formats. It chooses by the extension,
// then by the media type, then by the content, refuses content that
// contradicts its name, and runs the chosen converter under [Guard].
//
// For a name that is a URL a telling media type goes before the extension,
// because servers know what they send. A Router is safe for concurrent use.
type Router struct {
	formats []Format // fixed at creation
	byExt   map[string]int
	byMedia map[string]int
	log     *slog.Logger
}

var _ Converter = (*Router)(nil)

// NewRouter returns a Router over formats; opts may be nil. Where two formats
// claim the same extension or media type the earlier one has it.
func NewRouter(formats []Format, opts *RouterOptions) *Router {
	r := &Router{
		formats: slices.Clone(formats),
		byExt:   map[string]int{},
		byMedia: map[string]int{},
		log:     slog.New(slog.DiscardHandler),
	}
	if opts != nil && opts.Logger != nil {
		r.log = opts.Logger
	}
	claim := func(m map[string]int, key string, i int) {
		key = strings.ToLower(key)
		if _, taken := m[key]; !taken {
			m[key] = i
		}
	}
	for i, f := range r.formats {
		for _, ext := range f.Extensions {
			claim(r.byExt, ext, i)
		}
		for _, mt := range f.MediaTypes {
			claim(r.byMedia, mt, i)
		}
	}
	return r
}

// Supported returns every extension that has a converter, sorted.
func (r *Router) Supported() []string {
	return sortedKeys(r.byExt)
}

// Synced reports whether a folder's synchronisation takes up a file of this
// name. Files that an office program keeps beside an open document ("~$x.docx") are not.
func (r *Router) Synced(name string) bool {
	f, ok := r.Lookup(name)
	return ok && f.Sync && !isLockFile(name)
}

// Lookup returns the format that the extension of name stands for.
func (r *Router) Lookup(name string) (Format, bool) {
	i, ok := r.byExt[Extension(name)]
	if !ok {
		return Format{}, false
	}
	return r.formats[i], true
}

// Convert converts src with the converter of its format. Its errors are of
// type [*Error], except ctx's own.
func (r *Router) Convert(ctx context.Context, src Source, limits Limits) (*Document, error) {
	limits = limits.WithDefaults()
	f, err := r.choose(src)
	if err != nil {
		return nil, err
	}
	doc, err := Guard(f.Name, f.Converter).Convert(ctx, src, limits)
	if err != nil {
		r.log.DebugContext(ctx, "convert", "source", src.Name, "format", f.Name, "err", err)
		return nil, err
	}
	r.log.DebugContext(ctx, "convert", "source", src.Name, "format", doc.Format, "bytes", len(src.Data), "markdown", len(doc.Markdown))
	return doc, nil
}

func (r *Router) choose(src Source) (Format, error) {
	fail := func(format string, err error, hint string) (Format, error) {
		return Format{}, &Error{Source: src.Name, Format: format, Err: err, Hint: hint}
	}
	ext := Extension(src.Name)
	media, _, err := mime.ParseMediaType(src.MediaType)
	if err != nil {
		media = strings.ToLower(strings.TrimSpace(strings.SplitN(src.MediaType, ";", 2)[0]))
	}
	i, ok := r.byExt[ext]
	if j, known := r.byMedia[media]; known && (!ok || isURL(src.Name) && media != "text/plain") {
		i, ok = j, true
	}
	found := Sniff(src.Data)
	if !ok {
		if kind, hint := unread(ext); kind != "" {
			return fail("", fmt.Errorf("%w: %s is %s", ErrUnsupported, ext, kind), hint)
		}
		if !isURL(src.Name) && ext != "" || media != "" && media != "application/octet-stream" {
			what := ext
			if what == "" || isURL(src.Name) {
				what = media
			}
			return fail("", fmt.Errorf("%w: no converter for %q", ErrUnsupported, what), "supported: "+strings.Join(r.Supported(), " "))
		}
		if i, ok = r.bySniffing(found, src.Data); !ok {
			return fail("", fmt.Errorf("%w: the content looks like %s", ErrUnsupported, found.describe()), "supported: "+strings.Join(r.Supported(), " "))
		}
		return r.formats[i], nil
	}
	f := r.formats[i]
	if isLockFile(src.Name) && found != f.Content {
		return fail(f.Name, fmt.Errorf("%w: a lock file that an office program keeps beside an open document", ErrDamaged), "name the document itself")
	}
	if !f.Content.accepts(found) {
		hint := "rename it to what it is, or get the real document"
		if found == Empty {
			hint = "copy or download the document again"
		}
		return fail(f.Name, fmt.Errorf("%w: named as %s but %s", ErrDamaged, f.Name, looksLike(found, src.Data)), hint)
	}
	return f, nil
}

func looksLike(c Content, data []byte) string {
	if c == Empty {
		return "empty (0 bytes)"
	}
	what := c.describe()
	if c == Zip {
		if ext := zipExtension(data); ext != "" {
			what = "a zip archive with a " + strings.TrimPrefix(ext, ".") + " document"
		}
	}
	return "the content looks like " + what
}

// bySniffing finds a format for bytes that came without name and type.
func (r *Router) bySniffing(c Content, data []byte) (int, bool) {
	ext := map[Content]string{PDF: ".pdf", HTML: ".html", Text: ".txt", RTF: ".rtf", Empty: ".txt"}[c]
	if c == Zip {
		ext = zipExtension(data)
	}
	i, ok := r.byExt[ext]
	return i, ok
}

// notRead lists well-known formats without a converter by what they are and
// what a person can do instead.
var notRead = []struct{ extensions, kind, hint string }{
	{".doc .dot .wps", "an old binary Office format", "save it as .docx and try again"},
	{".xls .xlt", "an old binary Office format", "save it as .xlsx and try again"},
	{".ppt .pps .pot", "an old binary Office format", "save it as .pptx and try again"},
	{".xlsb", "a binary Excel workbook", "save it as .xlsx and try again"},
	{".pages", "an Apple iWork document", "export it as .docx or .pdf and try again"},
	{".numbers", "an Apple iWork document", "export it as .xlsx or .csv and try again"},
	{".key", "an Apple iWork document", "export it as .pptx or .pdf and try again"},
	{".msg .pst .ost", "an Outlook file", "save the message as .eml and try again"},
	{".mobi .azw .azw3 .kfx .fb2 .lit", "an e-book in another format", "convert it to .epub and try again"},
	{".djvu .djv .ps .xps .oxps", "a document of page images or page descriptions", "convert it to .pdf and try again"},
	{".one .vsd .vsdx .pub .mpp .wpd .hwp .chm", "a document of a program whose format is not read", "export it as .pdf or .docx and try again"},
	{".mdb .accdb .sqlite .db .parquet", "a database", "export its tables as .csv and try again"},
	{".zip .rar .7z .tar .gz .tgz .bz2 .xz .zst", "an archive", "unpack it and name the documents inside"},
	{".png .jpg .jpeg .gif .webp .tif .tiff .bmp .heic .svg", "a picture", "text in pictures is not read; convert it with a text recognition program first"},
	{".mp3 .m4a .wav .ogg .flac .mp4 .mov .mkv .avi .webm", "a recording", "name its transcript as .vtt or .srt"},
}

// unread says what a well-known format without a converter is, or "".
func unread(ext string) (kind, hint string) {
	if ext == "" {
		return "", ""
	}
	for _, f := range notRead {
		if slices.Contains(strings.Fields(f.extensions), ext) {
			return f.kind, f.hint
		}
	}
	return "", ""
}

// Extension returns the lower-case extension of a file name or URL with its
// dot, or "". A URL's host, query and fragment have none.
func Extension(name string) string {
	if isURL(name) {
		u, err := url.Parse(name)
		if err != nil {
			return ""
		}
		name = u.Path
	}
	return strings.ToLower(path.Ext(baseName(name)))
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

func baseName(name string) string {
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

func isLockFile(name string) bool {
	return strings.HasPrefix(baseName(name), "~$")
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
