package pdf

import "strings"

// For tests of the parts that need no engine.
type Line = line

var (
	CacheSound = cacheSound
	CacheSweep = cacheSweep
	CacheSeal  = cacheSeal
	Date       = date
	PageList   = pageList
	Plain      = plain
	RealTitle  = realTitle
)

// LayOut lays out the pages of a document.
func LayOut(pages ...[]Line) string {
	scale := newHeadingScale(pages)
	var texts []string
	for _, p := range pages {
		texts = append(texts, layOut(p, scale))
	}
	return strings.Join(texts, "\n\n")
}

// NewLine makes a placed line.
func NewLine(text string, x, y, size float64) Line {
	return line{text: text, x: x, y: y, end: y, size: size, placed: true}
}
