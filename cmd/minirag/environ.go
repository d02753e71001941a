package main

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed/bert"
)

const unbounded = math.MaxInt64

// A reader reads settings from the environment and keeps the first mistake.
// Its methods return false for a variable that is not set.
type reader struct {
	lookup func(string) (string, bool)
	err    error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// or returns flag, or else the value of the variable name. Empty is not given.
func (r *reader) or(flag, name string) string {
	if flag != "" {
		return flag
	}
	v, _ := r.lookup(name)
	return v
}

func (r *reader) int(name string, low, high int64) (int64, bool) {
	raw, ok := r.lookup(name)
	if !ok {
		return 0, false
	}
	v, ok := parseInt(raw)
	if !ok {
		r.fail("%s must be an integer, got %s", name, quote(raw))
		return 0, false
	}
	if v.Cmp(big.NewInt(low)) < 0 || high != unbounded && v.Cmp(big.NewInt(high)) > 0 {
		top := "∞"
		if high != unbounded {
			top = strconv.FormatInt(high, 10)
		}
		r.fail("%s must be in range [%d, %s], got %s", name, low, top, v)
		return 0, false
	}
	if !v.IsInt64() {
		return math.MaxInt64, true
	}
	return v.Int64(), true
}

// float reads a number of at least 0 and at most high, if there is a bound.
// Without one "nan" and "inf" pass.
func (r *reader) float(name string, high *float64) (float64, bool) {
	raw, ok := r.lookup(name)
	if !ok {
		return 0, false
	}
	v, ok := parseFloat(raw)
	switch {
	case !ok:
		r.fail("%s must be a number, got %s", name, quote(raw))
	case high != nil && !(v >= 0 && v <= *high):
		r.fail("%s must be in [0, %g], got %s", name, *high, formatFloat(v))
	case high == nil && v < 0:
		r.fail("%s must be >= 0.0, got %s", name, formatFloat(v))
	default:
		return v, true
	}
	return 0, false
}

func (r *reader) grouping() minirag.Grouping {
	raw, ok := r.lookup("RAG_GROUPING")
	g := minirag.Grouping(raw)
	if ok && g != minirag.Similar && g != minirag.Related {
		r.fail("RAG_GROUPING must be one of ('similar', 'related'), got %s", quote(raw))
	}
	return g
}

func (r *reader) ocrLang() (string, bool) {
	raw, ok := r.lookup("RAG_OCR_LANG")
	if v := strings.TrimSpace(raw); v != "" {
		return v, true
	}
	if ok && r.err == nil {
		r.err = errors.New("RAG_OCR_LANG must be a non-empty language code, e.g. 'eslav'")
	}
	return "", false
}

// kernel reads the name of one of this machine's kernels.
func (r *reader) kernel(name string) string {
	raw, _ := r.lookup(name)
	v := strings.TrimSpace(raw)
	if err := (&bert.Options{Kernel: v}).Check(); err != nil {
		r.fail("%s: %v", name, err)
		return ""
	}
	return v
}

// hub reads the address of a hub. Empty is not given.
func (r *reader) hub(name string) string {
	raw, _ := r.lookup(name)
	v := strings.TrimSpace(raw)
	if u, err := url.Parse(v); v != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		r.fail("%s must be an http or https address, got %s", name, quote(raw))
	}
	return v
}

func (r *reader) bool(name string) bool {
	raw, _ := r.lookup(name)
	switch strings.ToLower(strings.TrimSpace(raw)) {
	case "1", "true", "yes", "on":
		return true
	case "", "0", "false", "no", "off":
	default:
		r.fail("%s must be one of ['0', '1', 'false', 'no', 'off', 'on', 'true', 'yes'], got %s", name, quote(raw))
	}
	return false
}

// parseInt accepts what the configuration of the Python server accepts: white
// space around, a sign, leading zeros, single underscores between digits.
func parseInt(s string) (*big.Int, bool) {
	s, ok := dropUnderscores(strings.TrimSpace(s))
	if !ok {
		return nil, false
	}
	return new(big.Int).SetString(s, 10)
}

func parseFloat(s string) (float64, bool) {
	s, ok := dropUnderscores(strings.TrimSpace(s))
	if !ok || strings.ContainsAny(s, "xX") {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	// A number that is too large is infinite, as in Python.
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

func dropUnderscores(s string) (string, bool) {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := range len(s) {
		if s[i] == '_' && (!digit(i-1) || !digit(i+1)) {
			return "", false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// formatFloat prints v as Python does: always with a fraction or an exponent.
func formatFloat(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	case a != 0 && (a < 1e-4 || a >= 1e16):
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// quote puts s into single quotes, or into double quotes if it has single
// ones only, and escapes what cannot be printed.
func quote(s string) string {
	q := '\''
	if strings.ContainsRune(s, '\'') && !strings.ContainsRune(s, '"') {
		q = '"'
	}
	var b strings.Builder
	b.WriteRune(q)
	for _, r := range s {
		switch {
		case r == q || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(q)
	return b.String()
}
