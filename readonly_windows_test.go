package minirag_test

import (
	"context"
	"errors"
)

func childOther(context.Context) error { return errors.New("there is no other user") }
