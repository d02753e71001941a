//go:build lite

package pdf

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ledongthuc/pdf"
)

const (
	// wrapGap is the room behind the content of a wrapped stream, where reading
	// meets the end.
	wrapGap = 1 << 30
	// maxEnds is how often the end may be met: the library's scanner of strings
	// goes on after it for ever.
	maxEnds = 64
	// leastTail is how much of the end of a file the library looks at.
	leastTail = 100
)

// A wrapped is a document of one content stream. Between the content and the
// tail is nothing but the end of what can be read.
type wrapped struct {
	ctx           context.Context
	head, content []byte
	tail          []byte
	ends          int
}

// wrap makes a document of a content stream, for which the library has no other way in.
func wrap(ctx context.Context, content []byte) (*pdf.Reader, error) {
	w := &wrapped{ctx: ctx, content: content}
	const header = "%PDF-1.4\n"
	w.head = fmt.Appendf(nil, "%s1 0 obj\n<</Length %d>>\nstream\n", header, len(content)+wrapGap)
	start := w.gapEnd()
	w.tail = fmt.Appendf(nil, "xref\n0 2\n0000000000 65535 f \n%010d 00000 n \ntrailer\n<</Size 2/Content 1 0 R>>\n%s\nstartxref\n%d\n%%%%EOF\n",
		len(header), strings.Repeat(" ", leastTail), start)
	return pdf.NewReader(w, start+int64(len(w.tail)))
}

func (w *wrapped) gapEnd() int64 { return int64(len(w.head) + len(w.content) + wrapGap) }

// ReadAt implements [io.ReaderAt].
func (w *wrapped) ReadAt(p []byte, at int64) (int, error) {
	if w.ctx.Err() != nil {
		return 0, errStopped
	}
	var rest []byte
	switch head, body := int64(len(w.head)), int64(len(w.head)+len(w.content)); {
	case at < 0:
		return 0, io.EOF
	case at < head:
		rest = w.head[at:]
	case at < body:
		rest = w.content[at-head:]
	case at < w.gapEnd():
		if w.ends++; w.ends > maxEnds {
			return 0, io.ErrUnexpectedEOF
		}
		return 0, io.EOF
	case at >= w.gapEnd()+int64(len(w.tail)):
		return 0, io.EOF
	default:
		rest = w.tail[at-w.gapEnd():]
	}
	n := copy(p, rest)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
