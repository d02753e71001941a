package flat_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/flat"
)

func TestFileInPlaceOfTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vectors")
	if err := os.WriteFile(dir, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := flat.Open(dir, index.Origin{Catalog: "c", Model: "m", Dims: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Snapshot(t.Context())
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "remove or rename") {
		t.Errorf("the error names neither the file nor the remedy: %v", err)
	}
	if got, err := os.ReadFile(dir); err != nil || string(got) != "notes" {
		t.Errorf("the file is now %q, %v", got, err)
	}
}
