// Package transcript converts subtitles and transcripts (WebVTT and SubRip)
// to Markdown: turns of the speakers, each with the time at which it begins.
//
// It imports convert and internal/{charset,mdtext}.
package transcript

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/charset"
)

// Formats returns the formats of this package: WebVTT and SubRip.
func Formats() []convert.Format {
	return []convert.Format{
		{Name: "vtt", Extensions: []string{".vtt"}, MediaTypes: []string{"text/vtt"}, Content: convert.Text, Sync: true, Converter: VTT{}},
		{Name: "srt", Extensions: []string{".srt"}, MediaTypes: []string{"application/x-subrip", "text/srt"}, Content: convert.Text, Sync: true, Converter: SRT{}},
	}
}

// VTT is a [convert.Converter] for WebVTT. It is safe for concurrent use.
type VTT struct{}

var _ convert.Converter = VTT{}

// Convert writes the cues as turns and the notes as quotations. A block that
// is neither is [convert.ErrDamaged].
func (VTT) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	return run(ctx, src, limits, "vtt", parseVTT)
}

// SRT is a [convert.Converter] for SubRip subtitles. It is safe for concurrent use.
type SRT struct{}

var _ convert.Converter = SRT{}

// Convert writes the cues as turns. A text without any cue is [convert.ErrDamaged].
func (SRT) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	return run(ctx, src, limits, "srt", parseSRT)
}

func run(ctx context.Context, src convert.Source, limits convert.Limits, format string, parse func(string) ([]part, error)) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	_, params, _ := mime.ParseMediaType(src.MediaType)
	text, _, err := charset.Decode(src.Data, params["charset"])
	switch {
	case errors.Is(err, charset.ErrUnknown):
		return nil, fmt.Errorf("%w: the encoding of the text is not known: save it as UTF-8", convert.ErrDamaged)
	case err != nil:
		return nil, fmt.Errorf("%w: decode %s: %v", convert.ErrDamaged, format, err)
	}
	parts, err := parse(convert.Normalize(text))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", convert.ErrDamaged, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	md := render(merge(speakers(unroll(parts))))
	if int64(len(md)) > limits.OutputBytes {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	return &convert.Document{Markdown: convert.Normalize(md), Format: format}, nil
}

// A part is a note or a piece of what one speaker says.
type part struct {
	note    bool
	start   int    // whole seconds
	speaker string // empty when not known
	segment string // prefix of the cue's id that Teams gives to all cues of one utterance
	text    string // lines without markup
}

// blocks splits text at blank lines. A line of spaces before anything but the
// begin of a block is a line of the cue, as in the captions that YouTube makes.
func blocks(text string) [][]string {
	var all [][]string
	var block []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			block = append(block, line)
			continue
		}
		if line != "" && len(block) > 0 && !begins(lines[i+1:]) {
			continue
		}
		if block != nil {
			all = append(all, block)
		}
		block = nil
	}
	if block != nil {
		all = append(all, block)
	}
	return all
}
