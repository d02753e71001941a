package segset

import (
	"encoding/binary"
	"hash/crc32"
)

// ManifestName is the name of the manifest file.
const ManifestName = manifestName

// Sealed returns a manifest file with the given JSON and the right checksum.
func Sealed(json []byte) []byte {
	file := make([]byte, len(stamp{}), len(stamp{})+len(json))
	copy(file, manifestMagic)
	binary.LittleEndian.PutUint64(file[24:], uint64(len(json)))
	binary.LittleEndian.PutUint32(file[32:], crc32.Checksum(json, castagnoli))
	return append(file, json...)
}
