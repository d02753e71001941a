package segment

import (
	"context"
	"fmt"

	"github.com/minirag/minirag/index"
)

var (
	_ index.Verifier  = (*Engine)(nil)
	_ index.Tidier    = (*Engine)(nil)
	_ index.Compacter = (*Engine)(nil)
)

// Verify implements [index.Verifier].
func (e *Engine) Verify(ctx context.Context) (index.Seq, []index.ChunkID, error) {
	seq, chunks, err := e.set.Chunks(ctx)
	if err != nil {
		return 0, nil, fmt.Errorf("verify index: %w", err)
	}
	return seq, chunks, nil
}

// Tidy implements [index.Tidier].
func (e *Engine) Tidy(ctx context.Context) ([]string, error) { return e.set.Tidy(ctx) }

// Compact implements [index.Compacter].
func (e *Engine) Compact(ctx context.Context) error {
	if err := e.set.Compact(ctx); err != nil {
		return fmt.Errorf("compact index: %w", err)
	}
	return nil
}
