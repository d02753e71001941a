package minirag

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/readfile"
	"github.com/minirag/minirag/internal/roots"
	"github.com/minirag/minirag/internal/scan"
)

// plan is what a sync has to do.
type plan struct {
	ingest    []scan.File // in path order
	moves     []move
	unchanged []string
	touched   []scan.File // unchanged bytes, other time
	gone      []string
	failed    []*SourceError // files that cannot even be compared
	held      []*SourceError // folders that could not be looked into
	closed    []*SourceError // the same, but nothing of them is or was asked to be indexed
}

type move struct {
	from string
	to   scan.File
}

// known is what the catalog says of a file.
type known struct {
	hash    string
	size    int64
	modTime time.Time
	stale   bool
}

// indexedFiles returns the live files below the roots and the scope.
func (c *Corpus) indexedFiles(ctx context.Context, scope string) (map[string]known, error) {
	files := make(map[string]known)
	if len(c.roots.Paths()) == 0 {
		return files, nil
	}
	err := c.o.Catalog.View(ctx, func(v index.View) error {
		q := index.DocumentQuery{Kind: index.File, Scopes: c.roots.Paths()}
		if scope != "" {
			q.Scopes = []string{scope}
		}
		for d, err := range v.Documents(q) {
			if err != nil {
				return err
			}
			files[d.Source] = known{hash: d.Hash, size: d.Size, modTime: d.ModTime, stale: d.Fingerprint != c.fingerprint}
		}
		return nil
	})
	return files, err
}

// diff compares what is on disk with what is indexed.
func (c *Corpus) diff(ctx context.Context, found *scan.Result, scope string) (*plan, error) {
	indexed, err := c.indexedFiles(ctx, scope)
	if err != nil {
		return nil, err
	}
	p := new(plan)
	onDisk := make(map[string]bool, len(found.Files))
	var fresh []scan.File
	for _, f := range found.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		onDisk[f.Path] = true
		k, ok := indexed[f.Path]
		switch {
		case f.Size > c.o.MaxFileSize:
			p.fail(c.tooLarge(f.Path, &readfile.SizeError{Size: f.Size, Max: c.o.MaxFileSize}).(*SourceError), ok)
		case !ok:
			fresh = append(fresh, f)
		default:
			c.compare(p, f, k)
		}
	}
	var vanished []string // gone, or below an empty root
	hidden := make(map[string]int)
	for source, k := range indexed {
		if onDisk[source] {
			continue
		}
		if folder, ok := found.Hides(source); ok {
			hidden[folder.Path]++
			if folder.Err == nil {
				vanished = append(vanished, source)
			}
			continue
		}
		// A file of a kind that no sync looks for was ingested by name: it
		// stays, and is kept up to date, while it exists.
		info, err := os.Lstat(source)
		switch {
		case err == nil && info.Mode().IsRegular():
			c.compare(p, scan.File{Path: source, Size: info.Size(), ModTime: info.ModTime()}, k)
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !roots.IsNotDir(err):
			p.fail(&SourceError{Op: "read", Source: source, Err: cause(err)}, true)
		default:
			vanished = append(vanished, source)
		}
	}
	slices.Sort(vanished)
	c.pairMoves(p, fresh, vanished, indexed, found)
	for _, m := range p.moves {
		if folder, ok := found.Hides(m.from); ok {
			hidden[folder.Path]--
		}
	}
	p.hold(found, hidden, scope)
	slices.SortFunc(p.ingest, func(a, b scan.File) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// compare sorts an indexed file into what it needs.
func (c *Corpus) compare(p *plan, f scan.File, k known) {
	if k.stale {
		p.ingest = append(p.ingest, f)
		return
	}
	if f.Size == k.size && f.ModTime.Equal(k.modTime) {
		p.unchanged = append(p.unchanged, f.Path)
		return
	}
	if f.Size == k.size {
		hash, err := c.hash(f.Path)
		if err != nil {
			p.fail(&SourceError{Op: "read", Source: f.Path, Err: cause(err)}, true)
			return
		}
		if hash == k.hash {
			p.unchanged = append(p.unchanged, f.Path)
			p.touched = append(p.touched, f)
			return
		}
	}
	p.ingest = append(p.ingest, f)
}

// fail notes a file that cannot be compared. What is indexed of it stays.
func (p *plan) fail(e *SourceError, indexed bool) {
	if indexed {
		e.keeps()
	}
	p.failed = append(p.failed, e)
}

// hash returns the hash of a file in a root.
func (c *Corpus) hash(path string) (string, error) {
	root, _ := c.roots.Of(path)
	return readfile.Hash(root, path)
}

// pairMoves recognises files that went to another folder under the same name
// with the same bytes; their text and vectors stay.
func (c *Corpus) pairMoves(p *plan, fresh []scan.File, vanished []string, indexed map[string]known, found *scan.Result) {
	type key struct {
		name string
		size int64
	}
	candidates := make(map[key][]string)
	for _, source := range vanished {
		if k := indexed[source]; !k.stale && k.hash != "" {
			id := key{filepath.Base(source), k.size}
			candidates[id] = append(candidates[id], source)
		}
	}
	moved := make(map[string]bool)
	for _, f := range fresh {
		id := key{filepath.Base(f.Path), f.Size}
		from := ""
		if len(candidates[id]) > 0 {
			// A file that cannot be hashed fails when it is ingested.
			if hash, err := c.hash(f.Path); err == nil {
				at := slices.IndexFunc(candidates[id], func(s string) bool { return indexed[s].hash == hash })
				if at >= 0 {
					from = candidates[id][at]
					candidates[id] = slices.Delete(candidates[id], at, at+1)
				}
			}
		}
		if from == "" {
			p.ingest = append(p.ingest, f)
			continue
		}
		moved[from] = true
		p.moves = append(p.moves, move{from: from, to: f})
	}
	for _, source := range vanished {
		if _, held := found.Hides(source); !held && !moved[source] {
			p.gone = append(p.gone, source)
		}
	}
}

// hold reports the folders that could not be looked into: each one that is a
// root, hides indexed files, or bears on the scope. An empty root matters
// only if something indexed is below it. Others are told of and no failure:
// many a folder tree has one that is not for its reader.
func (p *plan) hold(found *scan.Result, hidden map[string]int, scope string) {
	for _, f := range found.Blind {
		n := hidden[f.Path]
		if f.Err == nil && n == 0 {
			continue
		}
		asked := scope != "" && roots.Below(scope, f.Path)
		if !f.Root && n == 0 && !asked {
			p.closed = append(p.closed, heldError(f, n))
			continue
		}
		p.held = append(p.held, heldError(f, n))
	}
}

func heldError(f scan.Folder, kept int) *SourceError {
	e := &SourceError{Op: "scan", Source: f.Path}
	rest := ""
	if kept > 0 {
		rest = fmt.Sprintf("; what was indexed of it is kept: %d", kept)
	}
	switch {
	case f.Err == nil:
		e.Err = fmt.Errorf("folder is empty%s", rest)
		e.Hint = "mount it again, or delete the files one by one if they are really gone"
		return e
	case errors.Is(f.Err, fs.ErrNotExist):
		e.Hint = "correct its name, or mount it, and sync again"
	case roots.IsNotDir(f.Err):
		e.Hint = "name the folder that the file is in"
	default:
		e.Hint = "make it readable and sync again"
	}
	e.Err = fmt.Errorf("folder cannot be listed: %w%s", cause(f.Err), rest)
	return e
}
