package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

func mapFile(f *os.File, size int) (*Mapping, error) {
	section, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, uint32(uint64(size)>>32), uint32(size), nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	// The view keeps the section alive.
	defer windows.CloseHandle(section)
	addr, err := windows.MapViewOfFile(section, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	// The address is no pointer into the heap of Go: it stays where it is.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return &Mapping{data: unsafe.Slice((*byte)(p), size)}, nil
}

func (m *Mapping) unmap() error {
	return windows.UnmapViewOfFile(uintptr(unsafe.Pointer(&m.data[0])))
}
