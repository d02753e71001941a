package chunk

import (
	"strings"
	"unicode/utf8"
)

// capped divides the atoms of one section into runs of at most [SectionCap]
// characters, which it appends to runs: at blank lines, and within a longer
// block at rows (whose header counts in each run, unless it is longer than half
// of one), sentences, or lines of code. A longer row, sentence or line stays whole.
func capped(runs [][]atom, md string, atoms []atom) [][]atom {
	if len(atoms) == 0 {
		return runs
	}
	if first, last := atoms[0].start, atoms[len(atoms)-1].end; last-first <= SectionCap ||
		utf8.RuneCountInString(md[first:last]) <= SectionCap {
		return append(runs, atoms)
	}
	var run []atom
	size := 0
	flush := func() {
		if len(run) > 0 {
			runs = append(runs, run)
		}
		run, size = nil, 0
	}
	for i := 0; i < len(atoms); {
		end := i + 1
		for end < len(atoms) && atoms[end].block == atoms[i].block {
			end++
		}
		block := atoms[i:end]
		n := utf8.RuneCountInString(md[block[0].start:block[len(block)-1].end])
		switch {
		case n > SectionCap:
			flush()
			runs = append(runs, capBlock(md, block)...)
		case len(run) > 0 && size+len(blankLine)+n > SectionCap:
			flush()
			run, size = block, n
		default:
			if len(run) > 0 {
				size += len(blankLine)
			}
			// Both are parts of atoms, one behind the other.
			run, size = atoms[i-len(run):end], size+n
		}
		i = end
	}
	flush()
	return runs
}

// capBlock divides one block that is longer than a section may be.
func capBlock(md string, block []atom) [][]atom {
	if len(block) == 1 && block[0].kind == code {
		block = codeLines(md, block[0])
	}
	var runs [][]atom
	first, size, header, repeated := 0, 0, "", 0
	for i, a := range block {
		n := utf8.RuneCountInString(a.text)
		if i > first {
			n += len(a.sep)
		}
		if a.header != header {
			header = a.header
			repeated = utf8.RuneCountInString(header) + 1
			n += repeated
			if repeated > SectionCap/2 {
				repeated = 0
			}
		}
		if i > first && size+n > SectionCap {
			runs = append(runs, block[first:i])
			first, size = i, utf8.RuneCountInString(a.text)
			if header != "" {
				size += repeated
			}
			continue
		}
		size += n
	}
	runs = append(runs, block[first:])
	if block[0].kind == codePiece {
		for k, run := range runs {
			start, end := run[0].start, run[len(run)-1].end
			runs[k] = []atom{{text: md[start:end], sep: blankLine, start: start, end: end, kind: codePiece, tokens: -1}}
		}
	}
	return runs
}

// codeLines gives the lines of a code block that have text.
func codeLines(md string, a atom) []atom {
	var out []atom
	for pos := a.start; pos < a.end; {
		end := a.end
		if n := strings.IndexByte(md[pos:end], '\n'); n >= 0 {
			end = pos + n
		}
		if strings.TrimSpace(md[pos:end]) != "" {
			out = append(room(out, pos-a.start, a.end-a.start), atom{text: md[pos:end], sep: "\n", start: pos, end: end, kind: codePiece, tokens: -1})
		}
		pos = end + 1
	}
	return out
}
