//go:build lite

package pdf

import (
	"bytes"
	"strconv"
)

// maxNesting bounds dictionaries and arrays in each other.
const maxNesting = 200

func isWhite(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

// skipWhite returns the place after white space and comments.
func skipWhite(data []byte, at int) int {
	for at < len(data) {
		switch c := data[at]; {
		case isWhite(c):
			at++
		case c == '%':
			for at < len(data) && data[at] != '\n' && data[at] != '\r' {
				at++
			}
		default:
			return at
		}
	}
	return at
}

// skipToken returns the place after the token at a place that is not white: a
// string, a name, a number, a word, or a sign of a dictionary or an array.
func skipToken(data []byte, at int) int {
	switch c := data[at]; c {
	case '(':
		depth := 0
		for ; at < len(data); at++ {
			switch data[at] {
			case '\\':
				at++
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
		return len(data)
	case '<', '>':
		if at+1 < len(data) && data[at+1] == c {
			return at + 2
		}
		if c == '>' {
			return at + 1
		}
		if end := bytes.IndexByte(data[at:], '>'); end >= 0 {
			return at + end + 1
		}
		return len(data)
	case '[', ']', '{', '}', ')':
		return at + 1
	}
	at++
	for at < len(data) && !isWhite(data[at]) && !isDelimiter(data[at]) {
		at++
	}
	return at
}

// skipValue returns the place after a value: a token, a reference, or a whole
// dictionary or array.
func skipValue(data []byte, at int) int {
	end := skipToken(data, at)
	switch {
	case bytes.HasPrefix(data[at:], []byte("<<")) || data[at] == '[':
		depth := 1
		for depth > 0 {
			at = skipWhite(data, end)
			if at >= len(data) {
				return len(data)
			}
			end = skipToken(data, at)
			switch string(data[at:min(end, at+2)]) {
			case "<<", "[":
				depth++
			case ">>", "]":
				depth--
			}
			if depth > maxNesting {
				return len(data)
			}
		}
	case data[at] >= '0' && data[at] <= '9':
		if n := reference(data[at:]); n > 0 {
			return at + n
		}
	}
	return end
}

// reference returns the length of a reference such as "12 0 R" at the start of data, or 0.
func reference(data []byte) int {
	at := 0
	for range 2 {
		begin := at
		for at < len(data) && data[at] >= '0' && data[at] <= '9' {
			at++
		}
		if at == begin || at-begin > 10 {
			return 0
		}
		begin = at
		for at < len(data) && isWhite(data[at]) {
			at++
		}
		if at == begin {
			return 0
		}
	}
	if at < len(data) && data[at] == 'R' && (at+1 == len(data) || isWhite(data[at+1]) || isDelimiter(data[at+1])) {
		return at + 1
	}
	return 0
}

// An entry is a key of a dictionary and its value as written.
type entry struct {
	key   string
	value []byte
}

// entriesOf returns what is in the dictionary at the start of data.
func entriesOf(data []byte) []entry {
	if !bytes.HasPrefix(data, []byte("<<")) {
		return nil
	}
	var out []entry
	for at := skipWhite(data, 2); at < len(data) && data[at] != '>'; at = skipWhite(data, at) {
		end := skipToken(data, at)
		if data[at] != '/' {
			break // damaged: what follows may be the whole file, again for each dictionary
		}
		key := string(data[at+1 : end])
		if at = skipWhite(data, end); at >= len(data) || data[at] == '>' {
			break
		}
		end = skipValue(data, at)
		out = append(out, entry{key, data[at:end]})
		at = end
	}
	return out
}

func valueOf(entries []entry, key string) []byte {
	for _, e := range entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// An object is an indirect object as written. stream is nil when it is none.
type object struct {
	id     int
	gen    int
	place  int    // in the file
	body   []byte // without stream
	stream []byte
}

// maxID bounds the numbers of objects, each of which takes some bytes of memory.
const maxID = 1 << 22

// scan calls found for each object of a file in its order, and trailer for
// each trailer dictionary, whatever the file's own table says about their places.
func scan(data []byte, found func(object), trailer func([]entry)) {
	for at, t := 0, -1; at < len(data); {
		next := bytes.Index(data[at:], []byte("obj"))
		if t < at { // the next trailer is looked for once
			if t = bytes.Index(data[at:], []byte("trailer")); t < 0 {
				t = len(data)
			} else {
				t += at
			}
		}
		if t < len(data) && (next < 0 || t < at+next) {
			at = t + len("trailer")
			if begin := skipWhite(data, at); begin < len(data) {
				trailer(entriesOf(data[begin:]))
			}
			continue
		}
		if next < 0 {
			return
		}
		id, gen, ok := numberBefore(data[max(at, at+next-40) : at+next])
		at += next + len("obj")
		if !ok {
			continue
		}
		o, end := readObject(data, at)
		o.id, o.gen, o.place = id, gen, at
		found(o)
		at = max(end, at)
	}
}

// numberBefore reads the number of an object whose "12 0 " ends data.
func numberBefore(data []byte) (id, gen int, ok bool) {
	fields := bytes.Fields(data)
	if len(fields) < 2 {
		return 0, 0, false
	}
	last, word := fields[len(fields)-1], fields[len(fields)-2]
	version, err := strconv.ParseUint(string(last), 10, 16)
	if err != nil {
		return 0, 0, false
	}
	digits := len(word)
	for digits > 0 && word[digits-1] >= '0' && word[digits-1] <= '9' {
		digits--
	}
	id, err = strconv.Atoi(string(word[digits:]))
	return id, int(version), err == nil && id > 0 && id < maxID
}

// readObject reads what stands behind "obj", and returns the place after it.
func readObject(data []byte, at int) (object, int) {
	at = skipWhite(data, at)
	if at >= len(data) {
		return object{}, at
	}
	end := skipValue(data, at)
	o := object{body: data[at:end]}
	if !bytes.HasPrefix(o.body, []byte("<<")) {
		return o, end
	}
	next := skipWhite(data, end)
	if !bytes.HasPrefix(data[next:], []byte("stream")) {
		return o, end
	}
	next += len("stream")
	if next < len(data) && data[next] == '\r' {
		next++
	}
	if next < len(data) && data[next] == '\n' {
		next++
	}
	rest := data[next:]
	// The length is believed when the end stands there.
	if n, err := strconv.Atoi(string(valueOf(entriesOf(o.body), "Length"))); err == nil && n >= 0 && n <= len(rest) {
		if bytes.HasPrefix(bytes.TrimLeft(rest[n:min(len(rest), n+20)], "\r\n \t"), []byte("endstream")) {
			o.stream = rest[:n:n]
			return o, next + n
		}
	}
	n := bytes.Index(rest, []byte("endstream"))
	if n < 0 {
		if n = bytes.Index(rest, []byte("endobj")); n < 0 {
			n = len(rest)
		}
	}
	o.stream = rest[:n:n]
	if cut, ok := bytes.CutSuffix(o.stream, []byte("\n")); ok {
		o.stream = bytes.TrimSuffix(cut, []byte("\r"))
	}
	if o.stream == nil {
		o.stream = []byte{}
	}
	return o, next + n
}
