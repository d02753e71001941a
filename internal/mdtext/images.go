package mdtext

import "strings"

// StripEmbedded replaces every picture whose data is inside the text (a data:
// target) by its alternative text, outside fenced code. When nothing else is
// in the text, it stays as it is.
func StripEmbedded(md string) string {
	if !strings.Contains(md, "data:") {
		return md
	}
	var b strings.Builder
	b.Grow(len(md) / 4)
	fence := ""
	for rest := md; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		if mark := fenceMark(line); mark != "" && (fence == "" || strings.HasPrefix(mark, fence)) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
		} else if fence == "" {
			line = stripLine(line)
		}
		b.WriteString(line)
		if len(after) > 0 || strings.HasSuffix(rest, "\n") {
			b.WriteByte('\n')
		}
		rest = after
	}
	if out := b.String(); strings.TrimSpace(out) != "" {
		return out
	}
	return md
}

func fenceMark(line string) string {
	t := strings.TrimLeft(line, " ")
	if len(line)-len(t) > 3 || !strings.HasPrefix(t, "```") && !strings.HasPrefix(t, "~~~") {
		return ""
	}
	return t[:len(t)-len(strings.TrimLeft(t, t[:1]))]
}

func stripLine(line string) string {
	if !strings.Contains(line, "data:") {
		return line
	}
	// A reference definition: [logo]: data:image/png;base64,...
	if t := strings.TrimSpace(line); strings.HasPrefix(t, "[") {
		if _, target, ok := strings.Cut(t, "]:"); ok && isData(strings.Trim(strings.TrimSpace(target), "<>")) {
			return ""
		}
	}
	var b strings.Builder
	for {
		i := strings.Index(line, "](")
		if i < 0 {
			break
		}
		target := line[i+2:]
		inner := strings.TrimLeft(target, " <")
		open := strings.LastIndex(line[:i], "![")
		if open < 0 || !isData(inner) {
			b.WriteString(line[:i+2])
			line = target
			continue
		}
		end := strings.IndexByte(target, ')')
		if end < 0 {
			break
		}
		b.WriteString(line[:open])
		b.WriteString(strings.TrimSpace(line[open+2 : i]))
		line = target[end+1:]
	}
	b.WriteString(line)
	return stripTags(b.String())
}

func isData(s string) bool {
	return len(s) >= 5 && strings.EqualFold(s[:5], "data:")
}

// stripTags does the same for HTML img elements with a data: source.
func stripTags(line string) string {
	var b strings.Builder
	for {
		i := strings.Index(line, "<img")
		if i < 0 {
			break
		}
		end := strings.IndexByte(line[i:], '>')
		if end < 0 {
			break
		}
		tag := line[i : i+end+1]
		b.WriteString(line[:i])
		if isData(attribute(tag, "src")) {
			b.WriteString(strings.TrimSpace(attribute(tag, "alt")))
		} else {
			b.WriteString(tag)
		}
		line = line[i+end+1:]
	}
	b.WriteString(line)
	return b.String()
}

func attribute(tag, name string) string {
	i := strings.Index(tag, " "+name+"=")
	if i < 0 {
		return ""
	}
	v := tag[i+len(name)+2:]
	if v != "" && (v[0] == '"' || v[0] == '\'') {
		v, _, _ = strings.Cut(v[1:], v[:1])
		return v
	}
	v, _, _ = strings.Cut(strings.TrimSuffix(v, ">"), " ")
	return v
}
