package email

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"regexp"
	"strings"

	"github.com/minirag/minirag/internal/charset"
)

// A header has the first value of each field by its lower-case name.
type header map[string]string

func (h header) get(name string) string { return h[name] }

// maxHeader bounds the bytes that are looked at for headers.
const maxHeader = 1 << 20

// split parts headers from body. Lines that are no headers are passed over.
func split(data []byte) (header, []byte) {
	h := header{}
	name, at := "", 0
	for at < len(data) && at < maxHeader {
		line, end := data[at:], len(data)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, end = line[:i], at+i+1
		}
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 {
			return h, data[end:]
		}
		at = end
		if line[0] == ' ' || line[0] == '\t' {
			if name != "" && len(h[name]) < maxHeader {
				h[name] += "\n" + string(line)
			}
			continue
		}
		key, value, ok := bytes.Cut(line, []byte(":"))
		name = ""
		if !ok || len(key) > 100 || bytes.ContainsAny(key, " \t\"<>") && len(bytes.TrimRight(key, " \t")) != len(bytes.TrimSpace(key)) {
			continue
		}
		k := strings.ToLower(string(bytes.TrimSpace(key)))
		if strings.ContainsAny(k, " \t\"<>") {
			continue
		}
		if _, dup := h[k]; !dup {
			h[k] = string(value)
			name = k
		}
	}
	return h, data[min(at, len(data)):]
}

// top drops what may stand before the first header of a message.
func top(data []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), "\r\n")
}

// plausible reports whether h is of a message.
func (h header) plausible() bool {
	n := 0
	for _, name := range []string{"from", "to", "subject", "date", "message-id", "received", "mime-version", "content-type", "return-path", "sender", "cc"} {
		if _, ok := h[name]; ok {
			n++
		}
	}
	return n > 1
}

// text returns a field with its encoded words decoded.
func (h header) text(name string) string {
	return decodeWords(h[name])
}

var fold = regexp.MustCompile(`\r?\n[ \t]+`)

func decodeWords(s string) string {
	s = strings.TrimSpace(fold.ReplaceAllString(s, " "))
	d := mime.WordDecoder{CharsetReader: func(name string, r io.Reader) (io.Reader, error) {
		data, err := io.ReadAll(io.LimitReader(r, maxHeader))
		if err != nil {
			return nil, err
		}
		text, _, err := charset.Decode(data, name)
		return strings.NewReader(text), err
	}}
	if strings.Contains(s, "=?") {
		if t, err := d.DecodeHeader(s); err == nil {
			return t
		}
	}
	if t, _, err := charset.Decode([]byte(s), ""); err == nil {
		return t
	}
	return s
}

var parameter = regexp.MustCompile(`(?i);\s*(boundary|charset|name|format|delsp|filename|smime-type)\s*=\s*(?:"([^"]*)"|([^\s;]+))`)

// media returns the media type of the part, and its parameters.
func (h header) media(byDefault string) (string, map[string]string) {
	s := fold.ReplaceAllString(h["content-type"], " ")
	if strings.TrimSpace(s) == "" {
		return byDefault, map[string]string{}
	}
	media, params, err := mime.ParseMediaType(s)
	if err != nil || params == nil {
		media, _, _ = strings.Cut(s, ";")
		media = strings.ToLower(strings.TrimSpace(media))
		params = map[string]string{}
		for _, m := range parameter.FindAllStringSubmatch(s, -1) {
			if key := strings.ToLower(m[1]); params[key] == "" {
				params[key] = m[2] + m[3]
			}
		}
	}
	if !strings.Contains(media, "/") {
		media = byDefault // "text" and worse
	}
	params["format"], params["delsp"] = strings.ToLower(params["format"]), strings.ToLower(params["delsp"])
	return media, params
}

// attachment returns the disposition and the name of the file, if any.
func (h header) attachment(params map[string]string) (disposition, name string) {
	s := fold.ReplaceAllString(h["content-disposition"], " ")
	disposition, dp, err := mime.ParseMediaType(s)
	if err != nil {
		disposition, _, _ = strings.Cut(s, ";")
		disposition = strings.ToLower(strings.TrimSpace(disposition))
		dp = map[string]string{}
		for _, m := range parameter.FindAllStringSubmatch(s, -1) {
			dp[strings.ToLower(m[1])] = m[2] + m[3]
		}
	}
	name = dp["filename"]
	if name == "" {
		name = params["name"]
	}
	return disposition, decodeWords(name)
}

// decode undoes the transfer encoding.
func (h header) decode(body []byte) []byte {
	switch strings.ToLower(strings.TrimSpace(h["content-transfer-encoding"])) {
	case "base64":
		return decodeBase64(body)
	case "quoted-printable":
		return decodeQuoted(body)
	}
	return body
}

// decodeBase64 decodes what can be, and passes over everything else.
func decodeBase64(b []byte) []byte {
	clean := make([]byte, 0, len(b))
	for _, c := range b {
		if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' {
			clean = append(clean, c)
		}
	}
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, _ := base64.RawStdEncoding.Decode(out, clean) // only the alphabet is left
	return out[:n]
}

func decodeQuoted(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '=' {
			out = append(out, b[i])
			continue
		}
		// A soft line break may have white space before its end.
		j := i + 1
		for j < len(b) && (b[j] == ' ' || b[j] == '\t' || b[j] == '\r') {
			j++
		}
		if j >= len(b) || b[j] == '\n' {
			i = j
			continue
		}
		if i+2 < len(b) {
			if hi, lo := hex(b[i+1]), hex(b[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, '=')
	}
	return out
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// cut returns the parts between the lines of the boundary.
func cut(body []byte, boundary string) [][]byte {
	if boundary == "" {
		return nil
	}
	delimiter := []byte("--" + boundary)
	var parts [][]byte
	start := -1
	for at := 0; at < len(body); {
		end := len(body)
		if i := bytes.IndexByte(body[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if line := body[at:end]; bytes.HasPrefix(line, delimiter) {
			rest := bytes.TrimRight(line[len(delimiter):], " \t\r\n")
			if len(rest) == 0 || string(rest) == "--" {
				if start >= 0 {
					parts = append(parts, trimEnd(body[start:at]))
				}
				start = end
				if len(rest) > 0 {
					return parts
				}
			}
		}
		at = end
	}
	if start >= 0 && start < len(body) {
		parts = append(parts, body[start:])
	}
	return parts
}

// trimEnd drops the line end that belongs to the boundary behind it.
func trimEnd(b []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
}
