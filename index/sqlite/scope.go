package sqlite

import (
	"slices"
	"strings"
)

// A span is a range of sources: low <= source < high, by bytes. No high
// means no end.
type span struct{ low, high string }

// bound is high as SQL sees it: every text is less than a blob.
func (s span) bound() any {
	if s.high == "" {
		return []byte{0}
	}
	return s.high
}

// spans returns the ranges that scopes stand for, in order and apart from each
// other. See [index.DocumentQuery] for the rule. A scope that is a Windows
// path, with a drive or a share, is also continued by a backslash.
func spans(scopes []string) []span {
	if scopes == nil {
		return []span{{}}
	}
	var all []span
	for _, p := range scopes {
		separators := "/"
		if windowsPath(p) {
			separators = `/\`
		}
		p = strings.TrimRight(p, separators)
		if p != "" { // no source is empty
			all = append(all, span{p, p + "\x00"})
		}
		for _, c := range []byte(separators) {
			all = append(all, span{p + string(c), p + string(c+1)})
		}
	}
	slices.SortFunc(all, func(a, b span) int { return strings.Compare(a.low, b.low) })
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && s.low < out[n-1].high {
			out[n-1].high = max(out[n-1].high, s.high)
			continue
		}
		out = append(out, s)
	}
	return out
}

// outside returns the ranges of absolute paths that no scope stands for.
func outside(scopes []string) []span {
	absolute := []span{{"/", "0"}, {"A:", "["}, {`\\`, `\]`}, {"a:", "{"}} // in order
	inside := spans(append([]string{}, scopes...))
	var out []span
	for _, a := range absolute {
		for _, s := range inside {
			if s.high <= a.low || s.low >= a.high {
				continue
			}
			if s.low > a.low {
				out = append(out, span{a.low, s.low})
			}
			a.low = max(a.low, s.high)
		}
		if a.low < a.high {
			out = append(out, a)
		}
	}
	return out
}

// absolute also knows the paths of the other systems: an index moves.
func absolute(source string) bool { return strings.HasPrefix(source, "/") || windowsPath(source) }

func windowsPath(p string) bool {
	if strings.HasPrefix(p, `\\`) {
		return true
	}
	if len(p) < 2 || p[1] != ':' {
		return false
	}
	c := p[0] | 0x20
	return 'a' <= c && c <= 'z' && (len(p) == 2 || p[2] == '\\' || p[2] == '/')
}
