//go:build lite

package pdf

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/ledongthuc/pdf"
)

const (
	// maxTreeDepth and maxTreeNodes bound the page tree, which may run in circles.
	maxTreeDepth = 60
	maxTreeNodes = 300_000
)

// A leaf is a page with what it has from its parents.
type leaf struct {
	page, resources pdf.Value
	rotate          int
}

// A rebuilt is the objects of a file, the last of each number.
type rebuilt struct {
	objects    map[int]object
	order      []int // numbers as they were met
	root, info string
	encrypt    []byte
	id         []byte
	trees      []int // objects that are a catalog
	leaves     []int // objects that are a page
}

// open reads the objects of a document and returns the number of its pages.
//
// The library wants a file without a fault. So the objects are looked for in
// the file, whatever its table of them says, and those in object streams are
// taken out; of all that a new file is written, which the library reads.
func (in *instance) open(data []byte) (n int, err error) {
	defer func() {
		if err == errPage {
			err = explainFormat(data)
		}
	}()
	defer in.catch(&err)
	in.spend(2 * len(data))
	f := &rebuilt{objects: map[int]object{}}
	scan(data, func(o object) { in.step(); f.add(o) }, func(entries []entry) {
		in.alive() // reading one may take all of the file
		f.trailer(entries)
	})
	if len(f.objects) == 0 {
		return 0, explainFormat(data)
	}
	if f.encrypt != nil {
		if err := in.decrypt(f); err != nil {
			return 0, err
		}
	}
	in.expand(f)
	if in.reader, err = in.load(f, nil); err != nil {
		return 0, explainFormat(data)
	}
	trailer := in.reader.Trailer()
	in.info = trailer.Key("Info")
	tree := trailer.Key("Root").Key("Pages")
	nodes := 0
	in.walk(tree, leaf{}, 0, &nodes)
	if len(in.pages) == 0 && nodes <= maxTreeNodes && tree.Key("Kids").Len() == 0 {
		if in.reader, err = in.load(f, f.leaves); err != nil {
			return 0, explainFormat(data)
		}
		loose := in.reader.Trailer().Key("Loose")
		for i := range loose.Len() {
			in.walk(loose.Index(i), leaf{}, 0, &nodes)
		}
	}
	if len(in.pages) == 0 && nodes > 0 && bytes.Contains(data[max(0, len(data)-tailWindow):], []byte("%%EOF")) {
		return 0, damaged("none of its pages can be read", "open it in a viewer and save it anew")
	}
	if in.pages == nil {
		return 0, explainFormat(data)
	}
	return max(len(in.pages), int(min(tree.Key("Count").Int64(), maxTreeNodes*10))), nil
}

func (f *rebuilt) add(o object) {
	if _, ok := f.objects[o.id]; !ok {
		f.order = append(f.order, o.id)
	}
	f.objects[o.id] = o
	if !bytes.HasPrefix(o.body, []byte("<<")) || !bytes.Contains(o.body, []byte("/Type")) {
		return
	}
	entries := entriesOf(o.body)
	switch string(valueOf(entries, "Type")) {
	case "/XRef":
		f.trailer(entries)
	case "/Catalog":
		f.trees = append(f.trees, o.id)
	case "/Page":
		f.leaves = append(f.leaves, o.id)
	}
}

func (f *rebuilt) trailer(entries []entry) {
	if v := valueOf(entries, "Root"); reference(v) > 0 {
		f.root = string(v)
	}
	if v := valueOf(entries, "Info"); reference(v) > 0 {
		f.info = string(v)
	}
	if v := valueOf(entries, "Encrypt"); v != nil && string(v) != "null" {
		f.encrypt = v
	}
	if v := valueOf(entries, "ID"); v != nil {
		f.id = v
	}
}

// expand adds the objects in object streams (ISO 32000-1, 7.5.7).
func (in *instance) expand(f *rebuilt) {
	var packed []int
	for _, id := range f.order {
		if o := f.objects[id]; o.stream != nil && bytes.Contains(o.body, []byte("ObjStm")) {
			packed = append(packed, id)
		}
	}
	if len(packed) == 0 {
		return
	}
	r, err := in.load(f, packed)
	if err != nil {
		return
	}
	loose := r.Trailer().Key("Loose")
	for i := range loose.Len() {
		var ignored error
		func() {
			defer in.catch(&ignored)
			s, place := loose.Index(i), f.objects[packed[i]].place
			data := in.unpack(s)
			count, first := int(s.Key("N").Int64()), int(s.Key("First").Int64())
			if first <= 0 || first > len(data) {
				return
			}
			head := bytes.Fields(data[:first])
			for k := 0; k+1 < len(head) && k < 2*count; k += 2 {
				in.step()
				id, err1 := strconv.Atoi(string(head[k]))
				at, err2 := strconv.Atoi(string(head[k+1]))
				if err1 != nil || err2 != nil || id <= 0 || id >= maxID || at < 0 || first+at >= len(data) {
					continue
				}
				if o, ok := f.objects[id]; ok && o.place > place {
					continue // a later version
				}
				begin := skipWhite(data, first+at)
				if begin >= len(data) {
					continue
				}
				f.add(object{id: id, place: place, body: data[begin:skipValue(data, begin)]})
			}
		}()
		if ignored != nil && ignored != errPage {
			panic(ignored)
		}
	}
}

// load writes the objects as a file and opens it. The trailer has references
// to the loose ones.
func (in *instance) load(f *rebuilt, loose []int) (*pdf.Reader, error) {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	top := 0
	for _, id := range f.order {
		top = max(top, id)
	}
	places := make([]int, top+1)
	in.spend(8 * len(places))
	for _, id := range f.order {
		in.step()
		o := f.objects[id]
		if o.stream != nil && bytes.Contains(o.body, []byte("/Image")) && !bytes.Contains(o.body, []byte("/Form")) {
			continue // nothing to read
		}
		places[id] = out.Len()
		fmt.Fprintf(&out, "%d %d obj\n", id, o.gen)
		if o.stream == nil {
			out.Write(o.body)
		} else {
			out.WriteString("<<")
			for _, e := range entriesOf(o.body) {
				switch e.key {
				case "Length":
					continue
				case "Filter":
					e.key = filterKey
				}
				fmt.Fprintf(&out, "/%s ", e.key)
				out.Write(e.value)
				out.WriteByte('\n')
			}
			fmt.Fprintf(&out, "/Length %d>>\nstream\n", len(o.stream))
			out.Write(o.stream)
			out.WriteString("\nendstream")
		}
		out.WriteString("\nendobj\n")
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n", len(places))
	for id, at := range places {
		in.step()
		if at == 0 {
			out.WriteString("0000000000 65535 f \n")
		} else {
			fmt.Fprintf(&out, "%010d %05d n \n", at, f.objects[id].gen)
		}
	}
	root := f.root
	if n, ok := f.objects[number(root)]; (!ok || !bytes.Contains(n.body, []byte("/Pages"))) && len(f.trees) > 0 {
		root = fmt.Sprintf("%d %d R", f.trees[len(f.trees)-1], f.objects[f.trees[len(f.trees)-1]].gen)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d", len(places))
	if root != "" {
		out.WriteString("/Root " + root)
	}
	if f.info != "" {
		out.WriteString("/Info " + f.info)
	}
	if len(loose) > 0 {
		out.WriteString("/Loose[")
		for _, id := range loose {
			fmt.Fprintf(&out, "%d %d R ", id, f.objects[id].gen)
		}
		out.WriteString("]")
	}
	fmt.Fprintf(&out, ">>\nstartxref\n%d\n%%%%EOF\n", start)
	in.spend(out.Len())
	return pdf.NewReader(&guarded{ctx: in.ctx, data: out.Bytes()}, int64(out.Len()))
}

// number returns the number of a reference.
func number(ref string) int {
	id, _, _ := strings.Cut(strings.TrimSpace(ref), " ")
	n, _ := strconv.Atoi(id)
	return n
}

// walk collects the pages below a node of the page tree.
func (in *instance) walk(node pdf.Value, from leaf, depth int, nodes *int) {
	in.step()
	if *nodes++; depth > maxTreeDepth || *nodes > maxTreeNodes || node.Kind() != pdf.Dict {
		return
	}
	from.page = node
	if r := node.Key("Resources"); r.Kind() == pdf.Dict {
		from.resources = r
	}
	if r := node.Key("Rotate"); r.Kind() == pdf.Integer {
		from.rotate = int(r.Int64() % 360)
	}
	kids := node.Key("Kids")
	if kids.Kind() != pdf.Array {
		in.pages = append(in.pages, from)
		return
	}
	for i := range kids.Len() {
		var lost error
		func() {
			defer in.catch(&lost)
			in.walk(kids.Index(i), from, depth+1, nodes)
		}()
		if lost != nil && lost != errPage {
			panic(lost)
		}
	}
}

// meta returns an entry of the information dictionary.
func (in *instance) meta(tag string) (text string) {
	var lost error
	defer in.catch(&lost)
	v := in.info.Key(tag)
	return strings.ToValidUTF8(v.Text(), "\ufffd")
}

// outline returns the levels of the titles in a document's outline by folded title.
func (in *instance) outline() map[string]int {
	levels := map[string]int{}
	var lost error
	defer in.catch(&lost)
	items := 0
	var walk func(item pdf.Value, depth int)
	walk = func(item pdf.Value, depth int) {
		for item.Kind() == pdf.Dict && items < outlineItems {
			items++
			in.step()
			title := foldTitle(plain(strings.ToValidUTF8(item.Key("Title").Text(), "\ufffd")))
			if title != "" && levels[title] == 0 {
				levels[title] = min(depth, markdownLevels)
			}
			if depth < outlineDepth {
				walk(item.Key("First"), depth+1)
			}
			item = item.Key("Next")
		}
	}
	walk(in.reader.Trailer().Key("Root").Key("Outlines").Key("First"), 1)
	return levels
}
