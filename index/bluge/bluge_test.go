package bluge_test

import (
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/bluge"
	"github.com/minirag/minirag/index/indextest"
)

func TestContract(t *testing.T) {
	indextest.RunKeywords(t, func(t testing.TB, dir, catalog string) index.KeywordIndex {
		ix, err := bluge.Open(dir, &bluge.Options{Catalog: catalog})
		if err != nil {
			t.Fatal(err)
		}
		return ix
	}, nil)
}
