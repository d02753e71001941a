package readfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/minirag/minirag/internal/readfile"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for _, size := range []int{0, 1, 511, 512, 100_000} {
		want := bytes.Repeat([]byte("x"), size)
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		got, info, err := readfile.Read("", path, 100_000)
		if err != nil || !bytes.Equal(got, want) || info.Size() != int64(size) {
			t.Errorf("size %d: %d bytes, %v", size, len(got), err)
		}
	}
	var tooLarge *readfile.SizeError
	if _, _, err := readfile.Read("", path, 99_999); !errors.As(err, &tooLarge) || tooLarge.Size != 100_000 {
		t.Errorf("over the limit: %v", err)
	}
	if _, _, err := readfile.Read("", dir, 0); !errors.Is(err, readfile.ErrFolder) || !errors.Is(err, readfile.ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, _, err := readfile.Read("", path+"x", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestHash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	if got, err := readfile.Hash("", path); got != want || err != nil {
		t.Errorf("Hash = %s, %v", got, err)
	}
}
