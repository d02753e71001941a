package mcpserver_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/text"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/bluge"
	"github.com/minirag/minirag/index/flat"
	"github.com/minirag/minirag/index/sqlite"
	"github.com/minirag/minirag/mcpserver"
)

// connect connects the SDK's own client to a server.
func connect(t *testing.T, o *mcpserver.Options) *mcp.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcpserver.New(o).Run(context.Background(), inR, outW) }() // t.Context ends before the cleanup
	s, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "0"}, nil).
		Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return s
}

func TestTools(t *testing.T) {
	s := connect(t, options(newFake()))
	res, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"sync_start", "sync_status", "ingest_file", "ingest_data", "ingest_url", "query_documents",
		"read_chunk_neighbors", "read_file", "list_files", "delete_file", "status"}
	var names []string
	for _, tool := range res.Tools {
		names = append(names, tool.Name)
		in, ok := tool.InputSchema.(map[string]any)
		if !ok || in["type"] != "object" || in["additionalProperties"] != false {
			t.Errorf("%s: input schema %v", tool.Name, tool.InputSchema)
		}
		for _, k := range []string{"oneOf", "anyOf", "allOf", "not", "if", "$ref"} {
			if data, _ := json.Marshal(in); strings.Contains(string(data), `"`+k+`"`) {
				t.Errorf("%s: input schema has %s", tool.Name, k)
			}
		}
		props, _ := in["properties"].(map[string]any)
		for name, p := range props {
			if m, ok := p.(map[string]any); !ok || m["description"] == "" || m["type"].(string) == "" {
				t.Errorf("%s: argument %s: %v", tool.Name, name, p)
			}
		}
		if out, ok := tool.OutputSchema.(map[string]any); !ok || out["type"] != "object" {
			t.Errorf("%s: output schema %v", tool.Name, tool.OutputSchema)
		}
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(tool.Name) || tool.Title == "" || tool.Description == "" {
			t.Errorf("%s: title %q, description %q", tool.Name, tool.Title, tool.Description)
		}
		reads := slices.Contains([]string{"sync_status", "query_documents", "read_chunk_neighbors", "read_file", "list_files", "status"}, tool.Name)
		if a := tool.Annotations; a == nil || a.ReadOnlyHint != reads || *a.OpenWorldHint != (tool.Name == "ingest_url") {
			t.Errorf("%s: annotations %+v", tool.Name, tool.Annotations)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
	if info := s.InitializeResult().ServerInfo; info.Version != "1.2.3" {
		t.Errorf("server %+v", info)
	}
}

func TestInstructions(t *testing.T) {
	plain := mcpserver.Instructions(" \n")
	if n := utf8.RuneCountInString(plain); n > 1700 {
		t.Errorf("%d characters", n)
	}
	for _, tag := range []string{"search_first", "do_not_search", "thin_results", "reading_results", "citations", "retrieved_text_is_data"} {
		if strings.Count(plain, "<"+tag+">\n") != 1 || strings.Count(plain, "\n</"+tag+">") != 1 {
			t.Errorf("block %s", tag)
		}
	}
	o := options(newFake())
	o.InstructionsAppend = "  Answer in Latin.\n"
	if got := connect(t, o).InitializeResult().Instructions; got != plain+"\n\nAnswer in Latin." {
		t.Errorf("instructions end with %q", got[max(0, len(got)-80):])
	}
}

// openCorpus opens a corpus on an index in a temporary folder.
func openCorpus(t *testing.T, root string) *minirag.Corpus {
	t.Helper()
	dir := t.TempDir()
	catalog, err := sqlite.Open(t.Context(), filepath.Join(dir, "catalog.sqlite"), nil)
	if err != nil {
		t.Fatal(err)
	}
	embedder := embedtest.New(nil)
	model := embedder.Model()
	keywords, err := bluge.Open(filepath.Join(dir, "keywords"), &bluge.Options{Catalog: catalog.UUID()})
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := flat.Open(filepath.Join(dir, "vectors"), index.Origin{Catalog: catalog.UUID(), Model: model.ID, Dims: model.Dims}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := minirag.Open(t.Context(), minirag.Options{
		Catalog: catalog, Keywords: keywords, Vectors: vectors, Embedder: embedder,
		Converter: convert.NewRouter(text.Formats(), nil), Roots: []string{root},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// use calls a tool and decodes its result into v, or returns its error.
func use(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any, v any) (failure string) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	body := res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		return body
	}
	if err := json.Unmarshal([]byte(body), v); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, body)
	}
	return ""
}

// TestCorpus goes through the tools with a corpus behind them.
func TestCorpus(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	travel := filepath.Join(root, "rules", "travel.md")
	os.Mkdir(filepath.Dir(travel), 0o755)
	const body = "# Travel rules\n\nBook early.\n\n## Hotels\n\nA hotel costs at most 90 euro a night.\n"
	for name, data := range map[string]string{
		travel:                           body,
		filepath.Join(root, "empty.md"):  "",
		filepath.Join(root, "кухня.txt"): "Кофе стоит в верхнем шкафу.",
	} {
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := options(nil)
	o.Info.Roots = []string{root}
	corpus := openCorpus(t, root)
	o.Open = func(context.Context) (mcpserver.Corpus, error) { return corpus, nil }
	s := connect(t, o)

	var query struct {
		Results []struct {
			Text, Source, ParentID string
			ChunkIndex             int
		}
		Sources []struct {
			Source, DisplayPath string
			Hits                int
		}
		Parents map[string]string
		Notice  string
	}
	use(t, s, "query_documents", map[string]any{"query": "hotel"}, &query)
	if query.Results == nil || len(query.Results) > 0 || query.Notice == "" {
		t.Errorf("before the sync: %+v", query)
	}

	var started struct{ JobID string }
	if fail := use(t, s, "sync_start", nil, &started); fail != "" {
		t.Fatal(fail)
	}
	var job struct {
		State, FinishedAt string
		Counts            map[string]int
		Errors            []struct{ Source, Error string }
	}
	for job.FinishedAt == "" {
		if fail := use(t, s, "sync_status", map[string]any{"jobId": started.JobID}, &job); fail != "" {
			t.Fatal(fail)
		}
	}
	if job.State != "succeeded" || job.Counts["ingested"] != 2 || job.Counts["failed"] != 1 || len(job.Errors) != 1 ||
		job.Errors[0].Source != filepath.Join(root, "empty.md") || strings.Contains(job.Errors[0].Error, root) {
		t.Errorf("job %+v", job)
	}

	use(t, s, "query_documents", map[string]any{"query": "how much is a hotel", "topK": 1, "scope": "rules"}, &query)
	if len(query.Results) != 1 || query.Results[0].Source != travel || query.Sources[0].DisplayPath != "rules/travel.md" ||
		!strings.Contains(query.Parents[query.Results[0].ParentID], "90 euro") {
		t.Fatalf("query: %+v", query)
	}
	var read struct{ Source, SourceType, Title, Text string }
	use(t, s, "read_file", map[string]any{"source": query.Results[0].Source}, &read)
	if read.Text != body || read.SourceType != "file" || read.Title != "Travel rules" {
		t.Errorf("read: %+v", read)
	}
	var near struct{ Chunks []struct{ ChunkIndex int } }
	use(t, s, "read_chunk_neighbors", map[string]any{"filePath": travel, "chunkIndex": 0, "after": 9}, &near)
	if len(near.Chunks) == 0 || near.Chunks[0].ChunkIndex != 0 {
		t.Errorf("neighbors: %+v", near)
	}
	near.Chunks = nil
	for _, args := range []map[string]any{
		{"source": "nope", "chunkIndex": 0},
		{"source": travel, "chunkIndex": 9999},
		{"source": travel, "chunkIndex": -5},
		{"source": travel, "chunkIndex": 0, "before": -1, "after": -1},
		{"source": travel, "chunkIndex": 0, "before": 1 << 40, "after": -3},
	} {
		if fail := use(t, s, "read_chunk_neighbors", args, &near); fail != "" || near.Chunks == nil || len(near.Chunks) > 0 {
			t.Errorf("neighbors %v: %q, %+v", args, fail, near)
		}
	}

	// A file that is gone can still be read.
	if err := os.Remove(travel); err != nil {
		t.Fatal(err)
	}
	if fail := use(t, s, "read_file", map[string]any{"filePath": travel}, &read); fail != "" {
		t.Error(fail)
	}
	for name, want := range map[string]string{
		travel + "x":                    "does not exist",
		filepath.Join(root, "rules"):    "Not a file",
		filepath.Join(root, "empty.md"): "ingest_file",
		filepath.Dir(root):              "outside",
		"travel.md":                     "absolute",
	} {
		if fail := use(t, s, "read_file", map[string]any{"filePath": name}, &read); !strings.Contains(fail, want) {
			t.Errorf("read %s: %q, want %q", name, fail, want)
		}
	}
	for _, name := range []string{travel, filepath.Join(root, "rules"), filepath.Join(root, "empty.md"), root + "/a\x00b"} {
		fail := use(t, s, "ingest_file", map[string]any{"filePath": name}, &read)
		if shown := strings.TrimSuffix(name, "/a\x00b"); !strings.Contains(fail, shown) || strings.Count(fail, "convert") > 1 {
			t.Errorf("ingest %q: %q", name, fail)
		}
	}

	var got struct {
		Source, Title             string
		ChunkCount, DeletedChunks int
	}
	for format, data := range map[string]string{"text": "Plain words.", "markdown": "# Head\n\nWords."} {
		if fail := use(t, s, "ingest_data", map[string]any{"source": "n/" + format, "data": data, "format": format, "title": " T "}, &got); fail != "" || got.Title != "T" || got.ChunkCount != 1 {
			t.Errorf("ingest %s: %q, %+v", format, fail, got)
		}
	}
	if fail := use(t, s, "ingest_data", map[string]any{"source": "blank", "data": " \n"}, &got); !strings.Contains(fail, "blank") {
		t.Errorf("ingest nothing: %q", fail)
	}
	if fail := use(t, s, "ingest_url", map[string]any{"url": "http://example.com/"}, &got); !strings.Contains(fail, "http://example.com/") {
		t.Errorf("ingest an address without a fetcher: %q", fail)
	}
	if fail := use(t, s, "delete_file", map[string]any{"source": "n/text"}, &got); fail != "" || got.DeletedChunks != 1 {
		t.Errorf("delete: %q, %+v", fail, got)
	}
	var list struct {
		Files []struct{ Source, State, SourceType string }
	}
	use(t, s, "list_files", nil, &list)
	states := map[string]string{}
	for _, f := range list.Files {
		states[f.Source] = f.SourceType + " " + f.State
	}
	if states[travel] != "file missing" || states["n/markdown"] != "data ingested" || len(states) != 4 {
		t.Errorf("list: %v", states)
	}
	var status struct{ ChunkCount, SourceCount int }
	if use(t, s, "status", nil, &status); status.SourceCount != 3 || status.ChunkCount == 0 {
		t.Errorf("status: %+v", status)
	}
}
