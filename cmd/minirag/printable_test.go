package main

import "testing"

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"/docs/Отпуска П-22 🐘.md":      "/docs/Отпуска П-22 🐘.md",
		"a\nb\tc.md":                   `a\nb\tc.md`,
		"\x1b[31mred\x1b[0m":           `\x1b[31mred\x1b[0m`,
		"gnp.\u202eexe":                `gnp.\u202eexe`,
		"nfd и\u0306, zero\u200bwidth": "nfd и\u0306, zero\u200bwidth",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}
