// Command gendocx writes the Word documents of examples/library, and the
// template of examples/docxletter. Run it in the folder examples:
//
//	go run ./internal/gendocx
package main

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	for path, doc := range map[string]document{
		"library/policies/information-security.docx": security(),
		"library/policies/Командировки.docx":         trips(),
		"docxletter/letter.docx":                     letter(),
	} {
		data, err := doc.encode()
		if err == nil {
			err = os.WriteFile(filepath.FromSlash(path), data, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "gendocx:", err)
			os.Exit(1)
		}
	}
}

// A document is a title and paragraphs. A paragraph that begins with "# " is
// a heading, one that begins with "- " an item of a list, and one with a "|"
// a row of a table.
type document struct {
	title, author string
	paragraphs    []string
}

const (
	contentTypes = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>` +
		`<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>` +
		`<Override PartName="/word/numbering.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"/>` +
		`<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`
	packageRels = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>` +
		`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`
	documentRels = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>` +
		`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering" Target="numbering.xml"/></Relationships>`
	styles = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/><w:rPr><w:b/><w:sz w:val="40"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="28"/></w:rPr></w:style></w:styles>`
	numbering = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` +
		`<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl></w:abstractNum>` +
		`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
)

func (d document) encode() ([]byte, error) {
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, part := range []struct{ name, content string }{
		{"[Content_Types].xml", contentTypes},
		{"_rels/.rels", packageRels},
		{"word/document.xml", d.body()},
		{"word/_rels/document.xml.rels", documentRels},
		{"word/styles.xml", styles},
		{"word/numbering.xml", numbering},
		{"docProps/core.xml", d.core()},
	} {
		w, err := zw.Create(part.name)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(part.content)); err != nil {
			return nil, err
		}
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (d document) core() string {
	return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
		`<dc:title>` + escape(d.title) + `</dc:title><dc:creator>` + escape(d.author) + `</dc:creator></cp:coreProperties>`
}

func (d document) body() string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`)
	b.WriteString(paragraph(`<w:pStyle w:val="Title"/>`, d.title))
	inTable := false
	for _, p := range d.paragraphs {
		cells := strings.Split(p, "|")
		if isRow := len(cells) > 1; isRow != inTable {
			inTable = isRow
			b.WriteString(map[bool]string{true: `<w:tbl>`, false: `</w:tbl>`}[inTable])
		}
		switch {
		case inTable:
			b.WriteString(`<w:tr>`)
			for _, c := range cells {
				b.WriteString(`<w:tc>` + paragraph("", strings.TrimSpace(c)) + `</w:tc>`)
			}
			b.WriteString(`</w:tr>`)
		case strings.HasPrefix(p, "# "):
			b.WriteString(paragraph(`<w:pStyle w:val="Heading1"/>`, p[2:]))
		case strings.HasPrefix(p, "- "):
			b.WriteString(paragraph(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`, p[2:]))
		default:
			b.WriteString(paragraph("", p))
		}
	}
	if inTable {
		b.WriteString(`</w:tbl>`)
	}
	b.WriteString(`</w:body></w:document>`)
	return b.String()
}

func paragraph(properties, text string) string {
	if properties != "" {
		properties = `<w:pPr>` + properties + `</w:pPr>`
	}
	return `<w:p>` + properties + `<w:r><w:t xml:space="preserve">` + escape(text) + `</w:t></w:r></w:p>`
}

func escape(s string) string {
	var b strings.Builder
	// A strings.Builder does not fail.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
