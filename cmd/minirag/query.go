package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

// excerptRunes is how much of a hit is shown to a person.
const excerptRunes = 160

// hardlyRelevant is the relevance below which a hit hardly answers: of the
// questions in docs/EVALUATION.md that have an answer one in 20 to 40 lies below.
const hardlyRelevant = 0.3

func filterFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "scope", Usage: "folder or document to search in; repeatable"},
		&cli.BoolFlag{Name: "empty-scope", Hidden: true},
		&cli.StringSliceFlag{Name: "label", Usage: "facet=value; repeatable"},
		&cli.BoolFlag{Name: "empty-label", Hidden: true},
		&cli.StringFlag{Name: "date-from", Usage: "earliest date, YYYY-MM-DD"},
		&cli.StringFlag{Name: "date-to", Usage: "latest date, YYYY-MM-DD"},
	}
}

// scope is nil, which is everything, if none was given.
func scope(cmd *cli.Command) []string {
	if s := cmd.StringSlice("scope"); len(s) > 0 {
		return s
	}
	return nil
}

// checkLabels refuses the options that need labels, which this version has not.
func checkLabels(cmd *cli.Command, c *config) error {
	for _, l := range cmd.StringSlice("label") {
		facet, value, ok := strings.Cut(l, "=")
		if !ok || facet == "" || value == "" {
			return fmt.Errorf("--label takes facet=value, got %s", quote(l))
		}
	}
	if len(cmd.StringSlice("label")) > 0 || cmd.IsSet("date-from") || cmd.IsSet("date-to") {
		return c.labelsOff()
	}
	return nil
}

func (a *app) queryCommand() *cli.Command {
	return &cli.Command{
		Name:      "query",
		Usage:     "search the index",
		ArgsUsage: "TEXT",
		Description: "--top-k must be at least 1; over 100 is 100.\n\n" +
			"In TEXT a \"phrase in double quotes\" must stand in the passage, and -word and -\"a phrase\" must not\n" +
			"(a minus after a space and before at least 3 letters: e-mail, -5 and tar -x exclude nothing).\n" +
			"Forms of a word count as the word. Put \"--\" before a TEXT that begins with a minus.",
		Flags: append(append([]cli.Flag{
			&cli.StringFlag{Name: "text", Usage: "the question, instead of TEXT"},
			&cli.IntFlag{Name: "top-k", Usage: "largest number of results", Value: 8},
			&cli.BoolFlag{Name: "sync", Usage: "sync the folders first"},
			&cli.IntFlag{Name: "per-document", Usage: "largest number of results of one document while others have some; -1: no bound", DefaultText: "half of --top-k, at least 5"},
			&cli.BoolFlag{Name: "duplicates", Usage: "show passages that nearly repeat a better one of another document"},
			&cli.BoolFlag{Name: "explain", Usage: "show what the order of the results comes from"},
		}, filterFlags()...), settingFlags()...),
		Action: a.query,
	}
}

func (a *app) query(ctx context.Context, cmd *cli.Command) error {
	text, err := required(cmd, "text")
	if err != nil {
		return err
	}
	return a.withCorpus(ctx, cmd, func(c *config, corpus *minirag.Corpus) error {
		topK := cmd.Int("top-k")
		if topK < 1 {
			return fmt.Errorf("--top-k must be at least 1, got %d", topK)
		}
		if err := checkLabels(cmd, c); err != nil {
			return err
		}
		if cmd.Bool("sync") {
			if err := a.syncFirst(ctx, corpus); err != nil {
				return err
			}
		}
		result, err := corpus.Query(ctx, minirag.Query{
			Text: text, TopK: topK, Scope: scope(cmd), PerDocument: cmd.Int("per-document"),
			Duplicates: cmd.Bool("duplicates"), Explain: cmd.Bool("explain"),
		})
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			return a.printJSON(wire.QueryOf(result))
		}
		a.printResult(result)
		return nil
	})
}

func (a *app) printResult(r *minirag.Result) {
	if len(r.Hits) == 0 {
		fmt.Fprint(a.out, "no results")
		if r.Notice != "" {
			fmt.Fprintf(a.out, " — %s", r.Notice)
		}
		fmt.Fprintln(a.out)
		return
	}
	for _, h := range r.Hits {
		fmt.Fprintf(a.out, "[%.3f] %s#%d — %s\n    %s\n", h.Score, printable(h.Source.ID), h.Index, printable(h.Source.Title), excerpt(h.Text))
		for _, s := range h.AlsoIn {
			fmt.Fprintf(a.out, "    also in %s\n", printable(s.ID))
		}
		a.explain(&h)
	}
	fmt.Fprint(a.out, "\nSources:\n")
	for _, s := range r.Sources {
		fmt.Fprintf(a.out, "  %s (%d %s)\n", printable(s.Source.ID), s.Hits, plural(s.Hits, "hit", "hits"))
	}
	if r.Notice != "" {
		fmt.Fprintf(a.stderr, "warn: %s\n", r.Notice)
	}
	if !slices.ContainsFunc(r.Hits, func(h minirag.Hit) bool { return h.Relevance >= hardlyRelevant }) {
		fmt.Fprintln(a.stderr, "warn: nothing here seems to be about the question")
	}
}

// explain prints the signals of a hit if it has them.
func (a *app) explain(h *minirag.Hit) {
	s := h.Signals
	if s == nil {
		return
	}
	vector, keyword := "not among the vectors", "not among the keywords"
	if s.VectorRank > 0 {
		vector = fmt.Sprintf("vector %d (cosine %.3f)", s.VectorRank, s.Cosine)
		if s.Deviation > 0 {
			vector = fmt.Sprintf("vector %d (cosine %.3f, %.1f deviations above the background %.3f)",
				s.VectorRank, s.Cosine, (s.Cosine-s.Background)/s.Deviation, s.Background)
		}
	}
	if s.KeywordRank > 0 {
		keyword = fmt.Sprintf("keyword %d (%.2f)", s.KeywordRank, s.KeywordScore)
	}
	fmt.Fprintf(a.out, "    %s, %s, %.0f %% of the words, fused %.3f, relevance %.2f\n", vector, keyword, 100*s.Matched, h.Score, h.Relevance)
}

func excerpt(text string) string {
	n := 0
	for i := range text {
		if n == excerptRunes {
			return text[:i]
		}
		n++
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
