package local

import (
	"context"
	"errors"
	"fmt"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/fetch"
	"github.com/minirag/minirag/internal/lock"
)

// fetcher gives the client the library's types.
type fetcher struct{ *fetch.Client }

func (f fetcher) Fetch(ctx context.Context, url string) (*minirag.Fetched, error) {
	got, err := f.Client.Fetch(ctx, url)
	if errors.Is(err, fetch.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", minirag.ErrTooLarge, err)
	}
	if err != nil {
		return nil, err
	}
	return &minirag.Fetched{URL: got.URL, MediaType: got.MediaType, Data: got.Data}, nil
}

var (
	_ minirag.Locker  = lock.Brief{}
	_ minirag.Locker  = lock.Recorded{}
	_ minirag.Fetcher = fetcher{}
)
