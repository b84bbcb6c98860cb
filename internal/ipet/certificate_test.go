package ipet

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// certified draws a model and returns its solution, with splits, cuts, roundings and parts
// in some of them.
func certified(t *rapid.T) *Solution {
	var m *Model
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		m = structuredModel(t, 10)
	case 1:
		m = anyModel(t, 8, 15, 9, true)
	default:
		m = seriesModel(t)
	}
	s, err := Solve(context.Background(), m, Options{})
	if err != nil {
		t.Skip(err)
	}
	return s
}

func TestCertificateProvesNoLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := certified(t)
		c := *s.Certificate
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		if c.Cycles--; s.Exact && c.Check() == nil {
			t.Fatalf("proves %d, but counts cost %d", c.Cycles, s.Cycles)
		}
		if c.Counts = nil; s.Exact && c.Check() == nil {
			t.Fatalf("proves %d without counts, but there are some that cost %d", c.Cycles, s.Cycles)
		}
	})
}

// Any multipliers whatever prove a bound or are refused, and a bound that is
// proven holds.
func TestCertificateWithWrongMultipliersIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := certified(t)
		if !s.Exact {
			t.Skip("not exact")
		}
		c := *s.Certificate
		c.Counts = nil
		c.Cycles -= rapid.Int64Range(1, 5).Draw(t, "less")
		steps := c.Steps
		for i := range c.Parts {
			c.Parts[i].Cycles += rapid.Int64Range(-5, 5).Draw(t, "of part")
			steps = append(steps, c.Parts[i].Steps...)
		}
		roundings := c.Roundings
		for _, p := range c.Parts {
			roundings = append(roundings, p.Roundings...)
		}
		for i := range roundings {
			r := &roundings[i]
			r.RHS -= rapid.Int64Range(0, 2).Draw(t, "rhs")
			for _, ws := range [][]Weight{r.Weights.Nodes, r.Weights.Loops, r.Weights.Facts, r.Weights.Cuts, r.Weights.Roundings} {
				for i := range ws {
					if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
						ws[i].Weight = ws[i].Weight.add(ratio(rapid.Int64Range(-5, 5).Draw(t, "by"), 2))
					}
				}
			}
			for i := range r.Terms {
				if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
					r.Terms[i].Coef += rapid.Int64Range(-2, 2).Draw(t, "by")
				}
			}
		}
		for _, step := range steps {
			if step.Multipliers == nil {
				continue
			}
			for _, ys := range [][]Rational{step.Multipliers.Nodes, step.Multipliers.Loops, step.Multipliers.Facts, step.Multipliers.Cuts, step.Multipliers.Roundings} {
				for i := range ys {
					if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
						ys[i] = ys[i].add(ratio(rapid.Int64Range(-5, 5).Draw(t, "by"), 2))
					}
				}
			}
		}
		if c.Check() == nil {
			t.Fatalf("proves %d, but counts cost %d", c.Cycles, s.Cycles)
		}
	})
}

func TestCertificateSurvivesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := certified(t).Certificate
		var first, second bytes.Buffer
		if err := WriteCertificate(&first, c); err != nil {
			t.Fatal(err)
		}
		text := first.String()
		back, err := ReadCertificate(&first)
		if err != nil {
			t.Fatal(err)
		}
		if err := back.Check(); err != nil {
			t.Fatal(err)
		}
		if err := WriteCertificate(&second, back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, second.String()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// good returns a certificate with a split and a cut.
func good(t *testing.T) *Certificate {
	t.Helper()
	m := parseModel(t, "0>1:100 1>4:0 0>2:1 2>3:7<=5 3>2:7<=5 3>4:1 1>1:10")
	m.Facts = []Fact{{Name: "odd", Terms: []Term{{6, 2}}, Rel: AtMost, RHS: 5}}
	s, err := solveRounding(context.Background(), m, Options{}, 0) // so that it has to branch
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Certificate; len(c.Steps) < 3 || len(c.Cuts) == 0 || s.Cycles != 120 {
		t.Fatalf("%d steps, %d cuts, %d cycles", len(c.Steps), len(c.Cuts), s.Cycles)
	}
	return s.Certificate
}

func TestCheckRefuses(t *testing.T) {
	leaf := func(c *Certificate) *Step {
		for i := range c.Steps {
			if c.Steps[i].Multipliers != nil && !c.Steps[i].Empty {
				return &c.Steps[i]
			}
		}
		return nil
	}
	for _, c := range []struct {
		want string
		harm func(*Certificate)
	}{
		{"without a model", func(c *Certificate) { c.Model = nil }},
		{"is not one of", func(c *Certificate) { c.Model.Sink = 9 }},
		{"no walk", func(c *Certificate) { c.Model.Edges = nil; c.Model.Facts = nil }},
		{"exceeds 119", func(c *Certificate) { c.Cycles--; c.Counts = nil }},
		{"more than 120", func(c *Certificate) { c.Counts = []int64{1, 1, 0, 5, 5, 0, 2} }}, // detached
		{"6 counts for 7 edges", func(c *Certificate) { c.Counts = c.Counts[1:] }},
		{"negative count", func(c *Certificate) { c.Counts[3] = -1 }},
		{"above its limit", func(c *Certificate) { c.Counts[3] = 6 }},
		{"units of flow", func(c *Certificate) { c.Counts[0] = 2 }},
		{`fact "odd"`, func(c *Certificate) { c.Counts[6] = 3 }},
		{"cut 0: no node", func(c *Certificate) { c.Cuts[0].Nodes[0] = 77 }},
		{"cut 0: no edge", func(c *Certificate) { c.Cuts[0].Edge = -2 }},
		{"the source is in its nodes", func(c *Certificate) { c.Cuts[0].Nodes[0] = 0 }},
		{"is not inside its nodes", func(c *Certificate) { c.Cuts[0].Edge = 0 }},
		{"has no limit", func(c *Certificate) {
			for i := range c.Model.Edges {
				c.Model.Edges[i].Limit = nil
			}
		}},
		{"without steps", func(c *Certificate) { c.Steps = nil }},
		{"belong to no split", func(c *Certificate) { c.Steps = append(c.Steps, Step{}) }},
		{"stands in two splits", func(c *Certificate) { c.Steps[0].Split.Below = c.Steps[0].Split.Above }},
		{"do not follow it", func(c *Certificate) { c.Steps[0].Split.Below = 0 }},
		{"do not follow it", func(c *Certificate) { c.Steps[0].Split.Above = 99 }},
		{"no edge 99", func(c *Certificate) { c.Steps[0].Split.Edge = 99 }},
		{"a split with multipliers", func(c *Certificate) { c.Steps[0].Empty = true }},
		{"neither split nor multipliers", func(c *Certificate) { leaf(c).Multipliers = nil }},
		{"multipliers for", func(c *Certificate) { leaf(c).Multipliers.Facts = nil }},
		{"does not exclude flow", func(c *Certificate) { leaf(c).Empty = true }},
		{"of the wrong sign", func(c *Certificate) { leaf(c).Multipliers.Facts[0] = integer(-1) }},
		{"has no limit but can gain", func(c *Certificate) { leaf(c).Multipliers.Nodes[1] = integer(10000) }},
	} {
		bad := good(t)
		c.harm(bad)
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestReadCertificateRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":     "EOF",
		"null": `format "" is not`,
		`{"format":"warpbound-ipet-certificate/9"}`:                                             `format "warpbound-ipet-certificate/9" is not`,
		`{"format":"warpbound-ipet-certificate/1","colour":1}`:                                  "unknown field",
		`{"format":"warpbound-ipet-certificate/1","cycles":1e30}`:                               "cannot unmarshal",
		`{"format":"warpbound-ipet-certificate/1"} {}`:                                          "text after the certificate",
		`{"format":"warpbound-ipet-certificate/1","steps":[{"multipliers":{"nodes":["1/0"]}}]}`: "not a rational number",
	} {
		c, err := ReadCertificate(strings.NewReader(text))
		if c != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func FuzzReadCertificate(f *testing.F) {
	m := newModel(3)
	m.AddEdge(0, 1, 5)
	m.AddEdge(1, 1, 7)
	m.AddEdge(1, 2, 1)
	m.Edges[2].Limit = &Limit{Max: 3, Evidence: "observed"}
	m.Loops = []Loop{{Name: "b1", Iter: []int{1}, Entries: []int{0}, Bound: 2}}
	m.Facts = []Fact{{Name: "f", Terms: []Term{{1, 2}}, Rel: AtMost, RHS: 3}}
	s, err := solveGeneral(m)
	if err != nil {
		f.Fatal(err)
	}
	var text bytes.Buffer
	if err := WriteCertificate(&text, s.Certificate); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ReadCertificate(bytes.NewReader(text))
		if err != nil {
			if c != nil {
				t.Error("an error and a certificate")
			}
			return
		}
		if c.Check() != nil {
			return
		}
		c.Uses()
		var again bytes.Buffer
		if err := WriteCertificate(&again, c); err != nil {
			t.Fatal(err)
		}
		if back, err := ReadCertificate(&again); err != nil {
			t.Error(err)
		} else if err := back.Check(); err != nil {
			t.Error(err)
		}
	})
}
