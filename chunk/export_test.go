package chunk

import "context"

// Pieces are the texts of atoms with what separates them.
type Piece struct{ Text, Sep string }

// Fill packs atoms of prose in front of which lead stands, and gives the bodies.
func Fill(ctx context.Context, lead string, pieces []Piece, counter Counter, budget int) ([]string, error) {
	p := &packer{ctx: ctx, counter: counter, special: counter.CountTokens(""), budget: budget}
	f := frame{lead: lead}
	f.tokens, _ = p.count(lead)
	var atoms []atom
	for _, piece := range pieces {
		p.md += piece.Sep
		start := len(p.md)
		p.md += piece.Text
		atoms = append(atoms, atom{text: piece.Text, sep: piece.Sep, start: start, end: len(p.md), tokens: -1})
	}
	units, err := p.fill(f, atoms)
	var bodies []string
	for _, u := range units {
		bodies = append(bodies, u.body)
	}
	return bodies, err
}
