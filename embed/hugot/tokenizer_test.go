package hugot_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/embed/hugot"
)

// TestTokenizers compares with Hugging Face's ids; testdata/make_tokenizers.py
// writes them.
func TestTokenizers(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "tokenizers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Name      string
		Tokenizer json.RawMessage
		Cases     []struct {
			Text string
			IDs  []int32
		}
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, tc := range all {
		t.Run(tc.Name, func(t *testing.T) {
			tok, err := hugot.ReadTokenizer(tc.Tokenizer)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range tc.Cases {
				got := tok.Encode([]int32{}, c.Text)
				if diff := cmp.Diff(c.IDs, got); diff != "" {
					t.Errorf("%q (-want +got):\n%s", c.Text, diff)
				}
				if n := tok.Count(c.Text); n != len(got) {
					t.Errorf("%q: Count = %d, of %d", c.Text, n, len(got))
				}
			}
		})
	}
}

// FuzzTokenizer reads anything as tokenizer.json: what is taken gives ids of
// its vocabulary, and counts them.
func FuzzTokenizer(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "tokenizers.json"))
	if err != nil {
		f.Fatal(err)
	}
	var all []struct{ Tokenizer json.RawMessage }
	if err := json.Unmarshal(data, &all); err != nil {
		f.Fatal(err)
	}
	for _, a := range all {
		f.Add([]byte(a.Tokenizer), "unable и\u0306 \xff")
	}
	f.Add([]byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[["a",-1e400]]}}`), "a")
	f.Add([]byte(`{"model":{"vocab":{"[UNK]":4000000}},"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"}}`), "a")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		tok, err := hugot.ReadTokenizer(data)
		if err != nil {
			return
		}
		ids := tok.Encode(nil, text)
		for _, id := range ids {
			if id < 0 || int(id) >= tok.Size() {
				t.Fatalf("id %d of %d", id, tok.Size())
			}
		}
		if n := tok.Count(text); n != len(ids) {
			t.Fatalf("Count = %d, of %d", n, len(ids))
		}
	})
}
