package bert

import (
	"fmt"
	"io"
)

// A Description is what a GGUF file says of its model.
type Description struct {
	Name      string // general.name, may be empty
	Dims      int    // length of a vector
	MaxTokens int    // longest sequence, with the special tokens
}

// maxHead bounds the metadata that [Describe] reads.
const maxHead = 256 << 20

// Describe reads the metadata at the beginning of a GGUF file of size bytes,
// without its weights. [New] may still refuse what it takes.
func Describe(file io.ReaderAt, size int64) (*Description, error) {
	for n := min(size, 1<<20); ; n = min(size, 4*n) {
		head := make([]byte, n)
		if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
			return nil, fmt.Errorf("describe model: %w", err)
		}
		r := &reader{src: string(head)}
		f, _ := r.head()
		if r.err != nil && n < size && n < maxHead {
			continue // the metadata may go on
		}
		if r.err != nil {
			return nil, fmt.Errorf("describe model: %w", r.err)
		}
		d, err := f.describe()
		if err != nil {
			return nil, fmt.Errorf("describe model: %w", err)
		}
		return d, nil
	}
}

func (f *file) describe() (*Description, error) {
	if arch := f.text("general.architecture"); arch != "bert" {
		return nil, fmt.Errorf("architecture %q is not supported; bert is", arch)
	}
	d := &Description{Name: f.text("general.name")}
	var err error
	if d.Dims, err = f.need("bert.embedding_length", 1, maxDims); err != nil {
		return nil, err
	}
	d.MaxTokens, err = f.need("bert.context_length", 1, maxPositions)
	return d, err
}
