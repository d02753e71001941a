//go:build !lite

package pdf

// outline returns the levels of the titles in a document's outline by folded title.
func (in *instance) outline() map[string]int {
	levels := map[string]int{}
	seen := map[uint64]bool{}
	var walk func(parent uint64, depth int)
	walk = func(parent uint64, depth int) {
		item := uint64(uint32(in.call("FPDFBookmark_GetFirstChild", in.doc, parent)))
		for item != 0 && !seen[item] && len(seen) < outlineItems {
			seen[item] = true
			title := foldTitle(plain(in.text16("FPDFBookmark_GetTitle", item)))
			if title != "" && levels[title] == 0 {
				levels[title] = min(depth, markdownLevels)
			}
			if depth < outlineDepth {
				walk(item, depth+1)
			}
			item = uint64(uint32(in.call("FPDFBookmark_GetNextSibling", in.doc, item)))
		}
	}
	walk(0, 1)
	return levels
}
