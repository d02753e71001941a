//go:build !lite

package pdf

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// A sandbox calls PDFium's C interface (fpdfview.h, fpdf_text.h, fpdf_edit.h)
// in its module. The go-pdfium calls allocate for every result, which is too slow
// for one call per letter. Not for concurrent use. The first failure of a
// call stays in err, and later calls do nothing.
type sandbox struct {
	modules [2]api.Module // PDFium and its batch module
	memory  api.Memory
	calls   map[string]api.Function
	stack   [8]uint64
	scratch uint64 // address of scratchSize bytes for results
	records uint64 // address of space for a batch, or 0 before the first
	err     error
}

const scratchSize = 4096

// moduleCatcher notes the module in which PDFium is initialised, which
// go-pdfium has no way to ask for.
type moduleCatcher struct{ got func(api.Module) }

// NewFunctionListener implements [experimental.FunctionListenerFactory].
func (c moduleCatcher) NewFunctionListener(def api.FunctionDefinition) experimental.FunctionListener {
	for _, name := range def.ExportNames() {
		if name == "FPDF_InitLibrary" {
			return experimental.FunctionListenerFunc(
				func(_ context.Context, mod api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
					c.got(mod)
				})
		}
	}
	return nil
}

// newSandbox prepares calls into PDFium and its batch module.
func newSandbox(pdfium, batch api.Module) *sandbox {
	s := &sandbox{modules: [2]api.Module{pdfium, batch}, memory: pdfium.Memory(), calls: map[string]api.Function{}}
	if s.memory == nil {
		s.err = fmt.Errorf("the engine has no memory")
		return s
	}
	s.scratch = s.alloc(scratchSize)
	return s
}

// call runs an exported function. Results are 32-bit integers or addresses,
// or bits of a float as the function has them.
func (s *sandbox) call(name string, params ...uint64) uint64 {
	if s.err != nil {
		return 0
	}
	f := s.calls[name]
	if f == nil {
		for _, m := range s.modules {
			if f == nil {
				f = m.ExportedFunction(name)
			}
		}
		if f == nil {
			s.err = fmt.Errorf("the engine has no %s", name)
			return 0
		}
		s.calls[name] = f
	}
	copy(s.stack[:], params)
	// What ends a call early is the end of the module, see instance.
	if err := f.CallWithStack(context.Background(), s.stack[:]); err != nil {
		s.err = fmt.Errorf("%s: %w", name, err)
		return 0
	}
	return s.stack[0]
}

// number is call for functions that return a C int.
func (s *sandbox) number(name string, params ...uint64) int {
	return int(int32(s.call(name, params...)))
}

// alloc returns the address of n fresh bytes, or 0 with err set.
func (s *sandbox) alloc(n int) uint64 {
	at := uint64(uint32(s.call("malloc", uint64(n))))
	if at == 0 && s.err == nil {
		s.err = fmt.Errorf("no memory for %d bytes", n)
	}
	return at
}

func (s *sandbox) free(at uint64) { s.call("free", at) }

// put copies data into the sandbox, with a zero byte behind it.
func (s *sandbox) put(data []byte) uint64 {
	at := s.alloc(len(data) + 1)
	if s.err == nil && (!s.memory.Write(uint32(at), data) || !s.memory.WriteByte(uint32(at)+uint32(len(data)), 0)) {
		s.err = fmt.Errorf("write outside of the sandbox")
	}
	return at
}

// bytes returns n bytes of the sandbox, valid until the next call.
func (s *sandbox) bytes(at uint64, n int) []byte {
	if s.err != nil || n <= 0 {
		return nil
	}
	data, ok := s.memory.Read(uint32(at), uint32(n))
	if !ok {
		s.err = fmt.Errorf("read outside of the sandbox")
	}
	return data
}

// floats reads len(out) C floats from the scratch space.
func (s *sandbox) floats(out []float64) {
	if data := s.bytes(s.scratch, 4*len(out)); data != nil {
		readFloats(data, out)
	}
}

func readFloats(data []byte, out []float64) {
	for i := range out {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
}

// text16 runs a function that writes a UTF-16 text with a zero behind it into
// a buffer given by its last two parameters, and returns the text's size in bytes.
func (s *sandbox) text16(name string, params ...uint64) string {
	return decode16(s.buffer(name, params...))
}

// buffer runs a function that writes into a buffer given by its last two
// parameters and returns the size that it needs.
func (s *sandbox) buffer(name string, params ...uint64) []byte {
	size := s.number(name, append(params[:len(params):len(params)], s.scratch, scratchSize)...)
	if size <= scratchSize {
		return s.bytes(s.scratch, size)
	}
	if size > 1<<20 {
		return nil
	}
	at := s.alloc(size)
	s.call(name, append(params[:len(params):len(params)], at, uint64(size))...)
	data := append([]byte(nil), s.bytes(at, size)...)
	s.free(at)
	return data
}

// batch runs a function of the batch module and returns its n records for
// the letters or objects from first on, or nothing after a failure.
func (s *sandbox) batch(name string, record int, handle uint64, first, n int) []byte {
	if s.records == 0 {
		s.records = s.alloc(batchSize * max(letterRecord, objectRecord))
	}
	s.call(name, handle, uint64(first), uint64(n), s.records)
	return slices.Clone(s.bytes(s.records, n*record))
}

func decode16(data []byte) string {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, binary.LittleEndian.Uint16(data[i:]))
	}
	for len(units) > 0 && units[len(units)-1] == 0 {
		units = units[:len(units)-1]
	}
	return string(utf16.Decode(units))
}
