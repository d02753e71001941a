package hugot_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag/embed/hugot"
	"github.com/minirag/minirag/internal/modeltest"
)

// A hub answers as the public one does.
type hub struct {
	files    map[string]string
	change   func(siblings []map[string]any) []map[string]any
	spoil    func(w http.ResponseWriter, file string) bool // it has answered itself
	requests int
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests++
	if r.URL.Path == "/api/models/acme/tiny/revision/main" {
		var siblings []map[string]any
		for name, content := range h.files {
			s := map[string]any{"rfilename": name, "size": len(content)}
			if strings.HasSuffix(name, ".onnx") {
				sum := sha256.Sum256([]byte(content))
				s["lfs"] = map[string]any{"sha256": hex.EncodeToString(sum[:]), "size": len(content)}
			}
			siblings = append(siblings, s)
		}
		if h.change != nil {
			siblings = h.change(siblings)
		}
		json.NewEncoder(w).Encode(map[string]any{"sha": "0123abc", "siblings": siblings})
		return
	}
	file, ok := strings.CutPrefix(r.URL.Path, "/acme/tiny/resolve/0123abc/")
	content, there := h.files[file]
	if !ok || !there {
		http.NotFound(w, r)
		return
	}
	if h.spoil == nil || !h.spoil(w, file) {
		w.Write([]byte(content))
	}
}

func serve(t *testing.T, h *hub) *hugot.DownloadOptions {
	t.Helper()
	if h.files == nil {
		h.files = modeltest.NewONNX().Files()
		h.files["README.md"] = "# Tiny"
		h.files["onnx/model_quantized.onnx"] = "x"
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return &hugot.DownloadOptions{Dir: filepath.Join(t.TempDir(), "models"), Hub: s.URL}
}

func TestDownload(t *testing.T) {
	h := &hub{}
	o := serve(t, h)
	var last, total int64
	o.Progress = func(_ string, done, all int64) {
		if done < last {
			t.Errorf("%d bytes after %d", done, last)
		}
		last, total = done, all
	}
	dir, err := hugot.Download(t.Context(), "acme/tiny", o)
	if err != nil {
		t.Fatal(err)
	}
	if dir != hugot.Folder(o.Dir, "acme/tiny") || last != total || total == 0 {
		t.Errorf("folder %s, %d bytes of %d", dir, last, total)
	}
	if err := open(t, dir).Load(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"README.md", "onnx/model_quantized.onnx"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was downloaded", name)
		}
	}
	before := h.requests
	if again, err := hugot.Download(t.Context(), "acme/tiny", o); err != nil || again != dir || h.requests != before {
		t.Errorf("a second time: %s, %v, %d requests", again, err, h.requests-before)
	}
}

func TestDownloadFails(t *testing.T) {
	for name, tc := range map[string]struct {
		model string
		hub   *hub
		set   func(*hugot.DownloadOptions)
		text  string
	}{
		"unknown":   {"acme/other", &hub{}, nil, "no public model"},
		"too large": {"acme/tiny", &hub{}, func(o *hugot.DownloadOptions) { o.MaxBytes = 1000 }, "larger than 1000 bytes"},
		"larger than told": {"acme/tiny", &hub{change: func(s []map[string]any) []map[string]any {
			for _, f := range s {
				delete(f, "size")
				delete(f, "lfs")
			}
			return s
		}}, func(o *hugot.DownloadOptions) { o.MaxBytes = 1000 }, "larger than 1000 bytes"},
		"no ONNX": {"acme/tiny", &hub{change: func(s []map[string]any) []map[string]any {
			for _, f := range s {
				f["rfilename"] = strings.Replace(f["rfilename"].(string), ".onnx", ".bin", 1)
			}
			return s
		}}, nil, "model.onnx"},
		"other bytes": {"acme/tiny", &hub{spoil: func(w http.ResponseWriter, file string) bool {
			if !strings.HasSuffix(file, "model.onnx") {
				return false
			}
			w.Write([]byte(strings.Replace(string(modeltest.NewONNX().Bytes()), "tiny", "Tiny", 1)))
			return true
		}}, nil, "checksum"},
		"cut off": {"acme/tiny", &hub{spoil: func(w http.ResponseWriter, file string) bool {
			if file == "tokenizer.json" {
				w.Header().Set("Content-Length", "100000")
				w.Write([]byte("{"))
			}
			return file == "tokenizer.json"
		}}, nil, "tokenizer.json"},
		"broken": {"acme/tiny", &hub{spoil: func(w http.ResponseWriter, _ string) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}}, nil, "500"},
		"offline":    {"acme/tiny", &hub{}, func(o *hugot.DownloadOptions) { o.Offline = true }, "is off"},
		"no network": {"acme/tiny", &hub{}, func(o *hugot.DownloadOptions) { o.Hub = "http://127.0.0.1:1" }, "127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			o := serve(t, tc.hub)
			if tc.set != nil {
				tc.set(o)
			}
			dir := hugot.Folder(o.Dir, tc.model)
			_, err := hugot.Download(t.Context(), tc.model, o)
			if !errors.Is(err, hugot.ErrDownload) || !strings.Contains(err.Error(), tc.text) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error %v, want one with %q and %s", err, tc.text, dir)
			}
			if left, _ := os.ReadDir(o.Dir); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// TestDownloadKeepsToItsFolder offers files with names that lead elsewhere.
func TestDownloadKeepsToItsFolder(t *testing.T) {
	h := &hub{files: modeltest.NewONNX().Files()}
	for _, name := range []string{"../x_Pooling/config.json", ".._Pooling/config.json", "/etc_Pooling/config.json", "a/b_Pooling/config.json"} {
		h.files[name] = "{}"
	}
	o := serve(t, h)
	dir, err := hugot.Download(t.Context(), "acme/tiny", o)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(o.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v beside %s, %v", entries, dir, err)
	}
}

func TestDownloadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := &hub{spoil: func(http.ResponseWriter, string) bool { cancel(); return false }}
	o := serve(t, h)
	if _, err := hugot.Download(ctx, "acme/tiny", o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(o.Dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"sentence-transformers/all-MiniLM-L6-v2": true, "a/b": true, "Qdrant/x_y.z": true,
		"": false, "a": false, "/": false, "a/": false, "/a": false, "a/b/c": false, "../a": false, "a/..": false, "a/.b": false,
		"a b/c": false, "a/b--c": false, "a--b/c": false, "a/b.": false, `a\b/c`: false, "é/b": false, "a/" + strings.Repeat("b", 300): false,
	} {
		if got := hugot.IsName(name); got != want {
			t.Errorf("IsName(%q) = %t", name, got)
		}
	}
	if _, err := hugot.Download(t.Context(), "../../x", &hugot.DownloadOptions{Dir: t.TempDir()}); err == nil {
		t.Error("a path is taken for a name")
	}
}
