package title

import (
	"regexp"
	"strings"
)

// searched bounds the part of a document in which a first heading is looked
// for. One that comes later does not name the document.
const searched = 1 << 20

// firstHeading gives the text of the first heading of level 1 outside closed
// code fences, with its markup: a line "# text" at column 0, or a paragraph of
// one line underlined with "=".
func firstHeading(markdown string) string {
	if len(markdown) > searched {
		markdown = markdown[:searched]
		markdown = markdown[:strings.LastIndexByte(markdown, '\n')+1]
	}
	lines := strings.Split(markdown, "\n")
	blank := true // the line before
	var unclosed [2]int
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t\r\f")
		if char, n, _ := fence(line); n > 0 {
			kind := 0
			if char == '~' {
				kind = 1
			}
			if unclosed[kind] == 0 || n < unclosed[kind] {
				if end := closing(lines, i, char, n); end > 0 {
					i, blank = end, true
					continue
				}
				unclosed[kind] = n
			}
		}
		if rest, ok := strings.CutPrefix(line, "#"); ok && rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
			if text := closedHeading(strings.TrimSpace(rest)); text != "" {
				return text
			}
		}
		if blank && i+1 < len(lines) && isSetextText(line) {
			if under := strings.TrimRight(lines[i+1], " \t\r"); len(under) >= 2 && strings.Trim(under, "=") == "" {
				return strings.TrimSpace(line)
			}
		}
		blank = line == "" || line[0] == '#'
	}
	return ""
}

// maxSetext is the length in bytes of the longest line that an underline makes a heading.
const maxSetext = 200

func isSetextText(line string) bool {
	return line != "" && len(line) <= maxSetext && !strings.ContainsAny(line[:1], " \t|>#<") && hasAlnum(line)
}

// closedHeading takes the closing run of # off a heading's text.
func closedHeading(text string) string {
	open := strings.TrimRight(text, "#")
	if open == "" || open == text || !strings.ContainsAny(open[len(open)-1:], " \t") {
		return text
	}
	return strings.TrimSpace(open)
}

// fence tells whether a line can open a code fence and, if it is bare, close one.
func fence(line string) (char byte, n int, bare bool) {
	line = strings.TrimLeft(line, " \t")
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return 0, 0, false
	}
	rest := strings.TrimLeft(line, line[:1])
	n = len(line) - len(rest)
	if n < 3 || line[0] == '`' && strings.IndexByte(rest, '`') >= 0 {
		return 0, 0, false
	}
	return line[0], n, rest == ""
}

// closing gives the line that closes the fence opened at line i, or 0.
func closing(lines []string, i int, char byte, n int) int {
	for k := i + 1; k < len(lines); k++ {
		if c, m, bare := fence(strings.TrimRight(lines[k], " \t\r\f")); bare && c == char && m >= n {
			return k
		}
	}
	return 0
}

// The inline markup that a title is shown without.
var (
	images   = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	links    = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)
	tags     = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)
	strong   = strings.NewReplacer("**", "")
	emphasis = regexp.MustCompile(`(^|[^\pL\pN*])\*([^*\s](?:[^*]*[^*\s])?)\*`)
	under    = regexp.MustCompile(`(^|[^\pL\pN_])(__?)([^_\s](?:[^_]*[^_\s])?)__?($|[^\pL\pN_])`)
	ticks    = regexp.MustCompile("`+")
	escapes  = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")
)

// maxHeading is the length in bytes above which a heading is cut.
const maxHeading = 4 << 10

// plain takes inline markup off a heading: emphasis, code, links and pictures,
// whose text is kept, tags and backslashes.
func plain(heading string) string {
	if len(heading) > maxHeading {
		heading = strings.ToValidUTF8(heading[:maxHeading], "")
	}
	s := images.ReplaceAllString(heading, "$1")
	s = links.ReplaceAllString(s, "$1")
	s = tags.ReplaceAllString(s, "")
	// An escaped character is no markup: a placeholder keeps its place.
	var kept []string
	s = escapes.ReplaceAllStringFunc(strings.ReplaceAll(s, hold, ""), func(m string) string {
		kept = append(kept, m[1:])
		return hold
	})
	s = strong.Replace(s)
	s = emphasis.ReplaceAllString(s, "$1$2")
	s = under.ReplaceAllString(s, "$1$3$4")
	s = ticks.ReplaceAllString(s, "")
	for _, k := range kept {
		s = strings.Replace(s, hold, k, 1)
	}
	return oneLine(s)
}

// hold stands for an escaped character while markup is taken off. Markdown
// holds no control characters.
const hold = "\x00"
