package sqlite_test

import (
	"context"
	"errors"
)

func otherUser(context.Context, string) error { return errors.New("there is no other user") }
