package analysis_test

import (
	"strings"
	"testing"

	"github.com/minirag/minirag/index/analysis"
)

func BenchmarkTokens(b *testing.B) {
	for name, text := range map[string]string{
		"English":     strings.Repeat("The committee reviews travel requests every Tuesday, unless useEffect or RFC-2119 says otherwise. ", 100),
		"Russian":     strings.Repeat("Договоры аренды подписывает руководитель отдела, счёт Б-207 оплачивает бухгалтерия в течение недели. ", 100),
		"Chinese":     strings.Repeat("系统日志记录了备份失败的原因，请检查磁盘空间。", 100),
		"Identifiers": strings.Repeat("pkg/io/reader.go std::map load_config HTTPServer v1.0.21 ", 100),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var tokens []analysis.Token
			for b.Loop() {
				tokens = analysis.Append(tokens[:0], text)
			}
		})
	}
}
