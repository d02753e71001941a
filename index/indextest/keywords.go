package indextest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/index"
)

// RunKeywords tests the contract of [index.KeywordIndex]. open opens the index
// of a catalog in a folder, which may hold one already; the suite closes it.
func RunKeywords(t *testing.T, open func(t testing.TB, dir string, catalog string) index.KeywordIndex, opts *DerivedOptions) {
	openDerived(func(t testing.TB, dir string, origin index.Origin) derivedStore {
		return keywordIndex{open(t, dir, origin.Catalog)}
	}).run(t, opts)
	for _, group := range languages {
		t.Run(group.name, func(t *testing.T) {
			group.run(t, open(t, t.TempDir(), testOrigin().Catalog))
		})
	}
	t.Run("Fields", func(t *testing.T) { testFields(t, open(t, t.TempDir(), testOrigin().Catalog)) })
	t.Run("Phonetic", func(t *testing.T) { testPhonetic(t, open(t, t.TempDir(), testOrigin().Catalog)) })
	t.Run("QueryIsText", func(t *testing.T) { testQueryIsText(t, open(t, t.TempDir(), testOrigin().Catalog)) })
}

type keywordIndex struct{ k index.KeywordIndex }

func (k keywordIndex) apply(ctx context.Context, c index.Changes[item]) error {
	out := index.Changes[index.KeywordEntry]{From: c.From, To: c.To, Remove: c.Remove}
	if c.Add != nil {
		out.Add = func(yield func(index.KeywordEntry, error) bool) {
			for it, err := range c.Add {
				if !yield(it.keywordEntry(), err) {
					return
				}
			}
		}
	}
	return k.k.Apply(ctx, out)
}

func (k keywordIndex) snapshot(ctx context.Context) (derivedSnapshot, error) {
	s, err := k.k.Snapshot(ctx)
	return keywordSnapshot{s}, err
}

func (k keywordIndex) close() error { return k.k.Close() }

type keywordSnapshot struct{ s index.KeywordSnapshot }

func (k keywordSnapshot) seq() index.Seq { return k.s.Seq() }

func (k keywordSnapshot) close() error { return k.s.Close() }

func (k keywordSnapshot) search(ctx context.Context, topic, limit int, f *index.Filter, overlay []item) ([]index.Hit, error) {
	q := index.KeywordQuery{Text: topicWord(topic), Limit: limit, Filter: f}
	for _, it := range overlay {
		q.Overlay = append(q.Overlay, it.keywordEntry())
	}
	return k.s.Search(ctx, q)
}

func (it item) keywordEntry() index.KeywordEntry {
	return index.KeywordEntry{Chunk: it.chunk, Doc: it.doc, Body: "The " + topicWord(it.topic) + " of the day."}
}

func topicWord(topic int) string {
	return strings.Fields(`walnut granite orchid harbour violin saffron glacier pelican
		copper lantern meadow thunder marble basil comet anchor`)[topic]
}

func searchText(t testing.TB, k index.KeywordIndex, text string) []index.Hit {
	t.Helper()
	snap, err := k.Snapshot(t.Context())
	check(t, err)
	defer snap.Close()
	hits, err := snap.Search(t.Context(), index.KeywordQuery{Text: text, Limit: 10})
	if err != nil {
		t.Fatalf("search %.80q: %v", text, err)
	}
	for _, h := range hits {
		if !(h.Score > 0) {
			t.Errorf("search %.80q: score %v is not positive", text, h.Score)
		}
	}
	return hits
}

func addTexts(t testing.TB, k index.KeywordIndex, texts []string) {
	check(t, k.Apply(t.Context(), index.Changes[index.KeywordEntry]{To: 1, Add: func(yield func(index.KeywordEntry, error) bool) {
		for i, text := range texts {
			if !yield(index.KeywordEntry{Chunk: index.ChunkID(i + 1), Doc: index.DocID(i + 1), Body: text}, nil) {
				return
			}
		}
	}}))
}

// A language is a set of texts and the questions that find them.
type language struct {
	name  string
	texts []string
	// first names the text, from 1, that a question must find first.
	first map[string]int
	// none are questions that find nothing.
	none []string
}

func (l language) run(t *testing.T, k index.KeywordIndex) {
	defer k.Close()
	addTexts(t, k, l.texts)
	for text, want := range l.first {
		hits := searchText(t, k, text)
		if len(hits) == 0 || hits[0].Chunk != index.ChunkID(want) {
			t.Errorf("%q finds %v first, want %d", text, hits, want)
		}
	}
	for _, text := range l.none {
		if hits := searchText(t, k, text); len(hits) > 0 {
			t.Errorf("%q finds %v, want nothing", text, hits)
		}
	}
}

var languages = []language{{
	name: "English",
	texts: []string{
		"The committee reviews applications every Tuesday.",
		"A résumé must be sent with the application form.",
		"Running shoes are refunded; a run of ten pairs is not.",
		"To be, or not to be: that is the question.",
		"Don't touch John's soldering station.",
	},
	first: map[string]int{
		"review": 1, "REVIEWING": 1, "resume": 2, "résumés": 2, "runs": 3, "refund": 3,
		"to be or not to be": 4, "john": 5, "Johns": 5, "dont": 5, "don’t": 5,
	},
	none: []string{"zebra"},
}, {
	name: "Russian",
	texts: []string{
		"Договоры аренды подписывает Фёдор Щукин, счёт Б-207.",
		"Расчет отпускных за ноябрь готовит бухгалтерия.",
		"ПРИКАЗ о командировках: ёлки и палки не возмещаются.",
		"Самолёт прибыл в за́мок и\u0306од.",
	},
	first: map[string]int{
		"договор": 1, "договорами": 1, "федора": 1, "ФЁДОР": 1, "Б-207": 1, "счета": 1,
		"расчёт": 2, "отпускные": 2, "бухгалтерии": 2, "командировка": 3, "елка": 3, "приказы": 3,
		"самолет": 4, "замок": 4, "йод": 4,
	},
}, {
	name: "EastAsian",
	texts: []string{
		"系统日志记录了备份失败的原因，请检查磁盘空间。使用PostgreSQL的用户不受影响。",
		"会議室の予約は前日までに申請してください。ｺﾋﾟｰ機は二階です。",
		"휴가 신청서는 인사팀에서 처리합니다.",
		"黒い猫。",
	},
	first: map[string]int{
		"备份失败": 1, "磁盘": 1, "postgresql": 1, "予約": 2, "コピー": 2, "会議室の予約": 2,
		"신청서": 3, "인사팀": 3, "猫": 4, "ＰｏｓｔｇｒｅＳＱＬ": 1,
	},
}, {
	name: "OtherScripts",
	texts: []string{
		"Η Αθήνα είναι η πρωτεύουσα της Ελλάδας",
		"الكِتَابُ على الطاولة في المكتبة",
		"הַסֵּפֶר על השולחן",
		"ห้องสมุดเปิดทุกวัน",
		"पुस्तकालय सोमवार को बंद रहता है",
		"Die Straße nach Łódź ist gesperrt, señor",
	},
	first: map[string]int{
		"αθηνα": 1, "ΑΘΉΝΑ": 1, "الكتاب": 2, "المكتبه": 2, "הספר": 3, "สมุด": 4, "पुस्तकालय": 5,
		"strasse": 6, "lodz": 6, "senor": 6,
	},
}, {
	name: "Identifiers",
	texts: []string{
		"See ticket OPS-4711, RFC-2119 and CVE-2025-31337 for the kube-proxy change.",
		"The ops team saw 4711 events; rfc drafts number 2119.",
		"`load_config` calls `__enter__`; parseHTML, XMLReader and std::map live in pkg/io/reader.go; C++ and F# too.",
		"The C library and the F key are documented elsewhere; load the config by hand.",
		"Install @acme/widget-kit 3.14.159 from host.example.com:8443, hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.",
		"Version 3 of 14 May has 159 pages, as widget and kit show.",
		"Write to ann.lee@example.org about part QX900.",
	},
	first: map[string]int{
		"OPS-4711": 1, `"OPS-4711"`: 1, "ops_4711": 1, "RFC-2119": 1, "CVE-2025-31337": 1, "kube-proxy": 1, "kubeproxy": 1,
		"load_config": 3, "loadConfig": 3, "__enter__": 3, "parseHTML": 3, "parse html": 3, "xml reader": 3, "XMLReader": 3,
		"std::map": 3, "pkg/io/reader.go": 3, "reader.go": 3, "C++": 3, "F#": 3,
		"@acme/widget-kit": 5, "3.14.159": 5, "host.example.com:8443": 5,
		"9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08": 5,
		"ann.lee@example.org": 7, "QX-900": 7, "qx900": 7,
	},
}}

func testFields(t *testing.T, k index.KeywordIndex) {
	defer k.Close()
	filler := strings.Repeat("plain words about nothing in particular ", 5)
	entries := []index.KeywordEntry{
		{Chunk: 1, Doc: 1, Title: "Boiler manual", Headings: "Safety > Valves", Body: filler},
		{Chunk: 2, Doc: 2, Title: "Notes", Headings: "Boiler", Body: filler},
		{Chunk: 3, Doc: 3, Title: "Notes", Headings: "Misc", Body: filler + "boiler " + filler},
		{Chunk: 4, Doc: 4, Title: "Notes", Headings: "Misc", Body: filler},
	}
	check(t, k.Apply(t.Context(), index.Changes[index.KeywordEntry]{To: 1, Add: func(yield func(index.KeywordEntry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}}))
	got := chunksOf(searchText(t, k, "boilers"))
	slices.Sort(got)
	if !slices.Equal(got, []index.ChunkID{1, 2, 3}) {
		t.Errorf("a word in title, headings and body finds %v", got)
	}
	if hits := searchText(t, k, "boiler valve"); len(hits) == 0 || hits[0].Chunk != 1 {
		t.Errorf("words of several fields find %v first, want 1", hits)
	}
}

func testPhonetic(t *testing.T, k index.KeywordIndex) {
	defer k.Close()
	addTexts(t, k, []string{
		"Исаак Ньютон жил в Кембридже.", "Isaac Newton and his laws.", "Run the docker image.", "Команды были в Денвере и Питтсбурге.",
	})
	snap, err := k.Snapshot(t.Context())
	check(t, err)
	defer snap.Close()
	overlay := []index.KeywordEntry{{Chunk: 5, Doc: 5, Body: "Образ для кубернетеса."}}
	ask := func(text string, phonetic bool) []index.Hit {
		hits, err := snap.Search(t.Context(), index.KeywordQuery{Text: text, Limit: 10, Overlay: overlay, Phonetic: phonetic, Documents: 0.3})
		if err != nil {
			t.Fatalf("search %q: %v", text, err)
		}
		return hits
	}
	for text, want := range map[string][]index.ChunkID{
		"Newton": {2, 1}, "ньютона": {1, 2}, "контейнер докера": {3}, "Denver": {4}, "Kubernetes": {5}, "Pittsburgh or Denver": {4},
	} {
		if got := chunksOf(ask(text, true)); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
		for _, h := range ask(text, false) {
			if h.Chunk != want[0] || len(want) == 1 {
				t.Errorf("%q without sounds finds %v", text, h.Chunk)
			}
		}
	}
	// No text sounds like these, so they weigh nothing.
	for _, text := range []string{"laws of Isaac", "команды и образы"} {
		if diff := cmp.Diff(ask(text, false), ask(text, true)); diff != "" {
			t.Errorf("%q by letters and by sounds (-letters +sounds):\n%s", text, diff)
		}
	}
}

// testQueryIsText searches for everything that might be an operator somewhere.
func testQueryIsText(t *testing.T, k index.KeywordIndex) {
	defer k.Close()
	addTexts(t, k, []string{"NOT foo AND bar OR \"baz\" col:val NEAR the end.", "Unrelated text."})
	for _, text := range []string{"", " ", "(", ")", "\\", "^", "~", "*", "?", "-", "\"", "\x00", "\xff\xfe", "...", "。、", "\u200b"} {
		if hits := searchText(t, k, text); len(hits) > 0 {
			t.Errorf("%q finds %v, want nothing", text, hits)
		}
	}
	for _, text := range []string{
		"AND", "OR", "NOT foo", "-foo", "\"unbalanced foo", "foo*", "col:val", "NEAR(foo bar)", "foo^3", "foo~", "+foo -bar",
		"title:foo", "[foo TO bar]", "{foo}", "foo\x00bar", "foo\xffbar", "the", "the AND",
		strings.Repeat("foo ", 5000), strings.Repeat("x", 20000) + " foo",
	} {
		if hits := searchText(t, k, text); len(hits) == 0 || hits[0].Chunk != 1 {
			t.Errorf("%.60q finds %v first, want 1", text, hits)
		}
	}
}
