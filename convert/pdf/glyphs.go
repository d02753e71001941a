package pdf

import (
	"math"
	"strings"
)

// A rect is a box with y upwards.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) union(o rect) rect {
	return rect{min(r.x0, o.x0), min(r.y0, o.y0), max(r.x1, o.x1), max(r.y1, o.y1)}
}

// A word is a run of letters without a space or a jump between them, in the
// frame of its text: x to where the text runs, y upwards, in points.
type word struct {
	text   string
	box    rect
	size   float64 // of the font, as scaled
	bold   bool
	hyphen bool // ends in a hyphen that PDFium took for a cut word's
	spaced bool // PDFium saw a space before it
	order  int  // in the page's stream of text
	letter int  // number of letters
	link   int  // see linkAt
	// xs are the left and right edges of each letter, as long as text has as many.
	xs []float64
}

// A frame is all the text of a page that runs in one direction.
type frame struct {
	angle   int // in degrees, counter-clockwise
	words   []word
	letters int
}

// toFrame returns r as seen when the page is turned back by angle degrees.
func toFrame(r rect, angle int) rect {
	switch angle {
	case 0:
		return r
	case 90:
		return rect{r.y0, -r.x1, r.y1, -r.x0}
	case 180:
		return rect{-r.x1, -r.y1, -r.x0, -r.y0}
	case 270:
		return rect{-r.y1, r.x0, -r.y0, r.x1}
	}
	// The hull of a turned letter says only where its middle is.
	sin, cos := math.Sincos(float64(-angle) * math.Pi / 180)
	x, y := (r.x0+r.x1)/2, (r.y0+r.y1)/2
	x, y = x*cos-y*sin, x*sin+y*cos
	half := min(r.x1-r.x0, r.y1-r.y0) / 4
	return rect{x - half, y - half, x + half, y + half}
}

// A textStyle is what the letters of one text object share.
type textStyle struct {
	size  float64
	angle int
	bold  bool
}

// framesOf returns the words of the page by the direction in which they run,
// the direction of most letters first.
func (p *pageReader) framesOf(runes []rune) []*frame {
	frames, downward := p.words(runes, false)
	if downward {
		frames, _ = p.words(runes, true)
	}
	// The main direction first; the others keep their order.
	for i, f := range frames {
		if f.letters > frames[0].letters {
			frames[0], frames[i] = f, frames[0]
		}
	}
	if len(p.links) > 0 {
		dropWideLinks(frames)
	}
	return frames
}

func frameOf(frames *[]*frame, angle int) *frame {
	for _, f := range *frames {
		if f.angle == angle {
			return f
		}
	}
	f := &frame{angle: angle}
	*frames = append(*frames, f)
	return f
}

// boldName goes by the font's name: the flags and weights in files are often not set.
func boldName(name string) bool {
	name = strings.ToLower(name)
	for _, mark := range []string{"bold", "black", "heavy", "semibold", "demi", "cmbx", "-bd", "bx1", "medi"} {
		if strings.Contains(name, mark) && !strings.Contains(name, "medium") {
			return true
		}
	}
	return false
}

// forceBold is a flag of fonts (ISO 32000-1, table 123).
const forceBold = 1 << 18

// styleAngle returns the direction of text along (x, y) in degrees.
func styleAngle(x, y float64) int {
	degrees := math.Round(math.Atan2(y, x) * 180 / math.Pi)
	if math.IsNaN(degrees) {
		return 0
	}
	angle := (int(degrees) + 360) % 360
	// Slightly crooked text, as under a scan, is meant straight.
	if near := (angle + 2) / 90 * 90; angle-near <= 2 {
		angle = near % 360
	}
	return angle
}

func finite(r rect) bool {
	for _, v := range []float64{r.x0, r.y0, r.x1, r.y1} {
		if math.IsNaN(v) || math.Abs(v) > 1e7 {
			return false
		}
	}
	return true
}
