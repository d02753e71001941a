package epub

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/minirag/minirag/internal/xmlread"
	"github.com/minirag/minirag/internal/zipfile"
)

// prefix keeps the Dublin Core apart from the elements of the package.
func prefix(namespace string) string {
	if strings.HasPrefix(namespace, "http://purl.org/dc/elements/") || strings.HasPrefix(namespace, "http://purl.org/dc/terms/") {
		return "dc:"
	}
	return ""
}

func (b *book) tree(name string) (*xmlread.Node, error) {
	data, err := b.z.Read(name)
	if err != nil {
		return nil, err
	}
	root, err := xmlread.Tree(data, xmlread.Options{Depth: b.limits.Depth, Nodes: maxNodes, Prefix: prefix})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return root, nil
}

// open finds the package document and reads what the book is and in which order it is read.
func (b *book) open() error {
	if err := b.encryption(); err != nil {
		return err
	}
	name, err := b.packageName()
	if err != nil {
		return err
	}
	root, err := b.tree(name)
	if err != nil {
		return err
	}
	b.metadata(root)
	b.order(root, path.Dir(name))
	return nil
}

// packageName finds the package document: the container names it, else the
// archive has only one.
func (b *book) packageName() (string, error) {
	const container = "META-INF/container.xml"
	if b.z.Has(container) {
		root, err := b.tree(container)
		if err != nil {
			return "", err
		}
		found := ""
		root.Find("rootfile", func(n *xmlread.Node) {
			media, p := n.Attr("media-type"), n.Attr("full-path")
			if found == "" && p != "" && (media == "" || media == "application/oebps-package+xml") {
				found = p
			}
		})
		if b.z.Has(found) && !zipfile.Outside(found) {
			return found, nil
		}
	}
	for _, name := range b.z.Names() {
		if strings.EqualFold(path.Ext(name), ".opf") {
			return name, nil
		}
	}
	return "", fmt.Errorf("%w: a package document (.opf)", zipfile.ErrMissing)
}

// What obfuscates fonts only: the text can be read all the same (EPUB 3.3,
// section 4.4, and Adobe's older method).
var fontMethods = []string{"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}

// encryption lists the members that are encrypted.
func (b *book) encryption() error {
	const name = "META-INF/encryption.xml"
	if !b.z.Has(name) {
		return nil
	}
	root, err := b.tree(name)
	if err != nil {
		return err
	}
	b.sealed = map[string]bool{}
	root.Find("EncryptedData", func(n *xmlread.Node) {
		if slices.Contains(fontMethods, n.Child("EncryptionMethod").Attr("Algorithm")) {
			return
		}
		n.Find("CipherReference", func(ref *xmlread.Node) {
			if found, ok := b.resolve("", ref.Attr("URI")); ok {
				b.sealed[found] = true
			}
		})
	})
	return nil
}

// resolve returns the member that href means, seen from dir.
func (b *book) resolve(dir, href string) (string, bool) {
	href, _, _ = strings.Cut(href, "#")
	if href = strings.TrimSpace(href); href == "" {
		return "", false
	}
	inDir := func(s string) string {
		if strings.HasPrefix(s, "/") {
			return s
		}
		return path.Join(dir, strings.ReplaceAll(s, `\`, "/"))
	}
	candidates := []string{inDir(href)}
	if s, err := url.PathUnescape(href); err == nil && s != href {
		candidates = append([]string{inDir(s)}, candidates...)
	}
	for _, c := range candidates {
		if zipfile.Outside(c) {
			continue
		}
		if found, ok := b.z.Find(c); ok {
			return found, true
		}
	}
	return "", false
}

// order reads manifest and spine.
func (b *book) order(root *xmlread.Node, dir string) {
	type entry struct{ href, media, properties, fallback string }
	manifest := map[string]entry{}
	var ids []string
	root.Child("manifest").Find("item", func(n *xmlread.Node) {
		id := n.Attr("id")
		if _, dup := manifest[id]; dup {
			return
		}
		ids = append(ids, id)
		manifest[id] = entry{n.Attr("href"), strings.ToLower(strings.TrimSpace(n.Attr("media-type"))), n.Attr("properties"), n.Attr("fallback")}
	})
	seen := map[string]bool{}
	add := func(id string, spine bool) {
		e, ok := manifest[id]
		for hops := 0; ok && !readable(e.media, e.href) && e.fallback != "" && hops < 10; hops++ {
			e, ok = manifest[e.fallback]
		}
		if !ok {
			if spine {
				b.warn("the book's reading order names an unknown part %q", id)
			}
			return
		}
		if !readable(e.media, e.href) {
			return // a picture or sound in the reading order
		}
		name, found := b.resolve(dir, e.href)
		if !found {
			b.warn("a part of the book is missing: %s", e.href)
			return
		}
		if !seen[name] {
			seen[name] = true
			b.spine = append(b.spine, item{name: name, media: e.media, nav: slices.Contains(strings.Fields(e.properties), "nav")})
		}
	}
	root.Child("spine").Find("itemref", func(n *xmlread.Node) { add(n.Attr("idref"), true) })
	if len(b.spine) > 0 {
		return
	}
	for _, id := range ids {
		add(id, false)
	}
}

// readable reports whether a part is a document of text.
func readable(media, href string) bool {
	switch media {
	case "application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml", "application/xml", "text/xml", "text/plain":
		return true
	case "":
		href, _, _ = strings.Cut(href, "#")
		return slices.Contains([]string{".xhtml", ".html", ".htm", ".xml"}, strings.ToLower(path.Ext(href)))
	}
	return false
}
