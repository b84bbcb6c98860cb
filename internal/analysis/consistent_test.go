package analysis

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/certify"
)

// less returns certificates that claim fewer cycles, with one or two figures less by one so that they make the claim.
func less(c *certify.Certificate, path int64) []*certify.Certificate {
	var figures []int
	by := []int64{1} // how much the claim may be less: what figures are multiplied by
	for i, f := range c.Facts {
		if f.Kind == certify.Figure {
			figures = append(figures, i)
			by = append(by, f.Value, f.Value-1)
		}
	}
	slices.Sort(by)
	by = slices.DeleteFunc(slices.Compact(by), func(n int64) bool { return n < 1 || n >= c.Claim.Cycles })
	var found []*certify.Certificate
	try := func(of ...int) {
		other := *c
		other.Facts = slices.Clone(c.Facts)
		for _, i := range of {
			other.Facts[i].Value--
		}
		for _, n := range by {
			other.Claim.Cycles = c.Claim.Cycles - n
			if certify.Arithmetic(&other, path, nil) == nil {
				copied := other
				found = append(found, &copied)
				return
			}
		}
	}
	for a, i := range figures {
		try(i)
		for _, j := range figures[a+1:] {
			try(i, j)
		}
	}
	return found
}

// written is the text of a certificate.
func written(t *testing.T, c *certify.Certificate) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := certify.Write(&text, c); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// refuteLess lowers claims together with what they are made of, so that the arithmetic holds. Nobody is to believe them
// who has the job, or can make the runs again; who has not makes nothing more of them than what is asserted.
func refuteLess(t *testing.T, all []*certified) {
	t.Helper()
	methods := make(map[string]int)
	for _, c := range all {
		_, proof, err := c.judge(c.text, true)
		if err != nil {
			t.Fatal(err)
		}
		lowered := less(c.made, proof.Cycles)
		const some = 4
		for n := range min(len(lowered), some) {
			other := lowered[n*len(lowered)/min(len(lowered), some)]
			methods[c.made.Claim.Method]++
			text := written(t, other)
			if _, _, err := c.judge(text, true); !errors.Is(err, ErrRefuted) {
				t.Errorf("%s: that it is %d cycles is not refuted: %v", c.name, other.Claim.Cycles, err)
			}
			if c.made.Runs == nil { // with runs that it is said to rest on, nobody would make it again
				other.Runs = &certify.Runs{Ipoints: "blocks"}
				if _, _, err := c.judge(written(t, other), false); !errors.Is(err, ErrRefuted) {
					t.Errorf("%s: that it is %d cycles in runs is not refuted: %v", c.name, other.Claim.Cycles, err)
				}
			}
			if proof, err := VerifyAlone(text); err == nil && proof.Evidence != estimate.Asserted {
				t.Errorf("%s: that it is %d cycles is called %s", c.name, other.Claim.Cycles, proof.Evidence)
			}
		}
	}
	for _, m := range []string{"static/cta", "static/llc-simple", "static/llc-interval", "split/none", "split/dws", "split/pws", "hybrid/dynamic", "hybrid/waves", "hybrid/list"} {
		if methods[m] == 0 {
			t.Errorf("no claim of %s is lowered", m)
		}
	}
	t.Log(methods)
}
