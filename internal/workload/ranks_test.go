package workload_test

import (
	"testing"
	"testing/fstest"

	"warpbound/internal/platform"
	"warpbound/internal/smt"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/smttest"
	"warpbound/internal/workload"
)

// TestRanksOfParts asks once for all parts of the inputs: what holds for all of them.
func TestRanksOfParts(t *testing.T) {
	smttest.Need(t, smt.Z3())
	files := fstest.MapFS{
		"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
	.reg .pred %p<3>;
	.reg .b32 %i, %j, %v;
	.reg .b64 %p;
	ld.param.u64 %p, [p];
	ld.param.u32 %j, [n];
	mov.u32 %i, 0;
L:	setp.ge.s32 %p1, %i, %j;
	@%p1 bra E;
	ld.global.u32 %v, [%p];
	setp.eq.u32 %p2, %v, 0;
	@%p2 sub.u32 %j, %j, 1;
	@!%p2 add.u32 %i, %i, 1;
	bra L;
E:	st.global.u32 [%p], %i;
	ret;
}
`)},
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"predictable-rr\"\ngrid = [1]\nblock = [1]\n[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 2\ninit = \"uniform(0, 9)\"\n" +
			"[[param]]\nname = \"n\"\ntype = \"u32\"\nrange = [1, 64]\n")},
	}
	src, err := workload.ReadFS(files, "job.toml")
	if err != nil {
		t.Fatal(err)
	}
	j, err := platform.Load(src.WithSolver("z3"), "")
	if err != nil {
		t.Fatal(err)
	}
	w := workload.KeepFacts(j.Workload)
	all := func(int) bool { return true }
	ranged := workload.RangedArguments(w)
	first := ranged[0].Restrict(ranged[0].Restrict(w, 0, 31), 0, 7)
	ofPart, ofAll := flowtest.Must(workload.RanksOf(t.Context(), first.First(), all)), flowtest.Must(workload.RanksOf(t.Context(), w.First(), all))
	if ofPart != ofAll || ofAll.Err != nil || ofAll.Solver != "z3" || len(ofAll.Of) != 1 {
		t.Fatalf("%+v and %+v", ofPart, ofAll)
	}
	for _, r := range ofAll.Of {
		if r.Iterations != 64 {
			t.Errorf("%+v", r)
		}
	}
}
