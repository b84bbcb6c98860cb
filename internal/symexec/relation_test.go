package symexec_test

import (
	"context"
	"fmt"
	"testing"

	"warpbound/internal/contract"
	"warpbound/internal/symexec"
)

// TestRelations takes a number for one that stands in relations, among them one to a number that is known.
func TestRelations(t *testing.T) {
	const body = `
	and.b32 %r2, %r1, 3;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra A;
	exit;
A:	setp.gt.s32 %p1, %r1, 40;
	@%p1 bra B;
	setp.lt.s32 %p1, %r1, -8;
	@%p1 bra B;
	setp.eq.s32 %p1, %r1, 12;
	@%p1 bra B;
	exit;
B:	ret;`
	s := alone(t, job, kernel(body))
	n := s.options.Params[0]
	n.Element = symexec.Element{Bytes: 4, Signed: true, Low: 0xffffff9c, High: 100} // from -100
	s.options.Params[0] = n
	names := map[string]int{"n": 0, "m": 1}
	var err error
	s.options.Relations, err = contract.Parse("n % 4 == 0 && n >= -2*m && n*m/2 <= 82 && n != 0", func(name string) (int, error) {
		i, ok := names[name]
		if !ok {
			return 0, fmt.Errorf("no %s", name)
		}
		return i, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.options.Integers = []symexec.Integer{{Offset: n.Offset, Bytes: 4, Signed: true, Value: 4}, {Value: 4}}
	outcomes := func(pc int) (taken, not symexec.BranchOutcome) {
		return symexec.BranchOutcome{Branch: pc, Target: s.Kernel.Instrs[pc].Target}, symexec.BranchOutcome{Branch: pc, Target: pc + 1}
	}
	res := s.explore(t)
	s.replay(t, res)
	all, err := symexec.Prove(context.Background(), s.options, s.outcomes(t))
	if err != nil {
		t.Fatal(err)
	}
	never := make(map[symexec.BranchOutcome]bool)
	for _, o := range all.Never {
		never[o] = true
	}
	branches := 0
	for pc := range s.Kernel.Instrs {
		if !s.Kernel.Instrs[pc].Guard.Set {
			continue
		}
		taken, not := outcomes(pc)
		want := [...][2]symexec.Verdict{
			{symexec.Covered, symexec.Infeasible}, // a multiple of 4
			{symexec.Infeasible, symexec.Covered}, // at most 41, and no more than 40
			{symexec.Infeasible, symexec.Covered}, // at least -8
			{symexec.Covered, symexec.Covered},
		}[branches]
		for i, o := range []symexec.BranchOutcome{taken, not} {
			if res.Outcomes[o] != want[i] || never[o] != (want[i] == symexec.Infeasible) {
				t.Errorf("branch %d, outcome %d: %s, never %v, want %s", branches, i, res.Outcomes[o], never[o], want[i])
			}
		}
		branches++
	}
	for _, p := range res.Paths {
		cells := p.Model.Cells[symexec.Parameters]
		word := int32(cells[uint64(n.Offset)] | cells[uint64(n.Offset)+1]<<8 | cells[uint64(n.Offset)+2]<<16 | cells[uint64(n.Offset)+3]<<24)
		if !s.options.Relations[0].Holds([]int64{int64(word), 4}) || !s.options.Relations[3].Holds([]int64{int64(word), 4}) {
			t.Errorf("a path has n = %d", word)
		}
	}
}
