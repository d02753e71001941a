package xmlread_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/minirag/minirag/internal/xmlread"
)

var options = xmlread.Options{Depth: 50, Nodes: 1000, Text: 8192, Prefix: func(space string) string { return strings.TrimPrefix(space, "urn:") + ":" }}

func TestTree(t *testing.T) {
	root, err := xmlread.Tree([]byte(`<?xml version="1.0" encoding="windows-1251"?><!DOCTYPE a [<!ENTITY x "y">]><a xmlns="urn:p" xmlns:q="urn:q" q:k="v" k="w"><q:b>`+"\xc4\xe0"+` &amp; &nbsp;<c> </c></q:b><!-- no --><b/></a>`), options)
	if err != nil {
		t.Fatal(err)
	}
	if root.Name != "p:a" || root.Attr("q:k") != "v" || root.Attr("k") != "w" || root.Attr("xmlns") != "" {
		t.Errorf("root %q with %v", root.Name, root.Attrs)
	}
	if got := root.Child("q:b").String(); got != "Да & \u00a0 " {
		t.Errorf("text %q", got)
	}
	found := 0
	root.Find("p:c", func(*xmlread.Node) { found++ })
	if found != 1 || root.Child("p:b") == nil || root.Child("none").String() != "" || root.Child("none").Attr("x") != "" {
		t.Errorf("found %d", found)
	}
}

func TestStream(t *testing.T) {
	r := xmlread.New(strings.NewReader("\xff\xfe"+wide(`<a>x<b><c/>1</b><d/></a>`)), xmlread.Options{Depth: 9, Nodes: 9})
	var names []string
	for {
		n, err := r.Next()
		if errors.Is(err, io.EOF) {
			names = append(names, "end")
			if len(names) == 5 {
				break
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, n.Name)
		if n.Name == "b" {
			if err := r.Fill(n); err != nil || n.String() != "1" {
				t.Errorf("b = %q, %v", n.String(), err)
			}
		}
	}
	if got := strings.Join(names, " "); got != "a b d end end" {
		t.Errorf("got %q", got)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("behind the end: %v", err)
	}
}

func wide(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		b.WriteByte(0)
	}
	return b.String()
}

func TestErrors(t *testing.T) {
	var limit *xmlread.LimitError
	for _, s := range []string{strings.Repeat("<a>", 60), "<a>" + strings.Repeat("<b/>", 2000) + "</a>", "<a>" + strings.Repeat(" ", 9000) + "</a>",
		"<a>" + strings.Repeat(strings.Repeat(" ", 3000)+"<b/>", 3) + "</a>"} {
		if _, err := xmlread.Tree([]byte(s), options); !errors.As(err, &limit) {
			t.Errorf("%.20s: %v", s, err)
		}
	}
	for _, s := range []string{"", "text", "<a>", "<a></b>", `<!DOCTYPE a [<!ENTITY x "` + strings.Repeat("y", 99) + `">]><a>&x;</a>`, "<a>\xff</a>"} {
		if _, err := xmlread.Tree([]byte(s), options); !errors.Is(err, xmlread.ErrDamaged) {
			t.Errorf("%.20q: %v", s, err)
		}
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte(`<a b="c">d<e/>&amp;</a>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := xmlread.Tree(data, options)
		var limit *xmlread.LimitError
		switch {
		case err != nil:
			if !errors.Is(err, xmlread.ErrDamaged) && !errors.As(err, &limit) {
				t.Errorf("unexpected kind of error: %v", err)
			}
		case len(root.String()) > 4*len(data)+16:
			t.Errorf("%d bytes became %d", len(data), len(root.String()))
		}
	})
}
