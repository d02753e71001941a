package flat_test

import (
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/flat"
	"github.com/minirag/minirag/index/indextest"
)

func TestContract(t *testing.T) {
	indextest.RunVectors(t, func(t testing.TB, dir string, origin index.Origin) index.VectorStore {
		s, err := flat.Open(dir, origin, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, nil)
}
