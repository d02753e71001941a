package notebook

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/html"
	"github.com/minirag/minirag/internal/mdtext"
)

// maxOutput bounds the text that the outputs of one cell give: a runaway loop
// prints megabytes that nobody searches for.
const maxOutput = 64 << 10

// A conversion is one run over the cells of a notebook.
type conversion struct {
	ctx     context.Context
	limits  convert.Limits
	w       mdtext.Writer
	lang    string
	heading string // the first level 1 heading of a Markdown cell
	cut     int    // cells whose outputs were cut
}

func (c *conversion) cell(n cell) error {
	source := string(n.Source)
	if source == "" {
		source = string(n.Input)
	}
	source = convert.Normalize(source)
	switch n.Type {
	case "markdown", "html":
		md := attachments(mdtext.StripEmbedded(source))
		if c.heading == "" {
			c.heading = firstHeading(md)
		}
		c.w.Block(closeFence(md))
	case "heading": // before version 4
		if c.heading == "" && n.Level <= 1 {
			c.heading = convert.OneLine(source)
		}
		c.w.Heading(n.Level, source)
	case "raw":
		c.w.Code("", source)
	default:
		c.w.Code(c.language(n, source), source)
		return c.outputs(n.Outputs)
	}
	return nil
}

// magic maps the cell magics that run another language to its name.
var magic = map[string]string{
	"bash": "bash", "sh": "bash", "script": "", "cmd": "bat", "perl": "perl", "ruby": "ruby", "javascript": "javascript", "js": "javascript",
	"html": "html", "svg": "xml", "latex": "latex", "markdown": "markdown", "sql": "sql", "R": "r", "cython": "cython", "writefile": "",
}

func (c *conversion) language(n cell, source string) string {
	if rest, ok := strings.CutPrefix(source, "%%"); ok {
		name, _, _ := strings.Cut(rest, "\n")
		name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
		if lang, ok := magic[name]; ok {
			return lang
		}
	}
	for _, w := range []word{n.Metadata.VSCode.Language, n.Language} {
		if s := fenceWord(string(w)); s != "" {
			return s
		}
	}
	return c.lang
}

var attached = regexp.MustCompile(`!\[([^\]]*)\]\(\s*<?attachment:[^)]*\)|<img\b[^>]*\bsrc=["']?attachment:[^>]*>`)

// attachments replaces pictures that are stored in the cell by their alternative text.
func attachments(md string) string {
	if !strings.Contains(md, "attachment:") {
		return md
	}
	return attached.ReplaceAllString(md, "$1")
}

var closing = regexp.MustCompile(`[ \t]+#+[ \t]*$`)

// firstHeading returns the first "# " line outside fences.
func firstHeading(md string) string {
	fence := ""
	for line := range strings.Lines(md) {
		line = strings.TrimRight(line, "\n")
		if mark := fenceMark(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence):
				fence = ""
			}
			continue
		}
		if text, ok := strings.CutPrefix(line, "# "); ok && fence == "" && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(closing.ReplaceAllString(text, ""))
		}
	}
	return ""
}

func fenceMark(line string) string {
	t := strings.TrimLeft(line, " ")
	if len(line)-len(t) > 3 || !strings.HasPrefix(t, "```") && !strings.HasPrefix(t, "~~~") {
		return ""
	}
	return t[:len(t)-len(strings.TrimLeft(t, t[:1]))]
}

// closeFence ends a code block that a Markdown cell leaves open, which would
// take in the cells below it.
func closeFence(md string) string {
	fence := ""
	for line := range strings.Lines(md) {
		mark := fenceMark(strings.TrimRight(line, "\n"))
		switch {
		case mark == "":
		case fence == "":
			fence = mark
		case strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark:
			fence = ""
		}
	}
	if fence == "" {
		return md
	}
	return strings.TrimRight(md, "\n") + "\n" + fence
}

// outputs writes what a cell printed and returned. Streams that follow each
// other are one text.
func (c *conversion) outputs(outs []output) error {
	left := maxOutput
	var stream strings.Builder
	clip := func(s string) string {
		if len(s) > left {
			s = s[:left]
			for !utf8.ValidString(s[max(len(s)-utf8.UTFMax, 0):]) && s != "" {
				s = s[:len(s)-1]
			}
			c.cut++
		}
		left -= len(s)
		return s
	}
	flush := func() {
		c.w.Code("", clip(terminal(stream.String())))
		stream.Reset()
	}
	for _, o := range outs {
		if left <= 0 || c.w.Full() {
			return nil
		}
		switch o.Type {
		case "stream":
			stream.WriteString(string(o.Text))
			continue
		case "error", "pyerr":
			flush()
			c.w.Code("", clip(failure(o)))
			continue
		}
		flush()
		md, code, err := c.richest(o.bundle())
		if err != nil {
			return err
		}
		switch {
		case md != "":
			c.w.Block(closeFence(clip(md)))
		case code != "":
			c.w.Code("", clip(code))
		}
	}
	if left > 0 {
		flush()
	}
	return nil
}

var (
	placeholder = regexp.MustCompile(`^<[^<>]*>$`)
	address     = regexp.MustCompile(`^<[^<>]* at 0x[0-9a-fA-F]+>$`)
)

// richest picks the form of an output that says most as text.
func (c *conversion) richest(b bundle) (md, code string, err error) {
	if s := convert.Normalize(b["text/markdown"]); strings.TrimSpace(s) != "" {
		return mdtext.StripEmbedded(s), "", nil
	}
	if s := b["text/html"]; strings.TrimSpace(s) != "" {
		doc, err := html.HTML{}.Convert(c.ctx, convert.Source{MediaType: "text/html; charset=utf-8", Data: []byte(s)}, c.limits)
		switch {
		case errors.Is(err, convert.ErrTooLarge), c.ctx.Err() != nil:
			return "", "", err
		case err == nil && strings.TrimSpace(doc.Markdown) != "":
			return doc.Markdown, "", nil
		}
	}
	if s := strings.TrimSpace(convert.Normalize(b["text/latex"])); s != "" {
		return s, "", nil
	}
	plain := terminal(b["text/plain"])
	if s := strings.TrimSpace(plain); address.MatchString(s) || b["image"] != "" && placeholder.MatchString(s) {
		return "", "", nil // what stands for a picture or another object without text
	}
	return "", plain, nil
}

// failure is the traceback, with the error itself when it is not in it.
func failure(o output) string {
	s := terminal(strings.Join(o.Traceback, "\n"))
	name, value := terminal(string(o.Name)), terminal(string(o.Value))
	if !strings.Contains(s, name) || !strings.Contains(s, value) {
		s = strings.TrimRight(s, "\n") + "\n" + name + ": " + value
	}
	return s
}

var escapes = regexp.MustCompile("\x1b(?:\\[[0-9;:?<=>]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[()][0-9A-Za-z]|[=>78cDEHMNOZ])")

// terminal returns s as a terminal would show it: without escape sequences,
// and with each line as it was after its last carriage return, where
// progress bars write over themselves.
func terminal(s string) string {
	s = escapes.ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.Contains(s, "\r") {
		return convert.Normalize(s)
	}
	all := strings.Split(s, "\n")
	for i, line := range all {
		line = strings.TrimRight(line, "\r")
		all[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	return convert.Normalize(strings.Join(all, "\n"))
}
