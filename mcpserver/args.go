package mcpserver

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A kind is what an argument may be.
type kind int

const (
	textArg   kind = iota
	numberArg      // a whole number; "3" and 3.0 serve too
	listArg        // strings; a single one serves too
	labelsArg      // an object of strings or lists of strings
)

// A param is an argument of a tool.
type param struct {
	name     string
	kind     kind
	required bool
	def      any // for the schema
	enum     []string
	about    string
}

// schema is the JSON schema of p. It has only plain types, because clients
// reject a whole server for the others; that null and a single string are
// taken too, [decode] knows.
func (p param) schema() map[string]any {
	m := map[string]any{"description": p.about}
	strs := map[string]any{"type": "string"}
	switch p.kind {
	case textArg:
		m["type"] = "string"
	case numberArg:
		m["type"] = "integer"
	case listArg:
		m["type"], m["items"] = "array", strs
	case labelsArg:
		m["type"], m["additionalProperties"] = "object", map[string]any{"type": "array", "items": strs}
	}
	if p.def != nil {
		m["default"] = p.def
	}
	if p.enum != nil {
		m["enum"] = p.enum
	}
	return m
}

// args are the decoded arguments of a call. Absent ones, and null ones that
// are not required, are not in it.
type args map[string]any

func (a args) has(name string) bool { _, ok := a[name]; return ok }

// text returns a string argument, or "".
func (a args) text(name string) string { s, _ := a[name].(string); return s }

// number returns a numeric argument, or def.
func (a args) number(name string, def int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return def
}

// scope returns a scope. Nil, an empty list and an empty string mean everything.
func (a args) scope() []string {
	l, _ := a["scope"].([]string)
	if len(l) == 0 || slices.Contains(l, "") {
		return nil
	}
	return l
}

// decode reads the arguments of a call of t. The error is for the model: it
// names the tool and everything that is wrong.
func decode(t *tool, raw json.RawMessage) (args, error) {
	var in map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, refuse("%s: the arguments must be an object of names and values", t.name)
		}
	}
	a := args{}
	var wrong []string
	for _, p := range t.params {
		v, ok := in[p.name]
		if !ok {
			if p.required {
				wrong = append(wrong, fmt.Sprintf("argument %q is missing", p.name))
			}
			continue
		}
		if string(v) == "null" {
			if p.required {
				wrong = append(wrong, fmt.Sprintf("argument %q must not be null", p.name))
			}
			continue
		}
		val, want := p.decode(v)
		if want != "" {
			wrong = append(wrong, fmt.Sprintf("argument %q must be %s, got %s", p.name, want, brief(v)))
			continue
		}
		a[p.name] = val
	}
	var unknown []string
	for name := range in {
		if !slices.ContainsFunc(t.params, func(p param) bool { return p.name == name }) {
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	if unknown != nil {
		slices.Sort(unknown)
		wrong = append(wrong, fmt.Sprintf("unknown argument %s (%s)", strings.Join(unknown, ", "), t.takes()))
	}
	if wrong != nil {
		return nil, refuse("%s: %s", t.name, strings.Join(wrong, "; "))
	}
	return a, nil
}

// decode returns the value, or what was wanted instead.
func (p param) decode(v json.RawMessage) (val any, want string) {
	switch p.kind {
	case numberArg:
		if n, ok := wholeNumber(v); ok {
			return n, ""
		}
		return nil, "a whole number"
	case listArg:
		if l, ok := stringList(v); ok {
			return l, ""
		}
		return nil, "a string or a list of strings"
	case labelsArg:
		var m map[string]json.RawMessage
		if json.Unmarshal(v, &m) == nil {
			out := make(map[string][]string, len(m))
			for name, vals := range m {
				l, ok := stringList(vals)
				if !ok {
					return nil, "an object whose values are strings or lists of strings"
				}
				out[name] = l
			}
			return out, ""
		}
		return nil, "an object such as {\"kind\": [\"contract\"]}"
	default:
		var s string
		if json.Unmarshal(v, &s) == nil {
			return s, ""
		}
		return nil, "a string"
	}
}

// wholeNumber reads 3, 3.0, 3e0 and "3".
func wholeNumber(v json.RawMessage) (int, bool) {
	s := string(v)
	if v[0] == '"' {
		if json.Unmarshal(v, &s) != nil {
			return 0, false
		}
		s = strings.TrimSpace(s)
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return clamp(float64(n)), true
	}
	if strings.ContainsAny(s, "xX_pPiInN") {
		return 0, false // what ParseFloat takes beyond decimal numbers
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) {
		return 0, false
	}
	return clamp(f), true
}

// clamp keeps sums of two arguments within an int on every platform.
func clamp(f float64) int {
	const most = 1 << 29
	return int(max(-most, min(most, f)))
}

// stringList reads a list of strings, a single string, and a list that a
// model has put into a string, as they do.
func stringList(v json.RawMessage) ([]string, bool) {
	var s string
	if json.Unmarshal(v, &s) == nil && v[0] == '"' {
		if strings.HasPrefix(s, `["`) {
			if l, ok := stringList(json.RawMessage(s)); ok {
				return l, true
			}
		}
		return []string{s}, true
	}
	var ps []*string
	if v[0] != '[' || json.Unmarshal(v, &ps) != nil {
		return nil, false
	}
	l := make([]string, len(ps))
	for i, p := range ps {
		if p == nil {
			return nil, false
		}
		l[i] = *p
	}
	return l, true
}

// brief quotes a value, cut to a length that fits an error.
func brief(v json.RawMessage) string {
	const most = 80
	if len(v) <= most {
		return string(v)
	}
	return strings.ToValidUTF8(string(v[:most]), "") + "…"
}
