package job

import (
	"testing"
	"time"

	"warpbound/internal/budget"
)

func TestBudget(t *testing.T) {
	for text, want := range map[string]budget.Budget{
		"":                                {},
		"budget = 120_000\n":              {Text: "120000 cycles", Cycles: 120000},
		"budget = \"7\"\n":                {Text: "7 cycles", Cycles: 7},
		"budget = \"120000 cycles\"\n":    {Text: "120000 cycles", Cycles: 120000},
		"budget = \"2ms\"\nvectors = 3\n": {Text: "2ms", Time: 2 * time.Millisecond},
	} {
		j, err := Parse("j", []byte(head+text), files(nil))
		if err != nil {
			t.Fatal(err)
		}
		if j.Budget != want {
			t.Errorf("%q: got %+v, want %+v", text, j.Budget, want)
		}
		w, err := j.Write("j", (&Bound{Job: j}).Inputs(0))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("j", w.Text, files(nil))
		if err != nil || again.Budget != want {
			t.Errorf("%q is written as\n%s, %v", text, w.Text, err)
		}
	}
}
