// Package roots keeps file access inside a set of folders.
//
// A path is judged after its symbolic links are followed, so that neither a
// link nor ".." leads out. Package roots imports the standard library only;
// a [Set] is immutable and safe for concurrent use.
package roots

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Sentinel errors of [Set.Resolve].
var (
	ErrOutside     = errors.New("path is outside the document roots")
	ErrNotAbsolute = errors.New("path is not absolute")
)

// A Set is an ordered set of folders.
type Set struct {
	roots []string
}

// New returns the set of the given folders. Each is made absolute and its
// links are followed as far as it exists; a folder need not exist.
func New(folders []string) (*Set, error) {
	s := new(Set)
	for _, f := range folders {
		if strings.ContainsRune(f, 0) {
			return nil, fmt.Errorf("root %q: path holds a NUL character", f)
		}
		abs, err := filepath.Abs(f)
		if err != nil {
			return nil, fmt.Errorf("root %s: %w", f, err)
		}
		resolved, err := follow(abs)
		if err != nil {
			return nil, fmt.Errorf("root %s: %w", f, err)
		}
		s.roots = append(s.roots, resolved)
	}
	return s, nil
}

// Paths returns the folders in their order.
func (s *Set) Paths() []string { return s.roots }

// Contains reports whether a resolved path is a root or lies below one.
func (s *Set) Contains(path string) bool {
	_, ok := s.Of(path)
	return ok
}

// Of returns the longest root that holds a resolved path.
func (s *Set) Of(path string) (string, bool) {
	best, found := "", false
	for _, r := range s.roots {
		if Below(path, r) && (!found || len(r) > len(best)) {
			best, found = r, true
		}
	}
	return best, found
}

// Resolve follows the links of an absolute path and checks that what it names
// lies in a root. The path need not exist: it is judged by where it would be.
func (s *Set) Resolve(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("%q: path holds a NUL character: %w", path, ErrOutside)
	}
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%s: %w; give an absolute path, such as the source of a result", path, ErrNotAbsolute)
	}
	resolved, err := follow(filepath.Clean(path))
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if !s.Contains(resolved) {
		return "", fmt.Errorf("%s: %w (%s)", path, ErrOutside, strings.Join(s.roots, ", "))
	}
	return resolved, nil
}

// Display returns source without the longest root above it, with forward
// slashes, or source itself if no root holds it.
func (s *Set) Display(source string) string {
	root, ok := s.Of(source)
	if !ok || source == root {
		return source
	}
	return filepath.ToSlash(strings.TrimLeft(source[len(root):], string(filepath.Separator)))
}

// Below reports whether path equals folder or lies below it, by component.
func Below(path, folder string) bool {
	if path == folder {
		return true
	}
	if !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	return strings.HasPrefix(path, folder)
}

// follow resolves the links of the part of path that exists.
func follow(path string) (string, error) {
	rest := ""
	for p := path; ; {
		resolved, err := filepath.EvalSymlinks(p)
		if err == nil {
			return filepath.Join(resolved, rest), nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			// A dangling link is judged by where it leads.
			if target, lerr := os.Readlink(p); lerr == nil {
				if !filepath.IsAbs(target) {
					target = filepath.Join(filepath.Dir(p), target)
				}
				resolved, ferr := follow(filepath.Clean(target))
				if ferr != nil {
					return "", ferr
				}
				return filepath.Join(resolved, rest), nil
			}
		} else if !errors.Is(err, fs.ErrPermission) && !IsNotDir(err) {
			return "", err
		}
		parent := filepath.Dir(p)
		if parent == p {
			return path, nil
		}
		rest = filepath.Join(filepath.Base(p), rest)
		p = parent
	}
}
