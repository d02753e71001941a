package text

import (
	"context"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
)

// CSV is a [convert.Converter] for delimiter-separated tables. It is safe for concurrent use.
type CSV struct {
	// Comma is the delimiter to take when the text has it at all. Zero means
	// that the one of comma, semicolon, tab and pipe that divides the lines most evenly is taken.
	Comma byte
}

var _ convert.Converter = CSV{}

// Convert writes the table as one pipe table whose header is the first full
// row; title rows above it become paragraphs. Line breaks in fields become spaces.
func (c CSV) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	s, err := decode(ctx, src, limits)
	if err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	comma, s := delimiter(s, c.Comma)
	var rows [][]string
	cells := 0
	for row := range records(s, comma) {
		if cells += len(row); cells > limits.Cells {
			return nil, &convert.LimitError{What: "cells", Max: int64(limits.Cells)}
		}
		if len(rows)%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		empty := true
		for i, f := range row {
			row[i] = mdtext.Cell(f)
			empty = empty && row[i] == ""
		}
		if !empty {
			rows = append(rows, row)
		}
	}
	var b strings.Builder
	titles := titleRows(rows)
	for _, row := range rows[:titles] {
		b.WriteString(strings.Join(strings.Fields(strings.Join(row, " ")), " ") + "\n\n")
	}
	mdtext.Table(&b, rows[titles:])
	name := "csv"
	if c.Comma == '\t' {
		name = "tsv"
	}
	return &convert.Document{Markdown: b.String(), Format: name}, nil
}

// titleRows counts the rows with a single value above a table of several columns.
func titleRows(rows [][]string) int {
	for i, row := range rows {
		n := 0
		for _, f := range row {
			if f != "" {
				n++
			}
		}
		if n > 1 {
			// A long run of single values is a column of the table, not its title.
			if i > 5 {
				return 0
			}
			return i
		}
	}
	return 0
}

// delimiter finds the delimiter of s and drops Excel's "sep=" line.
func delimiter(s string, want byte) (byte, string) {
	if line, rest, _ := strings.Cut(s, "\n"); len(line) == 5 && strings.EqualFold(line[:4], "sep=") {
		return line[4], rest
	}
	if want != 0 && strings.IndexByte(s, want) >= 0 {
		return want, s
	}
	sample := s
	if len(sample) > 64<<10 {
		sample = sample[:64<<10]
		if i := strings.LastIndexByte(sample, '\n'); i > 0 {
			sample = sample[:i]
		}
	}
	best, bestScore, bestWidth := byte(','), 0.0, 0
	for _, d := range []byte{',', ';', '\t', '|'} {
		score, width := evenness(sample, d)
		// Commas and decimal commas occur inside fields, the others hardly ever do.
		if d != ',' && width > 1 {
			score += 0.05
		}
		if score > bestScore || score == bestScore && width > bestWidth {
			best, bestScore, bestWidth = d, score, width
		}
	}
	if oneColumn(sample, best) {
		return 0, s
	}
	return best, s
}

// oneColumn reports whether the delimiter only stands inside of the values of a
// single column: most records, the first one among them, do not have it, and those that do are no
// table below its titles.
func oneColumn(s string, comma byte) bool {
	single, wide, after, first := 0, 0, false, true
	for row := range records(s, comma) {
		switch {
		case len(row) > 1 && first:
			return false
		case len(row) > 1:
			wide++
		case strings.TrimSpace(row[0]) != "":
			single++
			after = after || wide > 0
		default:
			continue
		}
		if first = false; single+wide > 1000 {
			break
		}
	}
	return single > wide && (after || wide < 2)
}

// evenness returns the share of records that have the most frequent number of
// fields, and that number. A header of that width counts for more than other rows: a
// delimiter that only occurs inside values is not in the header.
func evenness(s string, comma byte) (float64, int) {
	counts := map[int]int{}
	total, first, lead := 0, 0, true
	for row := range records(s, comma) {
		if len(row) == 1 && strings.TrimSpace(row[0]) == "" {
			continue
		}
		if lead && len(row) > 1 {
			first, lead = len(row), false
		}
		if total++; total > 1000 {
			break
		}
		counts[len(row)]++
	}
	width := 0
	for n, c := range counts {
		if n > 1 && (c > counts[width] || c == counts[width] && n > width) {
			width = n
		}
	}
	if width == 0 {
		return 0, 0
	}
	score := float64(counts[width]) / float64(total)
	if first == width {
		score += 0.2
	}
	return score, width
}

// records yields the records of s. Quotes work as RFC 4180 says; a quote that
// is never closed, or stands inside a field, is an ordinary character.
func records(s string, comma byte) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		quotes := true
		for i := 0; i < len(s); {
			var row []string
			for {
				var field string
				field, i, quotes = nextField(s, i, comma, quotes)
				row = append(row, field)
				if i >= len(s) {
					break
				}
				c := s[i]
				i++
				if c == '\n' {
					break
				}
			}
			if !yield(row) {
				return
			}
		}
	}
}

// nextField reads one field at i and returns the place of the delimiter behind it.
func nextField(s string, i int, comma byte, quotes bool) (string, int, bool) {
	start := i
	for i < len(s) && s[i] == ' ' && comma != ' ' {
		i++
	}
	if quotes && i < len(s) && s[i] == '"' {
		if field, end, ok := quoted(s, i+1); ok {
			tail := fieldEnd(s, end, comma)
			return field + s[end:tail], tail, true
		}
		quotes = false // no closing quote in the rest: take them as they are
	}
	end := fieldEnd(s, start, comma)
	return s[start:end], end, quotes
}

func fieldEnd(s string, i int, comma byte) int {
	for i < len(s) && s[i] != comma && s[i] != '\n' {
		i++
	}
	return i
}

func quoted(s string, i int) (string, int, bool) {
	var b strings.Builder
	for {
		j := strings.IndexByte(s[i:], '"')
		if j < 0 {
			return "", 0, false
		}
		b.WriteString(s[i : i+j])
		i += j + 1
		if i >= len(s) || s[i] != '"' {
			return b.String(), i, true
		}
		b.WriteByte('"')
		i++
	}
}
