package transcript

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/minirag/minirag/internal/mdtext"
)

const (
	window    = 120 // seconds; a chunker cuts transcripts at the same places, so a turn must not span two
	maxName   = 80  // characters of a speaker's name
	probeCues = 50  // cues that must all name their speaker in the text
)

var textualName = regexp.MustCompile(`^([^:\n]{1,80}):[ \n]+(\S[\s\S]*)$`)

// speakers takes names from the text, "Name: words", when no cue marks its
// voice and all of the first cues have one.
func speakers(parts []part) []part {
	n := 0
	for _, p := range parts {
		if p.note {
			continue
		}
		if p.speaker != "" || !textualName.MatchString(p.text) {
			return parts
		}
		if n++; n == probeCues {
			break
		}
	}
	if n < 2 {
		return parts
	}
	for i, p := range parts {
		if m := textualName.FindStringSubmatch(p.text); !p.note && p.speaker == "" && m != nil && strings.TrimSpace(m[1]) != "" {
			parts[i].speaker, parts[i].text = strings.TrimSpace(m[1]), m[2]
		}
	}
	return parts
}

var listLine = regexp.MustCompile(`(?m)^\s*(?:[-*+•–—]|\d{1,3}[.)])\s+\S`)

// A turn is what one speaker says in one go; texts are joined at the end, so
// that merging stays linear.
type turn struct {
	part
	texts []string
	list  bool // a line of it is a list item
}

// merge joins the cues of one utterance, and turns of one speaker that follow each other.
func merge(parts []part) []part {
	type key struct{ segment, speaker string }
	first := map[key]int{}
	var turns []turn
	for _, p := range parts {
		list := listLine.MatchString(p.text)
		if p.segment != "" && !p.note {
			k := key{p.segment, p.speaker}
			if i, ok := first[k]; ok {
				turns[i].texts = append(turns[i].texts, p.text)
				turns[i].list = turns[i].list || list
				continue
			}
			first[k] = len(turns)
		}
		turns = append(turns, turn{p, []string{p.text}, list})
	}
	var merged []turn
	for _, t := range turns {
		if n := len(merged) - 1; n >= 0 && joins(&merged[n], &t) {
			merged[n].texts = append(merged[n].texts, t.texts...)
			continue
		}
		merged = append(merged, t)
	}
	out := make([]part, len(merged))
	for i, t := range merged {
		out[i] = t.part
		out[i].text = strings.Join(t.texts, "\n")
		if !t.list && !t.note {
			out[i].text = strings.Join(strings.Fields(out[i].text), " ")
		}
	}
	return out
}

// joins reports whether b goes on where a ends.
func joins(a, b *turn) bool {
	return !a.note && !b.note && b.speaker != "" && a.speaker == b.speaker && !a.list && !b.list && a.start/window == b.start/window
}

func render(turns []part) string {
	var b strings.Builder
	for _, t := range turns {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		if t.note {
			for line := range strings.SplitSeq(t.text, "\n") {
				b.WriteString(strings.TrimRight("> "+strings.TrimSpace(line), " ") + "\n")
			}
			continue
		}
		text := t.text
		switch name := strings.Join(strings.Fields(strings.ReplaceAll(t.speaker, "*", "")), " "); {
		case name == "":
		case utf8.RuneCountInString(name) > maxName:
			text = name + ": " + text
		default:
			b.WriteString("**" + name + "** ")
		}
		b.WriteString(stamp(t.start) + "\n")
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				b.WriteString(mdtext.EscapeLine(line) + "\n")
			}
		}
	}
	return b.String()
}

func stamp(s int) string {
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}
