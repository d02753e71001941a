package pdf

// For tests of the parts that need no engine.
type Line = line

var (
	Date      = date
	PageList  = pageList
	Plain     = plain
	RealTitle = realTitle
)

// LayOut lays out the pages of a document.
func LayOut(pages ...[]Line) string {
	var texts []pageText
	for _, p := range pages {
		texts = append(texts, pageText{blocks: []block{{lines: p}}})
	}
	return markdown(texts, nil, &urlTable{})
}

// NewLine makes a placed line.
func NewLine(text string, x, y, size float64) Line {
	return line{text: text, x: x, y: y, end: y, size: size, placed: true}
}
