// Package ooxml opens Office Open XML packages (ECMA-376): the zip container,
// its relationships and the XML of its parts, in the transitional and the strict dialect.
//
// Nothing in a package is believed: members, expanded size, depth and number
// of elements are bounded, names cannot lead out of the package, document type
// declarations (entity bombs, external entities) are refused. It imports internal/limit, internal/xmlread and
// internal/zipfile. A Package is for one goroutine.
package ooxml

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/minirag/minirag/internal/limit"
	"github.com/minirag/minirag/internal/zipfile"
)

var (
	// ErrDamaged says that the bytes are not a sound package.
	ErrDamaged = errors.New("not a valid Office Open XML package")
	// ErrEncrypted says that the package is wrapped in a password-protected container.
	ErrEncrypted = errors.New("protected by a password")
	// ErrMissing says that a part is not in the package.
	ErrMissing = errors.New("missing part")
)

// A LimitError says which limit was met.
type LimitError = limit.Error

// Limits bound one package. All fields must be positive.
type Limits struct {
	Entries  int   // members of the archive
	Expanded int64 // bytes of all parts that are read, in sum
	Depth    int   // nesting of XML elements
	Nodes    int   // elements and texts of one tree
}

// A Package is an open package.
type Package struct {
	limits Limits
	z      *zipfile.Archive
	rels   map[string]map[string]Relationship
}

// Open reads the directory of the package in data.
func Open(data []byte, limits Limits) (*Package, error) {
	switch {
	case len(data) == 0:
		return nil, fmt.Errorf("%w: the file is empty", ErrDamaged)
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		// A compound file: an encrypted package has a stream of this name, in UTF-16.
		if bytes.Contains(data, wide("EncryptedPackage")) {
			return nil, ErrEncrypted
		}
		return nil, fmt.Errorf("%w: it is an old binary Office document; save it in the new format", ErrDamaged)
	}
	z, err := zipfile.Open(data, limits.Entries, limits.Expanded)
	if err != nil {
		return nil, own(err)
	}
	return &Package{limits: limits, z: z, rels: map[string]map[string]Relationship{}}, nil
}

// own turns an error of the archive into one of this package.
func own(err error) error {
	switch {
	case errors.Is(err, zipfile.ErrMissing):
		return fmt.Errorf("%w: %v", ErrMissing, err)
	case errors.Is(err, zipfile.ErrEncrypted):
		return fmt.Errorf("%w: %v", ErrEncrypted, err)
	case errors.Is(err, zipfile.ErrDamaged):
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return err
}

func wide(s string) []byte {
	b := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		b = append(b, s[i], 0)
	}
	return b
}

// partKey is the name under which a part is found: names are compared without
// case, and ".." cannot leave the package since the name is only a key.
func partKey(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+name), "/"))
}

// Has reports whether the package has the part.
func (p *Package) Has(name string) bool { return p.z.Has(name) }

// Part returns the bytes of a part.
func (p *Package) Part(name string) ([]byte, error) {
	data, err := p.z.Read(name)
	return data, own(err)
}

// A Relationship leads from one part to another or to an address outside.
type Relationship struct {
	// Type is the last element of the type's address, such as "hyperlink",
	// which is the same in both dialects.
	Type string
	// Target is a part name, or for an External one the address.
	Target   string
	External bool
}

// Rels returns the relationships of a part by their id; "" stands for the
// package itself. A part without any has an empty map.
func (p *Package) Rels(part string) (map[string]Relationship, error) {
	part = partKey(part)
	if r, ok := p.rels[part]; ok {
		return r, nil
	}
	dir, file := path.Split(part)
	rels := map[string]Relationship{}
	name := dir + "_rels/" + file + ".rels"
	if p.Has(name) {
		root, err := p.Tree(name)
		if err != nil {
			return nil, err
		}
		for _, n := range root.Children {
			target := n.Attr("Target")
			r := Relationship{
				Type:     n.Attr("Type")[strings.LastIndexByte(n.Attr("Type"), '/')+1:],
				Target:   target,
				External: n.Attr("TargetMode") == "External",
			}
			if !r.External {
				target, _, _ = strings.Cut(target, "#")
				if !strings.HasPrefix(target, "/") {
					target = dir + target
				}
				r.Target = partKey(target)
			}
			rels[n.Attr("Id")] = r
		}
	}
	p.rels[part] = rels
	return rels, nil
}

// First returns the target of the first relationship of part that has the
// given type, in the order of the ids, or "".
func (p *Package) First(part, typ string) (string, error) {
	rels, err := p.Rels(part)
	if err != nil {
		return "", err
	}
	best := ""
	for id, r := range rels {
		if r.Type == typ && !r.External && (best == "" || id < best) {
			best = id
		}
	}
	return rels[best].Target, nil
}
