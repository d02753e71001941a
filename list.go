package minirag

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/place"
	"github.com/minirag/minirag/internal/roots"
	"github.com/minirag/minirag/internal/scan"
)

// List returns what is indexed and what could be. It compares times and
// sizes, and reads a file only where they differ.
func (c *Corpus) List(ctx context.Context, o *ListOptions) (*Listing, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if o == nil {
		o = &ListOptions{}
	}
	found, err := scan.Walk(ctx, scan.Options{Roots: c.roots, Match: c.o.Converter.Synced})
	if err != nil {
		return nil, err
	}
	scopes := c.scopes(o.Scope)
	files := make(map[string]scan.File, len(found.Files))
	for _, f := range found.Files {
		if len(scopes) == 0 || slices.ContainsFunc(scopes, func(s string) bool { return inScope(f.Path, s) }) {
			files[f.Path] = f
		}
	}
	l := &Listing{Sources: []Listed{}, UnlistedFolders: []UnlistedFolder{}}
	hidden := make(map[string]int)
	err = c.o.Catalog.View(ctx, func(v index.View) error {
		for d, err := range v.Documents(index.DocumentQuery{Scopes: scopes}) {
			if err != nil {
				return err
			}
			row := Listed{Source: *c.source(&d), OCREngine: d.OCREngine, State: StateIngested}
			switch {
			case d.Kind != index.File:
				if d.Fingerprint != c.fingerprint {
					row.State = StateStaleScheme
				}
			case c.foreign(&d):
				continue
			default:
				row.State = c.fileState(&d, files, found, hidden)
				delete(files, d.Source)
			}
			l.Sources = append(l.Sources, row)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for path := range files {
		l.Sources = append(l.Sources, Listed{Source: Source{ID: path, Kind: KindFile, DisplayPath: c.roots.Display(path)}, State: StateNotIngested})
	}
	slices.SortFunc(l.Sources, func(a, b Listed) int { return strings.Compare(a.ID, b.ID) })
	for _, f := range found.Blind {
		if n := hidden[f.Path]; f.Err != nil || n > 0 {
			l.UnlistedFolders = append(l.UnlistedFolders, UnlistedFolder{Path: f.Path, Err: f.Err, Indexed: n, Message: heldError(f, n).Error()})
		}
	}
	return l, nil
}

// inScope applies the rule of [index.DocumentQuery] to a path.
func inScope(path, scope string) bool {
	scope = strings.TrimRight(scope, "/")
	return path == scope || strings.HasPrefix(path, scope) && (path[len(scope)] == '/' || os.IsPathSeparator(path[len(scope)]))
}

// fileState compares an indexed file with the disk.
func (c *Corpus) fileState(d *index.Document, files map[string]scan.File, found *scan.Result, hidden map[string]int) State {
	if folder, ok := found.Hides(d.Source); ok {
		hidden[folder.Path]++
		return StateUnlisted
	}
	f, ok := files[d.Source]
	if !ok {
		info, err := os.Lstat(d.Source)
		switch {
		case err == nil && info.Mode().IsRegular():
			f = scan.File{Path: d.Source, Size: info.Size(), ModTime: info.ModTime()}
		case err == nil || errors.Is(err, fs.ErrNotExist) || roots.IsNotDir(err):
			return StateMissing
		default:
			return StateUnreadable
		}
	}
	if d.Fingerprint != c.fingerprint {
		return StateStaleScheme
	}
	if f.Size == d.Size && f.ModTime.Equal(d.ModTime) {
		return StateIngested
	}
	if f.Size != d.Size {
		return StateStale
	}
	hash, err := c.hash(f.Path)
	switch {
	case err != nil:
		return StateUnreadable
	case hash != d.Hash:
		return StateStale
	}
	return StateIngested
}

// Status describes the corpus.
func (c *Corpus) Status(ctx context.Context) (*Status, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	s := &Status{Roots: c.roots.Paths(), Model: c.model, Budget: c.o.Budget, Scheme: c.fingerprint.Scheme}
	err = c.o.Catalog.View(ctx, func(v index.View) error {
		stats, err := v.Stats()
		if err != nil {
			return err
		}
		s.Sources, s.Chunks, s.Seq = stats.Documents, stats.Chunks, int64(v.Seq())
		others, err := c.foreigners(v, 0)
		for i := range others {
			s.Sources--
			s.Chunks -= others[i].Chunks
			stats.ByFingerprint[others[i].Fingerprint] -= others[i].Chunks
		}
		for f, n := range stats.ByFingerprint {
			if f != c.fingerprint {
				s.StaleChunks += n
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if text := place.Of(c.o.Folder.Path).Warning(); c.o.Folder.Path != "" && text != "" {
		s.Warnings = append(s.Warnings, text)
	}
	for _, d := range c.derived() {
		seq, err := d.seq(ctx)
		if err != nil {
			s.Warnings = append(s.Warnings, d.name+": "+err.Error())
			continue
		}
		if d.words {
			s.KeywordSeq = int64(seq)
		}
		if d.vectors {
			s.VectorSeq = int64(seq)
		}
	}
	return s, nil
}
