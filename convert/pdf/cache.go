//go:build !lite

package pdf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/tetratelabs/wazero"
)

const (
	cacheFolder   = "pdfium"
	cacheManifest = "checksums.json"
	cacheLock     = "lock"
	// lockPoll is how often a process looks whether another has finished compiling.
	lockPoll = 100 * time.Millisecond
)

// startCached makes an engine whose compiled code is kept below dir.
//
// wazero renames complete files into place, so several processes may share the
// folder, but it takes the lengths in a damaged file for true and would end
// the process on some. So a manifest of checksums stands beside the files, and
// what does not agree with it is removed before wazero looks. A lock lets one
// process compile while the others wait for the result.
func startCached(ctx context.Context, dir string, log *slog.Logger) (*engine, error) {
	dir = filepath.Join(dir, cacheFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if !cacheSound(dir) {
		lock := flock.New(filepath.Join(dir, cacheLock), flock.SetPermissions(0o600))
		if ok, err := lock.TryLockContext(ctx, lockPoll); err != nil || !ok {
			return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
		}
		defer lock.Close()
		if !cacheSound(dir) {
			if err := cacheSweep(dir); err != nil {
				return nil, err
			}
			log.Info("compiling the PDF engine, once: this takes some seconds")
		}
	}
	e, err := newCachedEngine(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := cacheSeal(dir); err != nil {
		log.Warn("the compiled PDF engine could not be kept", "folder", dir, "error", err)
	}
	return e, nil
}

func newCachedEngine(ctx context.Context, dir string) (*engine, error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, err
	}
	return newEngine(ctx, cache)
}

// A checksum is CRC-32C and size of a file: enough against damage. Against
// malice there is nothing but the folder's permissions.
type checksum struct {
	CRC  uint32 `json:"crc32c"`
	Size int64  `json:"size"`
}

// cacheSound reports whether dir holds compiled code and every file of it is as it was written.
func cacheSound(dir string) bool {
	want, err := readManifest(dir)
	if err != nil || len(want) == 0 {
		return false
	}
	got, err := sumCode(dir)
	if err != nil || len(got) != len(want) {
		return false
	}
	for name, sum := range want {
		if got[name] != sum {
			return false
		}
	}
	return true
}

// cacheSweep removes all that is not in the manifest as it is on disk. The caller holds the lock.
func cacheSweep(dir string) error {
	want, err := readManifest(dir)
	if err != nil {
		want = nil
	}
	return walkCode(dir, func(name, file string) error {
		if got, err := sumFile(file); err == nil && want[name] == got && got.Size > 0 {
			return nil
		}
		return os.Remove(file)
	})
}

// cacheSeal writes the manifest when it is not up to date.
func cacheSeal(dir string) error {
	if cacheSound(dir) {
		return nil
	}
	sums, err := sumCode(dir)
	if err != nil {
		return err
	}
	data, err := json.Marshal(sums)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, cacheManifest+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, cacheManifest))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func readManifest(dir string) (map[string]checksum, error) {
	data, err := os.ReadFile(filepath.Join(dir, cacheManifest))
	if err != nil {
		return nil, err
	}
	var sums map[string]checksum
	return sums, json.Unmarshal(data, &sums)
}

// sumCode returns the checksums of wazero's files, by their slashed path below dir.
func sumCode(dir string) (map[string]checksum, error) {
	sums := map[string]checksum{}
	err := walkCode(dir, func(name, file string) error {
		if strings.HasSuffix(name, ".tmp") {
			return nil
		}
		sum, err := sumFile(file)
		sums[name] = sum
		return err
	})
	return sums, err
}

// walkCode calls f for every file in the folders below dir; the lock and the
// manifest are in dir itself.
func walkCode(dir string, f func(name, file string) error) error {
	return filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(file) == dir {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return f(filepath.ToSlash(name), file)
	})
}

func sumFile(file string) (checksum, error) {
	f, err := os.Open(file)
	if err != nil {
		return checksum{}, err
	}
	defer f.Close()
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	n, err := io.Copy(h, f)
	return checksum{CRC: h.Sum32(), Size: n}, err
}
