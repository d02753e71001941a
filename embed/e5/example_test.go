package e5_test

import (
	"context"
	"fmt"
	"log"

	"github.com/minirag/minirag/embed/e5"
)

func Example() {
	ctx := context.Background()
	m, err := e5.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	passages, err := m.Embed(ctx, []string{"The cat sleeps.", "Taxes are due in April."})
	if err != nil {
		log.Fatal(err)
	}
	question, err := m.EmbedQuery(ctx, "when must I pay?")
	if err != nil {
		log.Fatal(err)
	}
	best := 0
	if dot(question, passages[1]) > dot(question, passages[0]) {
		best = 1
	}
	fmt.Println(best, len(question))
	// Output: 1 384
}
