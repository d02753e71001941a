package mcpserver_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/minirag/minirag"
)

// fake is a corpus of a few sources under /docs that keeps what it is given.
type fake struct {
	sync  func(context.Context, *minirag.SyncOptions) (*minirag.SyncReport, error)
	query func(context.Context, minirag.Query) (*minirag.Result, error)

	mu    sync.Mutex // guards texts
	texts map[string]*minirag.Text
}

func newFake() *fake {
	f := &fake{texts: map[string]*minirag.Text{}}
	f.put("/docs/rules/travel.md", minirag.KindFile, "Travel rules", "# Travel rules\n\nBook early.\n\n## Hotels\n\nAt most 90 € a night <b>.\n")
	f.put("note", minirag.KindData, "note", "The spare key lies at the reception.")
	return f
}

func (f *fake) put(id string, kind minirag.Kind, title, md string) *minirag.Source {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := &minirag.Text{Source: minirag.Source{
		ID: id, Kind: kind, Title: title, DisplayPath: strings.TrimPrefix(id, "/docs/"),
		Chunks: len(strings.Split(md, "\n\n")),
	}, Markdown: md}
	f.texts[id] = t
	return &t.Source
}

func (f *fake) get(id string) (*minirag.Text, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, ok := f.texts[id]; ok {
		return t, nil
	}
	return nil, minirag.ErrNotFound
}

func (f *fake) hit(t *minirag.Text, i int) minirag.Hit {
	return minirag.Hit{
		Source: &t.Source, Index: i, Text: strings.Split(t.Markdown, "\n\n")[i],
		Section: &minirag.Section{ID: t.Source.ID + "#p0", Text: t.Markdown},
	}
}

func (f *fake) Ingest(_ context.Context, in minirag.Input) (*minirag.Source, error) {
	if in.Source == "" {
		return nil, &minirag.SourceError{Op: "convert", Source: "x", Err: minirag.ErrNoText}
	}
	title := in.Title
	if title == "" {
		title = in.Source
	}
	return f.put(in.Source, minirag.KindData, title, "what was ingested"), nil
}

func (f *fake) Sync(ctx context.Context, o *minirag.SyncOptions) (*minirag.SyncReport, error) {
	if f.sync != nil {
		return f.sync(ctx, o)
	}
	return &minirag.SyncReport{
		Counts: minirag.Counts{Scanned: 2, Ingested: 1, Failed: 1},
		Errors: []*minirag.SourceError{{Op: "convert", Source: "/docs/a.pdf", Err: minirag.ErrDamaged, Hint: "open it and save it again"}},
	}, nil
}

func (f *fake) Query(ctx context.Context, q minirag.Query) (*minirag.Result, error) {
	if f.query != nil {
		return f.query(ctx, q)
	}
	if q.Text == "nothing" {
		return &minirag.Result{Notice: "nothing is indexed yet"}, nil
	}
	if q.Text == "panic" {
		panic("a query went wrong")
	}
	t, err := f.get("/docs/rules/travel.md")
	if err != nil {
		return nil, err
	}
	near := 0.25
	a, b := f.hit(t, 3), f.hit(t, 1)
	a.Score, a.Distance, b.Score = 0.5, &near, 0.25
	hits := []minirag.Hit{a, b}[:min(2, q.TopK)]
	return &minirag.Result{Hits: hits, Sources: []minirag.SourceHits{{Source: &t.Source, Hits: len(hits)}}}, nil
}

func (f *fake) Read(_ context.Context, source string) (*minirag.Text, error) { return f.get(source) }

func (f *fake) Neighbors(_ context.Context, source string, index, before, after int) ([]minirag.Hit, error) {
	t, err := f.get(source)
	if err != nil {
		return nil, err
	}
	var hits []minirag.Hit
	for i := max(0, index-before); i <= min(index+after, t.Source.Chunks-1); i++ {
		hits = append(hits, f.hit(t, i))
	}
	return hits, nil
}

func (f *fake) List(_ context.Context, o *minirag.ListOptions) (*minirag.Listing, error) {
	if o.Scope != nil {
		return &minirag.Listing{}, nil
	}
	t, err := f.get("/docs/rules/travel.md")
	if err != nil {
		return nil, err
	}
	return &minirag.Listing{
		Sources: []minirag.Listed{
			{Source: t.Source, State: minirag.StateStale},
			{Source: minirag.Source{ID: "/docs/new.md", Kind: minirag.KindFile}, State: minirag.StateNotIngested},
		},
		UnlistedFolders: []minirag.UnlistedFolder{
			{Path: "/docs/shut", Err: errors.New("permission denied"), Indexed: 2, Message: "give permission"},
			{Path: "/docs/void", Indexed: 1, Message: "an empty root"},
		},
	}, nil
}

func (f *fake) Delete(_ context.Context, source string) (*minirag.Source, error) {
	t, err := f.get(source)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.texts, source)
	return &t.Source, nil
}

func (f *fake) Status(context.Context) (*minirag.Status, error) {
	return &minirag.Status{Sources: 2, Chunks: 5, StaleChunks: 1, Budget: 110}, nil
}

func (f *fake) Resolve(path string) (string, error) {
	if !strings.HasPrefix(path, "/") {
		return "", &minirag.SourceError{Op: "resolve", Source: path, Err: minirag.ErrNotAbsolute}
	}
	if p := filepath.ToSlash(filepath.Clean(path)); p == "/docs" || strings.HasPrefix(p, "/docs/") {
		return p, nil
	}
	return "", &minirag.SourceError{Op: "resolve", Source: path, Err: minirag.ErrOutsideRoots}
}
