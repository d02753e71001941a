package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/local"
)

// The bounds of CHUNK_TOKEN_BUDGET. The upper one is the context of the
// built-in model (512 tokens) less its longest prefix.
const (
	minBudget = 16
	maxBudget = 509
)

// flags are the settings that can be given on the command line. Empty strings
// count as not given.
type flags struct {
	baseDirs  []string
	dbPath    string
	cacheDir  string
	modelName string
}

// A config is what flags, environment and defaults come to.
type config struct {
	roots        []string // absolute, symbolic links resolved
	dbPath       string
	cacheDir     string
	modelName    string // as the user gave it, or empty
	maxFileSize  int64
	budget       int      // 0: the library's default
	hybridWeight *float64 // nil: the library's own fusion
	grouping     minirag.Grouping
	maxDistance  *float64
	maxFiles     int
	allowPrivate bool
	cpu          string // kernel of the built-in engine, empty: the best
	hub          string // address, empty: the public one
	// Read and checked so that a configuration of later versions is not
	// refused now; nothing recognises text in pictures yet.
	ocrLang            string
	ocrMinCharsPerPage int
}

// loadConfig puts the settings together: a flag goes before the environment,
// which goes before the default. Of several mistakes it reports the first.
func loadConfig(f flags, lookup func(string) (string, bool)) (*config, error) {
	c := &config{maxFileSize: 100 << 20, ocrLang: "eslav", ocrMinCharsPerPage: 25}
	r := reader{lookup: lookup}
	roots, err := r.roots(f.baseDirs)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		resolved, err := resolvePath(root)
		if err != nil {
			return nil, err
		}
		c.roots = append(c.roots, resolved)
	}
	one := 1.0
	if v, ok := r.float("RAG_HYBRID_WEIGHT", &one); ok {
		c.hybridWeight = &v
	}
	c.grouping = r.grouping()
	if v, ok := r.int("RAG_MAX_FILES", 1, unbounded); ok {
		c.maxFiles = int(v)
	}
	if v, ok := r.ocrLang(); ok {
		c.ocrLang = v
	}
	if v, ok := r.int("MAX_FILE_SIZE", 1, unbounded); ok {
		c.maxFileSize = v
	}
	if v, ok := r.int("CHUNK_TOKEN_BUDGET", minBudget, maxBudget); ok {
		c.budget = int(v)
	}
	if v, ok := r.float("RAG_MAX_DISTANCE", nil); ok {
		c.maxDistance = &v
	}
	c.allowPrivate = r.bool("ALLOW_PRIVATE_URLS")
	if v, ok := r.int("RAG_OCR_MIN_CHARS_PER_PAGE", 0, unbounded); ok {
		c.ocrMinCharsPerPage = int(v)
	}
	c.cpu = r.kernel("MINIRAG_CPU")
	if r.err != nil {
		return nil, r.err
	}

	c.dbPath = r.or(f.dbPath, "DB_PATH")
	if c.dbPath == "" {
		c.dbPath = filepath.Join(c.roots[0], ".minirag", "index")
	} else if c.dbPath, err = resolvePath(c.dbPath); err != nil {
		return nil, err
	}
	c.cacheDir = r.or(f.cacheDir, "CACHE_DIR")
	if c.cacheDir == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			c.cacheDir = filepath.Join(dir, "minirag")
		}
	} else if c.cacheDir, err = resolvePath(c.cacheDir); err != nil {
		return nil, err
	}
	c.modelName = r.or(f.modelName, "MODEL_NAME")
	if c.hub = r.hub("HF_ENDPOINT"); r.err != nil {
		return nil, r.err
	}
	return c, nil
}

// local returns the options that open the corpus.
func (c *config) local(embedder embed.Embedder, log *slog.Logger) *local.Options {
	return &local.Options{
		Roots:            c.roots,
		Dir:              c.dbPath,
		CacheDir:         c.cacheDir,
		Embedder:         embedder,
		AllowPrivateURLs: c.allowPrivate,
		Budget:           c.budget,
		MaxFileSize:      c.maxFileSize,
		Ranking: minirag.Ranking{
			HybridWeight: c.hybridWeight,
			Grouping:     c.grouping,
			MaxDistance:  c.maxDistance,
			MaxFiles:     c.maxFiles,
		},
		Logger: log,
	}
}

// labelsOff is the error for everything that filters by labels or dates.
func (c *config) labelsOff() error {
	return fmt.Errorf("document labels are off: there is no %s", filepath.Join(c.roots[0], ".minirag", "classify.toml"))
}

func (r *reader) roots(flags []string) ([]string, error) {
	if len(flags) > 0 {
		return flags, nil
	}
	if v, ok := r.lookup("BASE_DIRS"); ok {
		return parseBaseDirs(v)
	}
	if v, ok := r.lookup("BASE_DIR"); ok && strings.TrimSpace(v) != "" {
		return []string{strings.TrimSpace(v)}, nil
	}
	return []string{"."}, nil
}

func parseBaseDirs(v string) ([]string, error) {
	var list any
	if err := json.Unmarshal([]byte(v), &list); err != nil {
		return nil, fmt.Errorf("BASE_DIRS must be a JSON array of non-empty paths: %v", err)
	}
	items, _ := list.([]any)
	var roots []string
	for _, item := range items {
		s, _ := item.(string)
		if strings.TrimSpace(s) == "" {
			roots = nil
			break
		}
		roots = append(roots, s)
	}
	if len(roots) == 0 {
		return nil, errors.New("BASE_DIRS must be a JSON array of one or more non-empty path strings")
	}
	return roots, nil
}

// absPath expands a leading "~" and makes a path absolute.
func absPath(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("expand %s: %w", path, err)
		}
		path = filepath.Join(home, rest)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("make %s absolute: %w", path, err)
	}
	return abs, nil
}

// resolvePath is absPath with symbolic links resolved as far as the path exists.
func resolvePath(path string) (string, error) {
	abs, err := absPath(path)
	if err != nil {
		return "", err
	}
	for dir, rest := abs, ""; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return abs, nil
		}
		dir, rest = parent, filepath.Join(filepath.Base(dir), rest)
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
