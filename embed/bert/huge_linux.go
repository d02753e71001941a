package bert

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for large pages under b, which has not been written to:
// thousands of faults on small ones would take longer than filling it.
func adviseHuge(b []byte) {
	const size = 2 << 20
	at := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % size)
	if whole := (len(b) - at) / size * size; whole > 0 {
		_ = unix.Madvise(b[at:at+whole], unix.MADV_HUGEPAGE) // small pages do as well
	}
}
