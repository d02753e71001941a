//go:build ignore

package main

import (
	"context"
	"database/sql"
	"iter"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/blugelabs/bluge"
	"github.com/philippgille/chromem-go"
	_ "modernc.org/sqlite"

	"github.com/minirag/minirag"
	chunking "github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/segment"
	"github.com/minirag/minirag/index/sqlite"
	"github.com/minirag/minirag/local"
)

type asker = func(ctx context.Context, q *question) (int, error)

var origin = index.Origin{Catalog: "bench", Model: "random", Dims: dims}

func openSegment(dir string) (*engine, error) {
	e, err := segment.Open(dir, origin, nil)
	if err != nil {
		return nil, err
	}
	keywords := func(ctx context.Context, q *question) (int, error) {
		s, err := e.Keywords().Snapshot(ctx)
		if err != nil {
			return 0, err
		}
		defer s.Close()
		hits, err := s.Search(ctx, index.KeywordQuery{Text: q.text, Limit: limit})
		return len(hits), err
	}
	vectors := func(ctx context.Context, q *question) (int, error) {
		s, err := e.Vectors().Snapshot(ctx)
		if err != nil {
			return 0, err
		}
		defer s.Close()
		hits, err := s.Search(ctx, index.VectorQuery{Vector: q.vector, Limit: limit})
		return len(hits), err
	}
	hybrid := func(ctx context.Context, q *question) (n int, err error) {
		var wg sync.WaitGroup
		wg.Go(func() { n, err = vectors(ctx, q) })
		m, werr := keywords(ctx, q)
		wg.Wait()
		if err == nil {
			err = werr
		}
		return n + m, err
	}
	return &engine{"minirag", func(ctx context.Context, all []chunk) error {
		return e.Apply(ctx, index.Changes[index.Entry]{To: 1, Add: entries(all)})
	}, map[string]asker{"words": keywords, "vectors": vectors, "hybrid": hybrid}}, nil
}

func entries(all []chunk) iter.Seq2[index.Entry, error] {
	return func(yield func(index.Entry, error) bool) {
		for i := range all {
			c := &all[i]
			e := index.Entry{Chunk: index.ChunkID(c.id + 1), Doc: index.DocID(c.id/perDoc + 1), Title: c.title, Text: c.text, Vector: c.vector}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// batch is the number of chunks that are given to a store at a time.
const batch = 10_000

func openBluge(dir string) (*engine, error) {
	w, err := bluge.OpenWriter(bluge.DefaultConfig(dir))
	if err != nil {
		return nil, err
	}
	return &engine{"bluge", func(_ context.Context, all []chunk) error {
		for len(all) > 0 {
			n := min(batch, len(all))
			b := bluge.NewBatch()
			for _, c := range all[:n] {
				b.Insert(bluge.NewDocument(strconv.Itoa(c.id)).AddField(bluge.NewTextField("title", c.title)).AddField(bluge.NewTextField("text", c.text)))
			}
			if err := w.Batch(b); err != nil {
				return err
			}
			all = all[n:]
		}
		return nil
	}, map[string]asker{"words": func(ctx context.Context, q *question) (n int, err error) {
		r, err := w.Reader()
		if err != nil {
			return 0, err
		}
		defer r.Close()
		any := bluge.NewBooleanQuery().AddShould(bluge.NewMatchQuery(q.text).SetField("title"), bluge.NewMatchQuery(q.text).SetField("text"))
		found, err := r.Search(ctx, bluge.NewTopNSearch(limit, any))
		for err == nil {
			hit, nerr := found.Next()
			if hit == nil {
				return n, nerr
			}
			n++
		}
		return n, err
	}}}, nil
}

func openFTS(dir string) (*engine, error) {
	db, err := sql.Open("sqlite", filepath.Join(dir, "fts.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(`CREATE VIRTUAL TABLE chunks USING fts5(title, text)`); err != nil {
		return nil, err
	}
	insert, err := db.Prepare(`INSERT INTO chunks (rowid, title, text) VALUES (?, ?, ?)`)
	if err != nil {
		return nil, err
	}
	find, err := db.Prepare(`SELECT rowid, rank FROM chunks WHERE chunks MATCH ? ORDER BY rank LIMIT ` + strconv.Itoa(limit))
	if err != nil {
		return nil, err
	}
	return &engine{"fts5", func(ctx context.Context, all []chunk) error {
		for len(all) > 0 {
			n := min(batch, len(all))
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			in := tx.Stmt(insert)
			for _, c := range all[:n] {
				if _, err := in.Exec(c.id, c.title, c.text); err != nil {
					return err
				}
			}
			if err := tx.Commit(); err != nil {
				return err
			}
			all = all[n:]
		}
		_, err := db.ExecContext(ctx, `INSERT INTO chunks (chunks) VALUES ('optimize')`)
		return err
	}, map[string]asker{"words": func(ctx context.Context, q *question) (n int, err error) {
		rows, err := find.QueryContext(ctx, `"`+strings.Join(strings.Fields(q.text), `" OR "`)+`"`)
		if err != nil {
			return 0, err
		}
		defer rows.Close()
		for rows.Next() {
			var id int
			var rank float64
			if err := rows.Scan(&id, &rank); err != nil {
				return 0, err
			}
			n++
		}
		return n, rows.Err()
	}}}, nil
}

// openChromem is in memory: on the disk it makes a file of each chunk.
func openChromem(string) (*engine, error) {
	c, err := chromem.NewDB().CreateCollection("chunks", nil, func(context.Context, string) ([]float32, error) { panic("every chunk has a vector") })
	if err != nil {
		return nil, err
	}
	return &engine{"chromem", func(ctx context.Context, all []chunk) error {
		docs := make([]chromem.Document, len(all))
		for i, c := range all {
			docs[i] = chromem.Document{ID: strconv.Itoa(c.id), Content: c.text, Embedding: c.vector}
		}
		return c.AddDocuments(ctx, docs, runtime.GOMAXPROCS(0))
	}, map[string]asker{"vectors": func(ctx context.Context, q *question) (int, error) {
		hits, err := c.QueryEmbedding(ctx, q.vector, limit, nil, nil)
		return len(hits), err
	}}}, nil
}

// fixed embeds questions by looking them up.
type fixed struct{ vectors map[string][]float32 }

func (f *fixed) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = f.vectors[t]
	}
	return out, nil
}

func (f *fixed) Model() embed.ModelInfo {
	return embed.ModelInfo{ID: "random", Dims: dims, MaxTokens: 512}
}

// openCorpus puts the chunks into a catalog as a sync does, 64 documents at a
// time, and asks through [minirag.Corpus.Query].
func openCorpus(dir string) (*engine, error) {
	f := &fixed{make(map[string][]float32)}
	var corpus *minirag.Corpus
	add := func(ctx context.Context, all []chunk) error {
		catalog, err := sqlite.Open(ctx, filepath.Join(dir, "catalog.sqlite"), nil)
		if err != nil {
			return err
		}
		for len(all) > 0 {
			n := min(64*perDoc, len(all))
			_, err := catalog.Update(ctx, func(tx index.Tx) error {
				for i := 0; i < n; i += perDoc {
					if _, err := tx.Put(document(all[i:i+perDoc], f.Model())); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			all = all[n:]
		}
		if err := catalog.Close(); err != nil {
			return err
		}
		corpus, err = local.Open(ctx, &local.Options{Roots: []string{dir}, Dir: dir, Embedder: f})
		return err
	}
	return &engine{"corpus", add, map[string]asker{"hybrid": func(ctx context.Context, q *question) (int, error) {
		f.vectors[q.text] = q.vector
		res, err := corpus.Query(ctx, minirag.Query{Text: q.text})
		if err != nil {
			return 0, err
		}
		return len(res.Hits), nil
	}}}, nil
}

// document has one section of all its chunks.
func document(chunks []chunk, model embed.ModelInfo) *index.NewDocument {
	d := &index.NewDocument{Document: index.Document{
		Source: "doc-" + strconv.Itoa(chunks[0].id), Kind: minirag.KindData, Title: chunks[0].title,
		Fingerprint: index.Fingerprint{Model: model.ID, Scheme: chunking.Scheme, Budget: chunking.DefaultBudget},
	}}
	var md strings.Builder
	for _, c := range chunks {
		start := md.Len()
		md.WriteString(c.text)
		d.Chunks = append(d.Chunks, chunking.Chunk{Start: start, End: md.Len(), Text: c.text, Tokens: 120})
		d.Vectors = append(d.Vectors, c.vector)
		md.WriteString("\n\n")
	}
	d.Markdown = md.String()
	d.Sections = []chunking.Section{{End: len(d.Markdown)}}
	return d
}
