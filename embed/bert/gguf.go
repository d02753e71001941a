package bert

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// The GGUF container, versions 2 and 3, as specified in the ggml repository
// (docs/gguf.md): little-endian, a table of typed metadata, a table of
// tensors, then the data of the tensors at aligned offsets.

// errFormat is wrapped by every error about the bytes of a model file.
var errFormat = errors.New("malformed GGUF")

const (
	ggufMagic = 0x46554747 // "GGUF"

	// maxNesting bounds arrays of arrays, which no known writer makes.
	maxNesting = 4
	// maxRank is the most dimensions that a tensor may have (GGML_MAX_DIMS).
	maxRank = 4
)

// valueType is the type tag of a metadata value.
type valueType uint32

const (
	typeUint8 valueType = iota
	typeInt8
	typeUint16
	typeInt16
	typeUint32
	typeInt32
	typeFloat32
	typeBool
	typeString
	typeArray
	typeUint64
	typeInt64
	typeFloat64
)

// size is the length of a value of a fixed-size type, otherwise 0.
func (t valueType) size() int {
	switch t {
	case typeUint8, typeInt8, typeBool:
		return 1
	case typeUint16, typeInt16:
		return 2
	case typeUint32, typeInt32, typeFloat32:
		return 4
	case typeUint64, typeInt64, typeFloat64:
		return 8
	}
	return 0
}

// A value is one metadata value; data is a view into the file. For an array,
// typ is that of the elements and data holds count of them.
type value struct {
	typ   valueType
	array bool
	count int
	data  string
}

// file is a parsed GGUF. Every string in it is a view into the file's bytes.
type file struct {
	meta    map[string]value
	tensors map[string]tensor
}

// reader walks the header. After the first error all reads give zeros.
type reader struct {
	src string
	pos int
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s at byte %d", errFormat, fmt.Sprintf(format, args...), r.pos)
	}
}

func (r *reader) take(n uint64) string {
	if r.err == nil && n > uint64(len(r.src)-r.pos) {
		r.fail("%d bytes wanted, %d left", n, len(r.src)-r.pos)
	}
	if r.err != nil {
		return ""
	}
	s := r.src[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return s
}

func (r *reader) u32() uint32 {
	if s := r.take(4); s != "" {
		return le32(s)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if s := r.take(8); s != "" {
		return le64(s)
	}
	return 0
}

func (r *reader) str() string { return r.take(r.u64()) }

// value reads the value of type t that begins here.
func (r *reader) value(t valueType, depth int) value {
	if n := t.size(); n > 0 {
		return value{typ: t, count: 1, data: r.take(uint64(n))}
	}
	switch t {
	case typeString:
		return value{typ: t, count: 1, data: r.str()}
	case typeArray:
		if depth >= maxNesting {
			r.fail("arrays nested deeper than %d", maxNesting)
			return value{}
		}
		et, n := valueType(r.u32()), r.u64()
		if size := et.size(); size > 0 {
			hi, lo := bits.Mul64(n, uint64(size))
			if hi != 0 {
				r.fail("array of %d elements", n)
			}
			return value{typ: et, array: true, count: int(n), data: r.take(lo)}
		}
		start := r.pos
		// Each element takes at least the 8 bytes of its length, which bounds
		// the loop by the size of the file.
		for i := uint64(0); i < n && r.err == nil; i++ {
			r.value(et, depth+1)
		}
		if r.err != nil {
			return value{}
		}
		return value{typ: et, array: true, count: int(n), data: r.src[start:r.pos]}
	}
	r.fail("unknown value type %d", t)
	return value{}
}

// head reads the metadata and returns the number of tensors after it.
func (r *reader) head() (f *file, nTensors uint64) {
	f = &file{meta: map[string]value{}, tensors: map[string]tensor{}}
	if r.u32() != ggufMagic {
		r.err = fmt.Errorf("%w: it does not begin with the letters GGUF", errFormat)
		return f, 0
	}
	if v := r.u32(); v != 2 && v != 3 {
		r.err = fmt.Errorf("%w: version %d, want 2 or 3", errFormat, v)
		return f, 0
	}
	nTensors, nMeta := r.u64(), r.u64()
	for i := uint64(0); i < nMeta && r.err == nil; i++ {
		key := r.str()
		v := r.value(valueType(r.u32()), 0)
		if _, dup := f.meta[key]; dup {
			r.fail("key %q twice", key)
		}
		f.meta[key] = v
	}
	return f, nTensors
}

// parseGGUF reads the tables of a model file. It allocates in proportion to
// the number of entries that are really there, whatever the header claims.
func parseGGUF(src string) (*file, error) {
	r := &reader{src: src}
	f, nTensors := r.head()
	type pending struct {
		name   string
		t      tensor
		offset uint64
	}
	var todo []pending
	for i := uint64(0); i < nTensors && r.err == nil; i++ {
		p := pending{name: r.str()}
		rank := r.u32()
		if rank == 0 || rank > maxRank {
			r.fail("tensor %q has %d dimensions", p.name, rank)
			break
		}
		dims := [maxRank]uint64{1, 1, 1, 1}
		for d := range rank {
			dims[d] = r.u64()
		}
		p.t.typ = tensorType(r.u32())
		p.offset = r.u64()
		if r.err != nil {
			break
		}
		if err := p.t.setShape(dims); err != nil {
			r.fail("tensor %q: %v", p.name, err)
			break
		}
		todo = append(todo, p)
	}
	if r.err != nil {
		return nil, r.err
	}
	align := uint64(32)
	if v, ok := f.meta["general.alignment"]; ok {
		n, err := v.integer()
		if err != nil || n <= 0 || n > 1<<20 {
			return nil, fmt.Errorf("%w: general.alignment is not a small number", errFormat)
		}
		align = uint64(n)
	}
	var total uint64
	base := (uint64(r.pos) + align - 1) / align * align
	for _, p := range todo {
		size, left := p.t.bytes(), uint64(0)
		if base < uint64(len(src)) {
			left = uint64(len(src)) - base
		}
		if p.offset > left || size > left-p.offset {
			return nil, fmt.Errorf("%w: tensor %q reaches beyond the end of the file; it may be cut short", errFormat, p.name)
		}
		// Tensors that share bytes would let a small file ask for much memory.
		if total += size; total > uint64(len(src)) {
			return nil, fmt.Errorf("%w: tensor %q overlaps others", errFormat, p.name)
		}
		if _, dup := f.tensors[p.name]; dup {
			return nil, fmt.Errorf("%w: tensor %q twice", errFormat, p.name)
		}
		start := base + p.offset
		p.t.data = src[start : start+size]
		f.tensors[p.name] = p.t
	}
	return f, nil
}

// integer gives a scalar of any integer type.
func (v value) integer() (int64, error) {
	if !v.array && len(v.data) == v.typ.size() {
		switch v.typ {
		case typeUint8, typeBool:
			return int64(v.data[0]), nil
		case typeInt8:
			return int64(int8(v.data[0])), nil
		case typeUint16:
			return int64(le16(v.data)), nil
		case typeInt16:
			return int64(int16(le16(v.data))), nil
		case typeUint32:
			return int64(le32(v.data)), nil
		case typeInt32:
			return int64(int32(le32(v.data))), nil
		case typeUint64, typeInt64:
			if n := le64(v.data); n <= math.MaxInt64 {
				return int64(n), nil
			}
		}
	}
	return 0, fmt.Errorf("%w: not an integer", errFormat)
}

// need reads the integer at key, which must lie within [lo, hi].
func (f *file) need(key string, lo, hi int64) (int, error) {
	v, ok := f.meta[key]
	if !ok {
		return 0, fmt.Errorf("%w: key %q is missing", errFormat, key)
	}
	n, err := v.integer()
	if err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%w: key %q is not a number in %d..%d", errFormat, key, lo, hi)
	}
	return int(n), nil
}

// optional reads the integer at key, or def where there is no such key.
func (f *file) optional(key string, def int, lo, hi int64) (int, error) {
	if _, ok := f.meta[key]; !ok {
		return def, nil
	}
	return f.need(key, lo, hi)
}

// text reads the string at key, "" where there is none.
func (f *file) text(key string) string {
	if v := f.meta[key]; v.typ == typeString && !v.array {
		return v.data
	}
	return ""
}

// float reads the floating-point number at key.
func (f *file) float(key string) (float64, error) {
	v := f.meta[key]
	switch {
	case v.array:
	case v.typ == typeFloat32 && len(v.data) == 4:
		return float64(math.Float32frombits(le32(v.data))), nil
	case v.typ == typeFloat64 && len(v.data) == 8:
		return math.Float64frombits(le64(v.data)), nil
	}
	return 0, fmt.Errorf("%w: key %q is missing or not a float", errFormat, key)
}

// strings calls yield for each element of the array of strings at key.
func (f *file) strings(key string) (count int, each func(yield func(int, string) bool), err error) {
	v, ok := f.meta[key]
	if !ok || !v.array || v.typ != typeString {
		return 0, nil, fmt.Errorf("%w: key %q is missing or not an array of strings", errFormat, key)
	}
	return v.count, func(yield func(int, string) bool) {
		rest := v.data // lengths were checked when the array was read
		for i := range v.count {
			n := le64(rest)
			if !yield(i, rest[8:8+n]) {
				return
			}
			rest = rest[8+n:]
		}
	}, nil
}

// array reads the bytes of the array at key, whose elements must have a type
// of the given size; "" where there is no such key.
func (f *file) array(key string, types ...valueType) (value, error) {
	v, ok := f.meta[key]
	if !ok {
		return value{}, nil
	}
	for _, t := range types {
		if v.array && v.typ == t {
			return v, nil
		}
	}
	return value{}, fmt.Errorf("%w: key %q is not an array of the right type", errFormat, key)
}

func le16(s string) uint16 { return uint16(s[0]) | uint16(s[1])<<8 }

func le32(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// bytesOf is s without a copy; it must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func le64(s string) uint64 { return uint64(le32(s)) | uint64(le32(s[4:]))<<32 }
