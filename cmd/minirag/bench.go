package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/bert"
)

const (
	// batchTokens is how much one call embeds: a few batches of the encoder.
	batchTokens = 2048
	// queryTokens is the length of a short question.
	queryTokens = 10
)

func (a *app) benchCommand() *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "measure this machine",
		ArgsUsage: " ",
		Action: func(_ context.Context, cmd *cli.Command) error {
			if word := cmd.Args().First(); word != "" {
				return misuse(cmd, "unknown command %s; the commands are embed", quote(word))
			}
			return misuse(cmd, "a command is missing: embed")
		},
		Commands: []*cli.Command{{
			Name:      "embed",
			Usage:     "measure how fast texts and questions are embedded",
			ArgsUsage: " ",
			Description: "The texts are words drawn in an order that is always the same. Lengths are in tokens, with the\n" +
				"special ones and what the model puts before a text. Run it on an idle machine.",
			Flags: []cli.Flag{
				&cli.IntSliceFlag{Name: "length", Usage: "tokens in a text; repeatable", Value: []int{16, 110, 400}},
				&cli.IntFlag{Name: "threads", Usage: "threads that compute; 0 is one for each processor"},
				&cli.IntFlag{Name: "runs", Usage: "runs for each length, of which the median counts", Value: 5},
				&cli.DurationFlag{Name: "time", Usage: "shortest time of a run", Value: time.Second},
				&cli.StringFlag{Name: "model-name", Usage: "embedding model (MODEL_NAME)"},
				jsonFlag(),
			},
			Action:                    a.benchEmbed,
			OnUsageError:              onUsageError,
			DisableSliceFlagSeparator: true,
		}},
	}
}

// The JSON of bench embed. What the system or the model does not tell is left
// out.
type (
	benchJSON struct {
		Model   string        `json:"model"`
		ModelID string        `json:"modelId"`
		Kernel  string        `json:"kernel,omitempty"`
		Threads int           `json:"threads,omitempty"`
		LoadMs  float64       `json:"loadMs"`
		Lengths []benchLength `json:"lengths"`
		Query   benchQuery    `json:"query"`
		Memory  benchMemory   `json:"memory"`
	}
	benchLength struct {
		Tokens             int       `json:"tokens"`
		TokensPerSecond    float64   `json:"tokensPerSecond"`
		TextsPerSecond     float64   `json:"textsPerSecond"`
		TokensPerCPUSecond float64   `json:"tokensPerCpuSecond,omitempty"`
		Runs               []float64 `json:"runs"` // tokens per second
	}
	benchQuery struct {
		Tokens int     `json:"tokens"`
		Count  int     `json:"count"`
		P50Ms  float64 `json:"p50Ms"`
		P95Ms  float64 `json:"p95Ms"`
	}
	benchMemory struct {
		// ResidentBytes is all that the process has in memory, PrivateBytes
		// the part that it does not share with a file.
		ResidentBytes int64 `json:"residentBytes,omitempty"`
		PrivateBytes  int64 `json:"privateBytes,omitempty"`
		WeightBytes   int   `json:"weightBytes,omitempty"` // unpacked, beside the file
	}
)

func (a *app) benchEmbed(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	runs, atLeast, lengths := cmd.Int("runs"), cmd.Duration("time"), cmd.IntSlice("length")
	switch {
	case runs < 1:
		return misuse(cmd, "--runs must be at least 1, got %d", runs)
	case atLeast < 0:
		return misuse(cmd, "--time must be at least 0, got %s", atLeast)
	case cmd.Int("threads") < 0:
		return misuse(cmd, "--threads must be at least 0, got %d", cmd.Int("threads"))
	}
	c, err := loadConfig(flags{modelName: cmd.String("model-name")}, a.lookup)
	if err != nil {
		return err
	}
	b, err := a.newBench(ctx, c, cmd.Int("threads"))
	if err != nil {
		return err
	}
	for _, n := range lengths {
		if least, most := b.shortest(), b.longest(); n < least || n > most {
			return misuse(cmd, "--length must be in range [%d, %d], got %d", least, most, n)
		}
	}
	out, err := b.measure(ctx, lengths, runs, atLeast)
	if err != nil {
		return err
	}
	out.Model = c.model()
	if cmd.Bool("json") {
		return a.printJSON(out)
	}
	a.printBench(out)
	return nil
}

// A bench measures one embedder.
type bench struct {
	embedder embed.Embedder
	count    func(text string) int
	// What the model puts before a passage and a question, in tokens.
	passagePrefix, queryPrefix int
}

// newBench takes the model that c names, with a number of threads of its own.
func (a *app) newBench(ctx context.Context, c *config, threads int) (*bench, error) {
	embedder, err := a.openEmbedder(ctx, c, embedderUse{threads: threads})
	if err != nil {
		return nil, err
	}
	b := &bench{embedder: embedder}
	counter, ok := b.embedder.(embed.TokenCounter)
	if !ok {
		return nil, fmt.Errorf("bench embed: model %s does not count tokens", b.embedder.Model().ID)
	}
	b.count = counter.CountTokens
	if p, ok := b.embedder.(interface{ PrefixTokens() (query, passage int) }); ok {
		b.queryPrefix, b.passagePrefix = p.PrefixTokens()
	}
	return b, nil
}

func (b *bench) shortest() int { return b.count("") + b.passagePrefix + 1 }

func (b *bench) longest() int {
	if n := b.embedder.Model().MaxTokens; n > 0 {
		return n + b.passagePrefix
	}
	return 1 << 20
}

func (b *bench) measure(ctx context.Context, lengths []int, runs int, atLeast time.Duration) (*benchJSON, error) {
	began := time.Now()
	if _, err := b.embedder.Embed(ctx, []string{"a"}); err != nil {
		return nil, err
	}
	out := &benchJSON{ModelID: b.embedder.Model().ID, LoadMs: milliseconds(time.Since(began))}
	words := newWords(b.count)
	texts := make([][]string, len(lengths))
	for i, n := range lengths {
		for range max(1, batchTokens/n) {
			texts[i] = append(texts[i], words.text(n-b.passagePrefix))
		}
		out.Lengths = append(out.Lengths, benchLength{Tokens: n})
	}
	// The lengths take turns, so that a disturbance meets all of them.
	perCPU := make([][]float64, len(lengths))
	for range runs {
		for i, n := range lengths {
			wall, cpu, err := b.run(ctx, texts[i], n, atLeast)
			if err != nil {
				return nil, err
			}
			out.Lengths[i].Runs = append(out.Lengths[i].Runs, wall)
			perCPU[i] = append(perCPU[i], cpu)
		}
	}
	for i := range out.Lengths {
		l := &out.Lengths[i]
		l.TokensPerSecond = median(l.Runs)
		l.TextsPerSecond = l.TokensPerSecond / float64(l.Tokens)
		l.TokensPerCPUSecond = median(perCPU[i])
	}
	var err error
	if out.Query, err = b.questions(ctx, words, runs, atLeast); err != nil {
		return nil, err
	}
	return out, b.describe(out)
}

// run embeds texts of n tokens for a time and returns tokens per second, and
// per second of processor time, or 0 where the system does not tell it.
func (b *bench) run(ctx context.Context, texts []string, n int, atLeast time.Duration) (wall, cpu float64, err error) {
	tokens, start, used := 0, time.Now(), processorTime()
	for tokens == 0 || time.Since(start) < atLeast {
		if _, err := b.embedder.Embed(ctx, texts); err != nil {
			return 0, 0, err
		}
		tokens += n * len(texts)
	}
	wall = float64(tokens) / max(time.Since(start), 1).Seconds()
	if used := processorTime() - used; used > 0 {
		cpu = float64(tokens) / used.Seconds()
	}
	return wall, cpu, nil
}

// questions embeds short questions one after the other.
func (b *bench) questions(ctx context.Context, words *words, runs int, atLeast time.Duration) (q benchQuery, err error) {
	embedQuery := func(text string) error {
		_, err := b.embedder.Embed(ctx, []string{text})
		return err
	}
	prefix := b.passagePrefix
	if e, ok := b.embedder.(embed.QueryEmbedder); ok {
		prefix = b.queryPrefix
		embedQuery = func(text string) error {
			_, err := e.EmbedQuery(ctx, text)
			return err
		}
	}
	q.Tokens = max(queryTokens, b.count("a")+prefix)
	var times []time.Duration
	for start := time.Now(); len(times) < runs || time.Since(start) < atLeast; {
		text := words.text(q.Tokens - prefix)
		began := time.Now()
		if err := embedQuery(text); err != nil {
			return q, err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	q.Count = len(times)
	q.P50Ms = milliseconds(times[len(times)/2])
	q.P95Ms = milliseconds(times[len(times)*95/100])
	return q, nil
}

func (b *bench) describe(out *benchJSON) error {
	if m, ok := b.embedder.(interface{ Info() (bert.Info, error) }); ok {
		info, err := m.Info()
		if err != nil {
			return err
		}
		out.Kernel, out.Threads, out.Memory.WeightBytes = info.Kernel, info.Threads, info.Unpacked
	}
	out.Memory.ResidentBytes, out.Memory.PrivateBytes = residentMemory()
	return nil
}

func (a *app) printBench(out *benchJSON) {
	fmt.Fprintf(a.out, "model: %s\n", out.Model)
	if out.Kernel != "" {
		fmt.Fprintf(a.out, "kernel: %s\nthreads: %d\n", out.Kernel, out.Threads)
	}
	fmt.Fprintf(a.out, "ready after: %.0f ms\n", out.LoadMs)
	if m := out.Memory; m.ResidentBytes > 0 {
		fmt.Fprintf(a.out, "memory: %.0f MB, %.0f MB private\n", float64(m.ResidentBytes)/1e6, float64(m.PrivateBytes)/1e6)
	}
	fmt.Fprintf(a.out, "query of %d tokens: p50 %.1f ms, p95 %.1f ms (%d)\n\n", out.Query.Tokens, out.Query.P50Ms, out.Query.P95Ms, out.Query.Count)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	columns := []string{"tokens", "tokens/s", "lowest", "highest", "texts/s"}
	cpu := out.Lengths[0].TokensPerCPUSecond > 0
	if cpu {
		columns = append(columns, "tokens/CPU-s")
	}
	fmt.Fprintf(w, "%s\t\n", strings.Join(columns, "\t"))
	for _, l := range out.Lengths {
		fmt.Fprintf(w, "%d\t%.0f\t%.0f\t%.0f\t%.1f\t", l.Tokens, l.TokensPerSecond, slices.Min(l.Runs), slices.Max(l.Runs), l.TextsPerSecond)
		if cpu {
			fmt.Fprintf(w, "%.0f\t", l.TokensPerCPUSecond)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
}
