package office

import (
	"strings"

	"github.com/minirag/minirag/internal/ooxml"
)

// latex writes an equation (m:oMath and what is in it) as LaTeX. Letters stay
// as they are, Greek too, so that a search for θ finds them.
func latex(n *ooxml.Node) string {
	if n == nil {
		return ""
	}
	arg := func(name string) string { return latex(n.Child(name)) }
	group := func(name string) string { return "{" + arg(name) + "}" }
	switch n.Name {
	case "":
		return n.Text
	case "m:r":
		var b strings.Builder
		for _, c := range n.Children {
			if c.Name == "m:t" || c.Name == "w:t" {
				b.WriteString(applied(c.String()))
			}
		}
		return b.String()
	case "m:f":
		switch n.Child("m:fPr").Val("m:type") {
		case "lin":
			return arg("m:num") + "/" + arg("m:den")
		case "noBar":
			return `\binom` + group("m:num") + group("m:den")
		}
		return `\frac` + group("m:num") + group("m:den")
	case "m:groupChr":
		if n.Child("m:groupChrPr").Val("m:pos") == "top" {
			return `\overbrace` + group("m:e")
		}
		return `\underbrace` + group("m:e")
	case "m:sSup":
		return base(arg("m:e")) + "^" + short(arg("m:sup"))
	case "m:sSub":
		return base(arg("m:e")) + "_" + short(arg("m:sub"))
	case "m:sSubSup":
		return base(arg("m:e")) + "_" + short(arg("m:sub")) + "^" + short(arg("m:sup"))
	case "m:sPre":
		return "{}_" + short(arg("m:sub")) + "^" + short(arg("m:sup")) + arg("m:e")
	case "m:rad":
		if deg := arg("m:deg"); deg != "" {
			return `\sqrt[` + deg + "]" + group("m:e")
		}
		return `\sqrt` + group("m:e")
	case "m:nary":
		op := n.Child("m:naryPr").Val("m:chr")
		s, ok := map[string]string{"": `\int`, "∫": `\int`, "∑": `\sum`, "∏": `\prod`, "∮": `\oint`, "∬": `\iint`, "⋃": `\bigcup`, "⋂": `\bigcap`}[op]
		if !ok {
			s = op
		}
		if v := arg("m:sub"); v != "" {
			s += "_" + short(v)
		}
		if v := arg("m:sup"); v != "" {
			s += "^" + short(v)
		}
		return s + " " + arg("m:e")
	case "m:d":
		return delimited(n)
	case "m:func":
		return name(arg("m:fName")) + " " + arg("m:e")
	case "m:limLow":
		return name(arg("m:e")) + "_" + short(arg("m:lim"))
	case "m:limUpp":
		return arg("m:e") + "^" + short(arg("m:lim"))
	case "m:bar":
		return `\overline` + group("m:e")
	case "m:acc":
		return accent(n.Child("m:accPr").Val("m:chr")) + group("m:e")
	case "m:m":
		return `\begin{matrix}` + rows(n, "m:mr", " & ") + `\end{matrix}`
	case "m:eqArr":
		return `\begin{array}{l}` + rows(n, "m:e", "") + `\end{array}`
	}
	if strings.HasSuffix(n.Name, "Pr") {
		return "" // properties
	}
	var b strings.Builder
	for _, c := range n.Children {
		b.WriteString(latex(c))
	}
	return b.String()
}

// applied replaces the invisible sign of function application: "sin⁡" is \sin.
func applied(s string) string {
	if f, ok := strings.CutSuffix(s, "\u2061"); ok {
		s = name(f) + " "
	}
	return strings.ReplaceAll(s, "\u2061", "")
}

func rows(n *ooxml.Node, row, sep string) string {
	var lines []string
	for _, r := range n.Children {
		if r.Name != row {
			continue
		}
		if sep == "" {
			lines = append(lines, latex(r))
			continue
		}
		var cells []string
		for _, c := range r.Children {
			if c.Name == "m:e" {
				cells = append(cells, latex(c))
			}
		}
		lines = append(lines, strings.Join(cells, sep))
	}
	return strings.Join(lines, ` \\ `)
}

func delimited(n *ooxml.Node) string {
	open, shut, sep := "(", ")", "|"
	pr := n.Child("m:dPr")
	for name, v := range map[string]*string{"m:begChr": &open, "m:endChr": &shut, "m:sepChr": &sep} {
		if c := pr.Child(name); c != nil {
			*v = c.Attr("m:val")
		}
	}
	var parts []string
	for _, c := range n.Children {
		if c.Name == "m:e" {
			parts = append(parts, latex(c))
		}
	}
	if len(parts) == 1 && open == "(" && shut == ")" && strings.HasPrefix(parts[0], `\binom{`) && stacked(n.Child("m:e")) {
		return parts[0] // which has parentheses of its own
	}
	return bracket(open) + strings.Join(parts, sep) + bracket(shut)
}

func base(s string) string {
	if len([]rune(s)) > 1 && strings.ContainsAny(s, " +-*/=") {
		return "{" + s + "}"
	}
	return name(s)
}

func short(s string) string {
	if len([]rune(s)) == 1 {
		return s
	}
	return "{" + s + "}"
}

// name gives the functions that LaTeX has their command.
func name(s string) string {
	switch strings.TrimSpace(s) {
	case "sin", "cos", "tan", "cot", "log", "ln", "lim", "max", "min", "exp", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "det", "gcd", "sup", "inf":
		return `\` + strings.TrimSpace(s)
	}
	return s
}

func accent(chr string) string {
	switch chr {
	case "\u0303":
		return `\tilde`
	case "\u0304", "\u0305", "¯":
		return `\bar`
	case "\u0307":
		return `\dot`
	case "\u0308":
		return `\ddot`
	case "\u20d7":
		return `\vec`
	}
	return `\hat`
}

// stacked reports whether n is a fraction without a bar and nothing else.
func stacked(n *ooxml.Node) bool {
	count := 0
	for _, c := range n.Children {
		if !strings.HasSuffix(c.Name, "Pr") {
			count++
		}
	}
	return count == 1 && n.Child("m:f").Child("m:fPr").Val("m:type") == "noBar"
}

// bracket writes a delimiter so that LaTeX does not take it for a group.
func bracket(s string) string {
	switch s {
	case "{", "}":
		return `\` + s
	case "‖":
		return `\|`
	}
	return s
}
