// Package maker makes certificates of estimates: it writes down what methods and analyses found, and
// weakens it to what internal/certify/check confirms by itself, where it confirms anything.
//
// maker may import analyses and the contract of methods, but no method. Nothing that checks
// certificates may import it.
package maker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/certify"
	"warpbound/internal/certify/check"
	"warpbound/internal/ipet"
	"warpbound/internal/method"
)

// Source is what a certificate is made of.
type Source struct {
	Analysis *estimate.Analysis // what is analysed
	Estimate *estimate.Estimate // whose certificate is made
	JobHash  string             // of the job's file and of the data files that it names
	Runs     *certify.Runs      // of a measured method; nil of others
	Path     *ipet.Certificate  // of a measured method; nil of others
	Replay   *certify.Replay    // of a method that needs one run; nil of others
	Problem  *method.Problem    // of a static method; nil of others
	Subject  *check.Subject     // likewise
}

// New makes the certificate of an estimate.
func New(s *Source) (*certify.Certificate, error) {
	a, e := s.Analysis, s.Estimate
	c := &certify.Certificate{
		Format: certify.Format, Provenance: a.Provenance, Job: path.Base(a.Job), Kernel: a.Kernel, Machine: a.Machine,
		ModuleHash: a.ModuleHash, JobHash: s.JobHash, MachineHash: a.MachineHash,
		Claim: certify.Claim{Method: e.Method, Cycles: e.Cycles, Evidence: e.Evidence, What: e.Explain, Assumptions: slices.Clone(e.Assumptions)},
		Runs:  s.Runs, Replay: s.Replay, Facts: []certify.Fact{},
	}
	if s.Path != nil {
		text, err := json.Marshal(s.Path)
		if err != nil {
			return nil, err
		}
		c.Path = text
		c.Facts = append(c.Facts, transitions(s.Path.Model)...)
	}
	if s.Problem != nil {
		places, omitted := Places(s.Problem, s.Subject)
		c.Facts, c.Omitted = append(c.Facts, places...), omitted
	}
	figures, err := figures(e)
	if err != nil {
		return nil, err
	}
	c.Facts = append(c.Facts, figures...)
	if s.Runs != nil {
		for i := range c.Facts {
			if c.Facts[i].Evidence == estimate.Observed {
				c.Facts[i].Seed = &s.Runs.Seed
			}
		}
	}
	return c, nil
}

// transitions are the facts that the path problem of a measured method rests on.
func transitions(m *ipet.Model) []certify.Fact {
	var facts []certify.Fact
	for i, e := range m.Edges {
		facts = append(facts, certify.Fact{Kind: certify.Edge, At: m.EdgeName(i), Value: e.Cost, Evidence: estimate.Observed})
	}
	for _, l := range m.Loops {
		facts = append(facts, certify.Fact{Kind: certify.Iterations, At: l.Name, Value: l.Bound, Evidence: estimate.Evidence(l.Evidence)})
	}
	return facts
}

// SameTransitions is an error if facts are not those that the path problem of a measured method rests on.
func SameTransitions(facts []certify.Fact, m *ipet.Model) error {
	want := transitions(m)
	for i := range max(len(facts), len(want)) {
		switch {
		case i >= len(facts):
			return fmt.Errorf("its path rests on %s, which is not among its facts", &want[i])
		case i >= len(want):
			return fmt.Errorf("its path does not know %s", &facts[i])
		}
		f, w := &facts[i], &want[i]
		if f.Kind != w.Kind || f.At != w.At || f.Value != w.Value || f.Evidence != w.Evidence {
			return fmt.Errorf("it states %s (%s), and its path rests on %s (%s)", f, f.Evidence, w, w.Evidence)
		}
	}
	return nil
}

// figures are the numbers in the detail of an estimate, named by where they stand there. Edges and loops are facts
// in their own right; what was observed or published beside the estimate, or of single multiprocessors, is no part of it.
func figures(e *estimate.Estimate) ([]certify.Fact, error) {
	text, err := json.Marshal(e.Detail)
	if err != nil {
		return nil, err
	}
	var detail any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // which may be larger than float64 holds
	if err := d.Decode(&detail); err != nil {
		return nil, err
	}
	var facts []certify.Fact
	add := func(at string, value int64) {
		facts = append(facts, certify.Fact{Kind: certify.Figure, At: at, Value: value, Evidence: e.Evidence})
	}
	var visit func(at string, v any)
	visit = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if key == "observed" || at == "" && slices.Contains([]string{"edges", "loops", "sms", "published", "geometry"}, key) {
					continue
				}
				name := key
				if at != "" {
					name = at + "." + key
				}
				visit(name, v[key])
			}
		case []any:
			for i, x := range v {
				visit(fmt.Sprintf("%s[%d]", at, i), x)
			}
		case bool:
			value := int64(0)
			if v {
				value = 1
			}
			add(at, value)
		case json.Number:
			if n, err := v.Int64(); err == nil {
				add(at, n)
			}
		}
	}
	visit("", detail)
	return facts, nil
}
