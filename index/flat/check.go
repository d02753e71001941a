package flat

import (
	"context"
	"fmt"

	"github.com/minirag/minirag/index"
)

var (
	_ index.Verifier  = (*Store)(nil)
	_ index.Tidier    = (*Store)(nil)
	_ index.Compacter = (*Store)(nil)
)

// Verify implements [index.Verifier].
func (s *Store) Verify(ctx context.Context) (index.Seq, []index.ChunkID, error) {
	seq, chunks, err := s.set.Chunks(ctx)
	if err != nil {
		return 0, nil, fmt.Errorf("verify vectors: %w", err)
	}
	return seq, chunks, nil
}

// Tidy implements [index.Tidier].
func (s *Store) Tidy(ctx context.Context) ([]string, error) { return s.set.Tidy(ctx) }

// Compact implements [index.Compacter].
func (s *Store) Compact(ctx context.Context) error {
	if err := s.set.Compact(ctx); err != nil {
		return fmt.Errorf("compact vectors: %w", err)
	}
	return nil
}
