package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	driver "modernc.org/sqlite"
)

// A conn is one connection with its prepared statements. It is used by one
// goroutine at a time.
type conn struct {
	sql   *sql.Conn
	db    *sql.DB
	stamp string // of the file, see pool.dsn
	// stmts are those not in use: a statement whose rows are being read
	// cannot be run again, so that nested use prepares another one.
	stmts  map[string][]*sql.Stmt
	inTx   bool
	failed error // the first error since begin
}

func dial(ctx context.Context, dsn string) (*conn, error) {
	connector, err := driver.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	c, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, err
	}
	return &conn{sql: c, db: db, stmts: make(map[string][]*sql.Stmt)}, nil
}

func (c *conn) close() error {
	for _, list := range c.stmts {
		for _, s := range list {
			s.Close()
		}
	}
	err := c.sql.Close()
	if derr := c.db.Close(); err == nil {
		err = derr
	}
	return err
}

func (c *conn) begin(ctx context.Context, how string) error {
	c.failed = nil
	if err := c.exec(ctx, how); err != nil {
		return err
	}
	c.inTx = true
	return nil
}

func (c *conn) commit(ctx context.Context) error {
	if err := c.exec(ctx, "COMMIT"); err != nil {
		return err
	}
	c.inTx = false
	return nil
}

// rollback ends a transaction that was not committed.
func (c *conn) rollback() error {
	if !c.inTx {
		return nil
	}
	c.inTx = false
	_, err := c.sql.ExecContext(context.Background(), "ROLLBACK")
	return err
}

func (c *conn) fail(err error) error {
	if err != nil && c.failed == nil && !errors.Is(err, sql.ErrNoRows) {
		c.failed = err
	}
	return err
}

func (c *conn) take(ctx context.Context, query string) (*sql.Stmt, error) {
	if list := c.stmts[query]; len(list) > 0 {
		s := list[len(list)-1]
		c.stmts[query] = list[:len(list)-1]
		return s, nil
	}
	return c.sql.PrepareContext(ctx, query)
}

func (c *conn) give(query string, s *sql.Stmt) { c.stmts[query] = append(c.stmts[query], s) }

// run executes a statement without rows.
func (c *conn) run(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, c.fail(err)
	}
	defer c.give(query, s)
	res, err := s.ExecContext(ctx, args...)
	return res, c.fail(err)
}

func (c *conn) exec(ctx context.Context, query string, args ...any) error {
	_, err := c.run(ctx, query, args...)
	return err
}

// each calls row for every row until it returns false or an error.
func (c *conn) each(ctx context.Context, query string, args []any, row func(*sql.Rows) (bool, error)) error {
	if c.failed != nil {
		return c.failed
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return c.fail(err)
	}
	defer c.give(query, s)
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return c.fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		if more, err := row(rows); err != nil || !more {
			return err
		}
	}
	return c.fail(rows.Err())
}

// one reads a single row, or returns [sql.ErrNoRows].
func (c *conn) one(ctx context.Context, query string, args []any, dest ...any) error {
	found := false
	err := c.each(ctx, query, args, func(r *sql.Rows) (bool, error) {
		found = true
		return false, c.fail(r.Scan(dest...))
	})
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	return err
}

// A pool keeps idle connections. Any number can be in use: a limit would make
// a View inside a View wait for itself.
type pool struct {
	// dsn returns how to connect now. A connection of another stamp is not
	// used again.
	dsn func() (dsn, stamp string)
	max int

	mu   sync.Mutex
	idle []*conn
}

func (p *pool) get(ctx context.Context) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dsn, stamp := p.dsn()
	for {
		p.mu.Lock()
		n := len(p.idle)
		if n == 0 {
			p.mu.Unlock()
			break
		}
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if c.stamp == stamp {
			c.failed = nil
			return c, nil
		}
		c.close()
	}
	c, err := dial(ctx, dsn)
	if err != nil {
		return nil, err
	}
	c.stamp = stamp
	return c, nil
}

// put gives c back. A connection that is not healthy is closed.
func (p *pool) put(c *conn, healthy bool) {
	p.mu.Lock()
	keep := healthy && len(p.idle) < p.max
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		c.close()
	}
}

func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, c := range p.idle {
		if cerr := c.close(); err == nil {
			err = cerr
		}
	}
	p.idle = nil
	return err
}
