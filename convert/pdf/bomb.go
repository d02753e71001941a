package pdf

import (
	"bytes"
	"compress/zlib"
	"io"

	"github.com/minirag/minirag/convert"
)

const (
	// maxContent is how large a packed stream that is no picture, font or
	// attachment may be. PDFium needs a second and 20 times the memory for some
	// MB of drawing, while books have some 100 kB to a page.
	maxContent = 32 << 20
	// leastPacked is the least size of a stream that unpacks to maxContent: Deflate packs 1032 to 1.
	leastPacked = maxContent / 1032
	// dictionaryReach is how far before its data a stream's dictionary is looked for.
	dictionaryReach = 1024
)

// checkStreams refuses a document with a stream made to fill memory: PDFium would unpack and read all of it.
func checkStreams(data []byte) error {
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte("stream"))
		if i < 0 {
			return nil
		}
		begin := at + i + len("stream")
		at = begin
		if bytes.HasSuffix(data[:begin], []byte("endstream")) {
			continue
		}
		dict := data[max(0, begin-dictionaryReach):begin]
		if k := bytes.LastIndex(dict, []byte(" obj")); k >= 0 {
			dict = dict[k:]
		}
		body := bytes.TrimLeft(data[begin:min(len(data), begin+2)], "\r\n")
		begin = min(len(data), begin+2) - len(body)
		end := bytes.Index(data[begin:], []byte("endstream"))
		if end < 0 {
			end = len(data) - begin
		}
		at = begin + end
		if end < leastPacked || !bytes.Contains(dict, []byte("Fl")) || notContent(dict) {
			continue
		}
		z, err := zlib.NewReader(bytes.NewReader(data[begin : begin+end]))
		if err != nil {
			continue // encrypted, or packed in another way before
		}
		// An error means damage, of which PDFium makes the best.
		if n, _ := io.CopyN(io.Discard, z, maxContent+1); n > maxContent {
			return &convert.LimitError{What: "content of a page in bytes", Max: maxContent}
		}
	}
}

// notContent reports dictionaries of streams that PDFium does not read for text.
func notContent(dict []byte) bool {
	for _, key := range []string{"/Image", "/EmbeddedFile", "/Length1", "/FontFile", "/CIDFontType0C", "/OpenType", "/Type1C", "/Width"} {
		if bytes.Contains(dict, []byte(key)) {
			return true
		}
	}
	return false
}
