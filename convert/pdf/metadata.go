package pdf

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/minirag/minirag/convert"
)

const (
	// outlineItems and outlineDepth bound what is read of an outline, which may run in circles.
	outlineItems = 5000
	outlineDepth = 16
)

// metadataKeys are the entries of the information dictionary (ISO 32000-1,
// 14.3.3) by the names under which a Document has them.
var metadataKeys = map[string]string{
	"Author": "author", "Subject": "subject", "Keywords": "keywords",
	"CreationDate": "created", "ModDate": "modified",
}

// describe fills doc's title and metadata. A document without any is no error.
func (in *instance) describe(doc *convert.Document) {
	for _, tag := range []string{"Title", "Author", "Subject", "Keywords", "CreationDate", "ModDate"} {
		value := convert.OneLine(plain(in.meta(tag)))
		switch {
		case tag == "Title":
			doc.Title = realTitle(value)
			continue
		case strings.HasSuffix(tag, "Date"):
			value = date(value)
		}
		if value == "" {
			continue
		}
		if doc.Metadata == nil {
			doc.Metadata = map[string]string{}
		}
		doc.Metadata[metadataKeys[tag]] = value
	}
}

var (
	// producerPrefix is what printing to PDF puts before the file's name.
	producerPrefix = regexp.MustCompile(`(?i)^(microsoft (office )?(word|excel|powerpoint|visio|project|publisher)|acrobat distiller|printing|print)\s*[-–:]\s`)
	fileName       = regexp.MustCompile(`(?i)\.(docx?|docm|dotx?|rtf|odt|ott|txt|md|xlsx?|xlsm|ods|csv|pptx?|ppsx?|odp|pdf|html?|mht|tex|dvi|ps|eps|indd|qxp|qxd|p65|fm|wpd|vsdx?|dwg|tiff?|jpe?g|png|tmp|cdr|pub|pmd|wps|sdw)$`)
	filePath       = regexp.MustCompile(`(?i)^([a-z]:[\\/]|\\\\|/(home|users|tmp|var|mnt|private)/|file:|https?://|about:)`)
)

// emptyTitles are what programs write when nobody gave a title; digits at the end do not count.
var emptyTitles = []string{
	"untitled", "untitled document", "untitled spreadsheet", "untitled presentation", "no title", "title", "none", "null", "unknown", "document", "doc", "presentation",
	"powerpoint presentation", "slide", "sheet", "book", "scan", "scanned document", "microsoft word", "microsoft word document",
	"без имени", "без названия", "документ", "документ microsoft word", "презентация", "презентация powerpoint", "слайд", "лист", "книга",
}

// realTitle returns title, or nothing when a program and not a person gave it:
// a file name or path, "Microsoft Word - x.doc", "untitled", or mojibake.
func realTitle(title string) string {
	title = strings.TrimSpace(title)
	if producerPrefix.MatchString(title) || fileName.MatchString(title) || filePath.MatchString(title) ||
		strings.ContainsRune(title, '\ufffd') {
		return ""
	}
	if strings.HasPrefix(title, "<") && strings.HasSuffix(title, ">") { // a hexadecimal string written as text
		return ""
	}
	if strings.IndexFunc(title, isAlphanumeric) < 0 {
		return ""
	}
	words := strings.TrimFunc(title, func(r rune) bool { return !unicode.IsLetter(r) })
	if slices.Contains(emptyTitles, strings.ToLower(words)) {
		return ""
	}
	return title
}

func isAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// dateForms are the lengths to which a PDF date may be cut (ISO 32000-1, 7.9.4), longest first.
var dateForms = []struct{ in, out string }{
	{"20060102150405-0700", time.RFC3339},
	{"20060102150405", "2006-01-02T15:04:05"},
	{"200601021504", "2006-01-02T15:04"},
	{"20060102", "2006-01-02"},
	{"200601", "2006-01"},
	{"2006", "2006"},
}

// date turns a PDF date, D:YYYYMMDDHHmmSSOHH'mm', into ISO 8601, or into as
// much of it as can be read. What is no date becomes "".
func date(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "D:")
	s = strings.ReplaceAll(s, "'", "")
	if head, _, ok := strings.Cut(s, "Z"); ok {
		s = head + "+0000"
	}
	if i := strings.IndexAny(s, "+-"); i > 0 && len(s) == i+3 {
		s += "00"
	}
	for _, form := range dateForms {
		if len(s) < len(form.in) {
			continue
		}
		if t, err := time.Parse(form.in, s[:len(form.in)]); err == nil {
			return t.Format(form.out)
		}
	}
	return ""
}
