package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
)

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}
}

func TestConfigMistakes(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"roots not JSON", map[string]string{"BASE_DIRS": "/a:/b"}, "BASE_DIRS must be a JSON array of non-empty paths: invalid character '/' looking for beginning of value"},
		{"roots empty text", map[string]string{"BASE_DIRS": ""}, "BASE_DIRS must be a JSON array of non-empty paths: unexpected end of JSON input"},
		{"no roots", map[string]string{"BASE_DIRS": "[]"}, "BASE_DIRS must be a JSON array of one or more non-empty path strings"},
		{"roots object", map[string]string{"BASE_DIRS": `{"a":1}`}, "BASE_DIRS must be a JSON array of one or more non-empty path strings"},
		{"blank root", map[string]string{"BASE_DIRS": `["/a", " "]`}, "BASE_DIRS must be a JSON array of one or more non-empty path strings"},
		{"root number", map[string]string{"BASE_DIRS": `["/a", 1]`}, "BASE_DIRS must be a JSON array of one or more non-empty path strings"},
		{"budget high", map[string]string{"CHUNK_TOKEN_BUDGET": "510"}, "CHUNK_TOKEN_BUDGET must be in range [16, 509], got 510"},
		{"budget low", map[string]string{"CHUNK_TOKEN_BUDGET": "15"}, "CHUNK_TOKEN_BUDGET must be in range [16, 509], got 15"},
		{"budget zero", map[string]string{"CHUNK_TOKEN_BUDGET": "0"}, "CHUNK_TOKEN_BUDGET must be in range [16, 509], got 0"},
		{"budget negative", map[string]string{"CHUNK_TOKEN_BUDGET": "-5"}, "CHUNK_TOKEN_BUDGET must be in range [16, 509], got -5"},
		{"budget text", map[string]string{"CHUNK_TOKEN_BUDGET": "x"}, "CHUNK_TOKEN_BUDGET must be an integer, got 'x'"},
		{"budget fraction", map[string]string{"CHUNK_TOKEN_BUDGET": "20.0"}, "CHUNK_TOKEN_BUDGET must be an integer, got '20.0'"},
		{"budget underscore at end", map[string]string{"CHUNK_TOKEN_BUDGET": "20_"}, "CHUNK_TOKEN_BUDGET must be an integer, got '20_'"},
		{"weight text", map[string]string{"RAG_HYBRID_WEIGHT": "x"}, "RAG_HYBRID_WEIGHT must be a number, got 'x'"},
		{"weight hex", map[string]string{"RAG_HYBRID_WEIGHT": "0x1p-1"}, "RAG_HYBRID_WEIGHT must be a number, got '0x1p-1'"},
		{"weight high", map[string]string{"RAG_HYBRID_WEIGHT": "1.1"}, "RAG_HYBRID_WEIGHT must be in [0, 1], got 1.1"},
		{"weight nan", map[string]string{"RAG_HYBRID_WEIGHT": "nan"}, "RAG_HYBRID_WEIGHT must be in [0, 1], got nan"},
		{"weight whole", map[string]string{"RAG_HYBRID_WEIGHT": "2"}, "RAG_HYBRID_WEIGHT must be in [0, 1], got 2.0"},
		{"grouping", map[string]string{"RAG_GROUPING": "Similar"}, "RAG_GROUPING must be one of ('similar', 'related'), got 'Similar'"},
		{"grouping empty", map[string]string{"RAG_GROUPING": ""}, "RAG_GROUPING must be one of ('similar', 'related'), got ''"},
		{"grouping with a quote", map[string]string{"RAG_GROUPING": "it's"}, `RAG_GROUPING must be one of ('similar', 'related'), got "it's"`},
		{"files", map[string]string{"RAG_MAX_FILES": "0"}, "RAG_MAX_FILES must be in range [1, ∞], got 0"},
		{"size", map[string]string{"MAX_FILE_SIZE": "-5"}, "MAX_FILE_SIZE must be in range [1, ∞], got -5"},
		{"distance", map[string]string{"RAG_MAX_DISTANCE": "-1"}, "RAG_MAX_DISTANCE must be >= 0.0, got -1.0"},
		{"distance empty", map[string]string{"RAG_MAX_DISTANCE": ""}, "RAG_MAX_DISTANCE must be a number, got ''"},
		{"private", map[string]string{"ALLOW_PRIVATE_URLS": "maybe"}, "ALLOW_PRIVATE_URLS must be one of ['0', '1', 'false', 'no', 'off', 'on', 'true', 'yes'], got 'maybe'"},
		{"language", map[string]string{"RAG_OCR_LANG": " "}, "RAG_OCR_LANG must be a non-empty language code, e.g. 'eslav'"},
		{"characters", map[string]string{"RAG_OCR_MIN_CHARS_PER_PAGE": "-1"}, "RAG_OCR_MIN_CHARS_PER_PAGE must be in range [0, ∞], got -1"},
		{"hub without a scheme", map[string]string{"HF_ENDPOINT": "hub.example"}, "HF_ENDPOINT must be an http or https address, got 'hub.example'"},
		{"hub by another protocol", map[string]string{"HF_ENDPOINT": "ftp://hub.example"}, "HF_ENDPOINT must be an http or https address, got 'ftp://hub.example'"},
		{"hub that is no address", map[string]string{"HF_ENDPOINT": ":bad:"}, "HF_ENDPOINT must be an http or https address, got ':bad:'"},
		{"hub without a host", map[string]string{"HF_ENDPOINT": "https://"}, "HF_ENDPOINT must be an http or https address, got 'https://'"},
		{"first of two", map[string]string{"ALLOW_PRIVATE_URLS": "x", "RAG_HYBRID_WEIGHT": "9", "RAG_GROUPING": "x"}, "RAG_HYBRID_WEIGHT must be in [0, 1], got 9.0"},
		{"order of the later checks", map[string]string{"RAG_OCR_MIN_CHARS_PER_PAGE": "x", "ALLOW_PRIVATE_URLS": "x", "RAG_MAX_DISTANCE": "x"}, "RAG_MAX_DISTANCE must be a number, got 'x'"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := loadConfig(flags{}, lookup(tc.env))
			if err == nil || err.Error() != tc.want {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}

func TestConfigValues(t *testing.T) {
	c, err := loadConfig(flags{}, lookup(map[string]string{
		"MAX_FILE_SIZE":      " +1_000 ",
		"CHUNK_TOKEN_BUDGET": "0032",
		"RAG_HYBRID_WEIGHT":  " 2.5e-1 ",
		"RAG_GROUPING":       "related",
		"RAG_MAX_DISTANCE":   "inf",
		"RAG_MAX_FILES":      "99999999999999999999",
		"ALLOW_PRIVATE_URLS": " YES ",
		"RAG_OCR_LANG":       " rus ",
	}))
	if err != nil {
		t.Fatal(err)
	}
	got := c.local(nil, nil)
	weight, distance := 0.25, math.Inf(1)
	want := minirag.Ranking{HybridWeight: &weight, Grouping: minirag.Related, MaxDistance: &distance, MaxFiles: math.MaxInt}
	if diff := cmp.Diff(want, got.Ranking); diff != "" {
		t.Errorf("ranking (-want +got):\n%s", diff)
	}
	if got.MaxFileSize != 1000 || got.Budget != 32 || !got.AllowPrivateURLs || c.ocrLang != "rus" {
		t.Errorf("size %d, budget %d, private %t, language %q", got.MaxFileSize, got.Budget, got.AllowPrivateURLs, c.ocrLang)
	}
}

func TestConfigDefaults(t *testing.T) {
	c, err := loadConfig(flags{}, lookup(map[string]string{"DB_PATH": "", "MODEL_NAME": "", "BASE_DIR": "  ", "ALLOW_PRIVATE_URLS": ""}))
	if err != nil {
		t.Fatal(err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if cwd, err = filepath.EvalSymlinks(cwd); err != nil {
		t.Fatal(err)
	}
	got := c.local(nil, nil)
	if diff := cmp.Diff([]string{cwd}, got.Roots); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
	if want := filepath.Join(cwd, ".minirag", "index"); got.Dir != want {
		t.Errorf("index in %s, want %s", got.Dir, want)
	}
	if diff := cmp.Diff(minirag.Ranking{}, got.Ranking); diff != "" {
		t.Errorf("ranking (-want +got):\n%s", diff)
	}
	if got.Budget != 0 || got.MaxFileSize != 104857600 || got.AllowPrivateURLs {
		t.Errorf("budget %d, size %d, private %t", got.Budget, got.MaxFileSize, got.AllowPrivateURLs)
	}
	if err := c.checkModel(); err != nil {
		t.Error(err)
	}
}

func TestConfigPrecedence(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	env := map[string]string{
		"BASE_DIR": path("env"), "DB_PATH": path("envdb"), "CACHE_DIR": path("envcache"), "MODEL_NAME": "a/b",
	}
	for _, tc := range []struct {
		name  string
		flags flags
		more  map[string]string
		want  config
	}{
		{"environment", flags{}, nil,
			config{roots: []string{path("env")}, dbPath: path("envdb"), cacheDir: path("envcache"), modelName: "a/b"}},
		{"list before folder", flags{}, map[string]string{"BASE_DIRS": `["` + filepath.ToSlash(path("x")) + `","` + filepath.ToSlash(path("y")) + `"]`},
			config{roots: []string{path("x"), path("y")}, dbPath: path("envdb"), cacheDir: path("envcache"), modelName: "a/b"}},
		{"flags", flags{[]string{path("f"), path("g")}, path("fdb"), path("fcache"), "c/d"}, map[string]string{"BASE_DIRS": "not looked at"},
			config{roots: []string{path("f"), path("g")}, dbPath: path("fdb"), cacheDir: path("fcache"), modelName: "c/d"}},
		{"index below the first root", flags{baseDirs: []string{path("f"), path("g")}}, map[string]string{"DB_PATH": ""},
			config{roots: []string{path("f"), path("g")}, dbPath: filepath.Join(path("f"), ".minirag", "index"), cacheDir: path("envcache"), modelName: "a/b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := map[string]string{}
			for _, m := range []map[string]string{env, tc.more} {
				for k, v := range m {
					all[k] = v
				}
			}
			c, err := loadConfig(tc.flags, lookup(all))
			if err != nil {
				t.Fatal(err)
			}
			got := config{roots: c.roots, dbPath: c.dbPath, cacheDir: c.cacheDir, modelName: c.modelName}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(config{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigModel(t *testing.T) {
	for _, tc := range []struct {
		name           string
		refused, noted bool
	}{
		{"", false, false},
		{builtinModel, false, false},
		{"sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", false, true},
		{"no-such", true, false},
		{"no/such/model", true, false},
		{"owner/model", false, true}, // not downloaded yet
		{"model.gguf", false, false},
		{"./model", false, false},
	} {
		c := &config{modelName: tc.name, cacheDir: t.TempDir()}
		if err := c.checkModel(); (err != nil) != tc.refused {
			t.Errorf("model %q: error %v", tc.name, err)
		}
		if notice := c.modelNotice(); (notice != "") != tc.noted {
			t.Errorf("model %q: notice %q", tc.name, notice)
		}
	}
}

func TestResolvePath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(dir, "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	got, err := resolvePath(filepath.Join(dir, "link", "not", "there"))
	if want := filepath.Join(real, "not", "there"); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	got, err = absPath(filepath.Join("~", "docs"))
	if want := filepath.Join(home, "docs"); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err = absPath("~docs"); err != nil || filepath.Base(got) != "~docs" {
		t.Errorf("got %s, %v", got, err)
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{"1", "-1", "1_0", "nan", "inf", "1e400", "0x1", " 7 ", "", "٣"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := reader{lookup: lookup(map[string]string{"N": s})}
		if n, ok := r.int("N", 1, 100); ok != (r.err == nil) || ok && (n < 1 || n > 100) {
			t.Errorf("int %q: %d, %t, %v", s, n, ok, r.err)
		}
		one := 1.0
		r.err = nil
		if v, ok := r.float("N", &one); ok != (r.err == nil) || ok && !(v >= 0 && v <= 1) {
			t.Errorf("float %q: %v, %t, %v", s, v, ok, r.err)
		}
	})
}
