package budget

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, want string
		hz         float64
		cycles     int64
	}{
		{"2ms", "2ms", 1.15e9, 2_300_000},
		{"1.5us", "1.5µs", 1e9, 1500},
		{"1m30s", "1m30s", 10, 900},
		{"+1.ms.5us", "1.0005ms", 1e9, 1_000_500},
		{"1ns", "1ns", 999_999_999, 0}, // less than one cycle
		{"1ns", "1ns", 1e9, 1},
		{"3ns", "3ns", 1_666_666_667, 5},                  // 5.000000001
		{"3ns", "3ns", 1_666_666_666, 4},                  // 4.999999998
		{"2562047h", "2562047h0m0s", 1e10, math.MaxInt64}, // more than fit
		{"120000", "120000 cycles", 1, 120000},
		{"120000cycles", "120000 cycles", 1, 120000},
		{"1 cycles", "1 cycle", 1, 1},
		{"1 cycle", "1 cycle", 1, 1},
		{"120s", "2m0s", 1, 120},
		{"9223372036854775807", "9223372036854775807 cycles", 1e9, math.MaxInt64},
	} {
		b, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if !b.Given() || b.Text != c.want || b.MaxCycles(c.hz) != c.cycles {
			t.Errorf("%s: got %s, %d cycles at %g Hz; want %s, %d", c.text, b.Text, b.MaxCycles(c.hz), c.hz, c.want, c.cycles)
		}
	}
	for text, want := range map[string]string{
		"": "want a time such as 2ms", "fast": "want a time such as 2ms", "2 ms": "want a time such as 2ms",
		"1.5cycles": "want a time", "0x10": "want a time", "1e3": "want a time", "-5": "want a time",
		"-2ms": "want a positive time", "0s": "want a positive time", "0": "want at least 1 cycle", "0 cycles": "want at least 1 cycle",
		"9223372036854775808": "at most 2^63 - 1", "0.5ns": "want whole nanoseconds", "1.0005us": "want whole nanoseconds",
		"-0.5ns": "want a positive time",
	} {
		if b, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || b.Given() {
			t.Errorf("%q: got %v, %v; want %q", text, b, err, want)
		}
	}
}

// TestCycles holds the cycles of a time against their definition: so many take no longer, and one more does.
func TestCycles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns, hz := rapid.Int64Range(1, 1e12).Draw(t, "ns"), rapid.Int64Range(1, 4e9).Draw(t, "hz")
		b, err := Parse(big.NewInt(ns).String() + "ns")
		if err != nil {
			t.Fatal(err)
		}
		limit := big.NewInt(b.MaxCycles(float64(hz)))
		budget := new(big.Int).Mul(big.NewInt(ns), big.NewInt(hz)) // both sides times hz times 10^9
		took := func(cycles *big.Int) *big.Int { return new(big.Int).Mul(cycles, big.NewInt(1e9)) }
		if took(limit).Cmp(budget) > 0 || took(limit.Add(limit, big.NewInt(1))).Cmp(budget) <= 0 {
			t.Errorf("%d ns at %d Hz are %d cycles", ns, hz, limit)
		}
	})
}
