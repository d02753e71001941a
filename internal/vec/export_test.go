package vec

// The portable twins.
var (
	DotInt8Portable = dotInt8Portable
	DotF32Portable  = dotF32Portable
	DotF16Portable  = dotF16Portable
	Widen           = widen
)
