package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/bert"
	"github.com/minirag/minirag/embed/e5"
	"github.com/minirag/minirag/embed/gguf"
	"github.com/minirag/minirag/embed/hugot"
)

// ModelOptions tune [OpenModel]. Nil and the zero value are the defaults.
type ModelOptions struct {
	// CacheDir keeps models of a hub in its folder "models". Empty: as in
	// [Options].
	CacheDir string
	// Kernel and Threads are as in [bert.Options].
	Kernel  string
	Threads int
	// Hub, Client, Progress and Offline are as in [hugot.DownloadOptions].
	Hub      string
	Client   *http.Client
	Progress func(file string, done, total int64)
	Offline  bool
}

// A ModelKind says what the name of a model stands for.
type ModelKind int

const (
	// NoModel is a name that stands for nothing.
	NoModel ModelKind = iota
	// BuiltIn is the model inside the binary: the empty name.
	BuiltIn
	// GGUF is a file for the engine of package bert.
	GGUF
	// ONNX is a folder for package hugot.
	ONNX
	// OnHub is an "owner/model" that is downloaded.
	OnHub
)

// KindOf tells what name stands for. A path is one that ends in ".gguf", that
// is absolute or begins with a dot, or that is a folder; a "~" is not expanded.
func KindOf(name string) ModelKind {
	info, err := os.Stat(name)
	folder := err == nil && info.IsDir()
	switch {
	case name == "":
		return BuiltIn
	case strings.EqualFold(filepath.Ext(name), ".gguf") && !folder:
		return GGUF
	case folder, filepath.IsAbs(name), strings.HasPrefix(name, "."):
		return ONNX
	case hugot.IsName(name):
		return OnHub
	}
	return NoModel
}

// OpenModel returns the embedder that name stands for, see [KindOf]. A model
// of a hub is downloaded if it is not in the cache.
func OpenModel(ctx context.Context, name string, o *ModelOptions) (embed.Embedder, error) {
	if o == nil {
		o = &ModelOptions{}
	}
	engine := &bert.Options{Kernel: o.Kernel, Threads: o.Threads}
	switch KindOf(name) {
	case BuiltIn:
		return e5.New(engine)
	case GGUF:
		return gguf.Open(name, engine)
	case ONNX:
		return hugot.Open(name, nil)
	case OnHub:
		dir := ModelsDir(o.CacheDir)
		if dir == "" {
			return nil, errors.New("open model: there is no cache folder to download into; name one")
		}
		folder, err := hugot.Download(ctx, name, &hugot.DownloadOptions{
			Dir: dir, Hub: o.Hub, Client: o.Client, Progress: o.Progress, Offline: o.Offline,
		})
		if err != nil {
			return nil, err
		}
		return hugot.Open(folder, nil)
	}
	return nil, fmt.Errorf("%w: model %q is neither the path of a .gguf file, nor of a folder with a .onnx file, nor the owner/name of a model on the hub",
		minirag.ErrInvalid, name)
}

// ModelsDir is the folder for models of a hub below CacheDir, or empty if
// there is no cache folder.
func ModelsDir(cacheDir string) string {
	if cacheDir = cacheFolder(cacheDir); cacheDir == "" {
		return ""
	}
	return filepath.Join(cacheDir, "models")
}

// cacheFolder is dir, or else the default of [Options.CacheDir].
func cacheFolder(dir string) string {
	if dir == "" {
		if user, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(user, "minirag")
		}
	}
	return dir
}
