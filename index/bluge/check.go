package bluge

import (
	"context"
	"fmt"

	"github.com/minirag/minirag/index"
)

var (
	_ index.Verifier  = (*Index)(nil)
	_ index.Tidier    = (*Index)(nil)
	_ index.Compacter = (*Index)(nil)
)

// Verify implements [index.Verifier].
func (ix *Index) Verify(ctx context.Context) (index.Seq, []index.ChunkID, error) {
	seq, chunks, err := ix.set.Chunks(ctx)
	if err != nil {
		return 0, nil, fmt.Errorf("verify keywords: %w", err)
	}
	return seq, chunks, nil
}

// Tidy implements [index.Tidier].
func (ix *Index) Tidy(ctx context.Context) ([]string, error) { return ix.set.Tidy(ctx) }

// Compact implements [index.Compacter].
func (ix *Index) Compact(ctx context.Context) error {
	if err := ix.set.Compact(ctx); err != nil {
		return fmt.Errorf("compact keywords: %w", err)
	}
	return nil
}
