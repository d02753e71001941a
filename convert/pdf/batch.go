//go:build !lite

package pdf

import (
	"context"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// A batcher makes, for each PDFium, a small module that calls it in a loop.
//
// A call from Go into a module that can be stopped costs wazero a goroutine,
// some microseconds; a call between modules costs next to nothing. So all letters of a page, and
// all its objects, are read by a few calls.
type batcher struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
}

// newBatcher compiles the module. cache must be PDFium's.
func newBatcher(ctx context.Context, cache wazero.CompilationCache) (*batcher, error) {
	b := &batcher{runtime: wazero.NewRuntimeWithConfig(ctx, runtimeConfig(cache))}
	// A runtime numbers the types of functions as it meets them, and compares the
	// numbers. PDFium's runtime has met these of WASI first, too; batchCode uses no others.
	_, err := wasi_snapshot_preview1.Instantiate(ctx, b.runtime)
	if err == nil {
		b.code, err = b.runtime.CompileModule(ctx, batchCode())
	}
	if err != nil {
		_ = b.runtime.Close(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("compile the batch module: %w", err)
	}
	return b, nil
}

// module makes a batch module for one PDFium.
func (b *batcher) module(ctx context.Context, pdfium api.Module) (api.Module, error) {
	ctx = experimental.WithImportResolver(ctx, func(string) api.Module { return pdfium })
	mod, err := b.runtime.InstantiateModule(ctx, b.code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, fmt.Errorf("start the batch module: %w", err)
	}
	return mod, nil
}

func (b *batcher) close() error { return b.runtime.Close(context.Background()) }

// What the functions of the batch module write for each letter and for each
// object, little-endian 32-bit integers and floats:
//
//	letters: 0 object, 4 whether there is a box, 8 the box (left, right, bottom, top);
//	         and if the object is another than before: 24 whether there is a matrix, 28 the
//	         matrix (a to f), 52 whether there is a size, 56 the font's size, 60 the font
//	objects: 0 object, 4 type, 8 number of segments of a path, 12 whether
//	         there are bounds, 16 the bounds (left, bottom, right, top)
const (
	letterRecord = 64
	objectRecord = 32
	// batchSize is how many are read at once.
	batchSize = 1024
)

// Opcodes and types of WebAssembly (core specification 2.0, chapter 5).
const (
	wasmI32    = 0x7f
	wasmFunc   = 0x60
	wasmVoid   = 0x40
	opLoop     = 0x03
	opIf       = 0x04
	opEnd      = 0x0b
	opBranch   = 0x0c
	opCall     = 0x10
	opDrop     = 0x1a
	opGet      = 0x20
	opSet      = 0x21
	opTee      = 0x22
	opStore    = 0x36
	opConst    = 0x41
	opUnequal  = 0x47
	opLess     = 0x48
	opAdd      = 0x6a
	opAnd      = 0x71
	wasmExport = 0x00
)

// batchCode assembles the batch module.
func batchCode() []byte {
	// Functions by their number, which is the order of imports.
	imports := []struct {
		name string
		args int
	}{
		{"FPDFText_GetTextObject", 2}, {"FPDFText_GetLooseCharBox", 3}, {"FPDFText_GetMatrix", 3},
		{"FPDFTextObj_GetFontSize", 2}, {"FPDFTextObj_GetFont", 1},
		{"FPDFPage_GetObject", 2}, {"FPDFPageObj_GetType", 1}, {"FPDFPath_CountSegments", 1}, {"FPDFPageObj_GetBounds", 5},
	}
	const (
		textObject = iota
		looseBox
		matrix
		fontSize
		font
		pageObject
		objectType
		segments
		bounds
	)
	// Both functions have the parameters (handle, first, count, out) and the locals i, object, last.
	const (
		handle = iota
		first
		count
		out
		i
		object
		last
		params = 4
		locals = 3
	)
	get := func(local byte) []byte { return []byte{opGet, local} }
	set := func(local byte) []byte { return []byte{opSet, local} }
	number := func(n byte) []byte { return []byte{opConst, n} }
	call := func(f byte) []byte { return []byte{opCall, f} }
	store := func(offset byte) []byte { return []byte{opStore, 2, offset} }
	at := func(offset byte) []byte { return slices.Concat(get(out), number(offset), []byte{opAdd}) }
	index := slices.Concat(get(first), get(i), []byte{opAdd})
	when := func(body ...[]byte) []byte {
		return slices.Concat([]byte{opIf, wasmVoid}, slices.Concat(body...), []byte{opEnd})
	}
	// each runs body for i from 0 to count, with out at the record.
	each := func(record byte, body ...[]byte) []byte {
		return slices.Concat([]byte{opLoop, wasmVoid}, get(i), get(count), []byte{opLess}, when(
			slices.Concat(body...),
			get(i), number(1), []byte{opAdd}, set(i),
			get(out), number(record/2), []byte{opAdd}, number(record/2), []byte{opAdd}, set(out), // numbers below 64 are one byte
			[]byte{opBranch, 1},
		), []byte{opEnd, opEnd})
	}
	letters := each(letterRecord,
		get(out), get(handle), index, call(textObject), []byte{opTee, object}, store(0),
		get(out), get(handle), index, at(8), call(looseBox), store(4),
		get(object), get(last), []byte{opUnequal}, get(object), number(0), []byte{opUnequal, opAnd}, when(
			get(object), set(last),
			get(out), get(handle), index, at(28), call(matrix), store(24),
			get(out), get(object), at(56), call(fontSize), store(52),
			get(out), get(object), call(font), store(60),
		))
	objects := each(objectRecord,
		get(out), get(handle), index, call(pageObject), []byte{opTee, object}, store(0),
		get(object), when(
			get(out), get(object), call(objectType), store(4),
			get(out), get(object), call(segments), store(8),
			get(out), get(object), at(16), at(20), at(24), at(28), call(bounds), store(12),
		))

	types := [][]byte{}
	for n := range 6 { // type n has n parameters and one result
		types = append(types, slices.Concat([]byte{wasmFunc, byte(n)}, slices.Repeat([]byte{wasmI32}, n), []byte{1, wasmI32}))
	}
	types = append(types, slices.Concat([]byte{wasmFunc, params}, slices.Repeat([]byte{wasmI32}, params), []byte{0}))
	batch := byte(len(types) - 1)
	name := func(s string) []byte { return append([]byte{byte(len(s))}, s...) }
	taken := [][]byte{slices.Concat(name("pdfium"), name("memory"), []byte{2, 0, 0})}
	for _, f := range imports {
		taken = append(taken, slices.Concat(name("pdfium"), name(f.name), []byte{0, byte(f.args)}))
	}
	own := byte(len(imports))
	function := func(code []byte) []byte {
		code = append([]byte{1, locals, wasmI32}, code...)
		return append(uleb(len(code)), code...)
	}
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, types...),
		section(2, taken...),
		section(3, []byte{batch}, []byte{batch}),
		section(7, append(name("letters"), wasmExport, own), append(name("objects"), wasmExport, own+1)),
		section(10, function(letters), function(objects)))
}

// section is a section of a module that is a list.
func section(id byte, items ...[]byte) []byte {
	body := append(uleb(len(items)), slices.Concat(items...)...)
	return slices.Concat([]byte{id}, uleb(len(body)), body)
}

// uleb is n in LEB128.
func uleb(n int) []byte {
	var b []byte
	for ; n > 0x7f; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}
