package minirag

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/atomicfile"
	"github.com/minirag/minirag/internal/place"
)

// A Finding is something that [Corpus.Doctor] found.
type Finding = index.Finding

// DoctorOptions tune [Corpus.Doctor]. Nil and the zero value mean the defaults.
type DoctorOptions struct {
	// Repair puts right what can be without loss: derived indexes are built
	// anew, damaged versions of files that can be read again are closed, so
	// that the next sync reads them, and permissions are narrowed.
	Repair bool
}

// A DoctorReport is the outcome of [Corpus.Doctor].
type DoctorReport struct {
	Findings []Finding
	Sources  int // all, also those below other roots
	Chunks   int
	// Compared are the chunks of which the derived indexes' words and vectors
	// were compared with the text and the vector in the catalog: all of them,
	// or 0 if the indexes cannot do that or something is wrong with them.
	Compared int
}

// Clean reports whether nothing is wrong: advice and what was repaired do not count.
func (r *DoctorReport) Clean() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return !f.Advice && !f.Repaired })
}

// Doctor reads everything that the corpus holds and reports what is wrong,
// with what to do about it. Without Repair it changes nothing but for
// bringing the derived indexes up to date and removing what killed processes
// left, as the next sync would. It may run beside other processes. The error
// is about the examination itself.
func (c *Corpus) Doctor(ctx context.Context, o *DoctorOptions) (*DoctorReport, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if o == nil {
		o = &DoctorOptions{}
	}
	d := &doctor{c: c, repair: o.Repair, report: &DoctorReport{Findings: []Finding{}}}
	for _, part := range []func(context.Context) error{d.folder, d.locks, d.catalog, d.indexes} {
		if err := part(ctx); err != nil {
			return nil, fmt.Errorf("examine the index: %w", err)
		}
	}
	return d.report, nil
}

type doctor struct {
	c      *Corpus
	repair bool
	report *DoctorReport
}

func (d *doctor) find(f Finding) { d.report.Findings = append(d.report.Findings, f) }

// folder looks at the place and at who can read it.
func (d *doctor) folder(context.Context) error {
	folder := d.c.o.Folder
	if folder.Path == "" {
		return nil
	}
	if text := place.Of(folder.Path).Warning(); text != "" {
		problem, remedy, _ := strings.Cut(text, "; ")
		d.find(Finding{Part: "place", Subject: folder.Path, Problem: problem, Remedy: remedy, Advice: true})
	}
	if runtime.GOOS == "windows" {
		return nil // who may read a file is not in its mode
	}
	entries, err := os.ReadDir(folder.Path)
	if err != nil {
		return err
	}
	alone := true
	for _, e := range entries {
		if !folder.owns(e.Name()) {
			alone = false
			continue
		}
		err := filepath.WalkDir(filepath.Join(folder.Path, e.Name()), func(path string, e fs.DirEntry, err error) error {
			if err == nil {
				d.private(path, true)
			}
			return nil // what is gone meanwhile is no matter
		})
		if err != nil {
			return err
		}
	}
	d.private(folder.Path, alone)
	return nil
}

// private reports a file or folder that others can read. A folder that is not
// for the index alone is left as it is.
func (d *doctor) private(path string, ours bool) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 || info.Mode()&fs.ModeSymlink != 0 {
		return
	}
	f := Finding{Part: "permissions", Subject: path, Problem: fmt.Sprintf("others may use it (%v)", info.Mode().Perm()),
		Remedy: "minirag doctor --repair, or chmod go-rwx", Advice: !ours}
	if !ours {
		f.Remedy = "keep the index in a folder of its own, or chmod go-rwx"
	}
	if d.repair && ours {
		f.Repaired = os.Chmod(path, info.Mode().Perm()&^0o077) == nil
	}
	d.find(f)
}

// locks finds out whether the locks work, and removes files that writers
// under the sync lock have left when they were killed.
func (d *doctor) locks(context.Context) error {
	c := d.c
	l := c.o.SyncLock
	if l == nil || !c.sync.TryLock() {
		return nil
	}
	defer c.sync.Unlock()
	ok, err := l.TryLock()
	switch {
	case err != nil:
		d.find(Finding{Part: "locks", Subject: c.o.Folder.Path, Problem: "the lock of a sync cannot be taken: " + err.Error(),
			Remedy: "keep the index in a folder of this machine that can be written", Advice: true})
		return nil
	case !ok:
		d.find(Finding{Part: "locks", Subject: c.o.Folder.Path, Problem: "a sync is running (" + l.Holder() + ")",
			Remedy: "nothing, or run doctor again when it has ended", Advice: true})
		return nil
	}
	defer l.Unlock()
	if c.o.Folder.Path == "" {
		return nil
	}
	entries, err := os.ReadDir(c.o.Folder.Path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if atomicfile.IsTemp(e.Name()) && e.Type().IsRegular() {
			// What cannot be removed now goes the next time.
			_ = os.Remove(filepath.Join(c.o.Folder.Path, e.Name()))
		}
	}
	return nil
}

func (d *doctor) catalog(ctx context.Context) error {
	checker, ok := d.c.o.Catalog.(index.Checker)
	if ok {
		found, err := checker.Check(ctx, &index.CheckOptions{Repair: d.repair, Reread: d.reread})
		d.report.Findings = append(d.report.Findings, found...)
		if err != nil {
			return err
		}
	}
	err := d.c.o.Catalog.View(ctx, func(v index.View) error {
		s, err := v.Stats()
		d.report.Sources, d.report.Chunks = s.Documents, s.Chunks
		return err
	})
	return d.damage("catalog", err)
}

// damage makes an error that tells of damage a finding, unless there is one.
func (d *doctor) damage(part string, err error) error {
	if !errors.Is(err, index.ErrDamaged) {
		return err
	}
	if !slices.ContainsFunc(d.report.Findings, func(f Finding) bool { return f.Part == "catalog" && !f.Repaired }) {
		d.find(Finding{Part: part, Problem: err.Error(), Remedy: "restore the index from a backup, or move it away and sync again"})
	}
	return nil
}

// reread reports whether the next sync can read a source.
func (d *doctor) reread(source string, kind Kind) bool {
	if kind != KindFile || !d.c.roots.Contains(source) || !d.c.o.Converter.Synced(filepath.Base(source)) {
		return false
	}
	info, err := os.Lstat(source)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(source)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// indexes compares the derived indexes with the catalog.
func (d *doctor) indexes(ctx context.Context) error {
	c := d.c
	c.apply.Lock()
	defer c.apply.Unlock()
	if l := c.o.ApplyLock; l != nil {
		if err := l.Lock(ctx); err != nil {
			if ctx.Err() != nil {
				return err
			}
			d.find(Finding{Part: "locks", Subject: c.o.Folder.Path, Problem: err.Error(),
				Remedy: "keep the index in a folder of this machine that can be written", Advice: true})
		} else {
			defer l.Unlock()
		}
	}
	if err := c.applyAll(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, index.ErrDamaged) {
		d.find(Finding{Part: "derived indexes", Problem: "they cannot be brought up to date: " + err.Error(), Remedy: "remove the cause; until then queries are slower"})
	}
	for _, ix := range c.derived() {
		if err := d.index(ctx, ix); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (d *doctor) index(ctx context.Context, ix derivedIndex) error {
	if t, ok := ix.part.(index.Tidier); ok {
		left, err := t.Tidy(ctx)
		if err != nil {
			d.find(Finding{Part: ix.name, Problem: err.Error(), Remedy: "make its folder readable and writable"})
		}
		for _, path := range left {
			d.find(Finding{Part: ix.name, Subject: path, Problem: "it is no file of the index", Remedy: "move it away", Advice: true})
		}
	}
	v, ok := ix.part.(index.Verifier)
	if !ok {
		return nil
	}
	problem, err := d.compare(ctx, ix, v)
	if err != nil {
		return d.damage("catalog", err)
	}
	if problem == "" {
		return nil
	}
	f := Finding{Part: ix.name, Subject: d.c.o.Folder.Path, Problem: problem, Remedy: "minirag doctor --repair builds it anew from the catalog"}
	if d.repair {
		err := d.c.o.Catalog.View(ctx, func(v index.View) error { return ix.step(ctx, v, 0, v.Seq()) })
		if err == nil {
			problem, err = d.compare(ctx, ix, v)
		}
		switch f.Repaired = err == nil && problem == ""; {
		case err != nil:
			f.Remedy = "it could not be built anew: " + err.Error()
		case problem != "":
			f.Remedy = "it was built anew, and still: " + problem
		}
	}
	d.find(f)
	return ctx.Err()
}

// compare returns what differs between an index and the catalog, or "".
func (d *doctor) compare(ctx context.Context, ix derivedIndex, verifier index.Verifier) (string, error) {
	seq, chunks, err := verifier.Verify(ctx)
	if errors.Is(err, index.ErrDamaged) {
		return err.Error(), nil
	}
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "it cannot be read: " + err.Error(), nil
	}
	problem := ""
	err = d.c.o.Catalog.View(ctx, func(v index.View) error {
		switch {
		case seq > v.Seq():
			problem = fmt.Sprintf("it is at sequence %d and the catalog at %d", seq, v.Seq())
			return nil
		case seq == 0 && v.Seq() > 0:
			problem = "it is missing, or was made by another version or from another catalog"
			return nil
		case seq < v.Purged():
			problem = fmt.Sprintf("it is at sequence %d, which cannot be carried on", seq)
			return nil
		}
		var want []index.ChunkID
		for e, err := range v.Added(0, seq, ix.model) {
			if err != nil {
				return err
			}
			want = append(want, e.Chunk)
		}
		slices.Sort(want)
		if !slices.Equal(want, chunks) {
			problem = fmt.Sprintf("it holds %d chunks that are not those of the catalog, which has %d", len(chunks), len(want))
			return nil
		}
		problem, err = d.contents(ctx, ix, v, seq)
		return err
	})
	return problem, err
}

// contents compares what an index holds of each chunk with the catalog.
func (d *doctor) contents(ctx context.Context, ix derivedIndex, v index.View, seq index.Seq) (string, error) {
	comparer, ok := ix.part.(index.Comparer)
	if !ok {
		return "", nil
	}
	// What is wrong with the catalog is not the index's fault.
	var broken error
	entries := func(yield func(index.Entry, error) bool) {
		for e, err := range withVectors(v, 0, seq, d.c.model.ID) {
			if err != nil {
				broken = err
			}
			if !yield(e, err) {
				return
			}
		}
	}
	compared, err := comparer.Compare(ctx, entries)
	switch {
	case broken != nil:
		return "", broken
	case errors.Is(err, index.ErrDamaged):
		return err.Error(), nil
	case err != nil && ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "it cannot be read: " + err.Error(), nil
	}
	d.report.Compared = compared
	return "", nil
}
