//go:build lite

package pdf

import (
	"bytes"
	"compress/flate"
	"encoding/ascii85"
	"io"

	"github.com/ledongthuc/pdf"
	"github.com/minirag/minirag/convert"
)

// filterKey stands for Filter in what the library reads, so that it hands out
// streams as they are stored: its own filters are few and give up at the first damage.
const filterKey = "Filtre"

// unpack returns the data of a stream, as much of it as can be read.
func (in *instance) unpack(v pdf.Value) []byte {
	if v.Kind() != pdf.Stream {
		return nil
	}
	raw := in.stored(v)
	var names []string
	var params []pdf.Value
	filter, param := v.Key(filterKey), v.Key("DecodeParms")
	switch filter.Kind() {
	case pdf.Name:
		names, params = []string{filter.Name()}, []pdf.Value{param}
		if param.Kind() == pdf.Array {
			params[0] = param.Index(0)
		}
	case pdf.Array:
		for i := range min(filter.Len(), 8) {
			names = append(names, filter.Index(i).Name())
			params = append(params, param.Index(i))
		}
	}
	for i, name := range names {
		raw = in.unfilter(raw, name)
		if p := params[i]; p.Key("Predictor").Int64() > 1 {
			raw = unpredict(raw, int(p.Key("Predictor").Int64()), int(p.Key("Colors").Int64()), int(p.Key("BitsPerComponent").Int64()), int(p.Key("Columns").Int64()))
		}
	}
	in.spend(len(raw))
	return raw
}

// stored returns the data of a stream as it is stored, but decrypted.
func (in *instance) stored(v pdf.Value) []byte {
	in.alive()
	raw, _ := io.ReadAll(v.Reader())
	in.spend(len(raw))
	return raw
}

// unfilter undoes one filter (ISO 32000-1, 7.4).
func (in *instance) unfilter(data []byte, name string) []byte {
	switch name {
	case "FlateDecode", "Fl":
		return inflate(data)
	case "LZWDecode", "LZW":
		return unLZW(data)
	case "ASCII85Decode", "A85":
		data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
		if end := bytes.IndexByte(data, '~'); end >= 0 {
			data = data[:end]
		}
		out := make([]byte, 4*len(data)+4)
		n, _, _ := ascii85.Decode(out, data, true)
		return out[:n]
	case "ASCIIHexDecode", "AHx":
		var out []byte
		high := -1
		for _, c := range data {
			d := hexDigit(c)
			switch {
			case c == '>':
				if high >= 0 {
					out = append(out, byte(high<<4))
				}
				return out
			case d < 0:
			case high < 0:
				high = d
			default:
				out = append(out, byte(high<<4|d))
				high = -1
			}
		}
		return out
	case "RunLengthDecode", "RL":
		var out []byte
		for len(data) > 1 && data[0] != 128 && len(out) < maxContent {
			if n := int(data[0]); n < 128 {
				out = append(out, data[1:min(len(data), n+2)]...)
				data = data[min(len(data), n+2):]
			} else {
				out = append(out, bytes.Repeat(data[1:2], 257-n)...)
				data = data[2:]
			}
		}
		return out
	case "Crypt":
		return data
	}
	return nil // a picture
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// inflate unpacks a zlib stream without a look at its checksum.
func inflate(data []byte) []byte {
	data = bytes.TrimLeft(data, "\r\n")
	if len(data) < 2 {
		return nil
	}
	var out bytes.Buffer
	r := flate.NewReader(bytes.NewReader(data[2:]))
	if n, _ := io.CopyN(&out, r, maxContent+1); n > maxContent {
		panic(&convert.LimitError{What: "content of a page in bytes", Max: maxContent})
	}
	return out.Bytes()
}

// unLZW unpacks LZW with the early change that PDF has (ISO 32000-1, 7.4.4).
func unLZW(data []byte) []byte {
	const clear, end = 256, 257
	var out []byte
	type piece struct{ at, n int } // in out
	table := make([]piece, 258, 4096)
	width, bits, have := 9, 0, 0
	last := piece{-1, 0}
	for _, c := range data {
		bits = bits<<8 | int(c)
		if have += 8; have < width {
			continue
		}
		code := bits >> (have - width) & (1<<width - 1)
		have -= width
		bits &= 1<<have - 1
		switch {
		case code == end || len(out) > maxContent:
			return out
		case code == clear:
			table, width, last = table[:258], 9, piece{-1, 0}
			continue
		}
		at := len(out)
		switch {
		case code < 256:
			out = append(out, byte(code))
		case code < len(table):
			p := table[code]
			out = append(out, out[p.at:p.at+p.n]...)
		case code == len(table) && last.at >= 0:
			out = append(out, out[last.at:last.at+last.n]...)
			out = append(out, out[at])
		default:
			return out
		}
		if last.at >= 0 && len(table) < 4096 {
			table = append(table, piece{last.at, last.n + 1})
		}
		last = piece{at, len(out) - at}
		switch n := len(table) + 1; {
		case n >= 2048:
			width = 12
		case n >= 1024:
			width = 11
		case n >= 512:
			width = 10
		}
	}
	return out
}

// unpredict undoes the PNG and TIFF predictors.
func unpredict(data []byte, predictor, colors, bits, columns int) []byte {
	colors, columns = max(colors, 1), max(columns, 1)
	if bits <= 0 {
		bits = 8
	}
	if colors > 32 || bits > 16 || columns > 1<<20 {
		return nil
	}
	size := (colors*bits*columns + 7) / 8
	step := max(colors*bits/8, 1)
	if predictor == 2 {
		if bits == 8 {
			for at := 0; at+size <= len(data); at += size {
				for i := step; i < size; i++ {
					data[at+i] += data[at+i-step]
				}
			}
		}
		return data
	}
	out := make([]byte, 0, len(data))
	prev := make([]byte, size)
	for len(data) > 1 {
		row := make([]byte, size)
		kind := data[0]
		n := copy(row, data[1:])
		data = data[1+n:]
		for i := range row {
			var left, corner byte
			if i >= step {
				left, corner = row[i-step], prev[i-step]
			}
			switch kind {
			case 1:
				row[i] += left
			case 2:
				row[i] += prev[i]
			case 3:
				row[i] += byte((int(left) + int(prev[i])) / 2)
			case 4:
				row[i] += paeth(left, prev[i], corner)
			}
		}
		out = append(out, row[:n]...)
		prev = row
	}
	return out
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

func abs(n int) int { return max(n, -n) }
