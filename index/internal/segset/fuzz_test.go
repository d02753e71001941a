package segset_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
)

// FuzzManifest gives a set manifests that are whole but say anything. What is
// read must be the two chunks that are stored, some of them, or nothing.
func FuzzManifest(f *testing.F) {
	dir := f.TempDir()
	apply(f, new(counter).set(dir), 0, 3, nil, 1, 2)
	manifest := filepath.Join(dir, segset.ManifestName)
	file, err := os.ReadFile(manifest)
	must(f, err)
	good := file[len(segset.Sealed(nil)):]
	f.Add(good)
	f.Add(bytes.Replace(good, []byte(`"sum"`), []byte(`"deleted":"AQAAAAAAAAA=","sum"`), 1))
	f.Add(bytes.Replace(good, []byte(`"name":"`), []byte(`"name":"../`), 1))
	f.Add([]byte(`{"identity":"test","seq":9,"segments":[{}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, json []byte) {
		must(t, os.WriteFile(manifest, segset.Sealed(json), 0o600))
		state, err := new(counter).set(dir).Current()
		must(t, err)
		for _, p := range state.Parts {
			if p.Live() < 0 || p.Live() > 2 {
				t.Errorf("%d live entries", p.Live())
			}
			for _, id := range p.Data {
				if id != 1 && id != 2 {
					t.Errorf("chunk %d was never stored", id)
				}
				if i, ok := p.Find(id); !ok || p.Data[i] != id {
					t.Errorf("chunk %d is not found", id)
				}
			}
			if _, ok := p.Find(index.ChunkID(3)); ok {
				t.Error("chunk 3 is found")
			}
		}
	})
}
