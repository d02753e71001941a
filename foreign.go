package minirag

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/minirag/minirag/index"
)

// Several processes may keep the documents of different roots in one index.
// What lies below the roots of others only is not shown, returned, replaced or
// deleted here. Documents from memory and from addresses belong to all.

// foreign reports whether a document is none of this process.
func (c *Corpus) foreign(d *index.Document) bool {
	return d.Kind == KindFile && !c.roots.Contains(d.Source)
}

// foreigners returns the live documents that are none of this process.
func (c *Corpus) foreigners(v index.View, at index.Seq) ([]index.Document, error) {
	var all []index.Document
	for d, err := range v.Documents(index.DocumentQuery{Scopes: c.roots.Paths(), Outside: true, Kind: index.File, At: at}) {
		if err != nil {
			return nil, err
		}
		if c.foreign(&d) {
			all = append(all, d)
		}
	}
	return all, nil
}

// document returns the live document of a source unless it is foreign.
func (c *Corpus) document(v index.View, source string) (index.Document, error) {
	d, err := v.Document(source)
	if errors.Is(err, index.ErrNotFound) && strings.ContainsRune(source, utf8.RuneError) {
		return c.shown(v, source, err)
	}
	if err == nil && c.foreign(&d) {
		err = fmt.Errorf("document %q: %w", source, index.ErrNotFound)
	}
	return d, err
}

// shown returns the only file that is shown as name, or notFound. JSON cannot
// carry the bytes of a path that are no UTF-8: it shows each as U+FFFD.
func (c *Corpus) shown(v index.View, name string, notFound error) (index.Document, error) {
	var found *index.Document
	for d, err := range v.Documents(index.DocumentQuery{Kind: index.File, Scopes: c.roots.Paths()}) {
		switch {
		case err != nil:
			return index.Document{}, err
		case string([]rune(d.Source)) != name:
		case found != nil:
			return index.Document{}, notFound
		default:
			found = &d
		}
	}
	if found == nil {
		return index.Document{}, notFound
	}
	return *found, nil
}

// checkForeign refuses to replace a foreign file by a document that bears its
// path as a name.
func (c *Corpus) checkForeign(v index.View, doc *index.Document) error {
	if doc.Kind == KindFile || !filepath.IsAbs(doc.Source) {
		return nil
	}
	if d, err := v.Document(doc.Source); err == nil && c.foreign(&d) {
		return &SourceError{Op: "store", Source: doc.Source,
			Err: fmt.Errorf("%w: the source is the path of a file in a root of another process", ErrInvalid), Hint: "choose another name"}
	}
	return nil
}

// visible returns the documents that a query may find: nil means all.
func (c *Corpus) visible(v index.View, at index.Seq, scopes []string) (*index.Filter, error) {
	if scopes == nil {
		if others, err := c.foreigners(v, at); err != nil || len(others) == 0 {
			return nil, err
		}
	}
	docs := index.NewDocSet()
	for d, err := range v.Documents(index.DocumentQuery{Scopes: scopes, At: at}) {
		if err != nil {
			return nil, err
		}
		if !c.foreign(&d) {
			docs.Add(d.ID)
		}
	}
	return &index.Filter{Docs: docs}, nil
}
