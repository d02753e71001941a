package segset

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

func TestChecksum(t *testing.T) {
	rng := rand.NewChaCha8([32]byte{1})
	data := make([]byte, 3*sumPart+77)
	rng.Read(data)
	for _, n := range []int{0, 1, 1000, sumPart - 1, sumPart, sumPart + 1, 2 * sumPart, len(data)} {
		got, err := checksum(data[:n])
		if err != nil {
			t.Fatal(err)
		}
		if want := crc32.Checksum(data[:n], castagnoli); got != want {
			t.Errorf("checksum of %d bytes is %08x, want %08x", n, got, want)
		}
	}
}

func TestCombine(t *testing.T) {
	data := []byte("the sum of a text in two pieces")
	for i := range len(data) + 1 {
		first, second := crc32.Checksum(data[:i], castagnoli), crc32.Checksum(data[i:], castagnoli)
		if got, want := combine(first, second, len(data)-i), crc32.Checksum(data, castagnoli); got != want {
			t.Errorf("pieces of %d and %d bytes give %08x, want %08x", i, len(data)-i, got, want)
		}
	}
}
