package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/minirag/minirag/index"
)

// code returns the primary result code of SQLite, or 0.
func code(err error) int {
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// cutOff reports whether a file is shorter than it should be.
func cutOff(err error) bool {
	e, ok := errors.AsType[*driver.Error](err)
	return ok && e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ
}

// faulted reports whether the shared memory of the log could not be read:
// somebody else has cut or changed its file while it was in use.
func faulted(err error) bool {
	e, ok := errors.AsType[*driver.Error](err)
	return ok && e.Code() == sqlite3.SQLITE_IOERR_IN_PAGE
}

// faultRemedy is what helps then: the file is made anew from the log.
const faultRemedy = "end all processes that use it, and open it again"

// wrap says what an error of SQLite means. Errors that already say it, and
// those of a context, pass unchanged.
func (c *Catalog) wrap(op string, err error) error {
	if err == nil || errors.Is(err, index.ErrDamaged) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	op += " " + c.path
	if cutOff(err) {
		return c.damaged(op, err)
	}
	if faulted(err) {
		return &damageError{fmt.Sprintf("%s: %v (%v): %s-shm was cut while it was in use; %s", op, index.ErrDamaged, err, c.path, faultRemedy), err}
	}
	switch code(err) {
	// The statements are always the same ones. SQLite finds fault with one, as
	// with SQLITE_ERROR, if the schema is no longer what they were written for.
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR:
		return c.damaged(op, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: %w: nothing was changed; free some space on the disk (%w)", op, syscall.ENOSPC, err)
	case sqlite3.SQLITE_IOERR:
		// SQLite reports a full disk so where it extends the shared memory.
		if reason := probe(filepath.Dir(c.path)); reason != nil {
			return fmt.Errorf("%s: %w: nothing was changed (%w)", op, reason, err)
		}
		return fmt.Errorf("%s: the disk cannot be read or written: nothing was changed; check its space and health: %w", op, err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%s: %w: set DB_PATH to a folder that can be written (%w)", op, index.ErrReadOnly, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%s: another process is changing it and did not finish in time; try again: %w", op, err)
	case sqlite3.SQLITE_CANTOPEN:
		return c.cannotOpen(op, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// damaged tells what to do about a file that cannot be read back.
func (c *Catalog) damaged(op string, err error) error {
	return &damageError{fmt.Sprintf("%s: %v (%v): restore the file from a backup, or move it and all that was made from it away from %s and sync again",
		op, index.ErrDamaged, err, filepath.Dir(c.path)), err}
}

// A damageError is [index.ErrDamaged] with its cause.
type damageError struct {
	text  string
	cause error
}

func (e *damageError) Error() string   { return e.text }
func (e *damageError) Unwrap() []error { return []error{index.ErrDamaged, e.cause} }

// cannotOpen finds the operating system's reason, which SQLite does not tell.
func (c *Catalog) cannotOpen(op string, err error) error {
	const remedy = "DB_PATH must name a folder that can be created and written"
	dir := filepath.Dir(c.path)
	info, serr := os.Stat(c.path)
	switch {
	case serr == nil && info.IsDir():
		return fmt.Errorf("%s: it is a folder; %s: %w", op, remedy, err)
	case serr == nil:
		// Opening it for a moment would drop the locks that another catalog
		// in this process holds (POSIX), but then SQLite could have opened it.
		f, oerr := os.Open(c.path)
		if oerr != nil {
			return fmt.Errorf("%s: %w; %s", op, oerr, remedy)
		}
		f.Close()
		if info, werr := os.Stat(c.path + "-wal"); werr == nil && info.Size() > 0 {
			return fmt.Errorf("%s: its last changes are in %s-wal, which can only be read where it can be written; open it there once: %w", op, c.path, err)
		}
	}
	if reason := probe(dir); reason != nil {
		return fmt.Errorf("%s: %w; %s", op, reason, remedy)
	}
	return fmt.Errorf("%s: %w; %s", op, err, remedy)
}

// probe returns the operating system's reason why a folder cannot be written.
func probe(dir string) error {
	f, err := os.CreateTemp(dir, ".minirag-probe-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 64<<10))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
