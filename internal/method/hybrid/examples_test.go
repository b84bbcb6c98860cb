package hybrid_test

import (
	"context"
	"testing"

	"warpbound/internal/method/hybrid"
)

func TestExamples(t *testing.T) {
	examples, err := hybrid.Examples(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		if !e.OK {
			t.Errorf("%s: the paper has %s, we have %s", e.Name, e.Paper, e.Ours)
		}
	}
	if len(examples) != 17 {
		t.Errorf("%d examples", len(examples))
	}
}
