package transcript_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/transcript"
)

func TestContract(t *testing.T) {
	var vtt, srt strings.Builder
	vtt.WriteString("WEBVTT\n\n")
	for i := range 10 {
		fmt.Fprintf(&vtt, "00:%02d:00.000 --> 00:%02d:05.000\n<v Ann>Words of turn %d.\n\n", i, i, i)
		fmt.Fprintf(&srt, "%d\n00:%02d:00,000 --> 00:%02d:05,000\nAnn: Words of turn %d.\n\n", i+1, i, i, i)
	}
	for name, s := range map[string]converttest.Suite{
		"vtt": {Converter: transcript.VTT{}, Sample: convert.Source{Name: "a.vtt", Data: []byte(vtt.String())}, Want: "**Ann** 02:00\nWords of turn 2."},
		"srt": {Converter: transcript.SRT{}, Sample: convert.Source{Name: "a.srt", Data: []byte(srt.String())}, Want: "**Ann** 02:00\nWords of turn 2."},
	} {
		t.Run(name, s.Run)
	}
}

func TestVTT(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"bare", "WEBVTT\n\n00:01.000 --> 00:02.000\none\ntwo\n\n01:02:03.900 --> 01:02:04.000\nthree\n", "00:01\none two\n\n1:02:03\nthree\n"},
		{"byte order mark, CRLF, header lines", "\ufeffWEBVTT - t\r\nKind: captions\r\n\r\n7\r\n00:01.000 --> 00:02.000 align:start\r\nx\r\n", "00:01\nx\n"},
		{"header behind a blank line", "WEBVTT\n\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\nLanguage: en\n\n00:01.000 --> 00:02.000\nx\n", "00:01\nx\n"},
		{"cue glued to the header", "WEBVTT\n00:01.000 --> 00:02.000\nx\n", "00:01\nx\n"},
		{"cues glued together", "WEBVTT\n\n1\n00:01.000 --> 00:02.000\nx\n2\n00:03.000 --> 00:04.000\ny\n", "00:01\nx\n\n00:03\ny\n"},
		{"notes, styles, regions", "WEBVTT\n\nNOTE kept\nas it is\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:x\n\n00:01.000 --> 00:02.000\nx\n", "> kept\n> as it is\n\n00:01\nx\n"},
		{"tags and entities", "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.red>a</c> <00:01.500><i>b</i> &lt;c&gt; &amp;amp; <ruby>d<rt>e</rt></ruby>\n", "00:01\na b <c> &amp; de\n"},
		{"no text", "WEBVTT\n\n00:01.000 --> 00:02.000\n<i></i>\n\n00:02.000 --> 00:03.000\n", ""},
		{"voices", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v.loud Ann &amp; Bob>x</v>\n<v Carl>y", "**Ann & Bob** 00:01\nx\n\n**Carl** 00:01\ny\n"},
		{"turns", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v A>x\n\n00:03.000 --> 00:04.000\n<v A>y\n\n00:05.000 --> 00:06.000\n<v B>z\n\n01:59.000 --> 02:00.000\n<v B>w\n\n02:00.000 --> 02:01.000\n<v B>v\n",
			"**A** 00:01\nx y\n\n**B** 00:05\nz w\n\n**B** 02:00\nv\n"},
		{"unknown speakers stay apart", "WEBVTT\n\n00:01.000 --> 00:02.000\nx\n\n00:03.000 --> 00:04.000\ny\n", "00:01\nx\n\n00:03\ny\n"},
		{"lists", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v A>x\n\n00:03.000 --> 00:04.000\n<v A>- one\n- two\n", "**A** 00:01\nx\n\n**A** 00:03\n- one\n- two\n"},
		{"textual speakers", "WEBVTT\n\n00:01.000 --> 00:02.000\nAnn Lee: x: y\n\n00:03.000 --> 00:04.000\nЖук: z\n", "**Ann Lee** 00:01\nx: y\n\n**Жук** 00:03\nz\n"},
		{"one without a name", "WEBVTT\n\n00:01.000 --> 00:02.000\nAnn: x\n\n00:03.000 --> 00:04.000\nz\n", "00:01\nAnn: x\n\n00:03\nz\n"},
		{"a single cue", "WEBVTT\n\n00:01.000 --> 00:02.000\nAnn: x\n", "00:01\nAnn: x\n"},
		{"utterances", "WEBVTT\n\nf/1-0\n00:01.000 --> 00:02.000\n<v A>x\n\nf/2-0\n00:02.000 --> 00:03.000\n<v B>y\n\nf/1-1\n00:03.000 --> 00:04.000\n<v A>z\n", "**A** 00:01\nx z\n\n**B** 00:02\ny\n"},
		{"long name", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v " + strings.Repeat("n", 81) + ">x\n", "00:01\n" + strings.Repeat("n", 81) + ": x\n"},
		{"no header", "00:01.000 --> 00:02.000\nx\n", "00:01\nx\n"},
		{"spaces in place of a line", "WEBVTT\n\n00:01.000 --> 00:02.000\n \nx\n\n00:03.000 --> 00:04.000\ny\n \n \nNOTE z\n", "00:01\nx\n\n00:03\ny\n\n> z\n"},
		{"captions that roll", "WEBVTT\n\n00:01.000 --> 00:02.000\n \na<00:01.500><c> b</c>\n\n00:02.000 --> 00:02.010\na b\n \n\n00:02.010 --> 00:04.000\na b\nc\n\n00:04.000 --> 00:04.010\nc\n \n\n00:05.000 --> 00:06.000\nc\nd e\n",
			"00:01\na b\n\n00:02\nc\n\n00:05\nd e\n"},
		{"a line said twice", "WEBVTT\n\n00:01.000 --> 00:02.000\nyes\n\n00:02.000 --> 00:03.000\nyes\n\n00:03.000 --> 00:04.000\na\n\n00:04.000 --> 00:05.000\nb\n", "00:01\nyes\n\n00:02\nyes\n\n00:03\na\n\n00:04\nb\n"},
		{"structure is escaped", "WEBVTT\n\n00:01.000 --> 00:02.000\n# la la\n", "00:01\n\\# la la\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := transcript.VTT{}.Convert(t.Context(), convert.Source{Data: []byte(tc.in)}, convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestVTTErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "empty",
		"just text":                            "neither a cue nor a note",
		"WEBVTT\n\nstray\nblock":               "neither a cue nor a note",
		"WEBVTT\n\n00:01,000 --> 00:02\nx":     "malformed cue timing",
		"WEBVTT\n\nid\n1.000 --> 00:02.0\nx":   "malformed cue timing",
		"\x00\x01\x02\x03\x04\x05\x06\x00\x80": "binary",
	} {
		doc, err := transcript.VTT{}.Convert(t.Context(), convert.Source{Data: []byte(in)}, convert.Limits{})
		if !errors.Is(err, convert.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want ErrDamaged with %q", in, doc, err, want)
		}
	}
}

func TestSRT(t *testing.T) {
	cp1251, err := charmap.Windows1251.NewEncoder().String("1\n00:00:01,000 --> 00:00:02,000\nПервая строка субтитров\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "1\n00:00:01,000 --> 00:00:02,000\none\ntwo\n\n2\n01:00:01,000 --> 01:00:02,000\n<i>three</i>\n", "00:01\none two\n\n1:00:01\nthree\n"},
		{"codes", "1\n00:00:01,000 --> 00:00:02,000 X1:1\n{\\an8}<font color=\"#fff\">up</font> {y:i}here\n", "00:01\nup here\n"},
		{"no numbers, no blank lines", "00:00:01.000 --> 00:00:02.000\na\n00:00:03.000 --> 00:00:04.000\nb\n", "00:01\na\n\n00:03\nb\n"},
		{"blank line inside", "1\n00:00:01,000 --> 00:00:02,000\na\n\nb\n\n2\n00:00:03,000 --> 00:00:04,000\nc\n", "00:01\na b\n\n00:03\nc\n"},
		{"text before", "Subtitles by X\n\n1\n00:00:01,000 --> 00:00:02,000\na\n", "> Subtitles by X\n\n00:01\na\n"},
		{"speakers", "1\n00:00:01,000 --> 00:00:02,000\nANN: a\n\n2\n00:00:03,000 --> 00:00:04,000\nANN: b\n", "**ANN** 00:01\na b\n"},
		{"legacy charset", cp1251, "00:01\nПервая строка субтитров\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := transcript.SRT{}.Convert(t.Context(), convert.Source{Data: []byte(tc.in)}, convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, err := (transcript.SRT{}).Convert(t.Context(), convert.Source{Data: []byte("a letter")}, convert.Limits{}); !errors.Is(err, convert.ErrDamaged) {
		t.Errorf("a text without cues: %v", err)
	}
}

func TestRouted(t *testing.T) {
	r := convert.NewRouter(transcript.Formats(), nil)
	doc, err := r.Convert(t.Context(), convert.Source{Name: "https://example.com/call", MediaType: "text/vtt; charset=utf-8", Data: []byte("WEBVTT\n\n00:01.000 --> 00:02.000\nx\n")}, convert.Limits{})
	if err != nil || doc.Markdown != "00:01\nx\n" {
		t.Errorf("by media type: %v, %v", doc, err)
	}
}

func TestManyCues(t *testing.T) {
	in := "WEBVTT\n\n" + strings.Repeat("00:01.000 --> 00:02.000\n", 200_000) + "x"
	doc, err := transcript.VTT{}.Convert(t.Context(), convert.Source{Data: []byte(in)}, convert.Limits{})
	if err != nil || doc.Markdown != "00:01\nx\n" {
		t.Errorf("glued cues: %v, %v", doc, err)
	}
	in = "WEBVTT\n\n" + strings.Repeat("f/1-0\n00:01.000 --> 00:02.000\n<v A>x\n\n", 100_000)
	if doc, err = (transcript.VTT{}).Convert(t.Context(), convert.Source{Data: []byte(in)}, convert.Limits{}); err != nil || strings.Count(doc.Markdown, "x") != 100_000 {
		t.Errorf("one long utterance: %v", err)
	}
}

func FuzzTranscript(f *testing.F) {
	f.Add("WEBVTT\n\nf/1-0\n00:01.000 --> 00:02.000\n<v A>x</v> <v B>- y\n\nNOTE n\n")
	f.Add("1\n00:00:01,000 --> 00:00:02,000\nAnn: {\\an8}a\n\n2\n00:00:03,000 --> 00:00:04,000\nBob: b")
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range []convert.Converter{transcript.VTT{}, transcript.SRT{}} {
			doc, err := c.Convert(t.Context(), convert.Source{Data: []byte(s)}, convert.Limits{})
			if err != nil {
				if !converttest.Sentinel(err) {
					t.Errorf("error without a sentinel: %v", err)
				}
				continue
			}
			if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 20*len(s)+100 {
				t.Errorf("%d bytes became %d: %.200q", len(s), len(doc.Markdown), doc.Markdown)
			}
			if strings.Contains(doc.Markdown, " --> ") && !strings.Contains(s, "->") && !strings.Contains(s, "&") {
				t.Errorf("a timing line in the text: %.200q", doc.Markdown)
			}
		}
	})
}
