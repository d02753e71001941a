package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"

	"github.com/minirag/minirag/index"
)

// applicationID marks the file as ours ("mRAG").
const applicationID = 0x6d524147

// A migration carries the schema from one format version to the next, in a
// transaction of the caller.
type migration func(ctx context.Context, cn *conn) error

// migrations returns the steps: the first makes version 1 out of nothing.
// Their number is the format version of this program. A step that was
// released never changes.
func migrations() []migration {
	return []migration{create, addSums}
}

// Versions of documents are rows of documents; what was converted is in
// contents, chunks and vectors, which a moved document shares. Vectors have
// a table of their own so that reading texts does not read past them.
// AUTOINCREMENT: ids are never used again. Live is 1<<63 - 1, written out
// because an index is used only where the query has the same literal.
var schema = []string{
	`CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID`,

	`CREATE TABLE fingerprints (
		id INTEGER PRIMARY KEY,
		model TEXT NOT NULL, scheme INTEGER NOT NULL, budget INTEGER NOT NULL, converter TEXT NOT NULL,
		UNIQUE (model, scheme, budget, converter))`,

	// chunks is their number, bytes the length of the Markdown. The large
	// columns come last: SQLite reads a row only as far as it must.
	`CREATE TABLE contents (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		fingerprint INTEGER NOT NULL REFERENCES fingerprints,
		category TEXT NOT NULL, chunks INTEGER NOT NULL, bytes INTEGER NOT NULL,
		sections BLOB NOT NULL, markdown BLOB NOT NULL)`,

	`CREATE TABLE documents (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		content INTEGER NOT NULL REFERENCES contents,
		from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL,
		source TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL,
		hash TEXT NOT NULL, size INTEGER NOT NULL,
		mtime INTEGER, mtime_nsec INTEGER,
		ingested INTEGER, ingested_nsec INTEGER,
		ocr TEXT NOT NULL, warnings TEXT)`,
	`CREATE UNIQUE INDEX documents_live ON documents (source) WHERE to_seq = 9223372036854775807`,
	`CREATE INDEX documents_source ON documents (source, from_seq)`,
	`CREATE INDEX documents_content ON documents (content)`,
	`CREATE INDEX documents_from ON documents (from_seq)`,
	`CREATE INDEX documents_to ON documents (to_seq)`,

	`CREATE TABLE chunks (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		content INTEGER NOT NULL REFERENCES contents, idx INTEGER NOT NULL,
		section INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
		tokens INTEGER NOT NULL, sum INTEGER NOT NULL, text TEXT NOT NULL)`,
	`CREATE UNIQUE INDEX chunks_content ON chunks (content, idx)`,

	// Binary16 numbers, little-endian, then the sum of them and the chunk.
	`CREATE TABLE vectors (chunk INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE, data BLOB NOT NULL)`,
}

// newestSchema is the [schemaSum] of the newest format. One lost bit can give
// a column or an index another name or meaning, of which SQLite does not know
// that it is wrong.
const newestSchema = 0x37a6e1ac

// schemaSum is the checksum of the definitions of all tables of the catalog,
// and of their indexes. Tables of others do not matter.
func schemaSum(ctx context.Context, cn *conn) (uint32, error) {
	var s summer
	err := cn.each(ctx, `SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema
		WHERE tbl_name IN ('meta', 'fingerprints', 'contents', 'documents', 'chunks', 'vectors', 'sums') ORDER BY name`, nil,
		func(r *sql.Rows) (bool, error) {
			var kind, name, table, text string
			err := r.Scan(&kind, &name, &table, &text)
			s.texts(kind, name, table, text)
			return true, err
		})
	return checksum(s.b), err
}

func create(ctx context.Context, cn *conn) error {
	for _, s := range schema {
		if err := cn.exec(ctx, s); err != nil {
			return err
		}
	}
	var id [16]byte
	rand.Read(id[:])
	id[6] = id[6]&0x0f | 0x40 // version 4, RFC 9562
	id[8] = id[8]&0x3f | 0x80
	uuid := fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	return cn.exec(ctx, `INSERT INTO meta VALUES ('uuid', ?), ('seq', 0), ('purged', 0)`, uuid)
}

// migrate brings the schema to the version of steps. Of several processes
// that do it at once one does, the others wait and find it done.
func migrate(ctx context.Context, cn *conn, steps []migration) error {
	if v, err := format(ctx, cn, len(steps)); err != nil || v == len(steps) {
		return err
	}
	if err := cn.begin(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer cn.rollback()
	v, err := format(ctx, cn, len(steps))
	if err != nil {
		return err
	}
	for _, step := range steps[v:] {
		if err := step(ctx, cn); err != nil {
			return err
		}
	}
	// Both are in the header of the file and part of the transaction.
	if err := cn.exec(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	if err := cn.exec(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(steps))); err != nil {
		return err
	}
	return cn.commit(context.Background())
}

// format returns the format version of the file, 0 if it is empty.
func format(ctx context.Context, cn *conn, newest int) (int, error) {
	// One statement is one state of the file: another process may be making it.
	var app, version, tables int
	err := cn.one(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id, pragma_user_version`, nil, &app, &version, &tables)
	if err != nil {
		return 0, err
	}
	switch {
	case app == 0 && version == 0 && tables == 0:
		return 0, nil
	case app != applicationID:
		return 0, errForeign
	case version > newest:
		return 0, fmt.Errorf("%w: it has format %d and this program knows %d; install the newer version or choose another DB_PATH",
			index.ErrNewer, version, newest)
	case version < 1 || tables == 0:
		return 0, fmt.Errorf("%w: format %d with %d tables", index.ErrDamaged, version, tables)
	}
	return version, nil
}
