package chunk_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/minirag/minirag/chunk"
)

// A unit is a chunk as the rules are written, with the number of its section.
type unit struct {
	Section int
	Text    string
}

// rules cuts a document by the rules as they are written, step by step on
// strings, counting each unit anew for each atom. It knows none of the
// differences that docs/CHUNKING.md lists, so that it is given texts only on
// which there are none.
type rules struct {
	counter chunk.Counter
	budget  int
	units   []unit
	section int
	demoted string // a header that was stored once
}

var (
	refHeading  = regexp.MustCompile(`^(#{1,6})[ \t]+(.*\S)`)
	refStamp    = regexp.MustCompile(`^(?:\*\*[^*]{1,80}\*\*\s+)?(?:(\d{1,2}):)?(\d{1,2}):(\d{2})$`)
	refSlide    = regexp.MustCompile(`^<!-- Slide number: (\d+) -->$`)
	refSentence = regexp.MustCompile(`[.!?…]\s+`)
	refRow      = regexp.MustCompile(`^\|.*\|$`)
)

func (r *rules) count(s string) int { return r.counter.CountTokens(s) }

// lines gives each line with whether it is in a fence.
func refLines(md string) (lines []string, code []bool) {
	lines = strings.Split(strings.TrimRight(md, "\n"), "\n")
	in := false
	for _, l := range lines {
		fence := strings.HasPrefix(l, "```")
		code = append(code, in || fence)
		if fence {
			in = !in
		}
	}
	return lines, code
}

func (r *rules) document(title, md string) chunk.Category {
	lines, code := refLines(md)
	var heads, slides, stamps, filled int
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			filled++
		}
		switch {
		case code[i]:
		case refHeading.MatchString(l):
			heads++
		case refSlide.MatchString(l):
			slides++
		case refStamp.MatchString(l):
			stamps++
		}
	}
	var prefixes, body []string
	first := true
	flush := func() {
		for _, part := range r.cap(strings.Trim(strings.Join(body, "\n"), "\n")) {
			if part == "" {
				continue
			}
			if first && !strings.Contains(strings.Join(prefixes, ""), title) {
				part = "# " + title + "\n\n" + part
			}
			first = false
			r.pack(prefixes, part)
		}
		body = nil
	}
	switch {
	case stamps >= 5 && float64(stamps) >= 0.15*float64(filled):
		window := -1
		for _, l := range lines {
			if m := refStamp.FindStringSubmatch(l); m != nil {
				h, _ := strconv.Atoi(m[1])
				min, _ := strconv.Atoi(m[2])
				s, _ := strconv.Atoi(m[3])
				if w := (h*3600 + min*60 + s) / 120 * 120; w != window {
					flush()
					window = w
					label := "[" + refClock(w) + "–" + refClock(w+120) + "]"
					prefixes = []string{label + " " + title, label}
				}
			}
			body = append(body, l)
		}
		flush()
		return chunk.Transcript
	case slides >= 2:
		for i, l := range lines {
			if m := refSlide.FindStringSubmatch(l); m != nil && !code[i] {
				flush()
				prefixes = []string{"[Slide " + m[1] + "]"}
				continue
			}
			body = append(body, l)
		}
		flush()
		return chunk.Slides
	case heads >= 2:
		r.headings(lines, code, &prefixes, &body, flush)
		return chunk.Headings
	}
	glued := ""
	for _, block := range refBlocks(strings.Join(lines, "\n")) {
		if refHeading.MatchString(block) {
			glued += block + "\n\n"
			continue
		}
		body, glued = []string{glued + block}, ""
		flush()
	}
	if glued != "" {
		body = []string{strings.TrimSpace(glued)}
		flush()
	}
	return chunk.Generic
}

func (r *rules) headings(lines []string, code []bool, prefixes, body *[]string, flush func()) {
	type entry struct {
		level int
		text  string
	}
	var stack []entry
	var chain []string
	close := func(next []string) {
		blank := strings.TrimSpace(strings.Join(*body, "")) == ""
		switch {
		case !blank:
			*prefixes = refCrumbs(chain)
			flush()
		case len(chain) == 0 || len(next) >= len(chain) && slices.Equal(next[:len(chain)], chain):
		default:
			*body = []string{chain[len(chain)-1]}
			*prefixes = refCrumbs(chain[:len(chain)-1])
			flush()
		}
		*body = nil
	}
	for i, l := range lines {
		m := refHeading.FindStringSubmatch(l)
		if m == nil || code[i] {
			*body = append(*body, l)
			continue
		}
		for len(stack) > 0 && stack[len(stack)-1].level >= len(m[1]) {
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, entry{len(m[1]), strings.Trim(strings.Join(strings.Fields(strings.NewReplacer("**", " ", "__", " ").Replace(m[2])), " "), "*_`~ \t")})
		var next []string
		for _, e := range stack {
			next = append(next, e.text)
		}
		close(next)
		chain = next
	}
	close(nil)
}

func refClock(s int) string {
	if s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

func refCrumbs(chain []string) (out []string) {
	n := len(chain)
	if n == 0 {
		return nil
	}
	out = append(out, strings.Join(chain, " > "))
	for k := n - 2; k >= 1; k-- {
		out = append(out, strings.Join(append([]string{chain[0], "…"}, chain[n-k:]...), " > "))
	}
	return append(out, chain[n-1])
}

// refBlocks divides a text into paragraphs, headings and fences.
func refBlocks(text string) (blocks []string) {
	lines, code := refLines(text)
	var run []string
	flush := func() {
		if len(run) > 0 {
			blocks = append(blocks, strings.Join(run, "\n"))
		}
		run = nil
	}
	for i, l := range lines {
		switch {
		case code[i]:
			if len(run) > 0 && !strings.HasPrefix(run[0], "```") {
				flush()
			}
			run = append(run, l)
			if strings.HasPrefix(l, "```") && len(run) > 1 {
				flush()
			}
		case strings.TrimSpace(l) == "":
			flush()
		case refHeading.MatchString(l):
			flush()
			run = []string{l}
			flush()
		default:
			run = append(run, l)
		}
	}
	flush()
	return blocks
}

// cap cuts a section of more than 4000 characters.
func (r *rules) cap(body string) (out []string) {
	if utf8.RuneCountInString(body) <= 4000 {
		return []string{body}
	}
	join := func(pieces []chunk.Piece, header string) {
		cur := ""
		for _, p := range pieces {
			if cur == "" {
				cur = header + p.Text
			} else if utf8.RuneCountInString(cur+p.Sep+p.Text) <= 4000 {
				cur += p.Sep + p.Text
			} else {
				out = append(out, cur)
				cur = header + p.Text
			}
		}
		if cur != "" {
			out = append(out, cur)
		}
	}
	var fits []chunk.Piece
	for _, block := range refBlocks(body) {
		if utf8.RuneCountInString(block) <= 4000 {
			fits = append(fits, chunk.Piece{Text: block, Sep: "\n\n"})
			continue
		}
		join(fits, "")
		fits = nil
		if rows := strings.Split(block, "\n"); refRow.MatchString(rows[0]) {
			var pieces []chunk.Piece
			for _, row := range rows[2:] {
				pieces = append(pieces, chunk.Piece{Text: row, Sep: "\n"})
			}
			join(pieces, rows[0]+"\n"+rows[1]+"\n")
		} else {
			join(refSentences(block), "")
		}
	}
	join(fits, "")
	return out
}

func refSentences(text string) (out []chunk.Piece) {
	sep := "\n\n"
	for {
		m := refSentence.FindStringIndex(text)
		if m == nil {
			return append(out, chunk.Piece{Text: strings.TrimSpace(text), Sep: sep})
		}
		_, size := utf8.DecodeRuneInString(text[m[0]:])
		out = append(out, chunk.Piece{Text: text[:m[0]+size], Sep: sep})
		if sep = " "; strings.Contains(text[m[0]:m[1]], "\n") {
			sep = "\n"
		}
		text = text[m[1]:]
	}
}

func (r *rules) pack(prefixes []string, body string) {
	prefix := ""
	for _, p := range prefixes {
		if r.count(p) <= min(r.budget-24, r.budget/3) {
			prefix = p + "\n\n"
			break
		}
	}
	var run []chunk.Piece
	runHeader := ""
	flush := func() {
		if len(run) > 0 {
			lead := prefix
			if runHeader != "" {
				lead += runHeader + "\n"
			}
			for _, text := range literal(lead, run, r.counter, r.budget) {
				r.units = append(r.units, unit{r.section, lead + text})
			}
		}
		run = nil
	}
	for _, block := range refBlocks(body) {
		lines := strings.Split(block, "\n")
		switch {
		case strings.HasPrefix(block, "```"):
			flush()
			runHeader = ""
			if text := prefix + block; r.count(text) <= 4*r.budget {
				r.units = append(r.units, unit{r.section, text})
				continue
			}
			for _, l := range lines {
				run = append(run, chunk.Piece{Text: l, Sep: "\n"})
			}
			runHeader = chunk.SplitNote
			flush()
			runHeader = ""
		case refRow.MatchString(lines[0]):
			header := lines[0] + "\n" + lines[1]
			rows := lines[2:]
			if r.count(prefix+header) > r.budget-24 {
				if header != r.demoted {
					rows = lines
				}
				r.demoted = header
				header = ""
			}
			if header == "" || header != runHeader || len(run) > 0 && !refRow.MatchString(run[0].Text) {
				flush()
			}
			runHeader = header
			for i, l := range rows {
				run = append(run, chunk.Piece{Text: l, Sep: map[bool]string{true: "\n\n", false: "\n"}[i == 0]})
			}
			if header == "" {
				flush()
			}
		default:
			if len(run) > 0 && refRow.MatchString(run[0].Text) {
				flush()
			}
			runHeader = ""
			run = append(run, refSentences(block)...)
		}
	}
	flush()
	if n := len(r.units); n > 0 && r.units[n-1].Section == r.section {
		r.section++
	}
}
