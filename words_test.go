package minirag_test

import (
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

// TestNamesAndScripts asks for names, codes and words of several scripts, as
// they are written and as people type them: by words alone and with ranks the
// document that has them comes first. The embedder knows no meanings.
func TestNamesAndScripts(t *testing.T) {
	c := testcorpus.New(t, testcorpus.Write(t, map[string]string{
		"decisions.md": "# Decisions\n\nADR-0031 was accepted after RFC-7231. It closes CVE-2021-44228 and moves hosts to node-exporter.\n",
		"numbers.md":   "# Numbers\n\nThe 31 hosts and 7231 packets of 2021; a node in ADR style; exporters of goods.\n",
		"code.md":      "# Code\n\nCall load_settings from __main__ in useMemo; XMLParser wraps std::map. See @acme/tools, lib/net/dial.go, C++ and C#.\n",
		"prose.md":     "# Prose\n\nWe load all settings by hand, use a memo, and map the standard. See the C major scale.\n",
		"zh.md":        "# 合同\n\n本合同的付款期限為三十天，資料庫連接使用SQLite。\n",
		"ja.md":        "# 契約\n\n検収後の支払い期日は翌月末とする。ﾊﾞｯﾃﾘｰを交換する。\n",
		"ko.md":        "# 계약\n\n배터리 용량은 충분하다. 메모리를 늘린다.\n",
		"noise.md":     "# 雑\n\n天気は晴れ。今日天气很好。\n",
		"contract.md":  "# Договор Б-12\n\nСвоевременные платежи подтверждает Фёдор. Щётка учтена по коду Ю-7.\n",
		"other.md":     "# Прочее\n\nБерёзы растут у дома, номер 12 и 7.\n",
	}))
	syncAll(t, c)
	words, half := 1.0, 0.6
	for want, texts := range map[string][]string{
		"decisions.md": {"ADR-0031", `"ADR-0031"`, "adr 0031", "RFC-7231", "CVE-2021-44228", "node-exporter", `"node-exporter"`},
		"code.md":      {"load_settings", "loadSettings", "__main__", "useMemo", "use memo parser", "XMLParser", "std::map", "@acme/tools", "lib/net/dial.go", "C++", "C#", "dial.go"},
		"zh.md":        {"付款期限", "資料庫", "連接 SQLite", "sqlite"},
		"ja.md":        {"支払い期日", "バッテリー", "検収"},
		"ko.md":        {"배터리", "메모리"},
		"contract.md":  {"договора", "ДОГОВОРЫ", "Федор", "фёдора", "платеж", "щетки", "Б-12", "Ю-7", "своевременный"},
		"other.md":     {"береза", "берёзами"},
	} {
		for _, text := range texts {
			for name, r := range map[string]*minirag.Ranking{"words": {HybridWeight: &words}, "ranks": {HybridWeight: &half}} {
				res, err := c.Query(t.Context(), minirag.Query{Text: text, Ranking: r})
				if err != nil || len(res.Hits) == 0 {
					t.Fatalf("%s: %d hits, %v", text, len(res.Hits), err)
				}
				if got := res.Hits[0].Source.DisplayPath; got != want || name == "words" && res.Hits[0].Score == 0 {
					t.Errorf("%s by %s found %s, want %s", text, name, got, want)
				}
			}
		}
	}
}
