package eval

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteText writes reports as a table for people.
func WriteText(w io.Writer, reports ...*Report) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tab, "set\tside\tnDCG@10\trecall@10\tMRR@10\thit@1\tp50 ms\tp95 ms\t\n")
	for _, r := range reports {
		for _, s := range r.Sides {
			fmt.Fprintf(tab, "%s\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.1f\t%.1f\t\n", r.Set, s.Name, s.NDCG10, s.Recall10, s.MRR10, s.Hit1, s.P50, s.P95)
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, r := range reports {
		for _, s := range r.Sides {
			if p := s.Passages; p != nil {
				fmt.Fprintf(w, "%s, %s, %d answers known: paragraph@1 %.3f, answer@1 %.3f, answer@5 %.3f, in the sections of the top 3 %.3f\n",
					r.Set, s.Name, p.Questions, p.Paragraph1, p.Answer1, p.Answer5, p.Section3)
			}
		}
		if v := r.Relevance; v != nil {
			fmt.Fprintf(w, "%s, relevance: AUC %.4f; mean %.3f of the set's questions, %.3f of foreign ones; at 0.5 %.1f %% are kept and %.1f %% of the foreign ones stopped\n",
				r.Set, v.AUC, v.Answerable, v.Foreign, 100*v.Kept, 100*v.Stopped)
		}
	}
	return nil
}
