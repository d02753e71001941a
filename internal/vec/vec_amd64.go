package vec

import "golang.org/x/sys/cpu"

// The numbers of values that the kernels take at once.
const (
	stepInt8     = 32
	stepF32      = 8
	stepF16      = 8
	stepRowsInt8 = 16
	stepRowsF32  = 16
	stepRowsF16  = 16
)

func hasInt8() bool { return cpu.X86.HasAVX2 }

func hasF32() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

func hasF16() bool { return hasF32() && cpu.X86.HasF16C }
