package machine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/isa"
)

func TestFormatIsReadAgain(t *testing.T) {
	for _, name := range Names() {
		m := builtin(t, name)
		m.Origins = nil // the text states all
		again, err := Parse(name+".toml", m.Format())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestFormatOfAnyMachine draws names, sources and numbers, within what a file may state.
func TestFormatOfAnyMachine(t *testing.T) {
	var bases []*Machine
	for _, name := range Names() {
		m := builtin(t, name)
		m.Origins = nil // the text states all
		bases = append(bases, m)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
		source := text.Draw(t, "source")
		m := bases[rapid.IntRange(0, len(bases)-1).Draw(t, "base")].WithSources(func(path, _ string) string { return source + path })
		m.About = text.Draw(t, "about")
		m.Sources[text.Draw(t, "abbreviation")] = text.Draw(t, "what it stands for")
		m.SM.Dispatch.Value = rapid.Int64Range(1, 100_000).Draw(t, "dispatch")
		if m.Core == Scoreboard {
			old, name := m.Timing(isa.SFU).Pipeline, text.Draw(t, "pipeline")
			m.Pipelines[name] = m.Pipelines[old]
			for _, timings := range []map[string]Timing{m.Classes, m.Operations, m.Tensor, m.StandIns} {
				for class, timing := range timings {
					if timing.Pipeline == old {
						timing.Pipeline = name
						timings[class] = timing
					}
				}
			}
		}
		again, err := Parse("m.toml", m.Format())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Error(diff)
		}
	})
}
