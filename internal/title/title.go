// Package title finds the title of a document: what the format declares, the
// first heading, or the file's name. It is pure, imports nothing but the
// standard library and Unicode normalisation, and its functions are safe for
// concurrent use.
package title

import (
	"iter"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ForFile gives the title of a file: the one that the converter found, else
// the first heading of level 1 if it says something, else the name if that
// says something, else that heading all the same, else the name. markdown is
// the converted text, name a path or file name; either may be empty, and an
// image's title is the one without markdown.
//
// real says whether the title may be put into the text that is embedded. A
// title without any letter or digit may not, nor a name without a telling
// word, such as "p00007" or "Scan 12": it would only blur the vector. The
// keyword index has the title in any case.
func ForFile(converterTitle, markdown, name string) (title string, real bool) {
	stem := Stem(name)
	if title = oneLine(converterTitle); title != "" {
		return title, hasAlnum(title)
	}
	heading := firstHeading(markdown)
	switch {
	case usable(heading):
		title = plain(heading)
	case informative(stem):
		return stem, telling(stem)
	case hasAlnum(plain(heading)):
		title = plain(heading)
	default:
		return stem, telling(stem)
	}
	return title, hasAlnum(title)
}

// ForData gives the title of a text that came without a file: the given one,
// else the converter's, else the first heading of level 1. If there is none it
// is empty and not real; what is shown instead is the caller's choice.
func ForData(given, converterTitle, markdown string) (title string, real bool) {
	for _, t := range []string{oneLine(given), oneLine(converterTitle), plain(firstHeading(markdown))} {
		if hasAlnum(t) {
			return t, true
		}
	}
	return "", false
}

// ForURL gives the title of a page that was fetched, by the rule of [ForData].
func ForURL(given, converterTitle, markdown string) (title string, real bool) {
	return ForData(given, converterTitle, markdown)
}

// extensions are the suffixes that a stem does not end with: those of the
// documents and pictures that are ingested.
var extensions = map[string]bool{
	".md": true, ".markdown": true, ".txt": true, ".pdf": true, ".docx": true, ".pptx": true, ".xlsx": true,
	".html": true, ".htm": true, ".xhtml": true, ".csv": true, ".tsv": true, ".epub": true, ".ipynb": true, ".vtt": true, ".srt": true,
	".odt": true, ".ods": true, ".odp": true, ".rtf": true, ".eml": true, ".rst": true, ".org": true, ".adoc": true, ".asciidoc": true,
	".doc": true, ".xls": true, ".ppt": true, ".docm": true, ".xlsm": true, ".pptm": true, ".json": true, ".jsonl": true, ".xml": true, ".log": true,
	".png": true, ".jpg": true, ".jpeg": true, ".tiff": true, ".tif": true, ".bmp": true, ".webp": true,
}

// Stem gives the name of a file as a title: without its extension, nor a known
// one left over ("report.pdf.pdf"), underscores as spaces, in NFC, since some
// systems hand out decomposed names.
func Stem(name string) string {
	if name == "" {
		return ""
	}
	base := filepath.Base(name)
	stem := base
	// ".txt" is a name, and "Invoice 12.08.2026" or "v1.2 notes" have no extension.
	if ext := filepath.Ext(base); len(ext) < len(base) && strings.ContainsFunc(ext, unicode.IsLetter) && !strings.Contains(ext, " ") {
		stem = strings.TrimSuffix(base, ext)
	}
	if ext := filepath.Ext(stem); extensions[strings.ToLower(ext)] && len(ext) < len(stem) {
		stem = stem[:len(stem)-len(ext)]
	}
	return oneLine(strings.ReplaceAll(stem, "_", " "))
}

// generic are the words of names that say nothing about the content.
var generic = wordSet(`untitled document documents doc docs docx index readme new copy of scan image img file
	dsc screenshot report снимок документ документа документов копия копии безымянный`)

// minStem is the length in characters, separators aside, from which a name can
// say something.
const minStem = 4

// informative reports whether a stem has a word that is not generic.
func informative(stem string) bool {
	n := 0
	for _, r := range stem {
		if !strings.ContainsRune(" _-.", r) {
			n++
		}
	}
	if n < minStem {
		return false
	}
	for word := range words(stem) {
		if !generic[word] {
			return true
		}
	}
	return false
}

// wordLetters is the length from which a run of letters is taken for a word
// and not for a part of a number.
const wordLetters = 3

// telling reports whether a stem has a word that a sentence could have: one
// that is not generic and long enough, or in a script that needs no length.
func telling(stem string) bool {
	for word := range words(stem) {
		if !generic[word] && (utf8.RuneCountInString(word) >= wordLetters || strings.ContainsFunc(word, ideographic)) {
			return true
		}
	}
	return false
}

func ideographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// words yields the runs of letters in lower case.
func words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) })
}

// boilerplate are headings that open a document and do not name it.
var boilerplate = func() map[string]bool {
	set := map[string]bool{}
	for _, s := range []string{
		"general provisions", "introduction", "overview", "purpose", "scope", "table of contents", "contents",
		"revision history", "change log", "definitions", "abbreviations",
		"общие положения", "назначение", "введение", "назначение и область применения", "лист изменений",
		"история изменений", "содержание", "оглавление", "термины и определения", "список сокращений",
	} {
		set[s] = true
	}
	return set
}()

// usable reports whether a heading names its document.
func usable(heading string) bool {
	bare := images.ReplaceAllString(heading, "")
	return hasAlnum(plain(bare)) && !boilerplate[fold(bare)]
}

// fold makes a heading comparable: lower case, without markup, punctuation and
// leading section numbers.
func fold(heading string) string {
	words := strings.Fields(strings.ToLower(plain(heading)))
	for len(words) > 0 && isNumber(words[0]) {
		words = words[1:]
	}
	// A number may be glued to the first word: "1.Scope", "2)Purpose".
	if len(words) > 0 {
		if i := strings.LastIndexAny(words[0], ".)"); i >= 0 && i+1 < len(words[0]) && isNumber(words[0][:i+1]) {
			words[0] = words[0][i+1:]
		}
	}
	isMark := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) || unicode.IsSpace(r) }
	return strings.Join(strings.FieldsFunc(strings.Join(words, " "), isMark), " ")
}

// isNumber reports whether a word is a section number: arabic or roman, with
// dots and brackets or not, or such marks alone.
func isNumber(word string) bool {
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune(".()-–—:§№", r) }) {
		if strings.Trim(part, "0123456789") != "" && strings.Trim(part, "ivxlcdm") != "" {
			return false
		}
	}
	return true
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// oneLine collapses white space and composes characters.
func oneLine(s string) string {
	return norm.NFC.String(strings.Join(strings.Fields(strings.ToValidUTF8(s, string(utf8.RuneError))), " "))
}

func hasAlnum(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
