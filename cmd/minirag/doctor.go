package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
)

func (a *app) doctorCommand() *cli.Command {
	return &cli.Command{
		Name:      "doctor",
		Usage:     "examine the index, and repair it",
		ArgsUsage: " ",
		Description: "Reads everything that the index holds, compares the words and the vectors of its derived\n" +
			"part with the catalog, and says what is wrong and what to do about it.\n" +
			"Exit code 0: nothing is wrong, or all of it was repaired.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "repair", Usage: "put right what can be without loss"},
		}, settingFlags()...),
		Action: a.doctor,
	}
}

type (
	findingJSON struct {
		Part     string `json:"part"`
		Subject  string `json:"subject,omitempty"`
		Problem  string `json:"problem"`
		Remedy   string `json:"remedy"`
		Advice   bool   `json:"advice"`
		Repaired bool   `json:"repaired"`
	}
	doctorJSON struct {
		Clean       bool          `json:"clean"`
		DBPath      string        `json:"dbPath"`
		SourceCount int           `json:"sourceCount"`
		ChunkCount  int           `json:"chunkCount"`
		Compared    int           `json:"comparedChunks"`
		Findings    []findingJSON `json:"findings"`
	}
)

func (a *app) doctor(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	report, err := a.examine(ctx, c, cmd.Bool("repair"))
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		out := doctorJSON{Clean: report.Clean(), DBPath: c.dbPath, SourceCount: report.Sources, ChunkCount: report.Chunks, Compared: report.Compared, Findings: []findingJSON{}}
		for _, f := range report.Findings {
			out.Findings = append(out.Findings, findingJSON(f))
		}
		err = a.printJSON(out)
	} else {
		a.printFindings(c, report)
	}
	if err == nil && !report.Clean() {
		err = errPartial
	}
	return err
}

// examine makes a finding also of an index that cannot be opened.
func (a *app) examine(ctx context.Context, c *config, repair bool) (*minirag.DoctorReport, error) {
	corpus, err := a.open(ctx, c)
	if err != nil {
		if ctx.Err() != nil || c.checkModel() != nil {
			return nil, err
		}
		return &minirag.DoctorReport{Findings: []minirag.Finding{{Part: "index", Subject: c.dbPath, Problem: err.Error(),
			Remedy: "minirag import an export into another folder, or restore the folder from a backup, or move it away and sync again"}}}, nil
	}
	report, err := corpus.Doctor(ctx, &minirag.DoctorOptions{Repair: repair})
	return report, errors.Join(err, corpus.Close())
}

func (a *app) printFindings(c *config, report *minirag.DoctorReport) {
	for _, f := range report.Findings {
		mark := "wrong"
		switch {
		case f.Repaired:
			mark = "repaired"
		case f.Advice:
			mark = "advice"
		}
		subject := f.Part
		if f.Subject != "" {
			subject += ", " + f.Subject
		}
		fmt.Fprintf(a.out, "%s: %s: %s\n", mark, printable(subject), printable(f.Problem))
		if !f.Repaired || f.Remedy == "sync: it is read again" {
			fmt.Fprintf(a.out, "    to do: %s\n", printable(f.Remedy))
		}
	}
	if report.Clean() {
		fmt.Fprintf(a.out, "the index in %s is sound: %d %s, %d %s", printable(c.dbPath),
			report.Sources, plural(report.Sources, "source", "sources"), report.Chunks, plural(report.Chunks, "chunk", "chunks"))
		if report.Compared > 0 {
			fmt.Fprintf(a.out, "; words and vectors of %d compared with the catalog", report.Compared)
		}
		fmt.Fprintln(a.out)
	}
}
