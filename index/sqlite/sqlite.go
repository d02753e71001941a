// Package sqlite keeps a [index.Catalog] in one SQLite file.
//
// The file is in write-ahead mode with synchronous=FULL: a committed change
// survives the loss of the machine, readers never wait for a writer, and
// several processes may use the file at once. It is readable only by its
// owner. Beside it SQLite keeps <file>-wal and <file>-shm, which belong to
// it: a copy of the file alone, made while it is in use, is not a backup.
//
// Where the file cannot be written it is opened for reading ([Catalog.ReadOnly]).
// If no process has left a write-ahead log there, as on a read-only medium,
// SQLite reads the file without locks; before every View it is then checked
// whether the file is still the same one. A process that is allowed to write
// to such a place must not do so while a View is running. A catalog of an older
// format in such a place is copied into the folder for temporary files, brought
// to the newest format there, and shown as it was at Open.
//
// Markdown is stored compressed, vectors as binary16 numbers. Everything has
// a checksum, and the numbers of documents and chunks are kept beside them:
// what reads back differently, or not at all, is reported as
// [index.ErrDamaged].
//
// Package sqlite imports index, chunk and internal/f16.
package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/minirag/minirag/index"
)

// Options tune a catalog. The zero value has the documented defaults.
type Options struct {
	// LockTimeout is how long a writer waits for the writers before it. Zero
	// means 30 s. A context that ends sooner ends the wait.
	LockTimeout time.Duration
	// Beside are files and folders that are made from the catalog only. Where
	// one of them is and the catalog is not, it was lost, and Open does not
	// make a new one.
	Beside []string
	// Rollback keeps a rollback journal instead of a write-ahead log, which
	// needs memory that all processes share: for places on other machines. A
	// reader then makes writers wait, so that a View must not call Update.
	Rollback bool
}

// A Catalog is an [index.Catalog] in a SQLite file.
type Catalog struct {
	path     string
	uuid     string
	readOnly bool
	rollback bool
	copied   string // folder of a copy that is read in place of the file, or ""

	writers *pool
	readers *pool
	writing chan struct{} // holds one token while a writer runs in this process
	enc     *zstd.Encoder
	dec     *zstd.Decoder

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

var _ index.Catalog = (*Catalog)(nil)

// Open opens the catalog in the file path and creates it, and its folder, if
// they do not exist. A catalog of an older format is brought to the newest.
//
// The error wraps [index.ErrNewer] if a newer version wrote the file and
// [index.ErrDamaged] if it cannot be read as a catalog, or is missing or empty
// though there was one; Open changes nothing then. A place that cannot be written is no error if there is a catalog
// that can be read.
func Open(ctx context.Context, path string, opts *Options) (*Catalog, error) {
	if opts == nil {
		opts = new(Options)
	}
	timeout := opts.LockTimeout
	if timeout <= 0 {
		timeout = 30 * time.Second
	}
	if path == "" || strings.ContainsRune(path, 0) {
		return nil, fmt.Errorf("open catalog: %q is not a file name", path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open catalog %s: %w", path, err)
	}
	// Without a window limit every encoder would hold 8 MB.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, fmt.Errorf("open catalog %s: %w", path, err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxText))
	if err != nil {
		return nil, fmt.Errorf("open catalog %s: %w", path, err)
	}
	c := &Catalog{path: abs, rollback: opts.Rollback, writing: make(chan struct{}, 1), enc: enc, dec: dec}
	if err = c.lost(opts.Beside); err == nil {
		err = c.open(ctx, timeout)
	}
	if err != nil {
		c.closePools()
		dec.Close()
		return nil, err
	}
	return c, nil
}

// UUID identifies the catalog's content for derived indexes.
func (c *Catalog) UUID() string { return c.uuid }

// Path is the absolute path of the file.
func (c *Catalog) Path() string { return c.path }

// ReadOnly reports whether the place of the catalog cannot be written.
func (c *Catalog) ReadOnly() bool { return c.readOnly }

// Close waits for the calls that are running (and so must not be called from
// within one), moves what is in the
// write-ahead log into the file and closes it. Later calls fail with
// [os.ErrClosed]; closing again does nothing.
func (c *Catalog) Close() error {
	c.mu.Lock()
	done := c.closed
	c.closed = true
	c.mu.Unlock()
	if done {
		return nil
	}
	c.running.Wait()
	err := c.checkpoint()
	if cerr := c.closePools(); err == nil {
		err = cerr
	}
	c.dec.Close()
	if err != nil {
		return c.wrap("close catalog", err)
	}
	return nil
}

// checkpoint does not wait for readers of other processes, and a full disk
// does not matter: what it leaves in the log is safe there.
func (c *Catalog) checkpoint() error {
	if c.readOnly {
		return nil
	}
	ctx := context.Background()
	cn, err := c.writers.get(ctx)
	if err != nil {
		return err
	}
	defer c.writers.put(cn, true)
	err = cn.exec(ctx, "PRAGMA wal_checkpoint(PASSIVE)")
	if k := code(err); k == sqlite3.SQLITE_FULL || k == sqlite3.SQLITE_BUSY {
		err = nil
	}
	return err
}

func (c *Catalog) closePools() error {
	var err error
	for _, p := range []*pool{c.readers, c.writers} {
		if p != nil {
			if perr := p.close(); err == nil {
				err = perr
			}
		}
	}
	if c.copied != "" {
		if rerr := os.RemoveAll(c.copied); err == nil {
			err = rerr
		}
	}
	return err
}

// begin counts a call that Close must wait for.
func (c *Catalog) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fmt.Errorf("catalog %s: %w", c.path, os.ErrClosed)
	}
	c.running.Add(1)
	return nil
}

// View implements [index.Catalog]. fn may call View again, and Update.
func (c *Catalog) View(ctx context.Context, fn func(index.View) error) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.running.Done()
	cn, err := c.readers.get(ctx)
	if err != nil {
		return c.wrap("read catalog", err)
	}
	defer c.finish(ctx, c.readers, cn)
	if err := cn.begin(ctx, "BEGIN"); err != nil {
		return c.wrap("read catalog", err)
	}
	v := &view{c: c, cn: cn, ctx: ctx}
	defer v.end()
	if err := v.load(); err != nil {
		return err
	}
	return fn(v)
}

// Update implements [index.Catalog]. A call that waits for other writers ends
// when ctx does or after Options.LockTimeout. fn may call View, which does not
// see its changes, but not Update or Purge: they would wait for it. The error
// wraps [index.ErrReadOnly] where the catalog cannot be written, and
// [syscall.ENOSPC] if the disk is full; nothing is changed then, and the
// catalog can be used further.
func (c *Catalog) Update(ctx context.Context, fn func(index.Tx) error) (index.Seq, error) {
	var seq index.Seq
	err := c.write(ctx, func(tx *tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		seq = tx.seq
		return nil
	})
	if err != nil {
		return 0, err
	}
	return seq, nil
}

// write runs fn in a transaction of the only writer.
func (c *Catalog) write(ctx context.Context, fn func(*tx) error) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.running.Done()
	if c.readOnly {
		return fmt.Errorf("change catalog %s: %w: set DB_PATH to a folder that can be written", c.path, index.ErrReadOnly)
	}
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	cn, err := c.writers.get(ctx)
	if err != nil {
		return c.wrap("change catalog", err)
	}
	defer c.finish(ctx, c.writers, cn)
	if err := cn.begin(ctx, "BEGIN IMMEDIATE"); err != nil {
		return c.wrap("change catalog", err)
	}
	t := &tx{view: view{c: c, cn: cn, ctx: ctx}}
	defer t.end()
	if err := t.load(); err != nil {
		return err
	}
	if err := fn(t); err != nil {
		return err
	}
	if err := t.save(); err != nil {
		return err
	}
	// SQLite may have rolled back on its own after an error that fn ignored.
	if cn.failed != nil {
		return c.wrap("change catalog", cn.failed)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// Not ctx: once it has begun, a commit must have one clear outcome.
	return c.wrap("change catalog", cn.commit(context.Background()))
}

// finish gives a connection back, out of its transaction. It also runs when
// fn panics.
func (c *Catalog) finish(ctx context.Context, p *pool, cn *conn) {
	// An interrupted connection is not worth a second thought.
	p.put(cn, cn.rollback() == nil && cn.failed == nil && ctx.Err() == nil)
}
