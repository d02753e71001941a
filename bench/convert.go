//go:build ignore

// Convert converts every document below a folder in one process, one after
// the other, and prints how long each format took. See README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/local"
)

type sum struct {
	files, failed, bytes int
	spent                time.Duration
}

func main() {
	cache := flag.String("cache", "", "folder of the compiled PDF engine")
	skip := flag.String("skip", `\.expect\.json$`, "leave out files whose base name matches")
	flag.Parse()
	if err := run(flag.Arg(0), *cache, regexp.MustCompile(*skip)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(root, cache string, skip *regexp.Regexp) error {
	conv := local.NewConverter(&local.ConverterOptions{CacheDir: cache})
	defer conv.Close()
	sums := map[string]*sum{"all": {}}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || skip.MatchString(d.Name()) {
			return err
		}
		ext := strings.ToLower(filepath.Ext(file))
		if sums[ext] == nil {
			sums[ext] = &sum{}
		}
		start := time.Now()
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		doc, err := conv.Convert(context.Background(), convert.Source{Name: file, Data: data}, convert.Limits{})
		spent := time.Since(start)
		for _, s := range []*sum{sums[ext], sums["all"]} {
			s.files++
			s.spent += spent
			if err != nil {
				s.failed++
			} else {
				s.bytes += len(doc.Markdown)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, ext := range slices.Sorted(maps.Keys(sums)) {
		s := sums[ext]
		fmt.Printf("%-10s %4d files %3d refused %9d bytes out %8.2f s %8.1f documents/s\n",
			ext, s.files, s.failed, s.bytes, s.spent.Seconds(), float64(s.files)/s.spent.Seconds())
	}
	return nil
}
