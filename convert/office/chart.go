package office

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/numfmt"
	"github.com/minirag/minirag/internal/ooxml"
)

// A chart is what a chart shows: its title and its values as a table.
type chart struct {
	title string
	rows  [][]string
}

// maxChartPoint bounds the index of a point: the rows of a sheet.
const maxChartPoint = 1 << 20

// maxChartLevels bounds the levels of categories.
const maxChartLevels = 10

// readChart reads a chart part by the values that are cached in it. Its points
// count as cells.
func readChart(p *ooxml.Package, part string, cells *int, limit int, repeats *repeater) (*chart, error) {
	root, err := p.Tree(part)
	if err != nil {
		return nil, err
	}
	r := chartReader{cells: cells, limit: limit, repeats: repeats}
	c := &chart{}
	if root.Name == "cx:chartSpace" {
		c.title = richText(root.Child("cx:chart").Child("cx:title"))
		c.rows = r.extended(root)
	} else {
		body := root.Child("c:chart")
		c.title = richText(body.Child("c:title"))
		c.rows = r.plot(orEmpty(body.Child("c:plotArea")))
	}
	if r.full {
		return nil, &convert.LimitError{What: "cells", Max: int64(limit)}
	}
	return c, nil
}

// write writes the chart under a heading of the given level; 0 stands for a
// line in bold, which does not take what follows the chart under it.
func (c *chart) write(w *mdtext.Writer, level int) {
	if c.title == "" && len(c.rows) == 0 {
		return
	}
	heading := "Chart"
	if c.title != "" {
		heading += ": " + c.title
	}
	if level > 0 {
		w.Heading(level, heading)
	} else {
		w.Block("**" + strings.ReplaceAll(heading, "*", "") + "**")
	}
	w.Table(c.rows)
}

// fatal reports whether an error must end the conversion and not only cost a part.
func fatal(err error) bool {
	var limit *ooxml.LimitError
	return errors.As(err, &limit) || errors.Is(err, convert.ErrTooLarge) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// richText returns the text of a title: its own or the cached one of a cell.
func richText(n *ooxml.Node) string {
	var parts []string
	for _, name := range []string{"a:p", "c:v", "cx:v"} {
		orEmpty(n).Find(name, func(p *ooxml.Node) {
			text := ""
			if name == "a:p" {
				p.Find("a:t", func(t *ooxml.Node) { text += t.String() })
			} else {
				text = p.String()
			}
			parts = append(parts, text)
		})
		if len(parts) > 0 {
			break
		}
	}
	return convert.OneLine(unescape(strings.Join(parts, " ")))
}

type series struct {
	name       string
	cats       map[int]string // by index, as all
	x, y, size map[int]string
}

type chartReader struct {
	cells   *int
	limit   int
	full    bool
	repeats *repeater
}

func (r *chartReader) plot(area *ooxml.Node) [][]string {
	var xy, plain []series
	for _, kind := range area.Children {
		for _, ser := range kind.Children {
			if ser.Name != "c:ser" {
				continue
			}
			s := series{name: richText(ser.Child("c:tx"))}
			if kind.Name == "c:scatterChart" || kind.Name == "c:bubbleChart" {
				s.x, s.y, s.size = r.points(ser.Child("c:xVal")), r.points(ser.Child("c:yVal")), r.points(ser.Child("c:bubbleSize"))
				xy = append(xy, s)
				continue
			}
			s.cats, s.y = r.points(ser.Child("c:cat")), r.points(ser.Child("c:val"))
			plain = append(plain, s)
		}
	}
	category, values := axisTitles(area)
	rows := r.byCategory(plain, category)
	return append(rows, r.byPoint(xy, category, values)...)
}

// axisTitles returns the titles of the axis of the categories (or x values) and of that of the values.
func axisTitles(area *ooxml.Node) (category, value string) {
	for _, axis := range area.Children {
		title := richText(axis.Child("c:title"))
		if title == "" {
			continue
		}
		pos := ""
		if p := axis.Child("c:axPos"); p != nil {
			pos = p.Attr("val")
		}
		switch {
		case axis.Name == "c:catAx", axis.Name == "c:dateAx", axis.Name == "c:valAx" && area.Child("c:catAx") == nil && area.Child("c:dateAx") == nil && (pos == "b" || pos == "t"):
			category = cmp.Or(category, title)
		case axis.Name == "c:valAx":
			value = cmp.Or(value, title)
		}
	}
	return category, value
}

// byCategory lays series over categories out: one row for each category, one column for each series.
func (r *chartReader) byCategory(list []series, category string) [][]string {
	if len(list) == 0 {
		return nil
	}
	cats := map[int]string{}
	var rows []int
	for _, s := range list {
		for i, c := range s.cats {
			if cats[i] == "" {
				cats[i] = c
			}
		}
		for _, m := range []map[int]string{s.cats, s.y} {
			for i := range m {
				rows = append(rows, i)
			}
		}
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	if *r.cells += len(rows) * (len(list) + 1); *r.cells > r.limit {
		r.full = true
		return nil
	}
	head := []string{mdtext.Cell(cmp.Or(category, "Category"))}
	for i, s := range list {
		head = append(head, mdtext.Cell(cmp.Or(s.name, "Series "+strconv.Itoa(i+1))))
	}
	out := [][]string{head}
	for _, i := range rows {
		line := []string{cats[i]}
		for _, s := range list {
			line = append(line, s.y[i])
		}
		if strings.Join(line, "") != "" {
			out = append(out, line)
		}
	}
	return out
}

// byPoint lays out series of pairs: one row for each point.
func (r *chartReader) byPoint(list []series, x, y string) [][]string {
	if len(list) == 0 {
		return nil
	}
	head := []string{"Series", mdtext.Cell(cmp.Or(x, "X")), mdtext.Cell(cmp.Or(y, "Y"))}
	if slices.ContainsFunc(list, func(s series) bool { return len(s.size) > 0 }) {
		head = append(head, "Size")
	}
	out := [][]string{head}
	for n, s := range list {
		var rows []int
		for _, m := range []map[int]string{s.x, s.y, s.size} {
			for i := range m {
				rows = append(rows, i)
			}
		}
		slices.Sort(rows)
		name := mdtext.Cell(cmp.Or(s.name, "Series "+strconv.Itoa(n+1)))
		if len(rows) == 0 {
			out = append(out, []string{name})
		}
		for _, i := range slices.Compact(rows) {
			out = append(out, []string{r.repeats.again(name), s.x[i], s.y[i], s.size[i]}[:len(head)])
		}
	}
	return out
}

// points returns the cached or literal values of a reference by index. Of
// categories with several levels the outer ones go before the inner.
func (r *chartReader) points(n *ooxml.Node) map[int]string {
	values := map[int]string{}
	if n == nil {
		return values
	}
	levels := 0
	var outer []map[int]string
	n.Find("c:lvl", func(lvl *ooxml.Node) {
		if levels++; levels > maxChartLevels {
			return
		}
		m := map[int]string{}
		r.cache(lvl, m)
		if levels == 1 {
			values = m
		} else {
			outer = append(outer, m)
		}
	})
	for _, m := range outer {
		r.prefix(values, m)
	}
	if levels > 0 {
		return values
	}
	for _, name := range []string{"c:strCache", "c:numCache", "c:strLit", "c:numLit"} {
		n.Find(name, func(c *ooxml.Node) { r.cache(c, values) })
	}
	return values
}

// prefix puts the outer level's text, which holds from its index on, before each value.
func (r *chartReader) prefix(values, outer map[int]string) {
	var keys []int
	for i := range values {
		keys = append(keys, i)
	}
	for i := range outer {
		keys = append(keys, i)
	}
	slices.Sort(keys)
	text := ""
	for _, i := range slices.Compact(keys) {
		if t, ok := outer[i]; ok {
			text = t
		}
		if t := r.repeats.again(text + " "); t != " " {
			values[i] = strings.TrimSpace(t + values[i])
		}
	}
}

func (r *chartReader) cache(n *ooxml.Node, into map[int]string) {
	format := n.Child("c:formatCode").String()
	for _, pt := range n.Children {
		if pt.Name != "c:pt" {
			continue
		}
		if *r.cells++; *r.cells > r.limit {
			r.full = true
			return
		}
		i, err := strconv.Atoi(pt.Attr("idx"))
		if err != nil || i < 0 || i > maxChartPoint {
			continue
		}
		if f := pt.Attr("formatCode"); f != "" {
			format = f
		}
		numeric := n.Name == "c:numCache" || n.Name == "c:numLit"
		into[i] = chartValue(pt.Child("c:v").String(), format, numeric)
	}
}

// chartValue writes a value as the chart shows it. What could not be calculated is empty.
func chartValue(v, format string, numeric bool) string {
	v = strings.TrimSpace(v)
	if !numeric {
		return mdtext.Cell(unescape(v))
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		if strings.HasPrefix(v, "#") || strings.EqualFold(v, "nan") {
			return ""
		}
		return mdtext.Cell(v)
	}
	return mdtext.Cell(formatted(f, format))
}

// formatted writes a value as its format shows it; one that only rounds would lose digits of the data.
func formatted(f float64, code string) string {
	if format := numfmt.Parse(code); format.IsDate() || strings.Contains(code, "%") {
		return format.Number(f, false)
	}
	return numfmt.General(f)
}

// extended reads the newer kind of charts (chartex): waterfall, treemap, funnel and so on.
func (r *chartReader) extended(root *ooxml.Node) [][]string {
	names := map[string]string{}
	orEmpty(root.Child("cx:chart")).Find("cx:series", func(s *ooxml.Node) {
		id := s.Child("cx:dataId")
		if id != nil {
			names[id.Attr("val")] = richText(s.Child("cx:tx"))
		}
	})
	var list []series
	orEmpty(root.Child("cx:chartData")).Find("cx:data", func(data *ooxml.Node) {
		s := series{name: names[data.Attr("id")], cats: map[int]string{}, y: map[int]string{}}
		for _, dim := range data.Children {
			levels := 0
			dim.Find("cx:lvl", func(lvl *ooxml.Node) {
				if levels++; levels > maxChartLevels {
					return
				}
				m := map[int]string{}
				for _, pt := range lvl.Children {
					i, err := strconv.Atoi(pt.Attr("idx"))
					if pt.Name != "cx:pt" || err != nil || i < 0 || i > maxChartPoint {
						continue
					}
					if *r.cells++; *r.cells > r.limit {
						r.full = true
						return
					}
					m[i] = chartValue(pt.String(), lvl.Attr("formatCode"), dim.Name == "cx:numDim")
				}
				switch {
				case dim.Name == "cx:numDim":
					s.y = m
				case levels == 1:
					s.cats = m
				default:
					r.prefix(s.cats, m)
				}
			})
		}
		list = append(list, s)
	})
	return r.byCategory(list, "")
}
