// Package scan finds the documents below a set of roots.
//
// It reads folders and file metadata, never contents, follows no link to a
// folder, and gives back every file once under its real path. What it could
// not look into is part of the result: a folder that cannot be listed is not
// an empty one. It imports internal/roots and the standard library.
package scan

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/minirag/minirag/internal/roots"
)

// A File is a regular file with a name that was asked for.
type File struct {
	Path    string // real path
	Size    int64
	ModTime time.Time
}

// A Folder is one that may hide files.
type Folder struct {
	Path string
	// Err says why it could not be listed. Nil: it is a root without any entry,
	// as an unmounted drive leaves behind.
	Err error
	// Root says that the folder is one of the roots.
	Root bool
}

// A Result is what a walk found, both lists ordered by path.
type Result struct {
	Files []File
	Blind []Folder
}

// Hides reports whether path lies in a folder that could not be listed, and in which.
func (r *Result) Hides(path string) (Folder, bool) {
	for _, f := range r.Blind {
		if roots.Below(path, f.Path) {
			return f, true
		}
	}
	return Folder{}, false
}

// Options say what to look for.
type Options struct {
	Roots *roots.Set
	// Match says whether a file of this name is a document.
	Match func(name string) bool
	// Scope restricts the walk to a file or folder. Empty: all roots.
	Scope string
}

// Walk looks through the roots.
func Walk(ctx context.Context, o Options) (*Result, error) {
	w := &walker{o: o, seen: make(map[string]bool)}
	for _, root := range o.Roots.Paths() {
		if o.Scope != "" && !related(root, o.Scope) {
			continue
		}
		if err := w.folder(ctx, root, true); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(w.res.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(w.res.Blind, func(a, b Folder) int { return strings.Compare(a.Path, b.Path) })
	w.res.Blind = slices.CompactFunc(w.res.Blind, func(a, b Folder) bool { return a.Path == b.Path })
	return &w.res, nil
}

// related reports whether one path lies below the other.
func related(a, b string) bool { return roots.Below(a, b) || roots.Below(b, a) }

// Skipped reports whether a folder of this name is never entered.
func Skipped(name string) bool {
	switch name {
	case "node_modules", "__pycache__", "venv":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// Hidden reports whether a file of this name is never a document: hidden
// files and the lock files that office programs leave beside open ones.
func Hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$")
}

type walker struct {
	o    Options
	res  Result
	seen map[string]bool // real paths of files and folders
}

func (w *walker) folder(ctx context.Context, dir string, root bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.seen[dir] {
		return nil
	}
	w.seen[dir] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.res.Blind = append(w.res.Blind, Folder{Path: dir, Err: err, Root: root})
		return nil
	}
	if root && len(entries) == 0 {
		w.res.Blind = append(w.res.Blind, Folder{Path: dir, Root: true})
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if w.o.Scope != "" && !related(path, w.o.Scope) {
			continue
		}
		switch {
		case e.IsDir():
			if !Skipped(e.Name()) {
				if err := w.folder(ctx, path, false); err != nil {
					return err
				}
			}
		case Hidden(e.Name()) || !w.o.Match(e.Name()):
		case e.Type()&fs.ModeSymlink != 0:
			w.link(path)
		default:
			w.file(path)
		}
	}
	return nil
}

// link takes the file that a link names, if it is one inside the roots.
func (w *walker) link(path string) {
	target, err := w.o.Roots.Resolve(path)
	if err == nil && w.o.Match(filepath.Base(target)) {
		w.file(target)
	}
}

func (w *walker) file(path string) {
	if w.seen[path] {
		return
	}
	info, err := os.Lstat(path)
	if err != nil {
		// A file that vanished since its folder was listed is not there; any
		// other fault shows when the file is read.
		if !errors.Is(err, fs.ErrNotExist) {
			w.seen[path] = true
			w.res.Files = append(w.res.Files, File{Path: path})
		}
		return
	}
	if info.Mode().IsRegular() {
		w.seen[path] = true
		w.res.Files = append(w.res.Files, File{Path: path, Size: info.Size(), ModTime: info.ModTime()})
	}
}
