package analysis_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/index/analysis"
)

func sounds(text string) (terms []string) {
	for _, t := range analysis.Tokens(text) {
		if t.Kind == analysis.Phonetic {
			terms = append(terms, t.Term)
		}
	}
	return terms
}

// heard reports whether a question finds a text by its sound.
func heard(question, text string) bool {
	stored := sounds(text)
	return slices.ContainsFunc(analysis.Query(question, true), func(t analysis.Term) bool {
		return t.Optional && slices.Contains(stored, t.Term)
	})
}

func TestPhonetic(t *testing.T) {
	for _, tc := range [][2]string{
		// Names.
		{"Newton", "Ньютона"}, {"Denver", "в Денвере"}, {"Pittsburgh", "Питтсбургом"}, {"Newcastle", "Ньюкасл"}, {"Charles", "Чарльз"},
		{"Luther's", "Лютера"}, {"Washington", "Вашингтон"}, {"Houston", "Хьюстон"}, {"Harvard", "Гарвард"}, {"George", "Джордж"},
		{"Robert", "Роберт"}, {"Smith", "Смит"}, {"Schwartz", "Шварц"}, {"Watkins", "Уоткинс"}, {"Webster", "Вебстер"}, {"Augustine", "Августин"},
		{"Philips", "Филипс"}, {"Jungmann", "Юнгман"}, {"Xerxes", "Ксеркс"}, {"Chopin", "Шопен"}, {"Christian", "Кристиан"}, {"Mitchell", "Митчелл"},
		{"Łódź", "Лодзь"}, {"Huguenots", "гугенотами"}, {"Kharkov", "Харьков"},
		// Products, loan words, adjectives.
		{"Docker", "докер"}, {"Kubernetes", "кубернетес"}, {"Python", "питон"}, {"transistor", "транзистор"},
		{"system", "система"}, {"vector", "вектора"}, {"Berlin", "берлинский"}, {"Kotlin", "Котлин"}, {"Android", "андроид"}, {"Postgres", "постгрес"},
	} {
		for _, pair := range [][2]string{tc, {tc[1], tc[0]}} {
			if !heard(pair[0], pair[1]) {
				t.Errorf("%s does not find %s: %v and %v", pair[0], pair[1], sounds(pair[0]), sounds(pair[1]))
			}
		}
	}
}

func TestPhoneticNot(t *testing.T) {
	for _, tc := range [][2]string{
		{"compiler", "компилятор"}, {"month", "минута"}, {"Denver", "Дания"}, {"Newton", "Нептун"}, // other words
		{"Newton", "Newton"}, {"Ньютон", "Ньютона"}, // one script: found by their letters
		{"this", "зис"}, {"когда", "Kagda"}, // function words
		{"Jung", "Юнг"}, {"Iowa", "Айова"}, {"Togo", "Того"}, // few consonants
		{"SP1077", "СП1077"}, {"tel-aviv", "тель-авив"}, // compounds
		{"Αθήνα", "Афина"},
	} {
		if heard(tc[0], tc[1]) {
			t.Errorf("%s finds %s: %v and %v", tc[0], tc[1], sounds(tc[0]), sounds(tc[1]))
		}
	}
}

func TestPhoneticTerms(t *testing.T) {
	for text, want := range map[string][]string{
		"Strauss":                 {"~lstr.s", "~lstr.vs"},
		"Харькова":                {"~ch.rk.v"},
		"Genghis":                 {"~lg.ng", "~lj.ng", "~lg.n.s", "~lg.ng.s", "~lj.n.s", "~lj.ng.s"},
		"и the an":                nil,
		"scherzo":                 {"~lc.rs", "~lsk.rs"},
		"quartz":                  {"~lk.rs", "~lkv.rs"},
		strings.Repeat("bat", 30): nil,
	} {
		if diff := cmp.Diff(want, sounds(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestPhoneticQuery(t *testing.T) {
	want := []analysis.Term{
		{Term: "=newton", Weight: 0.3}, {Term: "newton", Weight: 1}, {Term: "~cn.t.n", Weight: 0.3, Optional: true}, {Term: "~cn.vt.n", Weight: 0.3, Optional: true},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, analysis.Query("Newton", true), near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:2], analysis.Query("Newton", false), near); diff != "" {
		t.Errorf("without phonetic terms (-want +got):\n%s", diff)
	}
}
