package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/bert"
	"github.com/minirag/minirag/embed/hugot"
	"github.com/minirag/minirag/local"
)

// builtinModel is the public name of the model inside the binary.
const builtinModel = "intfloat/multilingual-e5-small"

// model is the name of the model for people.
func (c *config) model() string {
	if c.modelName == "" {
		return builtinModel
	}
	return c.modelName
}

// modelSource is the name for [local.OpenModel]: empty for the built-in model.
func (c *config) modelSource() string {
	name := c.modelName
	if name == builtinModel || isKnownModel(name) {
		return ""
	}
	if strings.HasPrefix(name, "~") {
		if path, err := absPath(name); err == nil {
			return path
		}
	}
	return name
}

// checkModel refuses a name that stands for no model. It does not look into
// files.
func (c *config) checkModel() error {
	if local.KindOf(c.modelSource()) != local.NoModel {
		return nil
	}
	return fmt.Errorf("model %s is not known: MODEL_NAME and --model-name take the path of a .gguf file, the path of a folder with a .onnx file, "+
		"or owner/name of a model on the hub; unset, the built-in model %s is used", quote(c.modelName), builtinModel)
}

// modelNotice says that another model is used than the name suggests, or that
// one will be downloaded. Mostly it is empty.
func (c *config) modelNotice() string {
	switch source := c.modelSource(); {
	case source == "" && c.modelName != "" && c.modelName != builtinModel:
		return fmt.Sprintf("%s is not in this version; the built-in model %s is used instead", c.modelName, builtinModel)
	case local.KindOf(source) == local.OnHub:
		dir := hugot.Folder(local.ModelsDir(c.cacheDir), source)
		if !isFolder(dir) {
			return fmt.Sprintf("%s is not downloaded yet; the first use downloads it into %s", source, dir)
		}
	}
	return ""
}

// engine names what computes the vectors, and on how many threads.
func (c *config) engine() (kernel string, threads int) {
	switch local.KindOf(c.modelSource()) {
	case local.BuiltIn, local.GGUF:
		kernel = (&bert.Options{Kernel: c.cpu}).KernelName()
	case local.ONNX, local.OnHub:
		kernel = hugot.Engine()
	}
	return kernel, runtime.GOMAXPROCS(0)
}

// An embedderUse says for what an embedder is opened.
type embedderUse struct {
	threads int  // 0: the engine's default
	offline bool // nothing is downloaded
}

// openEmbedder opens the model of the configuration.
func (a *app) openEmbedder(ctx context.Context, c *config, use embedderUse) (embed.Embedder, error) {
	if err := c.checkModel(); err != nil {
		return nil, err
	}
	source := c.modelSource()
	if source == "" && a.embedder != nil {
		return a.embedder, nil
	}
	o := &local.ModelOptions{CacheDir: c.cacheDir, Kernel: c.cpu, Threads: use.threads, Hub: c.hub, Offline: use.offline}
	if local.KindOf(source) == local.OnHub {
		// The transport of net/http knows the proxies of the environment.
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.ResponseHeaderTimeout = 30 * time.Second
		o.Client = &http.Client{Transport: t}
		d := &downloadProgress{a: a, model: source, dir: hugot.Folder(local.ModelsDir(c.cacheDir), source)}
		o.Progress = d.step
		defer d.end()
	}
	e, err := local.OpenModel(ctx, source, o)
	if err != nil && source != "" && ctx.Err() == nil {
		return nil, fmt.Errorf("%w; MODEL_NAME or --model-name names the model, now %s", err, quote(c.modelName))
	}
	return e, err
}

// A downloadProgress shows a download: as a bar on a terminal, else by a line
// at its begin and its end.
type downloadProgress struct {
	a          *app
	model, dir string
	began      bool
	done       int64
	bar        *progressbar.ProgressBar
}

func (d *downloadProgress) step(file string, done, total int64) {
	if !d.began {
		d.began = true
		fmt.Fprintf(d.a.stderr, "downloading model %s (%d MB) into %s\n", d.model, total>>20, d.dir)
		if d.a.terminal && total > 0 {
			d.bar = progressbar.NewOptions64(total,
				progressbar.OptionSetWriter(d.a.stderr),
				progressbar.OptionShowBytes(true),
				progressbar.OptionFullWidth(),
				progressbar.OptionClearOnFinish(),
				progressbar.OptionThrottle(100*time.Millisecond),
			)
		}
	}
	d.done = done
	if d.bar != nil {
		d.bar.Describe(filepath.Base(file))
		// A bar that cannot be drawn is no reason to stop.
		_ = d.bar.Set64(min(done, total))
	}
}

func (d *downloadProgress) end() {
	if d.bar != nil {
		_ = d.bar.Clear()
	}
	if d.began {
		fmt.Fprintf(d.a.stderr, "downloaded %d MB\n", d.done>>20)
	}
}

// isKnownModel reports whether name is one that a configuration of the Python
// server may have. The built-in model stands in for all of them, so that such
// a configuration goes on working.
func isKnownModel(name string) bool {
	return slices.Contains([]string{
		"BAAI/bge-base-en",
		"BAAI/bge-base-en-v1.5",
		"BAAI/bge-large-en-v1.5",
		"BAAI/bge-small-en",
		"BAAI/bge-small-en-v1.5",
		"BAAI/bge-small-zh-v1.5",
		"Qdrant/clip-ViT-B-32-text",
		"google/embeddinggemma-300m",
		"intfloat/multilingual-e5-large",
		"jinaai/jina-clip-v1",
		"jinaai/jina-embeddings-v2-base-code",
		"jinaai/jina-embeddings-v2-base-de",
		"jinaai/jina-embeddings-v2-base-en",
		"jinaai/jina-embeddings-v2-base-es",
		"jinaai/jina-embeddings-v2-base-zh",
		"jinaai/jina-embeddings-v2-small-en",
		"jinaai/jina-embeddings-v3",
		"mixedbread-ai/mxbai-embed-large-v1",
		"nomic-ai/nomic-embed-text-v1",
		"nomic-ai/nomic-embed-text-v1.5",
		"nomic-ai/nomic-embed-text-v1.5-Q",
		"sentence-transformers/all-MiniLM-L6-v2",
		"sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
		"sentence-transformers/paraphrase-multilingual-mpnet-base-v2",
		"snowflake/snowflake-arctic-embed-l",
		"snowflake/snowflake-arctic-embed-m",
		"snowflake/snowflake-arctic-embed-m-long",
		"snowflake/snowflake-arctic-embed-s",
		"snowflake/snowflake-arctic-embed-xs",
		"thenlper/gte-base",
		"thenlper/gte-large",
	}, name)
}
