package chunk

import (
	"slices"
	"strings"
)

// A crumb is a heading in a breadcrumb with its tokens, special ones aside.
type crumb struct {
	text   string
	tokens int
}

const joiner = " > "

// prefix picks the longest way to show where a part stands that leaves enough
// of the budget, and gives its tokens. There may be none.
func (p *packer) prefix(s *part) (string, int) {
	limit := min(p.budget-minBody, p.budget/prefixShare) - p.special
	if limit <= 0 {
		return "", 0
	}
	for _, c := range s.prefixes {
		if tokens, fits := p.count(c); fits && tokens <= limit {
			return c, tokens
		}
	}
	chain := s.crumbs
	n := len(chain)
	if n == 0 {
		return "", 0
	}
	// The whole chain; the first heading and the last ones, fewer each time; the last.
	for k := n; k >= 1; k-- {
		if k == n-1 && n > 1 {
			continue // all but one leave nothing out
		}
		last := chain[n-k:]
		if !p.mayFit(chain, k, limit) {
			continue
		}
		text := strings.Join(last, joiner)
		if k < n {
			text = chain[0] + joiner + elision + joiner + text
		}
		if tokens, fits := p.count(text); fits && tokens <= limit {
			return text, tokens
		}
	}
	if n == 1 {
		return "", 0
	}
	if tokens, fits := p.count(chain[n-1]); fits && tokens <= limit {
		return chain[n-1], tokens
	}
	return "", 0
}

// countedAtOnce is the length in bytes for each token that there is room for
// from which on the headings of a breadcrumb are counted one by one first.
const countedAtOnce = 3

// mayFit reports whether the first heading of a chain and its last k may fit
// limit. Headings stand above many sections, so that the counts of long ones
// are kept from one section to the next.
func (p *packer) mayFit(chain []string, k, limit int) bool {
	n := len(chain)
	size := 0
	for i, text := range chain {
		if i == 0 || i >= n-k {
			size += len(text)
		}
	}
	if size <= countedAtOnce*limit {
		return true
	}
	same := 0
	for same < len(chain) && same < len(p.crumbs) && chain[same] == p.crumbs[same].text {
		same++
	}
	p.crumbs = slices.Grow(p.crumbs[:same], n-same)
	for _, text := range chain[same:] {
		tokens, _ := p.count(text)
		p.crumbs = append(p.crumbs, crumb{text, tokens})
	}
	sum := 0
	for i, c := range p.crumbs {
		if i == 0 || i >= n-k {
			sum += c.tokens - joinSaves
		}
	}
	return sum <= limit
}
