package neon

// A form is how the operands of an instruction become its word: the fields of
// the encodings of "Advanced SIMD" in the Arm Architecture Reference Manual for
// A-profile, chapter C4.
type form interface {
	encode(ops []operand) (word uint32, ok bool)
}

// kinds tells whether the operands are of these kinds.
func kinds(ops []operand, want ...kind) bool {
	if len(ops) != len(want) {
		return false
	}
	for i, op := range ops {
		if op.kind != want[i] {
			return false
		}
	}
	return true
}

// alike tells whether vectors have the same arrangement.
func alike(ops ...operand) bool {
	for _, op := range ops[1:] {
		if op.q != ops[0].q || op.size != ops[0].size {
			return false
		}
	}
	return true
}

// registers are the fields that nearly all instructions have.
func registers(q uint32, d, n operand) uint32 { return q<<30 | n.reg<<5 | d.reg }

// same is a form of three vectors of the same arrangement.
type same struct{ u, op uint32 }

func (f same) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector, vector) || !alike(ops...) {
		return 0, false
	}
	return 0x0e200400 | registers(ops[0].q, ops[0], ops[1]) | f.u<<29 | ops[0].size<<22 | ops[2].reg<<16 | f.op<<11, true
}

// sameFloat is that of floating-point numbers.
type sameFloat struct{ u, a, op uint32 }

func (f sameFloat) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector, vector) || !alike(ops...) || ops[0].size < 2 {
		return 0, false
	}
	return 0x0e200400 | registers(ops[0].q, ops[0], ops[1]) | f.u<<29 | f.a<<23 | (ops[0].size-2)<<22 | ops[2].reg<<16 | f.op<<11, true
}

// logical is that of bits.
type logical struct{ u, size uint32 }

func (f logical) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector, vector) || !alike(ops...) || ops[0].size != 0 {
		return 0, false
	}
	return 0x0e201c00 | registers(ops[0].q, ops[0], ops[1]) | f.u<<29 | f.size<<22 | ops[2].reg<<16, true
}

// permute is that of zip1 and the like.
type permute struct{ op uint32 }

func (f permute) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector, vector) || !alike(ops...) {
		return 0, false
	}
	return 0x0e000800 | registers(ops[0].q, ops[0], ops[1]) | ops[0].size<<22 | ops[2].reg<<16 | f.op<<12, true
}

// long is a form of two vectors that give elements of twice the size, and
// high that of their upper halves.
type long struct{ u, op, high uint32 }

func (f long) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector, vector) || !alike(ops[1:]...) || ops[1].q != f.high || ops[0].q != 1 || ops[0].size != ops[1].size+1 {
		return 0, false
	}
	return 0x0e200000 | registers(f.high, ops[0], ops[1]) | f.u<<29 | ops[1].size<<22 | ops[2].reg<<16 | f.op<<12, true
}

// dot is a product of bytes summed by fours.
type dot struct{ u uint32 }

func (f dot) encode(ops []operand) (uint32, bool) {
	if len(ops) != 3 || ops[0].kind != vector || ops[1].kind != vector || ops[0].size != 2 || ops[1].size != 0 || ops[0].q != ops[1].q {
		return 0, false
	}
	word := registers(ops[0].q, ops[0], ops[1]) | f.u<<29 | ops[2].reg<<16
	switch ops[2].kind {
	case vector:
		return word | 0x0e809400, alike(ops[1:]...)
	case quad:
		return word | 0x0f80e000 | ops[2].index&1<<21 | ops[2].index>>1<<11, true
	}
	return 0, false
}

// byElement is a form of which one operand is an element; wide says that the
// result has elements of twice the size, float that they are such numbers.
type byElement struct {
	u, op, high uint32
	wide, float bool
}

func (f byElement) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector, element) || ops[1].size != ops[2].size {
		return 0, false
	}
	d, n, m := ops[0], ops[1], ops[2]
	q := n.q
	if f.wide {
		if d.q != 1 || d.size != n.size+1 || n.q != f.high {
			return 0, false
		}
	} else if !alike(d, n) {
		return 0, false
	}
	word := 0x0f000000 | registers(q, d, n) | f.u<<29 | n.size<<22 | f.op<<12
	switch {
	case n.size == 2:
		return word | m.index&1<<21 | m.reg<<16 | m.index>>1<<11, true
	case n.size == 1 && m.reg < 16 && !f.float:
		return word | m.index>>1&1<<21 | m.index&1<<20 | m.reg<<16 | m.index>>2<<11, true
	}
	return 0, false
}

// pair is a form of one vector and a result of the same arrangement, of one of
// twice (grow 1) or half (grow -1) the element's size.
type pair struct {
	u, op uint32
	grow  int
	high  uint32 // for grow -1: the upper half of the result is written
	bits  bool   // elements are bytes, whatever they mean
}

func (f pair) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector) || int(ops[0].size) != int(ops[1].size)+f.grow {
		return 0, false
	}
	d, n := ops[0], ops[1]
	q, size := n.q, n.size
	switch f.grow {
	case 0, 1:
		if d.q != n.q || f.bits && size != 0 {
			return 0, false
		}
	case -1:
		if n.q != 1 || d.q != f.high {
			return 0, false
		}
		q, size = d.q, d.size
	}
	return 0x0e200800 | registers(q, d, n) | f.u<<29 | size<<22 | f.op<<12, true
}

// pairFloat is that of floating-point numbers of the same size.
type pairFloat struct{ u, a, op uint32 }

func (f pairFloat) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector) || !alike(ops...) || ops[0].size < 2 {
		return 0, false
	}
	return 0x0e200800 | registers(ops[0].q, ops[0], ops[1]) | f.u<<29 | f.a<<23 | (ops[0].size-2)<<22 | f.op<<12, true
}

// widenHalf is binary16 to float32, high of the upper half.
type widenHalf struct{ high uint32 }

func (f widenHalf) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector) || ops[0].q != 1 || ops[0].size != 2 || ops[1].size != 1 || ops[1].q != f.high {
		return 0, false
	}
	return 0x0e217800 | registers(f.high, ops[0], ops[1]), true
}

// across is a form of all elements of a vector; grow is 1 if the result has
// twice their size.
type across struct{ u, op, grow uint32 }

func (f across) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, scalar, vector) || ops[0].size != ops[1].size+f.grow {
		return 0, false
	}
	return 0x0e300800 | registers(ops[1].q, ops[0], ops[1]) | f.u<<29 | ops[1].size<<22 | f.op<<12, true
}

// acrossFloat is that of four float32.
type acrossFloat struct{ a, op uint32 }

func (f acrossFloat) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, scalar, vector) || ops[0].size != 2 || ops[1].size != 2 || ops[1].q != 1 {
		return 0, false
	}
	return 0x6e300800 | registers(0, ops[0], ops[1]) | f.a<<23 | f.op<<12, true
}

// pairScalar is faddp of the two elements of a vector.
type pairScalar struct{}

func (pairScalar) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, scalar, vector) || ops[0].size != 2 || ops[1].size != 2 || ops[1].q != 0 {
		return 0, false
	}
	return 0x7e30d800 | registers(0, ops[0], ops[1]), true
}

// shift is a form with a number of bits; left counts from the element's size up,
// others down from twice of it.
type shift struct {
	u, op uint32
	left  bool
}

func (f shift) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector, number) || !alike(ops[:2]...) {
		return 0, false
	}
	bits := uint32(8) << ops[0].size
	imm := 2*bits - ops[2].imm
	if f.left {
		imm = bits + ops[2].imm
	}
	if imm < bits || imm >= 2*bits {
		return 0, false
	}
	return 0x0f000400 | registers(ops[0].q, ops[0], ops[1]) | f.u<<29 | imm<<16 | f.op<<11, true
}

// extend is a vector's lower or higher half as elements of twice the size.
type extend struct{ u, high uint32 }

func (f extend) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector) || ops[0].q != 1 || ops[0].size != ops[1].size+1 || ops[1].q != f.high {
		return 0, false
	}
	return 0x0f00a400 | registers(f.high, ops[0], ops[1]) | f.u<<29 | 8<<ops[1].size<<16, true
}

// duplicate fills a vector from an element or a general register.
type duplicate struct{}

func (duplicate) encode(ops []operand) (uint32, bool) {
	if len(ops) != 2 || ops[0].kind != vector {
		return 0, false
	}
	word := registers(ops[0].q, ops[0], ops[1]) | 1<<ops[0].size<<16
	switch {
	case ops[1].kind == element && ops[1].size == ops[0].size:
		return word | 0x0e000400 | ops[1].index<<(ops[1].size+1)<<16, true
	case ops[1].kind == general && ops[1].size == max(2, ops[0].size):
		return word | 0x0e000c00, true
	}
	return 0, false
}

// insert moves an element to one of another vector.
type insert struct{}

func (insert) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, element, element) || ops[0].size != ops[1].size {
		return 0, false
	}
	return 0x6e000400 | registers(0, ops[0], ops[1]) | (2*ops[0].index+1)<<ops[0].size<<16 | ops[1].index<<ops[0].size<<11, true
}

// extract takes bytes from the end of one vector and the start of another.
type extract struct{}

func (extract) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector, vector, number) || !alike(ops[:3]...) || ops[0].size != 0 || ops[3].imm >= 8<<ops[0].q {
		return 0, false
	}
	return 0x2e000000 | registers(ops[0].q, ops[0], ops[1]) | ops[2].reg<<16 | ops[3].imm<<11, true
}

// clear sets a vector to zero, in the form that costs nothing on many CPUs.
type clear struct{}

func (clear) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, number) || ops[0].size != 3 || ops[1].imm != 0 {
		return 0, false
	}
	return 0x6f00e400 | ops[0].reg, true
}

// move copies a vector.
type move struct{}

func (move) encode(ops []operand) (uint32, bool) {
	if !kinds(ops, vector, vector) {
		return 0, false
	}
	return logical{0, 2}.encode([]operand{ops[0], ops[1], ops[1]})
}

var forms = map[string][]form{
	"add": {same{0, 0x10}}, "sub": {same{1, 0x10}}, "addp": {same{0, 0x17}},
	"mul": {same{0, 0x13}, byElement{op: 8}}, "mla": {same{0, 0x12}, byElement{u: 1}},
	"cmgt": {same{0, 6}}, "cmhi": {same{1, 6}}, "cmge": {same{0, 7}}, "cmeq": {same{1, 0x11}},
	"smax": {same{0, 0xc}}, "umax": {same{1, 0xc}}, "smin": {same{0, 0xd}}, "umin": {same{1, 0xd}},
	"umaxp": {same{1, 0x14}},

	"and": {logical{0, 0}}, "bic": {logical{0, 1}}, "orr": {logical{0, 2}}, "eor": {logical{1, 0}},
	"bsl": {logical{1, 1}}, "bit": {logical{1, 2}}, "bif": {logical{1, 3}}, "mov": {move{}},

	"fadd": {sameFloat{0, 0, 0x1a}}, "fsub": {sameFloat{0, 1, 0x1a}}, "fmul": {sameFloat{1, 0, 0x1b}, byElement{op: 9, float: true}},
	"fdiv": {sameFloat{1, 0, 0x1f}}, "fmla": {sameFloat{0, 0, 0x19}, byElement{op: 1, float: true}},
	"fmls": {sameFloat{0, 1, 0x19}, byElement{op: 5, float: true}}, "fmax": {sameFloat{0, 0, 0x1e}}, "fmin": {sameFloat{0, 1, 0x1e}},
	"fcmge": {sameFloat{1, 0, 0x1c}}, "fcmgt": {sameFloat{1, 1, 0x1c}}, "faddp": {sameFloat{1, 0, 0x1a}, pairScalar{}},

	"uzp1": {permute{1}}, "trn1": {permute{2}}, "zip1": {permute{3}}, "uzp2": {permute{5}}, "trn2": {permute{6}}, "zip2": {permute{7}},

	"smull": {long{0, 0xc, 0}, byElement{op: 0xa, wide: true}}, "smull2": {long{0, 0xc, 1}, byElement{op: 0xa, high: 1, wide: true}},
	"smlal": {long{0, 8, 0}, byElement{op: 2, wide: true}}, "smlal2": {long{0, 8, 1}, byElement{op: 2, high: 1, wide: true}},
	"sdot": {dot{0}}, "udot": {dot{1}},

	"saddlp": {pair{u: 0, op: 2, grow: 1}}, "uaddlp": {pair{u: 1, op: 2, grow: 1}},
	"sadalp": {pair{u: 0, op: 6, grow: 1}}, "uadalp": {pair{u: 1, op: 6, grow: 1}},
	"abs": {pair{u: 0, op: 0xb}}, "neg": {pair{u: 1, op: 0xb}}, "not": {pair{u: 1, op: 5, bits: true}},
	"xtn": {pair{u: 0, op: 0x12, grow: -1}}, "xtn2": {pair{u: 0, op: 0x12, grow: -1, high: 1}},
	"sqxtn": {pair{u: 0, op: 0x14, grow: -1}}, "sqxtn2": {pair{u: 0, op: 0x14, grow: -1, high: 1}},

	"fabs": {pairFloat{0, 1, 0xf}}, "fneg": {pairFloat{1, 1, 0xf}}, "fsqrt": {pairFloat{1, 1, 0x1f}},
	"fcvtns": {pairFloat{0, 0, 0x1a}}, "scvtf": {pairFloat{0, 0, 0x1d}},
	"fcvtl": {widenHalf{0}}, "fcvtl2": {widenHalf{1}},

	"saddlv": {across{0, 3, 1}}, "addv": {across{0, 0x1b, 0}}, "umaxv": {across{1, 0xa, 0}}, "fmaxv": {acrossFloat{0, 0xf}},

	"shl": {shift{0, 0xa, true}}, "sshr": {shift{0, 0, false}}, "ushr": {shift{1, 0, false}}, "sli": {shift{1, 0xa, true}},
	"sxtl": {extend{0, 0}}, "sxtl2": {extend{0, 1}}, "uxtl": {extend{1, 0}}, "uxtl2": {extend{1, 1}},

	"movi": {clear{}}, "dup": {duplicate{}}, "ins": {insert{}}, "ext": {extract{}},
}
