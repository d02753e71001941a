package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The files of package kernel are those that the command writes.
func TestUpToDate(t *testing.T) {
	asm, stubs, err := source()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{asmFile: asm, stubFile: stubs} {
		got, err := os.ReadFile(filepath.Join("..", "kernel", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: run go generate (-want +got):\n%s", name, diff)
		}
	}
}
