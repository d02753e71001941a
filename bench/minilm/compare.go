//go:build ignore

// Compare embeds the texts of a reference with models and prints how near
// their vectors are to the reference's.
//
//	go run compare.go REFERENCE MODEL...
//
// It fails if a count of tokens is another or a cosine is below 0.9999.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/local"
)

const least = 0.9999

type line struct {
	Text   string
	IDs    []int
	Vector []float64
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: compare REFERENCE MODEL...")
	}
	lines, err := read(args[0])
	if err != nil {
		return err
	}
	good := true
	for _, name := range args[1:] {
		ok, err := compare(lines, name)
		if err != nil {
			return err
		}
		good = good && ok
	}
	if !good {
		return errors.New("a model differs from the reference")
	}
	return nil
}

func read(file string) (lines []line, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, s.Err()
}

func compare(lines []line, name string) (bool, error) {
	ctx := context.Background()
	model, err := local.OpenModel(ctx, name, nil)
	if err != nil {
		return false, err
	}
	texts, tokens, counts := make([]string, len(lines)), 0, 0
	for i, l := range lines {
		texts[i] = l.Text
		tokens += len(l.IDs)
		if n := model.(embed.TokenCounter).CountTokens(l.Text); n != len(l.IDs) {
			counts++
			fmt.Printf("%s: %q has %d tokens, the reference %d\n", name, l.Text, n, len(l.IDs))
		}
	}
	began := time.Now()
	vecs, err := model.Embed(ctx, texts)
	if err != nil {
		return false, err
	}
	took := time.Since(began)
	low, sum := 1.0, 0.0
	for i, l := range lines {
		var cosine float64
		for k, v := range vecs[i] {
			cosine += float64(v) * l.Vector[k]
		}
		if cosine < least {
			fmt.Printf("%s: %q has the cosine %.6f\n", name, l.Text, cosine)
		}
		low = min(low, cosine)
		sum += cosine
	}
	fmt.Printf("%s (%s): %d texts, %d tokens, other counts %d, cosine least %.7f mean %.7f, %.1f s\n",
		name, model.Model().ID, len(lines), tokens, counts, low, sum/float64(len(lines)), took.Seconds())
	return counts == 0 && low >= least, nil
}
