package machine

import (
	"strings"
	"testing"
)

// TestWith takes choices in place of a description's, which then are part of it.
func TestWith(t *testing.T) {
	seed, negative := int64(7), int64(-1)
	m := builtin(t, "fermi-c2050")
	for _, p := range Policies() {
		for _, o := range Orders() {
			c := Choices{Policy: p, Order: o}
			if p == AnyWarp || o == AnyRequest {
				c.Seed = &seed
			}
			other, err := m.With(c)
			if err != nil || other.SM.Policy.Value != p || other.DRAM.Order.Value != o || other.Hash() == m.Hash() {
				t.Fatalf("%+v: %v", c, err)
			}
			again, err := Parse("m.toml", other.Format())
			if err != nil || again.Hash() != other.Hash() {
				t.Errorf("%+v: the text of the machine is another one: %v", c, err)
			}
		}
	}
	if same, err := m.With(Choices{}); err != nil || same.Hash() != m.Hash() {
		t.Errorf("no choice makes another machine: %v", err)
	}
	for _, c := range []struct {
		machine string
		choices Choices
		want    string
	}{
		{"fermi-c2050", Choices{Policy: "fifo"}, `no scheduling policy "fifo"; there are gto, gty, lrr, rr, oldest, youngest and random`},
		{"fermi-c2050", Choices{Order: "fifo"}, `no order of memory service "fifo"; there are fr-fcfs, fcfs, random and lifo`},
		{"fermi-c2050", Choices{Seed: &seed}, "chooses nothing at random: a policy seed needs"},
		{"fermi-c2050", Choices{Policy: AnyWarp, Seed: &negative}, "-1 is not between 0 and"},
		{"gcn3-split", Choices{Policy: Oldest}, "schedules by lrr, not by oldest; choose a machine with a scoreboard core"},
		{"predictable-rr", Choices{Order: LIFO}, "a barrel core has no choice of the order of memory service; choose"},
		{"integrated-fermi", Choices{Seed: &seed}, "an integrated core chooses nothing at random; choose"},
		{"mini-simt", Choices{Policy: "fifo"}, "no scheduling policy"},
	} {
		if _, err := builtin(t, c.machine).With(c.choices); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.machine, err, c.want)
		}
	}
	if _, err := builtin(t, "mini-simt").With(Choices{Policy: LRR}); err != nil {
		t.Error(err)
	}
}
