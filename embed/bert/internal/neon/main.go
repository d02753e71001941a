// Command neon writes the arm64 kernels of package kernel, into the folder that
// it is run in.
package main

import (
	"fmt"
	"os"

	"github.com/minirag/minirag/internal/neon"
)

const (
	asmFile  = "kernel_arm64.s"
	stubFile = "stubs_arm64.go"
)

// The layout of the operands; package kernel documents it.
const (
	lanes      = 16
	group      = 32
	partGroups = 2
	partStart  = 4 * lanes

	// The numbers of tokens that fill the registers.
	maxDotTokens  = 3
	maxLongTokens = 2
	maxF32Tokens  = 4
)

func main() {
	if err := source().Write(asmFile, stubFile); err != nil {
		fmt.Fprintln(os.Stderr, "neon:", err)
		os.Exit(1)
	}
}

func source() *neon.File {
	f := writer{neon.New("kernel", "go run ../neon")}
	for t := 1; t <= maxDotTokens; t++ {
		f.q4("q4Dot", t, dotProducts(t))
	}
	for t := 1; t <= maxLongTokens; t++ {
		f.q4("q4Long", t, longProducts(t))
	}
	for t := 1; t <= maxF32Tokens; t++ {
		f.f32(t)
	}
	f.packRows()
	f.quantize()
	f.gelu()
	f.softmax()
	f.addNorm()
	f.transpose()
	f.headRows()
	f.headValues()
	f.probabilities()
	for t := 1; t <= maxScoreTokens; t++ {
		f.scores(t)
	}
	for t := 1; t <= maxHeadTokens; t++ {
		f.mix(t)
	}
	return f.File
}

type writer struct{ *neon.File }

// load adds the loads of parameters into the registers r, r+1 and so on.
func (f writer) load(at map[string]string, r int, names ...string) {
	for i, name := range names {
		f.Go("MOVD %s, R%d", at[name], r+i)
	}
}

// four is the Go assembler's list of the registers v to v+3 as float32.
func four(v int) string {
	return fmt.Sprintf("[V%d.S4, V%d.S4, V%d.S4, V%d.S4]", v, v+1, v+2, v+3)
}
