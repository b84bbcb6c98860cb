package machine

import (
	"strings"
	"testing"
)

// TestWithBackground gives machines traffic of others.
func TestWithBackground(t *testing.T) {
	for _, c := range []struct {
		machine string
		bytes   int64
		want    string
	}{
		{"fermi-c2050", 143_999_999_999, ""},
		{"fermi-c2050", 144_000_000_000, "144 GB/s leave the kernel nothing of the 144 GB/s that the DRAM of fermi-c2050 moves at most"},
		{"predictable-rr", 1, "predictable-rr has a barrel core, and no model of a DRAM whose bandwidth others take: choose a machine with a scoreboard core"},
		{"integrated-fermi", 1, "integrated-fermi has an integrated core, and no model"},
		{"gcn3-split", 1, "gcn3-split has a split core, and no model"},
	} {
		m, err := Builtin(c.machine)
		if err != nil {
			t.Fatal(err)
		}
		other, err := m.WithBackground(c.bytes)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %s", c.machine, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !m.Alone() || other.Alone() || m.Hash() == other.Hash() {
			t.Errorf("%s: %t alone, %t with others, hashes %s and %s", c.machine, m.Alone(), other.Alone(), m.Hash(), other.Hash())
		}
		if _, err := Parse("m.toml", other.Format()); err != nil {
			t.Errorf("the text of the machine: %v", err)
		}
	}
	for _, name := range []string{"predictable-rr", "integrated-fermi", "gcn3-split", "mini-simt"} {
		m, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Alone() {
			t.Errorf("%s has no memory that others could use, but for a CPU that is modelled", name)
		}
	}
}

// TestBackgroundOfFiles reads machine files that state traffic of others.
func TestBackgroundOfFiles(t *testing.T) {
	for value, want := range map[string]string{
		"20000000000":  "",
		"144000000000": "144000000000 bytes per second leave the kernel nothing of the",
		"0":            "dram.background = 0 is not between 1 and 100000000000000 bytes per second",
	} {
		src := strings.Replace(fermiSource(t), "[dram]\n", "[dram]\nbackground = { value = "+value+", unit = \"bytes per second\", source = \"s\" }\n", 1)
		m, err := Parse("m.toml", []byte(src))
		if want == "" {
			if err != nil || m.Alone() {
				t.Errorf("%s: %v", value, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", value, err, want)
		}
	}
}
