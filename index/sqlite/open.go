package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/minirag/minirag/index"
)

// errForeign says that the file is a database of another program. It is not
// damaged: nobody must be led to remove it.
var errForeign = errors.New("it is the database of another program; choose another DB_PATH")

// busyPause is the time between two attempts at what SQLite does not wait for.
const busyPause = 10 * time.Millisecond

// idleReaders bounds the connections that are kept: each has a page cache of
// up to 2 MB.
const idleReaders = 4

func (c *Catalog) open(ctx context.Context, timeout time.Duration) error {
	fixed := func(a access) func() (string, string) {
		dsn := dataSource(c.path, a, timeout)
		return func() (string, string) { return dsn, "" }
	}
	c.writers = &pool{dsn: fixed(write), max: 1}
	c.readers = &pool{dsn: fixed(read), max: idleReaders}

	err := os.MkdirAll(filepath.Dir(c.path), 0o700)
	if err == nil {
		err = c.setUp(ctx, timeout)
	} else {
		err = fmt.Errorf("open catalog: %w; DB_PATH must name a folder that can be created and written", err)
	}
	if err == nil {
		return nil
	}
	switch code(err) {
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		rerr := c.setUpReadOnly(ctx, timeout)
		if rerr == nil {
			return nil
		}
		if errors.Is(rerr, index.ErrNewer) || errors.Is(rerr, index.ErrDamaged) || errors.Is(rerr, errForeign) {
			err = rerr
		}
	}
	return c.wrapOpen(err)
}

// lost reports a catalog that is missing or empty though there was one.
func (c *Catalog) lost(beside []string) error {
	// These come after the catalog and are looked for before it, so that one
	// that another process is just making is not taken for lost.
	witness := ""
	for _, path := range append([]string{c.path + "-wal"}, beside...) {
		if info, err := os.Stat(path); err == nil && (info.IsDir() || info.Size() > 0) {
			witness = path
			break
		}
	}
	if witness == "" {
		return nil
	}
	info, err := os.Stat(c.path)
	if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	what := "it is empty"
	if err != nil {
		what = "it is missing"
	}
	return c.damaged("open catalog "+c.path, fmt.Errorf("%s, but %s was made from it", what, witness))
}

// wrapOpen explains an error of Open, with the file's name.
func (c *Catalog) wrapOpen(err error) error {
	switch {
	case errors.Is(err, index.ErrDamaged):
		return c.damaged("open catalog "+c.path, err)
	case code(err) == sqlite3.SQLITE_READONLY:
		return c.cannotOpen("open catalog "+c.path, err)
	case errors.Is(err, os.ErrPermission), errors.Is(err, os.ErrExist):
		return err
	}
	return c.wrap("open catalog", err)
}

// setUp creates what is missing and reads the UUID.
func (c *Catalog) setUp(ctx context.Context, timeout time.Duration) error {
	for start := time.Now(); ; {
		err := c.trySetUp(ctx, timeout)
		if k := code(err); k != sqlite3.SQLITE_BUSY && k != sqlite3.SQLITE_LOCKED && k != sqlite3.SQLITE_PROTOCOL || time.Since(start) > timeout {
			return err
		}
		// Switching to write-ahead mode and recovering a log need the file
		// alone, and SQLite does not wait for it where that could deadlock.
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *Catalog) trySetUp(ctx context.Context, timeout time.Duration) error {
	cn, err := c.writers.get(ctx)
	if err != nil {
		return err
	}
	healthy := false
	defer func() { c.writers.put(cn, healthy) }()
	steps := migrations()
	// Nothing is changed in a file that is not ours.
	version, err := format(ctx, cn, len(steps))
	if err != nil {
		return err
	}
	// SQLite makes the log and the shared memory with the mode of the file,
	// and may have made them just now. The files are not opened here: closing
	// them again would drop the locks that another catalog in this process
	// holds.
	for _, path := range []string{c.path, c.path + "-wal", c.path + "-shm"} {
		if runtime.GOOS == "windows" {
			break // modes say nothing there, and a file that is open may refuse one
		}
		if info, err := os.Stat(path); err == nil && info.Mode().Perm() != 0o600 {
			if err := os.Chmod(path, 0o600); err != nil && version == 0 && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("open catalog: %w", err)
			}
		}
	}
	if version == 0 {
		// Compaction needs it, and it must be there before the first table.
		if err := cn.exec(ctx, "PRAGMA auto_vacuum = INCREMENTAL"); err != nil {
			return err
		}
	}
	if err := c.setJournal(ctx, cn); err != nil {
		return err
	}
	if err := migrate(ctx, cn, steps); err != nil {
		return err
	}
	if err := writable(ctx, cn, timeout); err != nil {
		return err
	}
	if err := c.identify(ctx, cn); err != nil {
		return err
	}
	healthy = true
	return nil
}

func (c *Catalog) setJournal(ctx context.Context, cn *conn) error {
	var mode string
	if !c.rollback {
		// The answer is another mode, not an error, on file systems without
		// shared memory. The catalog works there, but readers may wait.
		return cn.one(ctx, "PRAGMA journal_mode = WAL", nil, &mode)
	}
	err := cn.one(ctx, "PRAGMA journal_mode = DELETE", nil, &mode)
	if code(err) == sqlite3.SQLITE_BUSY { // others have it open with a log, which goes with them
		cn.failed, err = nil, nil
	}
	return err
}

// identify compares the schema with what it should be, and reads the UUID.
func (c *Catalog) identify(ctx context.Context, cn *conn) error {
	switch sum, err := schemaSum(ctx, cn); {
	case err != nil:
		return err
	case sum != newestSchema:
		return fmt.Errorf("%w: its schema is not that of its format", index.ErrDamaged)
	}
	m, err := readMeta(ctx, cn)
	if err == errSum {
		err = fmt.Errorf("%w: %w", index.ErrDamaged, err)
	}
	c.uuid = m.uuid
	return err
}

// writable finds out now, not at the first Update, whether the file can be
// written: SQLite opens it for reading if it must, and says nothing.
func writable(ctx context.Context, cn *conn, timeout time.Duration) error {
	if err := cn.exec(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return err
	}
	err := cn.exec(ctx, "UPDATE meta SET value = value WHERE 0")
	if code(err) == sqlite3.SQLITE_BUSY { // somebody else is writing
		cn.failed, err = nil, nil
	}
	if err != nil {
		return err
	}
	return cn.exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", timeout.Milliseconds()))
}

func (c *Catalog) setUpReadOnly(ctx context.Context, timeout time.Duration) error {
	c.readOnly = true
	c.readers = &pool{max: idleReaders, dsn: func() (string, string) {
		if info, err := os.Stat(c.path + "-wal"); err == nil && info.Size() > 0 {
			return dataSource(c.path, readOnly, timeout), "wal"
		}
		var stamp string
		if info, err := os.Stat(c.path); err == nil {
			stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		return dataSource(c.path, immutable, timeout), stamp
	}}
	readers := c.readers
	cn, err := readers.get(ctx)
	if err != nil {
		return err
	}
	healthy := false
	defer func() { readers.put(cn, healthy) }()
	newest := len(migrations())
	version, err := format(ctx, cn, newest)
	if err != nil {
		return err
	}
	switch version {
	case 0:
		return fmt.Errorf("open catalog %s: %w and empty", c.path, index.ErrReadOnly)
	case newest:
	default:
		return c.setUpCopy(ctx, cn, timeout)
	}
	if err := c.identify(ctx, cn); err != nil {
		return err
	}
	healthy = true
	return nil
}

// setUpCopy makes a copy in the newest format, of a catalog that cannot be
// brought to it where it is, and lets readers read that.
func (c *Catalog) setUpCopy(ctx context.Context, from *conn, timeout time.Duration) error {
	dir, err := os.MkdirTemp("", "minirag-catalog-*")
	if err != nil {
		return fmt.Errorf("open catalog %s: %w and of an older format, and no copy of it can be made: %w", c.path, index.ErrReadOnly, err)
	}
	c.copied = dir
	path := filepath.Join(dir, filepath.Base(c.path))
	if err := from.exec(ctx, "VACUUM INTO ?", path); err != nil {
		return err
	}
	cn, err := dial(ctx, dataSource(path, write, timeout))
	if err != nil {
		return err
	}
	err = migrate(ctx, cn, migrations())
	if err == nil {
		err = c.identify(ctx, cn)
	}
	if cerr := cn.close(); err == nil {
		err = cerr
	}
	dsn := dataSource(path, immutable, timeout)
	c.readers = &pool{max: idleReaders, dsn: func() (string, string) { return dsn, "" }}
	return err
}
