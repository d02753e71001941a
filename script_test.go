package minirag

import (
	"testing"
	"unicode"
)

func TestTextScript(t *testing.T) {
	const russian = "Эта команда показывает список файлов. "
	for _, tc := range []struct {
		name, text string
		want       *unicode.RangeTable
	}{
		{"nothing", "", nil},
		{"few letters", "Итого: 42", nil},
		{"Russian", russian, unicode.Cyrillic},
		{"English", "This command shows the list of files.", unicode.Latin},
		{"Japanese", "この命令はファイルの一覧を表示します。使い方は簡単です。", unicode.Han},
		{"a listing", "```go\nfunc main() { fmt.Println(\"hello, world\") }\n```\n", nil},
		{"a listing in a quotation", "> ~~~\n> func main() { println(\"hello, world\") }\n> ~~~\n", nil},
		{"a listing and a sentence", "```\nfunc main() { fmt.Println(\"hello, world\", 1, 2, 3, 4) }\n```\n" + russian, unicode.Cyrillic},
		{"code in the line", "Команда `ls --all --human-readable --recursive` показывает файлы", unicode.Cyrillic},
		{"tags", `<area shape="rect" coords="393,193" href="page" target="_blank"> Подсказки об этом элементе`, unicode.Cyrillic},
		{"links", "[Подробнее об этом в статье](https://example.org/a/very/long/address/of/the/article) и https://example.org/another/one", unicode.Cyrillic},
		{"a fence that is not closed", russian + "\n```\nmore code that goes on and on and on without an end", unicode.Cyrillic},
	} {
		if got := textScript(tc.text); got != tc.want {
			t.Errorf("%s: another script", tc.name)
		}
	}
}
