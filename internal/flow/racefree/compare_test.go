package racefree

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/value"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// comparePairs is compareAccesses, one pair after the other.
func (a *analysis) comparePairs() Result {
	var out Result
	for i := range a.accesses {
		for j := i; j < len(a.accesses); j++ {
			p := a.pairOf(i, j)
			switch reason := p.conflict(); {
			case reason == nil:
			case p.witnessed():
				out.Pairs = append(out.Pairs, Pair{p.a.Instr, p.b.Instr})
			case out.Reason == "":
				out.Reason, out.Instr = reason(), p.b.Instr
			}
		}
	}
	switch {
	case len(out.Pairs) > 0:
		list := out.Pairs[:min(len(out.Pairs), MaxPairs)]
		return Result{Verdict: MayRace, Pairs: list, Omitted: len(out.Pairs) - len(list)}
	case out.Reason == "":
		return Result{Verdict: Free}
	}
	return out
}

// holdClasses compares what classes of accesses tell with what pairs of accesses do.
func holdClasses(t *testing.T, r *value.Result, opts Options, got Result) {
	t.Helper()
	a := &analysis{values: r, graph: r.Graph, opts: opts, accesses: flowtest.Must(r.Addresses(t.Context()))}
	if _, what := a.unseen(); what != "" {
		return
	}
	if err := a.intervals(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := a.comparePairs(); !reflect.DeepEqual(got, want) {
		t.Errorf("classes say %+v, pairs %+v", got, want)
	}
}

// TestManyAccesses analyses kernels of many accesses that are alike (verdict compares them class by class with pair by pair).
func TestManyAccesses(t *testing.T) {
	launches := []launchfacts.Launch{{}, {Grid: [3]int{4, 1, 1}, Block: [3]int{256, 1, 1}, Width: 32}}
	verdicts := make(map[Verdict]int)
	for _, seed := range effort.Draw(t, 40_000) {
		module := many(rand.New(rand.NewPCG(seed, 7)))
		for _, launch := range launches {
			verdicts[verdict(t, flowtest.Graph(t, "k.ptx", module), launch).Verdict]++
		}
		if t.Failed() {
			t.Fatalf("kernel %d:\n%s", seed, module)
		}
	}
	if verdicts[Free] == 0 || verdicts[MayRace] == 0 || verdicts[Unknown] == 0 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// many is a kernel of many accesses whose addresses differ by constants, of several widths and strengths, on paths of
// threads, with barriers between some.
func many(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var b strings.Builder
	b.WriteString(prelude)
	if r.IntN(4) == 0 {
		reg := pick("%g", "%p")
		b.WriteString("add.u64 " + reg + ", " + reg + ", " + pick("4611686018427387904", "1152921504606846976") + ";\n") // as far as numbers are told
	}
	if r.IntN(4) == 0 {
		b.WriteString("mul.wide.u32 %g, %n, 4;\nadd.u64 %g, %g, %p;\n")
	}
	labels := 0
	var ends []int // labels that are to come
	end := func() {
		fmt.Fprintf(&b, "END%d:\n", ends[len(ends)-1])
		ends = ends[:len(ends)-1]
	}
	for range 2 + r.IntN(14) {
		base := pick("%g", "%g", "%h", "%p", "%s", "%s", "%b")
		space := ".global"
		if base == "%s" || base == "%b" {
			space = ".shared"
		} else if r.IntN(8) == 0 {
			space = "" // generic
		}
		address := "[" + base + pick("", "", "+4", "+8", "+1024", "+2048", "-4", "+2", "+16384") + "]"
		guard := ""
		if r.IntN(3) == 0 {
			b.WriteString("setp." + pick("lt", "ge", "eq") + ".u32 %x1, " + pick("%t", "%c", "%n", "%r1") + ", " + pick("1", "2", "128", "300") + ";\n")
			guard = "@%x1 "
			if r.IntN(2) == 0 {
				labels++
				ends = append(ends, labels)
				fmt.Fprintf(&b, "@%%x1 bra END%d;\n", labels)
				guard = ""
			}
		}
		switch r.IntN(7) {
		case 0, 1:
			fmt.Fprintf(&b, "%sld%s.%s %%r1, %s;\n", guard, space, pick("u32", "u32", "u16", "u8"), address)
		case 2, 3:
			fmt.Fprintf(&b, "%sst%s.%s %s, %%t;\n", guard, space, pick("u32", "u32", "u16"), address)
		case 4:
			fmt.Fprintf(&b, "%sred.relaxed.%s%s.%s %s, 1;\n", guard, pick("gpu", "cta"), space, pick("add.u32", "and.b32", "add.u64"), address)
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, "%sld.volatile%s.u32 %%r1, %s;\n", guard, space, address)
			}
		case 5:
			fmt.Fprintf(&b, "%sst.volatile%s.%s %s, %s;\n", guard, space, pick("u32", "u8"), address, "%t")
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "%sst.volatile%s.v2.u32 %s, {%%t, %%t};\n", guard, space, address)
			}
		case 6:
			if len(ends) == 0 {
				b.WriteString("bar.sync 0;\n")
			}
		}
		for len(ends) > 0 && r.IntN(3) == 0 {
			end()
		}
	}
	for len(ends) > 0 {
		end()
	}
	return b.String() + "ret;\n}\n"
}

// TestSuiteClasses compares accesses of the kernels of the suite class by class and pair by pair, as verdict does.
func TestSuiteClasses(t *testing.T) {
	for _, kernel := range flowtest.Kernels() {
		t.Run(kernel, func(t *testing.T) {
			l := flowtest.Suite(t, kernel)
			verdict(t, l.Graph, known(l))
			verdict(t, l.Graph, launchfacts.Launch{})
		})
	}
}
