package flat_test

import (
	"bytes"
	"testing"

	"github.com/minirag/minirag/index/flat"
)

// FuzzDecode: what can be decoded is encoded to the same bytes.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 3, 0, 0, 0})
	f.Add(append([]byte{1, 0, 0, 0, 3, 0, 0, 0}, make([]byte, 23)...))
	f.Add([]byte{255, 255, 255, 255, 3, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		again, err := flat.Recode(bytes.Clone(data), 3)
		if err == nil && !bytes.Equal(data, again) {
			t.Errorf("%x is encoded as %x", data, again)
		}
	})
}
