package machine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormatIsReadAgain(t *testing.T) {
	for _, name := range Names() {
		m := builtin(t, name)
		again, err := Parse(name+".toml", m.Format())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
