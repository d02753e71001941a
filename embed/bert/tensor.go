package bert

import (
	"fmt"
	"math"
	"math/bits"
)

// tensorType is the storage type of a tensor (ggml_type).
type tensorType uint32

const (
	typeF32  tensorType = 0
	typeF16  tensorType = 1
	typeQ4_0 tensorType = 2
	typeQ4_1 tensorType = 3
	typeQ8_0 tensorType = 8
)

// groupSize is the number of weights of a row that share a scale in the
// quantised types.
const groupSize = 32

// block gives the number of values and bytes of a block of the type, zeros
// for an unknown one.
func (t tensorType) block() (values, size uint64) {
	switch t {
	case typeF32:
		return 1, 4
	case typeF16:
		return 1, 2
	case typeQ4_0:
		return groupSize, 2 + groupSize/2
	case typeQ4_1:
		return groupSize, 4 + groupSize/2
	case typeQ8_0:
		return groupSize, 2 + groupSize
	}
	return 0, 0
}

func (t tensorType) String() string {
	switch t {
	case typeF32:
		return "F32"
	case typeF16:
		return "F16"
	case typeQ4_0:
		return "Q4_0"
	case typeQ4_1:
		return "Q4_1"
	case typeQ8_0:
		return "Q8_0"
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// A tensor is a matrix of rows × cols values in the file's own bytes; cols is
// the first dimension of GGUF, the one that is contiguous.
type tensor struct {
	typ        tensorType
	rows, cols int
	rowBytes   int
	data       string
}

// setShape checks dims and that rows × rowBytes fits an int.
func (t *tensor) setShape(dims [maxRank]uint64) error {
	values, size := t.typ.block()
	if values == 0 {
		// Other types belong to models that this package does not run; their
		// names are kept so that the error can name the tensor that is needed.
		return nil
	}
	cols, rows := dims[0], uint64(1)
	for _, d := range dims[1:] {
		hi, lo := bits.Mul64(rows, d)
		if hi != 0 {
			return fmt.Errorf("shape %v is too large", dims)
		}
		rows = lo
	}
	if cols == 0 || rows == 0 || cols%values != 0 {
		return fmt.Errorf("shape %v does not fit type %v", dims, t.typ)
	}
	hi, rowBytes := bits.Mul64(cols/values, size)
	hi2, total := bits.Mul64(rowBytes, rows)
	if hi != 0 || hi2 != 0 || total > math.MaxInt || cols > math.MaxInt32 || rows > math.MaxInt32 {
		return fmt.Errorf("shape %v is too large", dims)
	}
	t.rows, t.cols, t.rowBytes = int(rows), int(cols), int(rowBytes)
	return nil
}

func (t *tensor) bytes() uint64 { return uint64(t.rows) * uint64(t.rowBytes) }

// row decodes row i into dst, which must have t.cols elements.
func (t *tensor) row(dst []float32, i int) {
	src := t.data[i*t.rowBytes:][:t.rowBytes]
	dst = dst[:t.cols]
	switch t.typ {
	case typeF32:
		for j := range dst {
			dst[j] = math.Float32frombits(le32(src[4*j:]))
		}
	case typeF16:
		for j := range dst {
			dst[j] = float16(le16(src[2*j:]))
		}
	case typeQ4_0:
		for len(dst) > 0 {
			d := float16(le16(src))
			var values [16]float32 // of the sixteen weights that there are
			for w := range values {
				values[w] = float32(w-8) * d
			}
			group, packed := (*[groupSize]float32)(dst), src[2:][:groupSize/2]
			for j := range len(packed) {
				group[j] = values[packed[j]&15]
				group[j+groupSize/2] = values[packed[j]>>4]
			}
			src, dst = src[2+groupSize/2:], dst[groupSize:]
		}
	case typeQ4_1:
		for len(dst) > 0 {
			d, m := float16(le16(src)), float16(le16(src[2:]))
			for j := range groupSize / 2 {
				b := src[4+j]
				dst[j] = float32(b&15)*d + m
				dst[j+groupSize/2] = float32(b>>4)*d + m
			}
			src, dst = src[4+groupSize/2:], dst[groupSize:]
		}
	case typeQ8_0:
		for len(dst) > 0 {
			d := float16(le16(src))
			for j := range groupSize {
				dst[j] = float32(int8(src[2+j])) * d
			}
			src, dst = src[2+groupSize:], dst[groupSize:]
		}
	}
}

// float16 widens an IEEE 754 binary16 number.
func float16(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 0:
		v := float32(frac) / (1 << 24) // subnormal or zero, exact
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// matrix finds the tensor called name, which must be of rows × cols.
func (f *file) matrix(name string, rows, cols int) (tensor, error) {
	t, ok := f.tensors[name]
	if !ok {
		return t, fmt.Errorf("%w: tensor %q is missing", errFormat, name)
	}
	if v, _ := t.typ.block(); v == 0 {
		return t, fmt.Errorf("tensor %q is stored as %v; F32, F16, Q8_0, Q4_0 and Q4_1 are supported", name, t.typ)
	}
	if t.rows != rows || t.cols != cols {
		return t, fmt.Errorf("%w: tensor %q is %d × %d, want %d × %d", errFormat, name, t.rows, t.cols, rows, cols)
	}
	return t, nil
}

// vector decodes the tensor called name, which must have n values.
func (f *file) vector(name string, n int) ([]float32, error) {
	t, err := f.matrix(name, 1, n)
	if err != nil {
		return nil, err
	}
	v := make([]float32, n)
	t.row(v, 0)
	return v, nil
}
