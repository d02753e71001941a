package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/indextest"
	"github.com/minirag/minirag/index/sqlite"
)

// open opens the catalog in path until the test ends.
func open(t testing.TB, path string) *sqlite.Catalog {
	t.Helper()
	c, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestContract(t *testing.T) {
	indextest.RunCatalog(t, func(t *testing.T) index.Catalog {
		return open(t, filepath.Join(t.TempDir(), "catalog.db"))
	}, &indextest.CatalogOptions{Reopen: func(t *testing.T, c index.Catalog) index.Catalog {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return open(t, c.(*sqlite.Catalog).Path())
	}})
}
