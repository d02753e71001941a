package neon

import (
	"fmt"
	"strconv"
	"strings"
)

// Encode returns the word of a vector instruction, such as
// "fmla v0.4s, v1.4s, v2.s[3]".
func Encode(instruction string) (uint32, error) {
	name, rest, _ := strings.Cut(instruction, " ")
	form, ok := forms[name]
	if !ok {
		return 0, fmt.Errorf("encode %q: no such instruction here", instruction)
	}
	var ops []operand
	for text := range strings.SplitSeq(rest, ",") {
		op, err := parse(strings.TrimSpace(text))
		if err != nil {
			return 0, fmt.Errorf("encode %q: %w", instruction, err)
		}
		ops = append(ops, op)
	}
	for _, f := range form {
		if word, ok := f.encode(ops); ok {
			return word, nil
		}
	}
	return 0, fmt.Errorf("encode %q: no such operands here", instruction)
}

// An operand is a vector, one of its elements, a register or a number.
type operand struct {
	kind  kind
	reg   uint32
	q     uint32 // 1 if all 128 bits are used
	size  uint32 // log2 of the bytes of an element
	index uint32
	imm   uint32
}

type kind int

const (
	vector  kind = iota // v0.4s
	element             // v0.s[1]
	quad                // v0.4b[1]
	scalar              // s0, d0
	general             // w0, x0
	number              // #1
)

// q and size of each arrangement.
var arrangements = map[string][2]uint32{
	"8b": {0, 0}, "16b": {1, 0}, "4h": {0, 1}, "8h": {1, 1}, "2s": {0, 2}, "4s": {1, 2}, "2d": {1, 3},
}

func parse(text string) (operand, error) {
	bad := fmt.Errorf("operand %q", text)
	if len(text) < 2 {
		return operand{}, bad
	}
	digits := func(s string, limit uint64) (uint32, error) {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil || n > limit {
			return 0, bad
		}
		return uint32(n), nil
	}
	switch first := text[0]; first {
	case '#':
		n, err := digits(text[1:], 255)
		return operand{kind: number, imm: n}, err
	case 'b', 'h', 's', 'd':
		n, err := digits(text[1:], 31)
		return operand{kind: scalar, reg: n, size: uint32(strings.IndexByte("bhsd", first))}, err
	case 'w', 'x':
		n, err := digits(text[1:], 30)
		return operand{kind: general, reg: n, size: 2 + uint32(strings.IndexByte("wx", first))}, err
	case 'v':
	default:
		return operand{}, bad
	}
	reg, shape, ok := strings.Cut(text[1:], ".")
	if !ok {
		return operand{}, bad
	}
	n, err := digits(reg, 31)
	if err != nil {
		return operand{}, bad
	}
	if a, ok := arrangements[shape]; ok {
		return operand{kind: vector, reg: n, q: a[0], size: a[1]}, nil
	}
	lane, index, ok := strings.Cut(strings.TrimSuffix(shape, "]"), "[")
	if !ok {
		return operand{}, bad
	}
	if lane == "4b" {
		i, err := digits(index, 3)
		return operand{kind: quad, reg: n, index: i}, err
	}
	size := strings.Index("bhsd", lane)
	if size < 0 || len(lane) != 1 {
		return operand{}, bad
	}
	i, err := digits(index, uint64(16>>size-1))
	return operand{kind: element, reg: n, size: uint32(size), index: i}, err
}
