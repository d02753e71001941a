package chunk

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// minBody is the room in tokens that a prefix and a table header must leave.
	minBody = 24
	// prefixShare is the part of the budget that a prefix may take, as a divisor.
	prefixShare = 3
	// fenceBudgets is how many budgets a code block may take and stay whole.
	fenceBudgets = 4
	// bytesPerToken bounds what is counted at once: a text longer than this per
	// token of the budget is taken to be above it. The longest pieces of
	// multilingual vocabularies are 16 characters of at most 4 bytes.
	bytesPerToken = 64
)

// A packer turns atoms into chunks. It lives for one call of Split.
type packer struct {
	ctx               context.Context
	md                string
	counter           Counter
	special           int // tokens that every text costs
	budget, codeLimit int
	rightSums         int // units whose sum of tokens was right; negative once one was not

	// What was counted so far: how many bytes make a token.
	countedBytes, countedTokens int

	crumbs []crumb // of the section before that had long ones

	// Memory that is used again for each section.
	atoms, measured []atom
	runs            [][]atom
}

// A frame is what stands in front of each body of a run of units.
type frame struct {
	lead   string
	tokens int // without special tokens
}

// A unit is a body that fits its frame.
type unit struct {
	body       string
	sep        string
	tokens     int // of frame and body
	start, end int
}

// section appends the sections and chunks of one part.
func (p *packer) section(result *Result, o *outline, s *part) error {
	var atoms []atom
	if s.first < s.last {
		p.atoms = o.atoms(p.atoms[:0], s.first, s.last)
		atoms = p.atoms
	} else {
		end := o.lines[s.first].end
		if o.lines[s.first].underlined {
			end = o.lines[s.first+1].end
		}
		p.atoms = append(p.atoms[:0], atom{text: s.body, sep: blankLine, start: o.lines[s.first].start, end: end, tokens: -1})
		atoms = p.atoms
	}
	prefix, tokens := p.prefix(s)
	bare := frame{tokens: tokens}
	if prefix != "" {
		bare.lead = prefix + blankLine
	}
	runs := capped(p.runs[:0], p.md, atoms)
	p.runs = runs
	for i, run := range runs {
		sec := Section{Start: run[0].start, End: run[len(run)-1].end, Headings: s.headings, Label: s.label}
		if i == 0 {
			sec.Start = s.start
		}
		if i == len(runs)-1 {
			sec.End = max(sec.End, s.end)
		}
		if len(result.Sections) == 0 && o.title != "" && !hasTitle(prefix+blankLine+p.md[run[0].start:sec.End], o.title) {
			run = append([]atom{{
				text: "# " + o.title, sep: blankLine, start: run[0].start, end: run[0].start, block: -1, tokens: -1,
			}}, run...)
		}
		result.Sections = append(room(result.Sections, sec.Start, len(p.md)), sec)
		if err := p.pack(result, prefix, bare, run); err != nil {
			return err
		}
	}
	return nil
}

// titleSearch is how much of the first section is searched for the title.
const titleSearch = 64 << 10

// hasTitle reports whether text has title as whole words, markup aside.
func hasTitle(text, title string) bool {
	if len(text) > titleSearch {
		text = strings.ToValidUTF8(text[:titleSearch], "")
	}
	text = strings.Join(strings.Fields(strongMarks.Replace(text)), " ")
	title = strings.Join(strings.Fields(strongMarks.Replace(title)), " ")
	for from := 0; title != ""; {
		i := strings.Index(text[from:], title)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(title):])
		if !isWord(before) && !isWord(after) {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		from = i + n
	}
	return true
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// count gives the tokens of text without special ones. fits is false, and
// nothing is counted, if the text is too long for any unit.
func (p *packer) count(text string) (tokens int, fits bool) {
	if len(text) > bytesPerToken*p.budget {
		return 0, false
	}
	return max(p.exact(text)-p.special, 0), true
}

// exact counts a rendered unit.
func (p *packer) exact(text string) int {
	tokens := p.counter.CountTokens(text)
	p.countedBytes += len(text)
	p.countedTokens += max(tokens-p.special, 0)
	return tokens
}

// likelyFits reports whether a text of n bytes is likely to fit the budget, by
// what was counted so far.
func (p *packer) likelyFits(n int) bool {
	return n <= bytesPerToken*p.budget && n*p.countedTokens < (p.budget-p.special)*p.countedBytes
}

// frame renders a prefix and a header, which is a table's or the split note. It
// fits if it leaves room for a body.
func (p *packer) frame(prefix, header string) (f frame, fits bool) {
	if len(header) > bytesPerToken*p.budget {
		return f, false
	}
	f.lead = header
	if prefix != "" {
		f.lead = prefix + blankLine + header
	}
	f.tokens, fits = p.count(f.lead)
	f.lead += "\n"
	return f, fits && f.tokens+p.special <= p.budget-minBody
}

// pack appends the chunks of one section. bare is the frame of the prefix alone.
func (p *packer) pack(result *Result, prefix string, bare frame, atoms []atom) error {
	for i := 0; i < len(atoms); {
		if atoms[i].kind == code || atoms[i].kind == codePiece {
			if err := p.code(result, prefix, bare, atoms[i]); err != nil {
				return err
			}
			i++
			continue
		}
		j := i + 1
		for j < len(atoms) && atoms[j].kind == atoms[i].kind && atoms[j].header == atoms[i].header {
			j++
		}
		f, run := bare, atoms[i:j]
		if header := atoms[i].header; header != "" {
			framed, fits := p.frame(prefix, header)
			if fits {
				f = framed
			} else {
				run = demote(p.md, run)
				// Rows that follow have no header either and may share a unit.
				for j < len(atoms) && atoms[j].kind == row && atoms[j].header == "" {
					run = append(run, atoms[j])
					j++
				}
			}
		}
		units, err := p.fill(f, run)
		if err != nil {
			return err
		}
		p.emit(result, f, units)
		i = j
	}
	return nil
}

// demote makes the header of a table two rows before its first one. It is not
// repeated, and is left out where the table's first row is in another section.
func demote(md string, rows []atom) []atom {
	out := make([]atom, 0, len(rows)+2)
	for _, a := range rows {
		a.header = ""
		if own := a.end - len(a.text); a.start < own && strings.ContainsRune(md[a.start:own], '\n') {
			top, delimiter, _ := strings.Cut(md[a.start:own], "\n")
			delimiter, _, _ = strings.Cut(delimiter, "\n")
			second := a.start + len(top) + 1
			out = append(out,
				atom{text: strings.TrimSpace(top), sep: a.sep, start: a.start, end: a.start + len(top), kind: row, block: a.block, tokens: -1},
				atom{text: strings.TrimSpace(delimiter), sep: "\n", start: second, end: second + len(delimiter), kind: row, block: a.block, tokens: -1})
			a.start, a.sep = second+len(delimiter)+1, "\n"
		}
		out = append(out, a)
	}
	return out
}

// code appends a code block, whole or in pieces that begin with [SplitNote].
func (p *packer) code(result *Result, prefix string, bare frame, a atom) error {
	if a.kind == code && len(a.text) <= bytesPerToken*p.codeLimit {
		if tokens := p.exact(bare.lead + a.text); tokens <= p.codeLimit {
			p.emit(result, bare, []unit{{body: a.text, tokens: tokens, start: a.start, end: a.end}})
			return nil
		}
	}
	f, fits := p.frame(prefix, SplitNote)
	if !fits && 2*(f.tokens+p.special) > p.budget {
		f = bare // a small budget has no room for the note
	}
	units, err := p.divide(f, a, byLine)
	if err != nil {
		return err
	}
	p.emit(result, f, units)
	return nil
}

func (p *packer) emit(result *Result, f frame, units []unit) {
	for _, u := range units {
		result.Chunks = append(room(result.Chunks, u.start, len(p.md)), Chunk{
			Section: len(result.Sections) - 1,
			Start:   u.start, End: u.end,
			Text:   f.lead + u.body,
			Tokens: u.tokens,
		})
	}
}

// room doubles the capacity of a full slice, or less if what was made of the
// first done of all bytes says that less will do.
func room[T any](s []T, done, all int) []T {
	if n := len(s); n == cap(s) && n >= 64 && done > 0 {
		return slices.Grow(s, min(n, (all-done)*n/done+16))
	}
	return s
}

// fill packs atoms of one kind, dividing those that do not fit alone. Where all
// of them are likely to fit one unit, a single count may tell.
func (p *packer) fill(f frame, atoms []atom) ([]unit, error) {
	first, last := &atoms[0], &atoms[len(atoms)-1]
	if p.likelyFits(len(f.lead) + last.end - first.start) {
		body := p.join(atoms)
		if tokens := p.exact(f.lead + body); tokens <= p.budget {
			return []unit{{body: body, sep: first.sep, tokens: tokens, start: first.start, end: last.end}}, nil
		}
	}
	measured, err := p.measure(f, p.measured[:0], atoms, byWord)
	if err != nil {
		return nil, err
	}
	p.measured = measured
	return p.greedy(f, measured)
}

// measure appends atoms, counted, to out: pieces cut at level of each that does not fit.
func (p *packer) measure(f frame, out, atoms []atom, level level) ([]atom, error) {
	out = slices.Grow(out, len(atoms))
	for i, a := range atoms {
		if i%ctxEvery == ctxEvery-1 && p.ctx.Err() != nil {
			return nil, p.ctx.Err()
		}
		fits := true
		if a.tokens < 0 {
			a.tokens, fits = p.count(a.text)
		}
		if fits && p.special+f.tokens+a.tokens <= p.budget {
			out = append(out, a)
			continue
		}
		units, err := p.divide(f, a, level)
		if err != nil {
			return nil, err
		}
		for k, u := range units {
			piece := a
			piece.text, piece.start, piece.end = u.body, u.start, u.end
			piece.tokens = max(u.tokens-p.special-f.tokens, 0)
			if k > 0 {
				piece.sep = u.sep
			}
			out = append(out, piece)
		}
	}
	return out, nil
}

// greedy joins atoms into units as long as they fit.
func (p *packer) greedy(f frame, atoms []atom) ([]unit, error) {
	var units []unit
	for i := 0; i < len(atoms); {
		if err := p.ctx.Err(); err != nil {
			return nil, err
		}
		j, body, tokens := p.longestRun(f, atoms, i)
		if j == i {
			// The sum said that atom i fits, and it does not.
			pieces, err := p.divide(f, atoms[i], byRune)
			if err != nil {
				return nil, err
			}
			units = append(units, pieces...)
			i++
			continue
		}
		units = append(units, unit{body: body, sep: atoms[i].sep, tokens: tokens, start: atoms[i].start, end: atoms[j-1].end})
		i = j
	}
	return units, nil
}

// longestRun gives the end of the longest run of atoms from i on that fits, its
// body and its tokens; the end is i if nothing does. The sum of the atoms'
// tokens says where to look, and one exact count is all while sums are right.
// Where they are not, runs are tried until one fits and the next does not.
func (p *packer) longestRun(f frame, atoms []atom, i int) (low int, body string, tokens int) {
	low = i
	high := len(atoms) + 1 // does not fit
	k, sum := p.extend(atoms, i+1, p.special+f.tokens+atoms[i].tokens)
	for step := 1; ; {
		text, n := p.join(atoms[i:k]), sum
		if k > i+1 || f.lead != "" || atoms[i].tokens == 0 {
			n = p.exact(f.lead + text)
		}
		if low == i && step == 1 {
			p.learn(k-i, n == sum)
		}
		if n <= p.budget {
			low, body, tokens = k, text, n
			if p.rightSums >= sumsTrusted || low+1 >= high || low == len(atoms) || len(text) > bytesPerToken*p.budget {
				return low, body, tokens
			}
			if n+atoms[low].tokens > p.budget+joinSaves {
				return low, body, tokens
			}
			if high <= len(atoms) {
				k = (low + high) / 2 // sums said too little before
				continue
			}
			k, _ = p.extend(atoms, low, n)
			k = max(k, low+1)
			continue
		}
		if high = k; high == low+1 {
			return low, body, tokens
		}
		k = max(min(high-step, i+(k-i)*p.budget/n), low+1)
		step *= 2
	}
}

// joinSaves is how many tokens one more atom may count less in a unit than
// alone: a tokenizer may put a mark before each text, and one that estimates rounds.
const joinSaves = 2

// sumsTrusted is how many units must have the sum of their atoms' tokens before
// sums are taken to be right for the document.
const sumsTrusted = 8

// learn notes whether a unit of n atoms had the sum of their tokens.
func (p *packer) learn(n int, right bool) {
	switch {
	case !right:
		p.rightSums = math.MinInt
	case n > 1 && p.rightSums >= 0:
		p.rightSums++
	}
}

// extend gives the end of the longest run from atoms[j] on that fits on top of sum.
func (p *packer) extend(atoms []atom, j, sum int) (int, int) {
	size := 0
	for ; j < len(atoms) && sum+atoms[j].tokens <= p.budget; j++ {
		// Atoms that count nothing must not make a unit without end.
		if size += len(atoms[j].sep) + len(atoms[j].text); size > bytesPerToken*p.budget {
			break
		}
		sum += atoms[j].tokens
	}
	return j, sum
}

// join renders atoms with what separates them. Where the source has the same it
// is a part of it, and nothing is copied.
func (p *packer) join(atoms []atom) string {
	if len(atoms) == 1 {
		return atoms[0].text
	}
	n := len(atoms[0].text)
	for _, a := range atoms[1:] {
		n += len(a.sep) + len(a.text)
	}
	if end := atoms[len(atoms)-1].end; end-n >= 0 && p.inSource(atoms, end-n) {
		return p.md[end-n : end]
	}
	var b strings.Builder
	b.Grow(n)
	for i, a := range atoms {
		if i > 0 {
			b.WriteString(a.sep)
		}
		b.WriteString(a.text)
	}
	return b.String()
}

// inSource reports whether atoms and what separates them stand at pos of the source.
func (p *packer) inSource(atoms []atom, pos int) bool {
	for i := range atoms {
		a := &atoms[i]
		if i > 0 {
			if p.md[pos:pos+len(a.sep)] != a.sep {
				return false
			}
			pos += len(a.sep)
		}
		if p.md[pos:pos+len(a.text)] != a.text {
			return false
		}
		pos += len(a.text)
	}
	return true
}
