package segment

// k1 and the rest are the parameters of BM25F: k1 is the usual value; so is
// the 0.75 of the body. Titles and headings are short whatever the document,
// so their length says less.
const k1 = 1.2

var (
	fieldB      = [fields]float64{title: 0.4, headings: 0.4, body: 0.75}
	fieldWeight = [fields]float64{title: 2, headings: 1.5, body: 1}
)

// normsKept is the number of lengths of a field whose norms are kept.
const normsKept = 512

// norms tell what an occurrence counts in a field of some length.
type norms struct {
	average [fields]float64
	known   [fields][normsKept]float64
}

func newNorms(average [fields]float64) *norms {
	n := &norms{average: average}
	for f := range fields {
		for l := range n.known[f] {
			n.known[f][l] = n.compute(f, l)
		}
	}
	return n
}

func (n *norms) compute(f, length int) float64 {
	b := fieldB[f]
	return fieldWeight[f] / (1 - b + b*float64(length)/n.average[f])
}

// weigh returns the weighted count of a field: count times the weight of the
// field, normalised by its length.
func (n *norms) weigh(f int, count uint32, l length) float64 {
	words := l.of(f)
	if words < normsKept {
		return float64(count) * n.known[f][words]
	}
	return float64(count) * n.compute(f, words)
}
