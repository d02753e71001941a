package main

import (
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/internal/modeltest"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts")

// TestMain makes the command available to the scripts, in this binary: as
// "minirag" with an embedder without a model, and as "minirag-e5" as it is.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"minirag":    func() { os.Exit(start(embedtest.New(nil))) },
		"minirag-e5": main,
	})
}

func TestScripts(t *testing.T) {
	library, err := filepath.Abs(filepath.Join("..", "..", "examples", "library"))
	if err != nil {
		t.Fatal(err)
	}
	// One for all: compiling the PDF engine takes seconds.
	cache := t.TempDir()
	hub := httptest.NewServer(tinyHub())
	t.Cleanup(hub.Close)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// The exit code is what "!" does not look at.
			// Small models below a folder.
			"tinymodels": tinyModels,
			"usage":      exits(exitUsage, true),
			"fails":      exits(exitFailed, true),
			"partly":     exits(exitFailed, false),
		},
		Setup: func(e *testscript.Env) error {
			// Roots are resolved, so that the scripts' folder must be as well.
			work, err := filepath.EvalSymlinks(e.WorkDir)
			if err != nil {
				return err
			}
			e.Cd = work
			e.Setenv("WORK", work)
			e.Setenv("LIBRARY", library)
			e.Setenv("HOME", filepath.Join(work, "home"))
			e.Setenv("CACHE_DIR", cache)
			e.Setenv("HF_ENDPOINT", hub.URL)
			return nil
		},
	})
}

// exits returns a command that runs minirag and demands an exit code, and
// nothing on standard output if it is to be silent.
func exits(code int, silent bool) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("! cannot be used here")
		}
		err := ts.Exec("minirag", args...)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != code {
			ts.Fatalf("minirag ended with %v, want exit code %d", err, code)
		}
		if out := ts.ReadFile("stdout"); silent && out != "" {
			ts.Fatalf("standard output: %s", out)
		}
	}
}

// tinyModels writes tiny.gguf and the folder onnx.
func tinyModels(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	files := map[string]string{"tiny.gguf": string(modeltest.GGUF("tiny"))}
	for name, content := range modeltest.NewONNX().Files() {
		files["onnx/"+name] = content
	}
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		ts.Check(os.MkdirAll(filepath.Dir(name), 0o755))
		ts.Check(os.WriteFile(name, []byte(content), 0o644))
	}
}

// tinyHub has the model acme/tiny.
func tinyHub() http.Handler {
	files := modeltest.NewONNX().Files()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/models/acme/tiny/revision/main" {
			var siblings []map[string]any
			for name, content := range files {
				siblings = append(siblings, map[string]any{"rfilename": name, "size": len(content)})
			}
			json.NewEncoder(w).Encode(map[string]any{"sha": "1", "siblings": siblings})
			return
		}
		name, _ := strings.CutPrefix(r.URL.Path, "/acme/tiny/resolve/1/")
		content, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(content))
	})
}
