package transcript

import (
	"errors"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

var (
	// Hours may be left out; what follows the end are settings (WebVTT, section 4.1).
	vttTiming = regexp.MustCompile(`^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})\.\d{1,3}[ \t]*-->[ \t]*(?:\d{1,4}:)?\d{1,2}:\d{1,2}\.\d{1,3}(?:\s|$)`)
	// SubRip has a comma before the milliseconds; its writers are not strict.
	srtTiming = regexp.MustCompile(`^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,:]\s*\d{1,3})?\s*-->\s*(?:\d{1,4}:)?\d{1,2}:\d{1,2}`)

	voice   = regexp.MustCompile(`<v(?:\.[^\s>]*)?(?:\s+([^>]*))?>`)
	tags    = regexp.MustCompile(`(?i)</?(?:b|c|i|u|v|lang|ruby|rt|s|font)(?:[.\s][^>]*)?>|<\d{1,4}:[\d:.]*>`)
	styling = regexp.MustCompile(`\{\\[^}]*\}|\{/?[biuyY]:?[^}]{0,20}\}`) // override codes that SubRip files take over from other formats
	// An identifier of Microsoft Teams ends in utterance and segment numbers.
	teams = regexp.MustCompile(`^(.*/\d+)-\d+$`)
)

// seconds reads the start of a timing line.
func seconds(m []string) int {
	n := 0
	for _, s := range m[1:4] {
		v, _ := strconv.Atoi(s) // digits only; empty hours are 0
		n = n*60 + v
	}
	return n
}

func parseVTT(text string) ([]part, error) {
	all := blocks(text)
	var parts []part
	if len(all) > 0 && strings.HasPrefix(all[0][0], "WEBVTT") {
		for i, line := range all[0] {
			if vttTiming.MatchString(line) { // a cue without a blank line before it
				parts = appendCue(parts, "", all[0][i:])
				break
			}
		}
		all = all[1:]
	} else if len(all) == 0 {
		return nil, errors.New("the text is empty, not WebVTT")
	}
	for _, b := range all {
		head := strings.TrimSpace(b[0])
		switch {
		case vttTiming.MatchString(b[0]):
			parts = appendCue(parts, "", b)
		case len(b) > 1 && vttTiming.MatchString(b[1]):
			parts = appendCue(parts, head, b[1:])
		case keyword(head) && strings.HasPrefix(head, "NOTE"):
			if note := noteText(b); note != "" {
				parts = append(parts, part{note: true, text: note})
			}
		case keyword(head):
		case len(parts) == 0 && metadata(b): // of the header, behind a blank line
		case strings.Contains(b[0], "-->") || len(b) > 1 && strings.Contains(b[1], "-->"):
			return nil, fmt.Errorf("a malformed cue timing: %q", clip(strings.Join(b[:min(2, len(b))], " ")))
		default:
			return nil, fmt.Errorf("a block that is neither a cue nor a note: %q", clip(head))
		}
	}
	return parts, nil
}

// begins reports whether a block begins in lines.
func begins(lines []string) bool {
	for i, l := range lines[:min(len(lines), 2)] {
		if vttTiming.MatchString(l) || i == 0 && (strings.TrimSpace(l) == "" || keyword(strings.TrimSpace(l))) {
			return true
		}
	}
	return len(lines) == 0
}

// keyword reports whether a block with this first line is no cue.
func keyword(head string) bool {
	for _, k := range []string{"NOTE", "STYLE", "REGION"} {
		if rest, ok := strings.CutPrefix(head, k); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return true
		}
	}
	return false
}

var metadataLine = regexp.MustCompile(`^(?:X-[A-Z-]+|Kind|Language|Title|Author|Source)\s*[:=]`)

// metadata reports whether all lines are of the kind that stands in headers.
func metadata(lines []string) bool {
	for _, l := range lines {
		if !metadataLine.MatchString(l) {
			return false
		}
	}
	return true
}

func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

func noteText(lines []string) string {
	var out []string
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if rest, ok := strings.CutPrefix(l, "NOTE"); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			l = strings.TrimSpace(rest)
		}
		if l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// appendCue reads a cue that begins with its timing line. A timing line in the
// text begins the next cue, which a forgotten blank line has glued on.
func appendCue(parts []part, id string, lines []string) []part {
	for len(lines) > 0 {
		start := seconds(vttTiming.FindStringSubmatch(lines[0]))
		end := 1
		for end < len(lines) && !vttTiming.MatchString(lines[end]) {
			end++
		}
		text, next := lines[1:end], ""
		if n := len(text) - 1; end < len(lines) && n >= 0 && (number(text[n]) || teams.MatchString(text[n])) {
			text, next = text[:n], strings.TrimSpace(text[n])
		}
		segment := ""
		if m := teams.FindStringSubmatch(id); m != nil {
			segment = m[1]
		}
		parts = appendVoices(parts, start, segment, strings.Join(text, "\n"))
		id, lines = next, lines[end:]
	}
	return parts
}

func number(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && len(s) < 9 && strings.Trim(s, "0123456789") == ""
}

// appendVoices splits the text of a cue at its voice tags.
func appendVoices(parts []part, start int, segment, text string) []part {
	add := func(speaker, s string) {
		s = html.UnescapeString(tags.ReplaceAllString(s, ""))
		if s = strings.TrimSpace(s); s != "" {
			parts = append(parts, part{start: start, speaker: speaker, segment: segment, text: s})
		}
	}
	speaker, at := "", 0
	for _, m := range voice.FindAllStringSubmatchIndex(text, -1) {
		add(speaker, text[at:m[0]])
		speaker, at = "", m[1]
		if m[2] >= 0 {
			speaker = strings.Join(strings.Fields(html.UnescapeString(text[m[2]:m[3]])), " ")
		}
	}
	add(speaker, text[at:])
	return parts
}

func parseSRT(text string) ([]part, error) {
	var parts []part
	var lines []string // since the last timing line
	start, cues := -1, 0
	flush := func() {
		s := styling.ReplaceAllString(strings.Join(lines, "\n"), "")
		lines = nil
		if start >= 0 {
			parts = appendVoices(parts, start, "", s)
		} else if s = strings.TrimSpace(s); s != "" {
			parts = append(parts, part{note: true, text: s})
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		m := srtTiming.FindStringSubmatch(line)
		if m == nil {
			if strings.TrimSpace(line) != "" {
				lines = append(lines, line)
			}
			continue
		}
		if n := len(lines) - 1; n >= 0 && number(lines[n]) { // the cue's number
			lines = lines[:n]
		}
		flush()
		start = seconds(m)
		cues++
	}
	if cues == 0 {
		return nil, errors.New("the text has no line like 00:00:01,000 --> 00:00:02,000, so it is not SubRip")
	}
	flush()
	return parts, nil
}
