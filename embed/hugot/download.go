package hugot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/minirag/minirag/internal/atomicfile"
)

// ErrDownload says that a model is not there and could not be downloaded.
var ErrDownload = errors.New("model is not downloaded")

// Hub is the address of the public hub.
const Hub = "https://huggingface.co"

// DownloadOptions says from where and how much. Dir is required.
type DownloadOptions struct {
	// Dir is the folder with a folder for each model.
	Dir string
	// Hub is the address of a hub with the programming interface of the
	// public one. Empty: [Hub].
	Hub string
	// Client makes the requests. Nil: one without a proxy.
	Client *http.Client
	// MaxBytes bounds the files of a model together. Zero: 4 GiB.
	MaxBytes int64
	// Timeout bounds the download as a whole. Zero: one hour.
	Timeout time.Duration
	// Progress, if set, is told from time to time how many bytes of all files
	// are there; total is 0 if the hub does not say.
	Progress func(file string, done, total int64)
	// Offline: nothing is downloaded.
	Offline bool
}

// The time that a hub may take to begin an answer.
const answerTime = 30 * time.Second

// Folder is where [Download] puts the model name, an "owner/model".
func Folder(dir, name string) string {
	return filepath.Join(dir, strings.Replace(name, "/", "--", 1))
}

// IsName reports whether s is written as the name of a model on a hub.
func IsName(s string) bool {
	owner, model, ok := strings.Cut(s, "/")
	return ok && isWord(owner) && isWord(model) && len(s) <= 200
}

func isWord(s string) bool {
	for i, r := range s {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("._-", r)) {
			return false
		}
	}
	// Two dots, or one at the end, are none of a folder's name everywhere.
	return s != "" && !strings.Contains(s, "..") && !strings.Contains(s, "--") && !strings.HasSuffix(s, ".")
}

// Download returns the folder of the model name, which it gets from the hub
// if it is not there. The folder appears when all files are complete and their
// checksums right; whatever interrupts a download leaves nothing that looks
// like one. Files put there by hand are used as they are.
func Download(ctx context.Context, name string, o *DownloadOptions) (string, error) {
	if !IsName(name) {
		return "", fmt.Errorf("download model: %q is not of the form owner/model", name)
	}
	dir := Folder(o.Dir, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("download model: %w", err)
	}
	d := download{o: *o, name: name}
	err := errors.New("downloading is off")
	if !o.Offline {
		err = d.into(ctx, dir)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w; put its files (%s, ...) into %s, or name another folder that has them",
			ErrDownload, name, err, strings.Join([]string{"tokenizer.json", "config.json", "1_Pooling/config.json", "model.onnx"}, ", "), dir)
	}
	return dir, nil
}

type download struct {
	o           DownloadOptions // with defaults
	name        string
	done, total int64
}

// A remote is a file that the hub has.
type remote struct {
	Name string `json:"rfilename"`
	Size int64
	LFS  *struct {
		SHA256 string
		Size   int64
	}
}

// wanted are the files that a model may need, the weights apart.
func wanted(name string) bool {
	return slices.Contains([]string{"modules.json", "config.json", "config_sentence_transformers.json",
		"sentence_bert_config.json", "tokenizer.json", "tokenizer_config.json"}, name) ||
		strings.HasSuffix(name, "_Pooling/config.json") && strings.Count(name, "/") == 1
}

func (d *download) into(ctx context.Context, dir string) (err error) {
	if d.o.Hub == "" {
		d.o.Hub = Hub
	}
	if d.o.Client == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.Proxy, t.ResponseHeaderTimeout = nil, answerTime
		d.o.Client = &http.Client{Transport: t}
	}
	if d.o.MaxBytes == 0 {
		d.o.MaxBytes = 4 << 30
	}
	if d.o.Timeout == 0 {
		d.o.Timeout = time.Hour
	}
	whole, cancel := context.WithTimeout(ctx, d.o.Timeout)
	defer cancel()
	defer func() {
		if whole.Err() != nil && ctx.Err() == nil && err != nil {
			err = fmt.Errorf("not complete after %v: %w", d.o.Timeout, err)
		}
	}()
	revision, files, err := d.list(whole)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(d.o.Dir, 0o700); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(d.o.Dir, ".part-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	for _, f := range files {
		if err := d.file(whole, revision, f, temp); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if err := os.Rename(temp, dir); err != nil {
		// Another process may have been faster.
		if _, gone := os.Stat(dir); gone != nil {
			return err
		}
		return nil
	}
	return atomicfile.SyncDir(d.o.Dir)
}

// list asks the hub for the newest revision and chooses its files.
func (d *download) list(ctx context.Context) (revision string, files []remote, err error) {
	body, err := d.get(ctx, "/api/models/"+d.name+"/revision/main?blobs=true")
	if err != nil {
		return "", nil, err
	}
	defer body.Close()
	var answer struct {
		SHA      string
		Siblings []remote
	}
	if err := json.NewDecoder(io.LimitReader(body, 16<<20)).Decode(&answer); err != nil {
		return "", nil, fmt.Errorf("the hub's answer: %w", err)
	}
	if !isWord(answer.SHA) {
		return "", nil, errors.New("the hub's answer names no revision")
	}
	has := func(name string) bool {
		return slices.ContainsFunc(answer.Siblings, func(r remote) bool { return r.Name == name })
	}
	weights := "onnx/model.onnx"
	if !has(weights) {
		weights = "model.onnx"
	}
	for _, need := range []string{weights, "tokenizer.json"} {
		if !has(need) {
			return "", nil, fmt.Errorf("%w: the hub has no %s for it", ErrModel, need)
		}
	}
	for _, r := range answer.Siblings {
		if r.LFS != nil && r.LFS.Size > 0 {
			r.Size = r.LFS.Size
		}
		if r.Name != weights && r.Name != weights+"_data" && !wanted(r.Name) || !filepath.IsLocal(filepath.FromSlash(r.Name)) {
			continue
		}
		if r.Size < 0 || r.Size > d.o.MaxBytes-d.total {
			return "", nil, fmt.Errorf("its files are larger than %d bytes", d.o.MaxBytes)
		}
		d.total += r.Size
		files = append(files, r)
	}
	return answer.SHA, files, nil
}

// file gets one file and checks it.
func (d *download) file(ctx context.Context, revision string, f remote, dir string) (err error) {
	body, err := d.get(ctx, "/"+d.name+"/resolve/"+url.PathEscape(revision)+"/"+f.Name)
	if err != nil {
		return err
	}
	defer body.Close()
	name := filepath.Join(dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, h, &counter{d, f.Name}), io.LimitReader(body, d.o.MaxBytes-d.done+1))
	if err != nil {
		return err
	}
	if d.done > d.o.MaxBytes {
		return fmt.Errorf("the files are larger than %d bytes", d.o.MaxBytes)
	}
	if f.Size > 0 && n != f.Size {
		return fmt.Errorf("%d bytes came, the hub says %d", n, f.Size)
	}
	if f.LFS != nil && f.LFS.SHA256 != "" && !strings.EqualFold(f.LFS.SHA256, hex.EncodeToString(h.Sum(nil))) {
		return errors.New("what came has another checksum than the hub says")
	}
	return out.Sync()
}

// A counter tells the progress of a file.
type counter struct {
	d    *download
	name string
}

func (c *counter) Write(p []byte) (int, error) {
	c.d.done += int64(len(p))
	if c.d.o.Progress != nil {
		c.d.o.Progress(c.name, c.d.done, c.d.total)
	}
	return len(p), nil
}

// get makes a request and returns the body of a good answer.
func (d *download) get(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(d.o.Hub, "/")+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "minirag")
	resp, err := d.o.Client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden:
		// The hub answers so for models that do not exist or are not public.
		return nil, fmt.Errorf("%s has no public model of this name (%s)", d.o.Hub, resp.Status)
	}
	return nil, fmt.Errorf("%s answers %s", d.o.Hub, resp.Status)
}
