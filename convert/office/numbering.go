package office

import (
	"strconv"
	"strings"

	"github.com/minirag/minirag/internal/ooxml"
)

// A numberLevel is one level of a list definition.
type numberLevel struct {
	start  int
	format string // decimal, bullet, lowerLetter, ...
	text   string // such as "%1.%2."
	style  string // paragraph style that takes this level
	legal  bool   // all numbers as decimals
	reset  int    // restart after a number of this level (1 = first), -1 = any higher
}

type abstractNum struct {
	levels [9]numberLevel
	link   string // name of the numbering style that defines the levels
}

// A numbering counts the automatic numbers of a document, in document order.
type numbering struct {
	abstract map[string]*abstractNum
	nums     map[string]*numInstance
	counters map[*abstractNum]*[9]int // the last number of each level, before the first: not ok
	begun    map[*abstractNum]*[9]bool
}

type numInstance struct {
	abstract *abstractNum
	starts   map[int]int
	levels   map[int]numberLevel
	used     [9]bool
}

func readNumbering(p *ooxml.Package, part string) (*numbering, error) {
	nb := &numbering{
		abstract: map[string]*abstractNum{}, nums: map[string]*numInstance{},
		counters: map[*abstractNum]*[9]int{}, begun: map[*abstractNum]*[9]bool{},
	}
	if part == "" || !p.Has(part) {
		return nb, nil
	}
	root, err := p.Tree(part)
	if err != nil {
		return nil, err
	}
	defines := map[string]*abstractNum{} // by styleLink
	for _, n := range root.Children {
		if n.Name != "w:abstractNum" {
			continue
		}
		a := &abstractNum{link: n.Val("w:numStyleLink")}
		for _, l := range n.Children {
			if i, ok := levelIndex(l); ok && l.Name == "w:lvl" {
				a.levels[i] = readLevel(l)
			}
		}
		nb.abstract[n.Attr("w:abstractNumId")] = a
		if s := n.Val("w:styleLink"); s != "" {
			defines[s] = a
		}
	}
	for _, n := range root.Children {
		if n.Name != "w:num" {
			continue
		}
		a := nb.abstract[n.Val("w:abstractNumId")]
		if a == nil {
			continue
		}
		if d := defines[a.link]; a.link != "" && d != nil {
			a = d
		}
		inst := &numInstance{abstract: a, starts: map[int]int{}, levels: map[int]numberLevel{}}
		for _, o := range n.Children {
			i, ok := levelIndex(o)
			if !ok || o.Name != "w:lvlOverride" {
				continue
			}
			if v, err := strconv.Atoi(o.Val("w:startOverride")); err == nil {
				inst.starts[i] = v
			}
			if l := o.Child("w:lvl"); l != nil {
				inst.levels[i] = readLevel(l)
			}
		}
		nb.nums[n.Attr("w:numId")] = inst
	}
	return nb, nil
}

func levelIndex(n *ooxml.Node) (int, bool) {
	i, err := strconv.Atoi(n.Attr("w:ilvl"))
	return i, err == nil && i >= 0 && i < 9
}

func readLevel(n *ooxml.Node) numberLevel {
	l := numberLevel{start: 1, format: "decimal", text: n.Val("w:lvlText"), style: n.Val("w:pStyle"), legal: n.Flag("w:isLgl"), reset: -1}
	if v, err := strconv.Atoi(n.Val("w:start")); err == nil {
		l.start = v
	}
	if f := n.Val("w:numFmt"); f != "" {
		l.format = f
	}
	if v, err := strconv.Atoi(n.Val("w:lvlRestart")); err == nil {
		l.reset = v
	}
	return l
}

func (i *numInstance) level(n int) numberLevel {
	if l, ok := i.levels[n]; ok {
		return l
	}
	return i.abstract.levels[n]
}

// levelOf returns the level that the definition ties to a paragraph style.
func (nb *numbering) levelOf(numID, styleID string) (int, bool) {
	inst := nb.nums[numID]
	if inst == nil || styleID == "" {
		return 0, false
	}
	for i := range 9 {
		if inst.level(i).style == styleID {
			return i, true
		}
	}
	return 0, false
}

// next counts one paragraph and returns its label as Word shows it, such as
// "2.1", "" for none, or ok false when the paragraph is not in a list.
func (nb *numbering) next(numID string, level int) (label string, bullet, ok bool) {
	inst := nb.nums[numID]
	if inst == nil || numID == "0" {
		return "", false, false
	}
	level = min(max(level, 0), 8)
	l := inst.level(level)
	if l.format == "bullet" || l.format == "" {
		return "", true, true
	}
	a := inst.abstract
	if nb.counters[a] == nil {
		nb.counters[a], nb.begun[a] = new([9]int), new([9]bool)
	}
	count, begun := nb.counters[a], nb.begun[a]
	// Lists that share a definition share its counters; an override starts anew once.
	start := l.start
	if v, has := inst.starts[level]; has {
		start = v
		if !inst.used[level] {
			begun[level] = false
		}
	}
	inst.used[level] = true
	if begun[level] {
		count[level]++
	} else {
		count[level], begun[level] = start, true
	}
	for i := level + 1; i < 9; i++ {
		if r := inst.level(i).reset; r != 0 && (r < 0 || level < r) {
			begun[i] = false
		}
	}
	if l.format == "none" {
		return strings.TrimSpace(expand(l.text, inst, count, begun, l.legal)), false, true
	}
	return strings.TrimSpace(expand(l.text, inst, count, begun, l.legal)), false, true
}

// expand replaces %1 to %9 in a level's text by the current numbers.
func expand(text string, inst *numInstance, count *[9]int, begun *[9]bool, legal bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 >= len(text) || text[i+1] < '1' || text[i+1] > '9' {
			b.WriteByte(text[i])
			continue
		}
		i++
		n := int(text[i] - '1')
		l := inst.level(n)
		v := count[n]
		if !begun[n] {
			v = l.start // a higher level that no paragraph has counted yet
		}
		format := l.format
		if legal {
			format = "decimal"
		}
		b.WriteString(formatNumber(v, format))
	}
	return b.String()
}

func formatNumber(v int, format string) string {
	switch format {
	case "none":
		return ""
	case "lowerLetter":
		return letters(v, "abcdefghijklmnopqrstuvwxyz")
	case "upperLetter":
		return letters(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	case "russianLower":
		return letters(v, "абвгдежзиклмнопрстуфхцчшщэюя")
	case "russianUpper":
		return letters(v, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ")
	case "lowerRoman":
		return strings.ToLower(roman(v))
	case "upperRoman":
		return roman(v)
	case "decimalZero":
		if v >= 0 && v < 10 {
			return "0" + strconv.Itoa(v)
		}
	case "ordinal":
		return ordinal(v)
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		if v >= 1 && v <= 20 {
			return string(rune('①' + v - 1))
		}
	case "chineseCounting", "chineseCountingThousand", "japaneseCounting", "ideographDigital", "taiwaneseCounting", "taiwaneseCountingThousand", "koreanCounting":
		return ideographs(v)
	case "hebrew2":
		return letters(v, "אבגדהוזחטיכלמנסעפצקרשת")
	case "hebrew1":
		if v <= 10 {
			return letters(v, "אבגדהוזחטי")
		}
	case "arabicAlpha":
		return letters(v, "أبتثجحخدذرزسشصضطظعغفقكلمنهوي")
	case "arabicAbjad":
		return letters(v, "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ")
	}
	return strconv.Itoa(v)
}

// ordinal writes English ordinals, whatever the language of the text.
func ordinal(v int) string {
	suffix := "th"
	if v/10%10 != 1 {
		switch v % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(v) + suffix
}

// ideographs counts 一, 二, 十, 十一, 二十 up to 99.
func ideographs(v int) string {
	digits := []rune("一二三四五六七八九")
	if v < 1 || v > 99 {
		return strconv.Itoa(v)
	}
	s := ""
	if tens := v / 10; tens > 1 {
		s = string(digits[tens-1])
	}
	if v >= 10 {
		s += "十"
	}
	if ones := v % 10; ones > 0 {
		s += string(digits[ones-1])
	}
	return s
}

// letters counts a, b, ..., z, aa, bb as Word does.
func letters(v int, alphabet string) string {
	rs := []rune(alphabet)
	if v < 1 || v > 20*len(rs) {
		return strconv.Itoa(v)
	}
	return strings.Repeat(string(rs[(v-1)%len(rs)]), (v-1)/len(rs)+1)
}

func roman(v int) string {
	if v < 1 || v > 3999 {
		return strconv.Itoa(v)
	}
	var b strings.Builder
	for _, d := range []struct {
		v int
		s string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; v >= d.v; v -= d.v {
			b.WriteString(d.s)
		}
	}
	return b.String()
}
