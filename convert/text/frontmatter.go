package text

import (
	"regexp"
	"strings"
)

// maxFrontMatter bounds what is searched for the closing line, so that a rule
// at the top of a long text costs nothing.
const maxFrontMatter = 64 << 10

// frontMatter splits YAML ("---") or TOML ("+++") front matter from s. Only
// flat keys are read; a nested map's keys are joined with dots, a list with
// commas. What does not parse as front matter is text and stays.
func frontMatter(s string) (meta map[string]string, body string) {
	head, rest, ok := strings.Cut(s, "\n")
	mark := strings.TrimRight(head, " \t")
	if !ok || mark != "---" && mark != "+++" {
		return nil, s
	}
	offset := 0
	for offset < min(len(rest), maxFrontMatter) {
		line, after, _ := strings.Cut(rest[offset:], "\n")
		line = strings.TrimRight(line, " \t")
		if line == mark || mark == "---" && line == "..." {
			if mark == "---" {
				meta = parseYAML(rest[:offset])
			} else {
				meta = parseTOML(rest[:offset])
			}
			if len(meta) == 0 {
				return nil, s
			}
			return meta, strings.TrimLeft(after, "\n")
		}
		offset = len(rest) - len(after)
		if after == "" {
			break
		}
	}
	return nil, s
}

var yamlKey = regexp.MustCompile(`^(\s*)(?:"([^"]+)"|'([^']+)'|([\p{L}\p{N}_][^:#"'{}\[\]]*?))\s*:(?:\s+(.*))?$`)

// parseYAML reads the subset of YAML that front matter is made of, or returns
// nil when a line is not of that kind.
func parseYAML(s string) map[string]string {
	meta := map[string]string{}
	key, nested := "", ""
	literal := false
	add := func(k, v string) {
		if v == "" || k == "" {
			return
		}
		if old := meta[k]; old != "" {
			sep := ", "
			if literal {
				sep = " "
			}
			v = old + sep + v
		}
		meta[k] = v
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\n")
		text := strings.TrimLeft(line, " \t")
		indented := len(text) < len(line)
		switch {
		case text == "" || text[0] == '#' && !literal:
		case literal && indented:
			add(key, text)
		case strings.HasPrefix(text, "- ") || text == "-":
			if key == "" {
				return nil
			}
			literal = false
			add(key, yamlValue(strings.TrimPrefix(text, "-")))
		default:
			m := yamlKey.FindStringSubmatch(line)
			if m == nil {
				if !indented || key == "" {
					return nil
				}
				add(key, yamlValue(text)) // a value that goes on
				continue
			}
			name := strings.ToLower(m[2] + m[3] + m[4])
			if !indented {
				key, nested = name, name
			} else {
				if nested == "" {
					return nil
				}
				key = nested + "." + name
			}
			v := strings.TrimSpace(m[5])
			literal = v != "" && (v[0] == '|' || v[0] == '>') && len(v) <= 2
			if !literal {
				if _, ok := meta[key]; !ok {
					meta[key] = ""
				}
				add(key, yamlValue(v))
			}
		}
	}
	return dropEmpty(meta)
}

// dropEmpty removes keys without a value, but returns an empty map as nil only
// when there was no key at all.
func dropEmpty(meta map[string]string) map[string]string {
	for k, v := range meta {
		if v == "" && len(meta) > 1 {
			delete(meta, k)
		}
	}
	return meta
}

func yamlValue(v string) string {
	v = strings.TrimSpace(v)
	if v == "" {
		return ""
	}
	switch v[0] {
	case '"', '\'':
		if s, ok := unquote(v); ok {
			return s
		}
	case '[':
		if strings.HasSuffix(v, "]") {
			var items []string
			for item := range strings.SplitSeq(v[1:len(v)-1], ",") {
				if item = yamlValue(item); item != "" {
					items = append(items, item)
				}
			}
			return strings.Join(items, ", ")
		}
	}
	if i := strings.Index(v, " #"); i >= 0 {
		v = strings.TrimSpace(v[:i])
	}
	if v == "null" || v == "~" {
		return ""
	}
	return v
}

// unquote reads a quoted string at the start of v; only a comment may follow.
func unquote(v string) (string, bool) {
	q := v[0]
	var b strings.Builder
	for i := 1; i < len(v); i++ {
		switch c := v[i]; {
		case c == q && q == '\'' && i+1 < len(v) && v[i+1] == q:
			b.WriteByte(c)
			i++
		case c == q:
			rest := strings.TrimSpace(v[i+1:])
			return b.String(), rest == "" || rest[0] == '#'
		case c == '\\' && q == '"' && i+1 < len(v):
			i++
			switch v[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '"', '\\', '/':
				b.WriteByte(v[i])
			default:
				b.WriteByte('\\')
				b.WriteByte(v[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

var tomlKey = regexp.MustCompile(`^\s*["']?([\p{L}\p{N}_.-]+)["']?\s*=\s*(.*)$`)

func parseTOML(s string) map[string]string {
	meta := map[string]string{}
	prefix, key := "", ""
	open := false // inside an array that goes on over lines
	for line := range strings.Lines(s) {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || text[0] == '#':
		case open:
			open = !strings.HasPrefix(text, "]") && !strings.HasSuffix(text, "]")
			if v := yamlValue(strings.TrimRight(strings.Trim(text, "[]"), ", ")); v != "" {
				if meta[key] != "" {
					v = meta[key] + ", " + v
				}
				meta[key] = v
			}
		case text[0] == '[' && strings.HasSuffix(text, "]"):
			prefix = strings.ToLower(strings.Trim(text, "[] ")) + "."
		default:
			m := tomlKey.FindStringSubmatch(text)
			if m == nil {
				return nil
			}
			key = prefix + strings.ToLower(m[1])
			open = strings.HasPrefix(m[2], "[") && !strings.Contains(m[2], "]")
			if open {
				meta[key] = yamlValue(strings.TrimRight(strings.Trim(m[2], "[]"), ", "))
			} else {
				meta[key] = yamlValue(m[2])
			}
		}
	}
	return dropEmpty(meta)
}
