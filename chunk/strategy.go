package chunk

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// A part is a section before it is capped and packed. Its body is a run of
// lines, or the text of its heading where it has no lines.
type part struct {
	start       int // where its first line begins, that of its heading or marker included
	first, last int // the body's lines, last exclusive
	end         int // where it ends, if that is after its body; else 0
	// body is the text that is packed when there are no lines: that of the
	// heading at line first.
	body     string
	headings []string
	label    string
	crumbs   []string // the headings that a prefix shows
	prefixes []string // candidates where there are no crumbs, longest first; the empty one is implied
}

// A strategy knows one kind of structure.
type strategy interface {
	category() Category
	// parts cuts a document, or returns nil if it is not of this kind. The
	// lines that no body holds belong to the part that follows them. A
	// document may have millions of parts, so that they are not kept.
	parts(o *outline) iter.Seq[part]
}

// strategies are in the order in which they are tried. The last takes everything.
func strategies() []strategy {
	return []strategy{transcripts{}, slides{}, headings{}, generic{}}
}

func (o *outline) parts() (Category, iter.Seq[part]) {
	for _, s := range strategies() {
		if parts := s.parts(o); parts != nil {
			return s.category(), parts
		}
	}
	return Generic, func(func(part) bool) {}
}

// headings makes a section of each heading with what is below it.
type headings struct{}

// headingsNeeded is how many headings make a document structured by them.
const headingsNeeded = 2

func (headings) category() Category { return Headings }

func (headings) parts(o *outline) iter.Seq[part] {
	var heads []int
	for i := range o.lines {
		if o.lines[i].level > 0 {
			heads = append(heads, i)
		}
	}
	if len(heads) < headingsNeeded {
		return nil
	}
	return func(yield func(part) bool) {
		if heads[0] > 0 && !yield(part{start: o.lines[0].start, first: 0, last: heads[0]}) {
			return
		}
		var stack headingStack
		start := -1 // of a heading before that has no section of its own
		chain := stack.push(o, heads[0])
		for k, head := range heads {
			p := part{start: o.lines[head].start, first: head + 1, last: len(o.lines), headings: chain}
			if o.lines[head].underlined {
				p.first++
			}
			var next []string
			if k+1 < len(heads) {
				p.last = heads[k+1]
				next = stack.push(o, heads[k+1])
			}
			if start >= 0 {
				p.start, start = start, -1
			}
			switch {
			case p.first < p.last:
				p.crumbs = chain
			case len(next) >= len(chain) && slices.Equal(next[:len(chain)], chain) && !isCut(chain[len(chain)-1]):
				start, chain = p.start, next
				continue
			default:
				p.first, p.last = head, head
				p.body = o.heading(head)
				p.crumbs = chain[:len(chain)-1]
			}
			if !yield(p) {
				return
			}
			chain = next
		}
	}
}

// A headingStack holds the headings above a place, outermost first.
type headingStack struct {
	levels []int8
	texts  []string
	chains []string // memory for the chains given out
}

// chainsAtOnce is for how many headings the memory of chains is made at once.
const chainsAtOnce = 256

// push enters the heading at line i, which ends all of its level or below, and
// gives the chain that leads to it.
func (s *headingStack) push(o *outline, i int) []string {
	n := len(s.levels)
	for n > 0 && s.levels[n-1] >= o.lines[i].level {
		n--
	}
	s.levels = append(s.levels[:n], o.lines[i].level)
	s.texts = append(s.texts[:n], cutHeading(o.heading(i)))
	n = len(s.texts)
	if n > cap(s.chains)-len(s.chains) {
		s.chains = make([]string, 0, max(n, min(chainsAtOnce, len(o.lines))))
	}
	from := len(s.chains)
	s.chains = append(s.chains, s.texts...)
	return slices.Clip(s.chains[from:])
}

// maxHeading is the length in bytes to which a heading is cut in a chain: no
// budget has room for more in a prefix, and a line of a megabyte that begins with
// # would be repeated for each section below it.
const maxHeading = 1000

const elision = "…"

func cutHeading(text string) string {
	if len(text) <= maxHeading {
		return text
	}
	return strings.TrimRightFunc(text[:cut(text, maxHeading-len(elision))], unicode.IsSpace) + elision
}

// isCut reports whether text may be a heading that was cut.
func isCut(text string) bool {
	return len(text) > maxHeading/2 && strings.HasSuffix(text, elision)
}

// generic makes a section of each block. A heading belongs to the block below it.
type generic struct{}

func (generic) category() Category { return Generic }

func (generic) parts(o *outline) iter.Seq[part] {
	return func(yield func(part) bool) {
		start := -1
		for i := 0; i < len(o.lines); {
			if start < 0 {
				start = i
			}
			end, head := o.block(i, len(o.lines))
			if !head || end == len(o.lines) {
				if !yield(part{start: o.lines[start].start, first: start, last: end}) {
					return
				}
				start = -1
			}
			i = end
		}
	}
}

// block gives the line after the structural block that begins at line i:
// a heading, a closed fence, or a paragraph.
func (o *outline) block(i, last int) (end int, heading bool) {
	switch l := o.lines[i]; {
	case l.fence == fenceOpen:
		return l.closer + 1, false
	case l.underlined:
		return i + 2, true
	case l.level > 0:
		return i + 1, true
	}
	for i++; i < last; i++ {
		if l := o.lines[i]; l.afterBlank || l.fence == fenceOpen || l.level > 0 {
			break
		}
	}
	return i, false
}
