package pdf

// For tests of the parts that need no engine.
type Line = line

var (
	CacheSound = cacheSound
	CacheSweep = cacheSweep
	CacheSeal  = cacheSeal
	Date       = date
	LayOut     = layOut
	PageList   = pageList
	Plain      = plain
	RealTitle  = realTitle
)

// NewLine makes a placed line.
func NewLine(text string, x, y, size float64) Line {
	return line{text: text, x: x, y: y, end: y, size: size, placed: true}
}
