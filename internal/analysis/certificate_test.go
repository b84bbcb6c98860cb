package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/certify"
	"warpbound/internal/certify/check"
	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

// certified is a certificate of a kernel of the suite, with what it is held against.
type certified struct {
	name    string
	text    []byte
	made    *certify.Certificate
	subject *check.Subject
}

// suiteJob loads a kernel of the suite.
func suiteJob(t *testing.T, kernel, machine string) *platform.Job {
	t.Helper()
	files, err := fs.Sub(kernels.Suite(), kernel)
	if err != nil {
		t.Fatal(err)
	}
	return jobtest.Load(t, files, "job.toml", machine)
}

// certificateOf makes the certificate of an estimate.
func certificateOf(t *testing.T, kernel, machine, method string) *certified {
	t.Helper()
	j := suiteJob(t, kernel, machine)
	a, err := Analyze(context.Background(), j.Platform, j.Workload, Request{Methods: []string{method}, Certify: true, Campaign: campaign.Spec{Vectors: 2}})
	if err != nil {
		t.Fatalf("%s on %s: %v", kernel, machine, err)
	}
	var out bytes.Buffer
	if err := a.Write(nil, &out); err != nil {
		t.Fatal(err)
	}
	variant, err := Methods().Find(method).of(j.Workload)
	if err != nil {
		t.Fatal(err)
	}
	return &certified{kernel + " " + method, out.Bytes(), a.certificate, subject(j.Workload, variant)}
}

// waysToJudge returns whether what a certificate trusts is made again: static methods always do that.
func (c *certified) waysToJudge() []bool {
	if c.made.Runs == nil {
		return []bool{true}
	}
	return []bool{true, false}
}

// judge checks the certificate with another text; what is not confirmed is compared with the original.
func (c *certified) judge(text []byte, again bool) (*certify.Certificate, *estimate.Proof, error) {
	other, err := certify.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	make := func() (*certify.Certificate, error) { return c.made, nil }
	if !again {
		make = nil
	}
	p, err := judge(other, c.subject, make)
	return other, p, err
}

// suite holds certificates of all methods once they are made.
var suite []*certified

// suiteCertificates returns certificates of all methods.
func suiteCertificates(t *testing.T) []*certified {
	t.Helper()
	if suite != nil {
		return suite
	}
	var all []*certified
	for _, kernel := range []string{"vectorAdd", "reduction", "bitonicSort", "histogram64", "bfs", "insertionSort", "matrixMul"} {
		all = append(all, certificateOf(t, kernel, "predictable-rr", "static/cta"))
	}
	all = append(all, certificateOf(t, "matrixMul", "predictable-rr", "static/oblivious"), certificateOf(t, "vectorAdd", "fermi-c2050", "static/oblivious"))
	for _, kernel := range []string{"reduction", "bfs"} {
		for _, of := range [][2]string{
			{"integrated-fermi", "static/llc-simple"}, {"integrated-fermi", "static/llc-interval"},
			{"gcn3-split", "split/none"}, {"gcn3-split", "split/dws"}, {"gcn3-split", "split/pws"},
			{"fermi-c2050", "hybrid/warp"}, {"fermi-c2050", "hybrid/dynamic"}, {"fermi-c2050", "hybrid/waves"}, {"fermi-c2050", "hybrid/list"},
		} {
			all = append(all, certificateOf(t, kernel, of[0], of[1]))
		}
	}
	suite = all
	return all
}

// An edit changes a certificate: a number by one, a label, the order or the number of the elements of a list.
type edit struct {
	rnd  *rand.Rand
	what string
}

// labels are what evidence is called.
var labels = []string{"observed", "annotated", "proven", "asserted"}

// change returns a document with one change somewhere in it.
func (e *edit) change(v any) any {
	switch v := v.(type) {
	case map[string]any:
		key := slices.Sorted(maps.Keys(v))[e.rnd.IntN(len(v))]
		if e.rnd.IntN(12) == 0 {
			e.what += " without " + key
			delete(v, key)
			return v
		}
		e.what += "." + key
		v[key] = e.change(v[key])
		return v
	case []any:
		if len(v) == 0 {
			return append(v, "")
		}
		i, k := e.rnd.IntN(len(v)), e.rnd.IntN(len(v))
		switch e.rnd.IntN(10) {
		case 0:
			e.what += " without an element"
			return slices.Delete(v, i, i+1)
		case 1:
			e.what += " with an element twice"
			return slices.Insert(v, k, v[i])
		case 2:
			e.what += " with two elements exchanged"
			v[i], v[k] = v[k], v[i]
			return v
		case 3:
			a, okA := v[i].(map[string]any)
			b, okB := v[k].(map[string]any)
			if okA && okB {
				e.what += " with two places exchanged"
				for _, key := range []string{"pc", "at"} {
					a[key], b[key] = b[key], a[key]
				}
				return v
			}
		}
		v[i] = e.change(v[i])
		return v
	case json.Number:
		e.what += " by one"
		return json.Number(e.byOne(v.String()))
	case bool:
		return !v
	case string:
		if slices.Contains(labels, v) {
			e.what += " relabelled"
			return labels[e.rnd.IntN(len(labels))]
		}
		if n := e.byOne(v); n != "" {
			e.what += " by one"
			return n
		}
		e.what += " spelled otherwise"
		return v + "0"
	}
	return v
}

// byOne adds or subtracts one; empty if the text is no number.
func (e *edit) byOne(text string) string {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return ""
	}
	return n.Add(n, big.NewInt(int64(2*e.rnd.IntN(2)-1))).String()
}

// edited returns the text of a certificate with one or two changes. Half of them are to facts.
func edited(t *testing.T, text []byte, rnd *rand.Rand) ([]byte, string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var document map[string]any
	if err := d.Decode(&document); err != nil {
		t.Fatal(err)
	}
	e := &edit{rnd: rnd}
	for range 1 + rnd.IntN(2) {
		e.what += " "
		if rnd.IntN(3) > 0 {
			e.what += "facts"
			document["facts"] = e.change(document["facts"])
		} else {
			e.change(document)
		}
		if _, ok := document["facts"]; !ok {
			document["facts"] = []any{}
		}
	}
	out, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return out, strings.TrimSpace(e.what)
}

// TestEditedCertificates checks certificates of all methods as they are, and with 10,000 edits. Whatever is accepted claims
// what the original claims, and is found to rest on no more.
func TestEditedCertificates(t *testing.T) {
	all := suiteCertificates(t)
	found := make(map[*certified]map[bool]estimate.Basis)
	for _, c := range all {
		found[c] = make(map[bool]estimate.Basis)
		for _, again := range []bool{true, false} {
			_, p, err := c.judge(c.text, again)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if p.Claim.Method != c.made.Claim.Method || p.Claim.Cycles != c.made.Claim.Cycles {
				t.Errorf("%s: it claims %+v", c.name, p.Claim)
			}
			found[c][again] = p.Evidence
		}
	}
	accepted, refused, same := 0, 0, 0
	for _, i := range effort.Draw(t, 10_000) {
		c := all[i%uint64(len(all))]
		text, what := edited(t, c.text, rand.New(rand.NewPCG(i, 18)))
		for _, again := range c.waysToJudge() {
			other, proof, err := c.judge(text, again)
			switch {
			case err != nil:
				refused++
				continue
			case reflect.DeepEqual(other, c.made):
				same++
				continue
			}
			accepted++
			claim := other.Claim
			if !again { // assumptions are not looked at, and the claim is only asserted
				claim.Assumptions, claim.What = c.made.Claim.Assumptions, c.made.Claim.What
			}
			if want := map[bool]estimate.ProofVerdict{true: estimate.ClaimRepeated, false: estimate.ClaimAsserted}[again]; proof.Verdict != want {
				t.Errorf("edit %d of %s: %s: it is %s, not %s", i, c.name, what, proof.Verdict, want)
			}
			if !reflect.DeepEqual(claim, c.made.Claim) || proof.Evidence != found[c][again] {
				t.Errorf("edit %d of %s: %s: it claims %+v (%s), and claimed %+v (%s)", i, c.name, what, other.Claim, proof.Evidence, c.made.Claim, found[c][again])
			}
		}
	}
	t.Logf("%d refused, %d accepted, %d no edits", refused, accepted, same)
	if effort.Many() && refused < 5*accepted {
		t.Errorf("%d edits are refused, and %d accepted", refused, accepted)
	}
	t.Run("consistent", func(t *testing.T) { refuteLess(t, all) })
}

// TestOtherJobsCertificate holds a certificate against another kernel.
func TestOtherJobsCertificate(t *testing.T) {
	c, d := certificateOf(t, "vectorAdd", "predictable-rr", "static/cta"), certificateOf(t, "reduction", "predictable-rr", "static/cta")
	c.subject = d.subject
	if _, _, err := c.judge(c.text, true); !errors.Is(err, ErrRefuted) {
		t.Error(err)
	}
}
