package segset

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/atomicfile"
)

// The manifest file is a stamp followed by JSON:
//
//	magic    8 bytes
//	nonce   16 bytes, random
//	length   8 bytes of the JSON, little endian
//	sum      4 bytes, CRC-32C of the JSON, little endian
//
// Two manifests never have the same stamp, so reading it tells for sure
// whether anything changed; size and time of the file would not.
const manifestMagic = "mrmanif\x01"

type stamp [36]byte

type manifest struct {
	Identity string    `json:"identity"`
	Seq      index.Seq `json:"seq"`
	Segments []file    `json:"segments"`
}

type file struct {
	Name    string `json:"name"`
	Size    int64  `json:"size"` // without the header
	Sum     uint32 `json:"sum"`  // CRC-32C, without the header
	Deleted []byte `json:"deleted,omitempty"`
}

// errSame says that a manifest is the one that is known.
var errSame = errors.New("manifest is unchanged")

// readManifest reads the manifest unless its stamp is known, and then returns
// errSame. A missing one has the zero stamp.
func readManifest(path string, known stamp) (stamp, *manifest, error) {
	var mark stamp
	f, err := atomicfile.Open(path)
	if err != nil {
		if info, serr := os.Stat(filepath.Dir(path)); serr == nil && !info.IsDir() {
			err = fmt.Errorf("%s is a file where the index has a folder; remove or rename it, and the index is made anew", filepath.Dir(path))
		}
		return mark, nil, err
	}
	defer f.Close()
	damaged := fmt.Errorf("%s: %w", path, index.ErrDamaged)
	switch _, err := io.ReadFull(f, mark[:]); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return stamp{}, nil, damaged
	case err != nil:
		return stamp{}, nil, err
	}
	if mark == known {
		return mark, nil, errSame
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return mark, nil, err
	}
	size, sum := binary.LittleEndian.Uint64(mark[24:]), binary.LittleEndian.Uint32(mark[32:])
	if string(mark[:8]) != manifestMagic || size != uint64(len(data)) || sum != crc32.Checksum(data, castagnoli) {
		return mark, nil, damaged
	}
	m := new(manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return mark, nil, damaged
	}
	for _, f := range m.Segments {
		if f.Name != filepath.Base(f.Name) || filepath.Ext(f.Name) != segmentExt {
			return mark, nil, damaged // not one of this folder
		}
	}
	return mark, m, nil
}

func writeManifest(path string, m *manifest) (stamp, error) {
	var mark stamp
	data, err := json.Marshal(m)
	if err != nil {
		return mark, err
	}
	copy(mark[:], manifestMagic)
	rand.Read(mark[8:24])
	binary.LittleEndian.PutUint64(mark[24:], uint64(len(data)))
	binary.LittleEndian.PutUint32(mark[32:], crc32.Checksum(data, castagnoli))
	err = atomicfile.Write(path, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, io.MultiReader(bytes.NewReader(mark[:]), bytes.NewReader(data)))
		return err
	})
	return mark, err
}
