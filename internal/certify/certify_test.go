package certify

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"warpbound/estimate"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	seed, pc := int64(7), 3
	c := &Certificate{
		Format: Format, Provenance: estimate.Provenance{Schema: estimate.Schema}, Kernel: "k",
		Claim: Claim{Method: "static/cta", Cycles: 5, Evidence: estimate.Proven, Assumptions: []string{"a > b"}},
		Facts: []Fact{
			{Kind: Edge, At: "a -> b", Value: 4, Evidence: estimate.Observed, Seed: &seed},
			{Kind: Invariant, At: "k.ptx:1:1", PC: &pc, Evidence: estimate.Proven, Invariant: []Range{{Register: 1, Name: "%r1", Bits: 64, Low: 1<<63 + 1, Step: 2, Count: 9}}},
		},
	}
	var out bytes.Buffer
	if err := Write(&out, c); err != nil {
		t.Fatal(err)
	}
	got, err := Parse(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got); diff != "" {
		t.Error(diff)
	}
	for _, other := range []string{`{"format": "x"}`, `no`, out.String() + "{}"} {
		if c, err := Parse([]byte(other)); c != nil || !errors.Is(err, ErrOtherFormat) {
			t.Errorf("%.20s: %v", other, err)
		}
	}
	for from, to := range map[string]string{`"schema":1`: `"schema":9`, `"kernel"`: `"karnel"`, `"cycles":5`: `"cycles":"5"`, `"kernel":`: `"Kernel":`, `"value":4`: `"value":3,"VALUE":4`, `"step":"2"`: `"step":"1","step":"2"`} {
		if c, err := Parse([]byte(strings.Replace(out.String(), from, to, 1))); c != nil || err == nil || errors.Is(err, ErrOtherFormat) {
			t.Errorf("%s: %v", to, err)
		}
	}
}
