//go:build ignore

// Command generate writes the table of the vocabulary that package e5 embeds.
package main

import (
	"log"
	"os"

	"github.com/minirag/minirag/embed/bert"
)

func main() {
	gguf, err := os.ReadFile("multilingual-e5-small-q4_0.gguf")
	if err != nil {
		log.Fatal(err)
	}
	table, err := bert.PrepareVocabulary(string(gguf))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("multilingual-e5-small.vocabulary", table, 0o666); err != nil {
		log.Fatal(err)
	}
}
