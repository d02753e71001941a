package main

import (
	"path/filepath"
	"testing"
)

// The files beside the package are those that the command writes.
func TestUpToDate(t *testing.T) {
	if err := source().UpToDate(filepath.Join("..", "..", asmFile), filepath.Join("..", "..", stubFile)); err != nil {
		t.Error(err)
	}
}
