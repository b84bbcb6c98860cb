package machine

import (
	"reflect"
	"strings"
	"testing"
)

// modeText returns the text of a mode.
func modeText(name, core, dram string) string {
	text := "[[mode]]\nname = \"" + name + "\"\ncore = { value = " + core + ", unit = \"Hz\", source = \"s\" }\n"
	if dram != "" {
		text += "dram = { value = " + dram + ", unit = \"Hz\", source = \"s\" }\n"
	}
	return text
}

// modeHead is a machine that has modes and is otherwise another one.
func modeHead(base string) string {
	return "name = \"m\"\nabout = \"a\"\nbase = \"" + base + "\"\n"
}

// TestModes chooses among modes.
func TestModes(t *testing.T) {
	const low, high = "300000000", "900000000"
	for _, c := range []struct {
		name, base, modes, ask string
		core, dram             int64 // 0 for the base's
		mode, want             string
	}{
		{"none", "fermi-c2050", "", "", 0, 0, "", ""},
		{"lowest of none", "fermi-c2050", "", LowestMode, 0, 0, "", ""},
		{"one of none", "fermi-c2050", "", "a", 0, 0, "", `there is no mode "a": m states none`},
		{"not asked for", "fermi-c2050", modeText("a", low, low), "", 0, 0, "", ""},
		{"by name", "fermi-c2050", modeText("a", low, low) + modeText("b", high, high), "b", 900_000_000, 900_000_000, "b", ""},
		{"lowest", "fermi-c2050", modeText("a", high, low) + modeText("b", low, low), LowestMode, 300_000_000, 300_000_000, "b", ""},
		{"no lowest", "fermi-c2050", modeText("a", high, low) + modeText("b", low, high), LowestMode, 0, 0, "", "no mode of m has both the lowest core clock and the lowest DRAM clock"},
		{"unknown", "fermi-c2050", modeText("15W", low, low), "15", 0, 0, "", `m has no mode "15"`},
		{"without DRAM", "predictable-rr", modeText("a", high, "") + modeText("b", low, ""), LowestMode, 300_000_000, 0, "b", ""},
	} {
		m, err := Parse("m.toml", []byte(modeHead(c.base)+c.modes))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if again, err := Parse("m.toml", m.Format()); err != nil || !reflect.DeepEqual(again.Modes, m.Modes) {
			t.Errorf("%s: the text of the machine gives %v", c.name, err)
		}
		got, mode, err := m.InMode(c.ask)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := m.Clock
		if c.core > 0 {
			want.Core.Value, want.DRAM.Value = c.core, c.dram
		}
		if mode != c.mode || got.Clock.Core.Value != want.Core.Value || got.Clock.DRAM.Value != want.DRAM.Value || c.core > 0 && got.Hash() == m.Hash() {
			t.Errorf("%s: got mode %q with %+v, want %q with %+v", c.name, mode, got.Clock, c.mode, want)
		}
	}
}

// TestModeErrors reads files with wrong modes, and those of bases.
func TestModeErrors(t *testing.T) {
	const hz = "300000000"
	for _, c := range []struct{ name, base, modes, want string }{
		{"two of a name", "fermi-c2050", modeText("a", hz, hz) + modeText("a", hz, hz), `m.toml:9:1: there is another mode "a"`},
		{"reserved", "fermi-c2050", modeText("lowest", hz, hz), "m.toml:5:1: a mode needs a name of its own"},
		{"no name", "fermi-c2050", modeText(" ", hz, hz), "a mode needs a name of its own"},
		{"range", "fermi-c2050", modeText("a", "999", hz), "mode.0.core = 999 is not between 1000 and 8000000000 Hz"},
		{"no DRAM", "fermi-c2050", modeText("a", hz, ""), "m.toml:4:3: missing key mode.0.dram"},
		{"another core's", "predictable-rr", modeText("a", hz, hz), "m.toml:7:1: a barrel core has no clock.dram"},
		{"ratio", "fermi-c2050", modeText("a", "1000000007", "999999937"), "the ratio of the clocks, reduced to 1000000007:999999937, has a term beyond"},
		{"no source", "fermi-c2050", strings.Replace(modeText("a", hz, hz), `"s"`, `""`, 1), "mode.0.core does not say its source"},
		{"unit", "fermi-c2050", strings.Replace(modeText("a", hz, hz), `"Hz"`, `"MHz"`, 1), `the unit of mode.0.core must be "Hz", not "MHz"`},
	} {
		_, err := Parse("m.toml", []byte(modeHead(c.base)+c.modes))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestModesOfBases takes the modes of a base where a file states none, and none of them where it does.
func TestModesOfBases(t *testing.T) {
	read := func(name string) ([]byte, error) {
		return []byte(map[string]string{
			"base.toml": modeHead("predictable-rr") + modeText("a", "300000000", ""),
			"same.toml": modeHead("base.toml"),
			"own.toml":  modeHead("base.toml") + modeText("b", "400000000", ""),
		}[name]), nil
	}
	for file, want := range map[string]string{"same.toml": "a", "own.toml": "b"} {
		m, err := Read(file, read)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(m.modeNames(), " "); got != want {
			t.Errorf("%s has the modes %s, want %s", file, got, want)
		}
	}
}
