package charge

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/saturating"
	"warpbound/internal/test/flowtest"
)

// TestDivide: parts are those of the whole, and none differs from what is in proportion by a whole one.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		whole         saturating.Int
		weights, want Weights
	}{
		{10, Weights{1: 1, 2: 1}, Weights{1: 5, 2: 5}},
		{11, Weights{2: 1, 1: 1}, Weights{1: 6, 2: 5}}, // the first of those that lack as much
		{10, Weights{1: 1, 2: 2}, Weights{1: 3, 2: 7}},
		{5, Weights{7: 0}, Weights{}},
		{5, nil, Weights{}},
		{0, Weights{7: 3}, Weights{7: 0}},
		{1<<62 + 1, Weights{1: saturating.Max, 2: saturating.Max}, Weights{1: 1<<61 + 1, 2: 1 << 61}},
	} {
		if got := Divide(c.whole, c.weights); !maps.Equal(got, c.want) {
			t.Errorf("%v by %v: %v, want %v", c.whole, c.weights, got, c.want)
		}
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		weights, total := make(Weights), 0.0
		for pc := range 1 + rnd.IntN(9) {
			weights[pc] = saturating.Of(rnd.Int64N(1000))
			total += weights[pc].Float64()
		}
		whole := saturating.Of(rnd.Int64N(1 << 40))
		parts := Divide(whole, weights)
		if total > 0 && parts.Sum() != whole {
			t.Fatalf("%v by %v: %v add up to %v", whole, weights, parts, parts.Sum())
		}
		for pc, n := range parts {
			if share := whole.Float64() * weights[pc].Float64() / total; n.Float64() < share-1.1 || n.Float64() > share+1.1 {
				t.Fatalf("%v by %v: %v", whole, weights, parts)
			}
		}
	}
}

// TestBook: instructions of one line of the module and of the source are one line, blocks those that are charged, and what has no weight is
// charged to none.
func TestBook(t *testing.T) {
	g := flowtest.Graph(t, "k.ptx", `.version 7.0
.target sm_70
.address_size 64
.file 1 "k.cu"
.visible .entry k() {
	.reg .b32 %a;
	.loc 1 7 1
	mov.u32 %a, %tid.x; add.u32 %a, %a, 1;
	bra NEXT;
NEXT:
	mov.u32 %a, 2;
	ret;
}
`)
	b := New(g)
	b.Add("issue", 0, 5)
	b.Share("issue", 7, Weights{0: 1, 1: 1, 2: 1})
	b.Add("memory", 1, 9)
	b.Share("memory", 4, Weights{3: 0})
	b.Remain("dispatch", 2)
	b.Remain("issue", 0)
	got := b.ByLine("dispatch")
	if err := got.Check(27); err != nil {
		t.Error(err)
	}
	want := estimate.ByLine{
		Lines: []estimate.ChargedLine{
			{Pos: "k.ptx:8", Source: "k.cu:7", Cycles: 19, Causes: []estimate.ChargedPart{{Cause: "issue", Cycles: 10}, {Cause: "memory", Cycles: 9}}},
			{Pos: "k.ptx:9", Source: "k.cu:7", Cycles: 2, Causes: []estimate.ChargedPart{{Cause: "issue", Cycles: 2}}},
		},
		Remainder: estimate.Remainder{Name: "dispatch", Cycles: 6, Causes: []estimate.ChargedPart{{Cause: "memory", Cycles: 4}, {Cause: "dispatch", Cycles: 2}}},
		Path:      []estimate.ChargedBlock{{Name: "entry", Pos: "k.cu:7:1", Cycles: 21}},
	}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v\nwant\n%+v", *got, want)
	}
}
