package pdf

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxAnnotations bounds the annotations of a page that are looked at.
	maxAnnotations = 5000
	// linkLetters is how long the text of a link may be: a larger one is a page or a picture that can be clicked.
	linkLetters = 300
	// maxURLs is how many different addresses a document may have, one for each mark of a link's beginning.
	maxURLs = 60000
)

// Marks in the text of lines around that of a link: the beginning's says which
// address it has. They are private characters, which no other text has, see plain.
const (
	linkBegin = 0xf0000
	linkEnd   = 0x100000
)

// A link is a place of a page that leads to an address, by its number from 1.
type link struct {
	boxes []rect
	url   int
}

// A field is text over a page: what was filled into a form, or a note written onto the page.
type field struct {
	box   rect
	label string // for a page without words near it
	text  string
	tick  bool // a box to tick
}

// A urlTable numbers the addresses of a document from 1.
type urlTable struct {
	urls    []string
	numbers map[string]int
}

// number returns the number of an address, or 0 when it is none of the web or of mail.
func (t *urlTable) number(url string) int {
	url = strings.TrimSpace(url)
	lower := strings.ToLower(url)
	switch {
	case strings.HasPrefix(lower, "www."):
		url = "http://" + url
	case !slices.ContainsFunc([]string{"http://", "https://", "ftp://", "mailto:"}, func(s string) bool { return strings.HasPrefix(lower, s) && len(url) > len(s) }):
		return 0
	}
	if !utf8.ValidString(url) || strings.IndexFunc(url, unicode.IsControl) >= 0 {
		return 0
	}
	n := t.numbers[url]
	if n == 0 && len(t.urls) < maxURLs {
		if t.numbers == nil {
			t.numbers = map[string]int{}
		}
		t.urls = append(t.urls, url)
		n = len(t.urls)
		t.numbers[url] = n
	}
	return n
}

// linkAt returns the number of the address behind the middle of a letter, or 0.
func linkAt(links []link, letter rect) int {
	x, y := (letter.x0+letter.x1)/2, (letter.y0+letter.y1)/2
	for _, l := range links {
		for _, b := range l.boxes {
			if b.x0 <= x && x <= b.x1 && b.y0 <= y && y <= b.y1 {
				return l.url
			}
		}
	}
	return 0
}

// dropWideLinks takes the links away that cover too much text.
func dropWideLinks(frames []*frame) {
	letters := map[int]int{}
	for _, f := range frames {
		for _, w := range f.words {
			letters[w.link] += w.letter
		}
	}
	for _, f := range frames {
		for i := range f.words {
			if letters[f.words[i].link] > linkLetters {
				f.words[i].link = 0
			}
		}
	}
}

// linked returns s with links as Markdown. Text that is the address itself stays bare.
func (t *urlTable) linked(s string) string {
	if !strings.ContainsRune(s, linkEnd) {
		return s
	}
	var b strings.Builder
	for {
		at := strings.IndexFunc(s, isMark)
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		begin, n := utf8.DecodeRuneInString(s[at:])
		s = s[at+n:]
		url := int(begin - linkBegin)
		if begin == linkEnd || url > len(t.urls) {
			continue
		}
		// To the end of the link's last line that follows at once.
		text := ""
		for {
			end := strings.IndexRune(s, linkEnd)
			if end < 0 {
				end = len(s)
			}
			text += s[:end]
			s = strings.TrimPrefix(s[end:], string(rune(linkEnd)))
			rest := strings.TrimPrefix(strings.TrimPrefix(s, " "), "\n")
			if !strings.HasPrefix(rest, string(begin)) || len(s)-len(rest) > 1 {
				break
			}
			text += s[:len(s)-len(rest)]
			s = rest[utf8.RuneLen(begin):]
		}
		b.WriteString(writeLink(unlinked(text), t.urls[url-1]))
	}
	b.WriteString(s)
	return b.String()
}

var bracketEscape = strings.NewReplacer("[", `\[`, "]", `\]`)

// urlEscape keeps an address from ending early in Markdown.
var urlEscape = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "|", "%7C", `\`, "%5C", "`", "%60")

var address = regexp.MustCompile(`^(?i:https?://|www\.)\S+$`)

func writeLink(text, url string) string {
	solid := strings.Join(strings.Fields(text), "")
	switch {
	case strings.IndexFunc(text, isAlphanumeric) < 0:
		return text
	case bareURL(solid) == bareURL(url):
		return solid // also when it runs over the end of a line
	case address.MatchString(text):
		return text // of another place, which is what a reader sees
	case solid == text && len(text) > 4 && strings.ContainsAny(text, "./@") && strings.Contains(bareURL(url), bareURL(text)):
		return text // a part of it
	}
	if depth := 0; strings.ContainsAny(text, "[]") {
		for _, r := range text {
			if r == '[' {
				depth++
			} else if r == ']' {
				if depth--; depth < 0 {
					break
				}
			}
		}
		if depth != 0 {
			text = bracketEscape.Replace(text)
		}
	}
	return "[" + text + "](" + urlEscape.Replace(url) + ")"
}

// bareURL is an address without what people leave out of it.
func bareURL(url string) string {
	url = strings.ToLower(url)
	for _, s := range []string{"http://", "https://", "ftp://", "mailto:", "www."} {
		url = strings.TrimPrefix(url, s)
	}
	return strings.TrimRight(url, "/.,;")
}

func isMark(r rune) bool { return r >= linkBegin && r <= linkEnd }

// unlinked returns s without marks of links.
func unlinked(s string) string {
	if !strings.ContainsRune(s, linkEnd) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isMark(r) {
			return -1
		}
		return r
	}, s)
}

// addFields puts the texts of fields among the words, each with the word that
// stands beside it. A text that stands on the page already is left out.
func addFields(frames []*frame, fields []field) []*frame {
	if len(fields) > 0 && len(frames) == 0 {
		frames = []*frame{{}}
	}
	for _, fd := range fields {
		f := frames[0]
		box := toFrame(fd.box, f.angle)
		lines := fd.lines()
		if !finite(box) || box.x1 <= box.x0 || box.y1 <= box.y0 || len(lines) == 0 || f.holds(box, strings.Join(lines, "")) {
			continue
		}
		size := min(max(0.65*(box.y1-box.y0)/float64(len(lines)), 4), 12)
		at := f.beside(box, size, fd.tick)
		if label := plain(fd.label); !at.near && label != "" {
			lines[0] = label + ": " + lines[0]
		}
		var words []word
		top := (box.y0+box.y1)/2 + size*(1.2*float64(len(lines)-1)+1)/2
		for i, text := range lines {
			n := utf8.RuneCountInString(text)
			w := word{text: text, size: size, spaced: true, order: at.order, letter: n}
			w.box = rect{box.x0, top - size, min(box.x1, box.x0+max(size, 0.5*size*float64(n))), top}
			top -= 1.2 * size
			switch {
			case i > 0:
			case at.right && at.gap < besideGap*size:
				w.box.x1 = max(box.x1+at.gap-0.2*size, w.box.x1)
			case at.gap < besideGap*size:
				// The middle stays in the field, which may be a cell of a table.
				w.box.x1 = max(w.box.x1, min(box.x1, box.x0+at.gap))
				w.box.x0 = min(box.x0, box.x0-at.gap+0.2*size)
			}
			words = append(words, w)
		}
		f.words = slices.Insert(f.words, at.place, words...)
	}
	return frames
}

// besideGap is how far in sizes a label and its field are apart at most to be read as one.
const besideGap = 3

func (fd field) lines() []string {
	var lines []string
	for l := range strings.FieldsFuncSeq(fd.text, func(r rune) bool { return r == '\r' || r == '\n' || r == '\u2028' }) {
		if l = plain(l); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// holds reports whether the words in box are the text already.
func (f *frame) holds(box rect, text string) bool {
	var inside strings.Builder
	for _, w := range f.words {
		if x, y := (w.box.x0+w.box.x1)/2, (w.box.y0+w.box.y1)/2; box.x0 <= x && x <= box.x1 && box.y0 <= y && y <= box.y1 {
			inside.WriteString(w.text)
		}
	}
	here := foldTitle(inside.String())
	return here != "" && strings.Contains(here, foldTitle(text))
}

// A neighbour is the place of a field among the words of a page.
type neighbour struct {
	place, order int
	right        bool    // the word stands to the right
	gap          float64 // to the word, infinite without one
	near         bool    // some word stands left, right or on top
}

// beside finds the nearest word to the left of box, for a box to tick to the right.
func (f *frame) beside(box rect, size float64, tick bool) neighbour {
	left, right := math.Inf(1), math.Inf(1)
	at := neighbour{place: len(f.words)}
	label := 0
	y := (box.y0 + box.y1) / 2
	for i, w := range f.words {
		switch {
		case w.box.y0 <= y+size/2 && y-size/2 <= w.box.y1:
			at.near = true
			if d := box.x0 - w.box.x1; d > -size && d < left {
				left, at.place = d, i+1
			}
			if d := w.box.x0 - box.x1; d > -size && d < right {
				right, label = d, i
			}
		case w.box.y0 >= box.y1-size && w.box.y0 < box.y1+2*size && w.box.x0 < box.x1 && w.box.x1 > box.x0-size:
			at.near = true
		}
	}
	at.gap = left
	if tick && right < besideGap*size {
		at.place, at.right, at.gap = label, true, right
		at.order = f.words[label].order
	} else if at.place > 0 {
		at.order = f.words[at.place-1].order
	}
	return at
}

// fieldLabel makes a label of a field's full name, as in "form1[0].page[2].Surname[0]".
func fieldLabel(name string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	if at := strings.IndexByte(name, '['); at > 0 {
		name = name[:at]
	}
	return strings.ReplaceAll(name, "_", " ")
}

// mark writes the state of a box to tick.
func mark(on bool) string {
	if on {
		return "[x]"
	}
	return "[ ]"
}
