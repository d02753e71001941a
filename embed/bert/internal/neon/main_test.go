package main

import (
	"path/filepath"
	"testing"
)

// The files of package kernel are those that the command writes.
func TestUpToDate(t *testing.T) {
	if err := source().UpToDate(filepath.Join("..", "kernel", asmFile), filepath.Join("..", "kernel", stubFile)); err != nil {
		t.Error(err)
	}
}
