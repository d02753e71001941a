package email_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/email"
)

const head = "From: Ann <ann@example.com>\nTo: bob@example.com\nSubject: Hello\nDate: Wed, 5 Aug 2026 10:00:00 +0300\nMIME-Version: 1.0\n"

const headText = "**Subject:** Hello\n**From:** Ann <ann@example.com>\n**To:** bob@example.com\n**Date:** 2026-08-05 10:00 +0300\n\n"

func run(t *testing.T, s string) *convert.Document {
	t.Helper()
	doc, err := email.Email{}.Convert(t.Context(), convert.Source{Name: "a.eml", Data: []byte(s)}, convert.Limits{})
	if err != nil {
		t.Fatalf("Convert(%.200q): %v", s, err)
	}
	return doc
}

func multipart(kind string, parts ...string) string {
	return "Content-Type: multipart/" + kind + "; boundary=\"b-" + kind + "\"\n\npreamble\n--b-" + kind + "\n" + strings.Join(parts, "\n--b-"+kind+"\n") + "\n--b-" + kind + "--\nepilogue"
}

func TestContract(t *testing.T) {
	converttest.Suite{
		Converter: email.Email{},
		Sample:    convert.Source{Name: "a.eml", Data: []byte(head + "\n" + strings.Repeat("Some words.\n", 20))},
		Want:      headText + "Some words.",
		Deep: func(n int) []byte {
			var b strings.Builder
			b.WriteString(head)
			for i := range n {
				fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
			}
			return []byte(b.String() + "\ninnermost")
		},
	}.Run(t)
}

func TestBody(t *testing.T) {
	const utf8Text = "Content-Type: text/plain; charset=utf-8\n"
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "\nHi,\n\n\n\n> quoted\n# no heading\n-- \nAnn\n", "Hi,\n\n> quoted\n\\# no heading\n\\--\nAnn\n"},
		{"quoted-printable", "Content-Type: text/plain; charset=windows-1251\nContent-Transfer-Encoding: quoted-printable\n\n=CF=F0=E8=E2=E5=F2, =\n=EC=E8=F0 =3D =ZZ\n", "Привет, мир = =ZZ\n"},
		{"base64", utf8Text + "Content-Transfer-Encoding: BASE64\n\n" + base64.StdEncoding.EncodeToString([]byte("Grüße aus Köln")) + "\n!\n", "Grüße aus Köln\n"},
		{"flowed", "Content-Type: text/plain; format=flowed\n\none \ntwo\nthree\n", "one two\nthree\n"},
		{"html", "Content-Type: text/html; charset=utf-8\n\n<style>p{}</style><p>Hi <b>there</b></p><img src=\"cid:1\" alt=\"logo\">", "Hi **there**\n\nlogo\n"},
		{"alternative", multipart("alternative", utf8Text+"\nThe plain text.", "Content-Type: text/html\n\n<p>The <i>plain</i> text.</p>"), "The plain text.\n"},
		{"poor alternative", multipart("alternative", utf8Text+"\nUse an HTML reader.", "Content-Type: text/html\n\n<p>All that there really is to say about the matter at hand.</p>"), "All that there really is to say about the matter at hand.\n"},
		{"related", multipart("related", "Content-Type: text/html\n\n<p>text</p>", "Content-Type: image/png\nContent-ID: <1>\n\nxx"), "text\n"},
		{"attachments", multipart("mixed", utf8Text+"\nSee below.", "Content-Type: application/pdf; name=\"=?utf-8?B?0J7RgtGH0ZHRgi5wZGY=?=\"\nContent-Disposition: attachment\n\nxx",
			"Content-Type: text/plain\nContent-Disposition: attachment; filename*=utf-8''n%C3%B6te.txt\n\nnot shown"), "See below.\n\nAttachments:\n\n- Отчёт.pdf\n- nöte.txt\n"},
		{"message inside", multipart("mixed", utf8Text+"\nFwd", "Content-Type: message/rfc822\n\nFrom: c@example.com\nSubject: Inner\n\ninner text"), "Fwd\n\n---\n\n**Subject:** Inner\n**From:** c@example.com\n\ninner text\n"},
		{"digest", multipart("digest", "\nFrom: c@example.com\nSubject: One\n\nfirst"), "---\n\n**Subject:** One\n**From:** c@example.com\n\nfirst\n"},
		{"no boundary", "Content-Type: multipart/mixed\n\njust text", "just text\n"},
		{"broken type", "Content-Type: text/plain; charset=utf-8; charset=utf-8; =\n\nПривет всем", "Привет всем\n"},
		{"cut", "Content-Type: multipart/mixed; boundary=x\n\n--x\n\ntext goes on", "text goes on\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, ends := range []string{"\n", "\r\n"} {
				doc := run(t, strings.ReplaceAll(head+tc.in, "\n", ends))
				if diff := cmp.Diff(headText+tc.want, doc.Markdown); diff != "" {
					t.Errorf("line ends %q (-want +got)\n%s", ends, diff)
				}
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	doc := run(t, "From nobody Thu Jan  1\nFrom: =?koi8-r?B?98HO0Q==?= <a@example.com>\nSubject: =?utf-8?Q?=D0=94=D0=BE?=\n =?utf-8?Q?=D0=B3=D0=BE=D0=B2=D0=BE=D1=80?=\n  and more\nTo: Bob,\n\tCarl\nX-Other: no\n\nx")
	if want := "**Subject:** Договор and more\n**From:** Ваня <a@example.com>\n**To:** Bob, Carl\n\nx\n"; doc.Markdown != want {
		t.Errorf("got %q, want %q", doc.Markdown, want)
	}
	if doc.Title != "Договор and more" {
		t.Errorf("Title = %q", doc.Title)
	}
	want := map[string]string{"author": "Ann <ann@example.com>", "recipient": "bob@example.com", "created": "2026-08-05T10:00:00+03:00"}
	if diff := cmp.Diff(want, run(t, head+"\nx").Metadata); diff != "" {
		t.Errorf("Metadata (-want +got)\n%s", diff)
	}
}

func TestEncrypted(t *testing.T) {
	doc := run(t, head+multipart("encrypted", "Content-Type: application/pgp-encrypted\n\nVersion: 1", "Content-Type: application/octet-stream\n\nxx"))
	if doc.Markdown != strings.TrimSuffix(headText, "\n") || len(doc.Warnings) != 1 {
		t.Errorf("got %q, %q", doc.Markdown, doc.Warnings)
	}
}

func TestErrors(t *testing.T) {
	for _, in := range []string{"", "just a letter\n\nwith text", "Note: this\n\nis prose", "\x00\x01\x02"} {
		if _, err := (email.Email{}).Convert(t.Context(), convert.Source{Data: []byte(in)}, convert.Limits{}); !errors.Is(err, convert.ErrDamaged) {
			t.Errorf("%q: %v", in, err)
		}
	}
	many := head + multipart("mixed", strings.Split(strings.Repeat("\nx|", 50), "|")...)
	if _, err := (email.Email{}).Convert(t.Context(), convert.Source{Data: []byte(many)}, convert.Limits{Entries: 50}); !errors.Is(err, convert.ErrTooLarge) {
		t.Errorf("many parts: %v", err)
	}
}

func FuzzEmail(f *testing.F) {
	f.Add(multipart("alternative", "\n=?x", "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>=3D"))
	f.Add("Content-Type: message/rfc822\nContent-Disposition: inline; filename=x\n\nFrom: a\nTo: b\nSubject: =?utf-8?b?YQ==?=\n\nx")
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := email.Email{}.Convert(t.Context(), convert.Source{Data: []byte(head + s)}, convert.Limits{Cells: 10_000})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 60*len(s)+100_000 || !strings.HasPrefix(doc.Markdown, "**Subject:** Hello\n") {
			t.Errorf("%d bytes became %d: %.200q", len(s), len(doc.Markdown), doc.Markdown)
		}
	})
}
