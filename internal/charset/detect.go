package charset

import (
	"bytes"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// A candidate is one single-byte character set that Detect tries.
type candidate struct {
	name  string
	cm    *charmap.Charmap
	prior float64 // nats against it: how rare files in it are
}

// candidates are ordered: of equals the earlier wins.
var candidates = []candidate{
	{"windows-1252", charmap.Windows1252, 0},
	{"windows-1251", charmap.Windows1251, 0},
	{"koi8-r", charmap.KOI8R, 0.5},
	{"ibm866", charmap.CodePage866, 0.5},
	{"windows-1250", charmap.Windows1250, 0.5},
	{"iso-8859-2", charmap.ISO8859_2, 1.5},
	{"windows-1254", charmap.Windows1254, 1},
	{"windows-1253", charmap.Windows1253, 2},
	{"windows-1255", charmap.Windows1255, 2},
	{"windows-1256", charmap.Windows1256, 2},
	{"windows-1257", charmap.Windows1257, 2},
	{"windows-874", charmap.Windows874, 3},
	{"iso-8859-15", charmap.ISO8859_15, 2},
	{"iso-8859-7", charmap.ISO8859_7, 3},
	{"iso-8859-5", charmap.ISO8859_5, 2},
	{"koi8-u", charmap.KOI8U, 2},
	{"x-mac-cyrillic", charmap.MacintoshCyrillic, 2.5},
	{"macintosh", charmap.Macintosh, 2},
	{"ibm850", charmap.CodePage850, 2},
	{"ibm437", charmap.CodePage437, 2.5},
	{"ibm852", charmap.CodePage852, 2.5},
	{"iso-8859-6", charmap.ISO8859_6, 4},
	{"windows-1258", charmap.Windows1258, 4},
}

// extra are the character sets that the WHATWG index does not have.
var extra = map[string]encoding.Encoding{
	"ibm850": charmap.CodePage850, "cp850": charmap.CodePage850,
	"ibm437": charmap.CodePage437, "cp437": charmap.CodePage437,
	"ibm852": charmap.CodePage852, "cp852": charmap.CodePage852,
	"koi8-u": charmap.KOI8U,
}

const (
	// sampleBytes bounds the text that is scored; a few hundred bytes already decide.
	sampleBytes = 16 << 10
	// worst is the mean log-likelihood per byte below which no candidate is
	// believed. Running text scores -2 to -5, random bytes under -9.
	worst = -8.5
)

// Detect names the legacy character set in which data makes the most probable
// text, or returns "". It is meant for data that is not UTF-8 and scores the lines
// that have bytes above 0x7F, taken from the whole of data.
//
// Every candidate decodes the same bytes and gets the logarithm of the decoded
// text's probability: a letter bigram model for Cyrillic, letter frequencies for other alphabets, the
// national alphabets for Latin, and the frequency ranges of the double-byte sets, with penalties for what no
// language does (scripts mixed in a word, capitals after small letters, symbols in words).
func Detect(data []byte) string {
	s := pick(data)
	high := 0
	for _, c := range s {
		if c >= 0x80 {
			high++
		}
	}
	if high == 0 {
		return ""
	}
	best, bestScore := "", worst*float64(high)-10
	for _, c := range candidates {
		if score := scoreSingle(s, c.cm) - c.prior; score > bestScore {
			best, bestScore = c.name, score
		}
	}
	for _, m := range multibyte {
		if score := m.score(s) - m.prior; score > bestScore {
			best, bestScore = m.name, score
		}
	}
	return best
}

// pick gathers lines that hold a byte above 0x7F, evenly over data, up to sampleBytes.
func pick(data []byte) []byte {
	var lines [][]byte
	total := 0
	for line := range bytes.Lines(data) {
		if i := bytes.IndexFunc(line, func(r rune) bool { return r >= 0x80 }); i >= 0 {
			// A file without line ends is one line: what surrounds the first such byte is enough of it.
			if len(line) > sampleBytes/4 {
				line = line[max(0, i-64):]
				line = line[:min(len(line), sampleBytes/4)]
			}
			lines = append(lines, line)
			total += len(line)
		}
	}
	step := 1 + total/sampleBytes
	var out []byte
	for i := 0; i < len(lines); i += step {
		out = append(out, lines[i]...)
	}
	return out
}
