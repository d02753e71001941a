package xmlread

import "strings"

// A Node is an element with what is in it, or a text. Methods that only read take a nil Node for an empty one.
type Node struct {
	// Name is the local name behind the prefix of its namespace; empty for text.
	Name     string
	Text     string
	Attrs    []Attr
	Children []*Node
}

// An Attr is an attribute; Name is like that of a [Node].
type Attr struct{ Name, Value string }

// Attr returns the attribute called name, or "".
func (n *Node) Attr(name string) string {
	if n == nil {
		return ""
	}
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			return n.Attrs[i].Value
		}
	}
	return ""
}

// HasAttr reports whether n has the attribute.
func (n *Node) HasAttr(name string) bool {
	if n == nil {
		return false
	}
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			return true
		}
	}
	return false
}

// Child returns the first child element called name, or nil.
func (n *Node) Child(name string) *Node {
	if n == nil {
		return nil
	}
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Val returns the "val" attribute, in n's namespace, of the child called name, or "".
func (n *Node) Val(name string) string {
	return n.Child(name).Attr(name[:strings.IndexByte(name, ':')+1] + "val")
}

// Flag returns the value of an on/off property of Office Open XML: a child that is present without a value means on.
func (n *Node) Flag(name string) bool {
	if n.Child(name) == nil {
		return false
	}
	switch n.Val(name) {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// String returns all text in n.
func (n *Node) String() string {
	if n == nil {
		return ""
	}
	if n.Name == "" && len(n.Children) == 0 {
		return n.Text
	}
	var b strings.Builder
	n.text(&b)
	return b.String()
}

func (n *Node) text(b *strings.Builder) {
	b.WriteString(n.Text)
	for _, c := range n.Children {
		c.text(b)
	}
}

// Find calls f for each element called name below n, in document order, not
// looking into those it finds.
func (n *Node) Find(name string, f func(*Node)) {
	if n == nil {
		return
	}
	for _, c := range n.Children {
		if c.Name == name {
			f(c)
		} else {
			c.Find(name, f)
		}
	}
}
