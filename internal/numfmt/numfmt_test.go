package numfmt_test

import (
	"math"
	"strings"
	"testing"

	"github.com/minirag/minirag/internal/numfmt"
)

func TestNumber(t *testing.T) {
	for _, tc := range []struct {
		code string
		v    float64
		want string
	}{
		{"General", 12, "12"}, {"General", 0.1 + 0.2, "0.3"}, {"General", -1234567890123, "-1234567890123"}, {"General", 1e-12, "1E-12"}, {"General", 3e25, "3E+25"},
		{"", 5, "5"}, {"General;-General", -5, "-5"}, {`"n = "General`, 2.5, "n = 2.5"},
		{"0", 2.5, "3"}, {"0", -0.4, "0"}, {"0.00", 2.675, "2.68"}, {"0.00", 1.005, "1.01"}, {"0.00", 9.999, "10.00"}, {"000.0", 12.34, "012.3"}, {"0.00", 0, "0.00"},
		{"#.##", 12, "12."}, {"#.##", 0.5, ".5"}, {"#", 0, ""}, {"0.0#", 1.25, "1.25"}, {"0.0#", 1, "1.0"}, {"0.#0", 1, "1.00"}, {"??0", 7, "7"},
		{"#,##0", 1234567, "1,234,567"}, {"#,##0", 12, "12"}, {"0,000", 12, "0,012"}, {"#,##0.00", -1599.99, "-1,599.99"}, {"#,##0,", 1234567, "1,235"}, {"0.0,,", 12345678, "12.3"},
		{`"$"#,##0.00_);[Red]\("$"#,##0.00\)`, -1599.99, "($1,599.99)"}, {`"$"#,##0.00_);[Red]\("$"#,##0.00\)`, 1599.99, "$1,599.99"},
		{`#,##0.00\ [$€-407]`, 1234.5, "1,234.50 €"}, {`[$$-409]#,##0`, -5, "-$5"}, {`_-* #,##0.00\ "₽"_-`, 12, "12.00 ₽"}, {"£000.00", 12.3, "£012.30"},
		{`_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)`, 0, "-"}, {`_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)`, -12, "(12)"},
		{"0%", 0.256, "26%"}, {"0.00%", 0.025, "2.50%"}, {`0.0\ %`, -0.5, "-50.0 %"},
		{"0.00E+00", 198356388, "1.98E+08"}, {"0.00E+00", -0.000123, "-1.23E-04"}, {"##0.0E+0", 12345, "12.3E+3"}, {"0.0E+00", 9.99, "1.0E+01"}, {"0E-0", 0, "0E0"},
		{"# ?/?", 2.5, "2 1/2"}, {"# ?/?", 2, "2"}, {"# ?/?", 0.333, "1/3"}, {"# ??/??", 3.14159, "3 14/99"}, {"?/?", 1.25, "5/4"}, {"# ?/8", 1.2, "1 2/8"}, {"# ?/?", -0.5, "-1/2"}, {"# ?/?", 0, "0"},
		{"000-00-0000", 123456789, "123-45-6789"}, {"(000) 000-0000", 5551234567, "(555) 123-4567"}, {`0 "dollars and" .00 "cents"`, 19.99, "19 dollars and .99 cents"},
		{`[>=1000]0.0,"k";0`, 1500, "1.5k"}, {`[>=1000]0.0,"k";0`, 15, "15"}, {`[<0]"minus "0;0`, -3, "minus 3"}, {`"yes";"yes";"no"`, 0, "no"}, {`"yes";"yes";"no"`, -1, "yes"},
		{"0;;", -5, ""}, {";;;", 5, ""}, {"@", 12.5, "12.5"}, {`"open`, 5, "open"}, {"0.00", math.NaN(), ""}, {"0", math.Inf(1), ""},
	} {
		if got := numfmt.Parse(tc.code).Number(tc.v, false); got != tc.want {
			t.Errorf("%v in %q = %q, want %q", tc.v, tc.code, got, tc.want)
		}
	}
}

func TestDate(t *testing.T) {
	const v = 46062.604166666664 // 2026-02-09 14:30
	for _, tc := range []struct {
		code string
		v    float64
		want string
	}{
		{"yyyy-mm-dd", v, "2026-02-09"}, {`yyyy\-mm\-dd\ hh:mm`, v, "2026-02-09 14:30"}, {"dd.mm.yyyy", v, "09.02.2026"}, {"m/d/yy", v, "2/9/26"}, {"d-mmm-yy", v, "9-Feb-26"},
		{`[$-409]dddd, mmmm d, yyyy`, v, "Monday, February 9, 2026"}, {"ddd mmmmm", v, "Mon F"}, {"[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", v, "2026-02-09"}, {"[$-F400]h:mm:ss AM/PM", v, "14:30:00"},
		{`[$-419]d mmmm yyyy "г."`, v, "9 февраля 2026 г."}, {`[$-FC19]mmmm yyyy`, v, "Февраль 2026"}, {"[$-407]d. mmm", v, "9. Feb"},
		{"h:mm AM/PM", v, "2:30 PM"}, {"hh:mm:ss", v, "14:30:00"}, {"h:mm a/p", 0.25, "6:00 A"}, {"h AM/PM", 0, "12 AM"}, {"mm:ss", 0.5 + 61.0/86400, "01:01"}, {"mm:ss.0", 61.25 / 86400, "01:01.2"}, {"m", v, "2"},
		{"[h]:mm:ss", 1.5, "36:00:00"}, {"[mm]:ss", 2.0 / 24, "120:00"}, {"[ss]", 1.0 / 24, "3600"}, {"[h]:mm", -0.5, "-12:00"},
		{"h:mm", 0.99999, "23:59"}, {"h:mm:ss", 0.999999, "0:00:00"},
		{"yyyy-mm-dd", 1, "1900-01-01"}, {"yyyy-mm-dd", 59, "1900-02-28"}, {"yyyy-mm-dd", 61, "1900-03-01"}, {"yyyy-mm-dd", 2958465, "9999-12-31"}, {"yyyy-mm-dd", -1, "-1"}, {"yyyy-mm-dd", 3e9, "3000000000"},
	} {
		if got := numfmt.Parse(tc.code).Number(tc.v, false); got != tc.want {
			t.Errorf("%v in %q = %q, want %q", tc.v, tc.code, got, tc.want)
		}
	}
	if got := numfmt.Parse("yyyy-mm-dd").Number(1, true); got != "1904-01-02" {
		t.Errorf("1904: %q", got)
	}
	for id, want := range map[int]string{0: "46062.6041666667", 14: "2026-02-09", 15: "9-Feb-26", 22: "2026-02-09 14:30", 9: "4606260%", 49: "46062.6041666667"} {
		if got := numfmt.Builtin(id).Number(v, false); got != want {
			t.Errorf("built-in format %d: %q, want %q", id, got, want)
		}
	}
	if numfmt.Builtin(163) != nil || !numfmt.Builtin(14).IsDate() || numfmt.Parse("0.00").IsDate() || numfmt.Parse(`"day" 0`).IsDate() {
		t.Error("Builtin(163) or IsDate is wrong")
	}
}

func TestText(t *testing.T) {
	for code, want := range map[string]string{"General": "x", "@": "x", `0;0;0;"<"@">"`: "<x>", `@" kg"`: "x kg", ";;;": "x"} {
		if got := numfmt.Parse(code).Text("x"); got != want {
			t.Errorf("text in %q = %q, want %q", code, got, want)
		}
	}
}

func FuzzFormat(f *testing.F) {
	f.Add(`_("$"* #,##0.00_);[Red]\(0.0E+0\);# ?/?;@`, 1234.5)
	f.Add(`[$-419]dd mmmm yyyy hh:mm:ss.000 AM/PM;[h]:mm`, 46062.6)
	f.Add(`[<=100]0%%,,;??/??0`, -1e300)
	f.Fuzz(func(t *testing.T, code string, v float64) {
		format := numfmt.Parse(code)
		for _, s := range []string{format.Number(v, false), format.Number(v, true), format.Text("x")} {
			// A number has 309 digits at most, each with a separator, and each token one text.
			if len(s) > 40*len(code)+1000 {
				t.Errorf("%v in %q has %d bytes", v, code, len(s))
			}
			if s != strings.TrimSpace(s) {
				t.Errorf("%q is not trimmed", s)
			}
		}
	})
}
