package emu

import (
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// TestAllocate checks which registers of small programs share a vector.
func TestAllocate(t *testing.T) {
	for _, c := range []struct {
		name, body string
		disjoint   [][2]string
		together   [][2]string
	}{
		{"a chain shares", "add.u32 %r1, %r0, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; st.global.u32 [%rd1], %r3; ret;",
			nil, [][2]string{{"%r1", "%r2"}, {"%r2", "%r3"}, {"%r0", "%r1"}}},
		{"both live", "add.u32 %r1, %r0, 1; add.u32 %r2, %r0, 2; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1], %r2; ret;",
			[][2]string{{"%r1", "%r2"}}, nil},
		{"around a loop", "head: add.u32 %r1, %r0, 1; add.u32 %r2, %r1, 1; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 9; @%p0 bra head; ret;",
			[][2]string{{"%r0", "%r1"}, {"%r0", "%r2"}}, [][2]string{{"%r1", "%r2"}}},
		{"a guarded result keeps the rest", "mov.u32 %r1, 1; add.u32 %r2, %r0, 5; setp.eq.u32 %p0, %r2, 0; @%p0 mov.u32 %r1, %r0; st.global.u32 [%rd1], %r1; ret;",
			[][2]string{{"%r1", "%r2"}}, nil},
		{"a result that nobody reads", "add.u32 %r1, %r0, 1; st.global.u32 [%rd1], %r0; ret;", [][2]string{{"%r1", "%r0"}}, nil},
		{"a loaded value and its address", "ld.global.u64 %rd2, [%rd1]; st.global.u64 [%rd2], %rd2; ret;", [][2]string{{"%rd1", "%rd2"}}, nil},
		{"read before it is written", "add.u32 %r1, %r0, 1; add.u32 %r1, %r1, 1; add.u32 %r2, %r1, %r3; st.global.u32 [%rd1], %r2; ret;",
			[][2]string{{"%r3", "%r0"}, {"%r3", "%r1"}, {"%r3", "%rd0"}}, nil},
		{"read where a run fails", "bra start; fail: st.global.u32 [%rd1], %r1; trap; start: mov.u32 %r1, 1; head: add.u32 %r2, %r0, 1; setp.lt.u32 %p0, %r2, 9; @%p0 bra fail; bra head;",
			[][2]string{{"%rd1", "%r2"}, {"%r1", "%r2"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{body: c.body}
			k := s.kernel(t)
			slots, words, vectors := allocate(k, build(k))
			named := map[string]alu.Slot{}
			for i, r := range k.Regs {
				named[r.Name] = slots[i]
				if s := slots[i]; r.Type != isa.Pred && s >= alu.Slot(alu.RegsBase+words) || s.Wide() && s < alu.WideSlot(alu.RegsBase+vectors-1) {
					t.Errorf("%s has slot %d of %d words and %d vectors", r.Name, s, words, vectors)
				}
				if s := slots[i]; s != alu.SlotSink && s.Wide() != (r.Type.Bits() > 32) {
					t.Errorf("%s has slot %d, of the wrong width", r.Name, s)
				}
			}
			for _, pair := range c.disjoint {
				if named[pair[0]] == named[pair[1]] {
					t.Errorf("%s and %s share a vector", pair[0], pair[1])
				}
			}
			for _, pair := range c.together {
				if named[pair[0]] != named[pair[1]] {
					t.Errorf("%s and %s have vectors %d and %d", pair[0], pair[1], named[pair[0]], named[pair[1]])
				}
			}
		})
	}
}

// TestAllocateAgainstPaths walks random paths of random programs and checks that
// no write changes the vector of a register that is read later on the path.
func TestAllocateAgainstPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, _ := program(t)
		g := build(k)
		slots, _, _ := allocate(k, g)
		owner := map[alu.Slot]isa.Reg{} // whose value a slot holds
		for i, r := range k.Regs {
			if r.Type != isa.Pred && slots[i] != alu.SlotSink {
				if _, ok := owner[slots[i]]; !ok {
					owner[slots[i]] = isa.Reg(i)
				}
			}
		}
		written := map[isa.Reg]bool{}
		pc := 0
		for range 300 {
			in := &k.Instrs[pc]
			in.Reads(func(r isa.Reg) {
				if k.Regs[r].Type != isa.Pred && written[r] && owner[slots[r]] != r {
					t.Fatalf("instruction %d reads register %d, whose vector holds register %d\n%s", pc, r, owner[slots[r]], listing(k))
				}
			})
			if !in.Guard.Set || rapid.Bool().Draw(t, "guard") {
				in.Writes(func(r isa.Reg) { owner[slots[r]], written[r] = r, true })
			}
			next := []int{pc + 1}
			switch in.Op {
			case isa.Ret, isa.Exit:
				if !in.Guard.Set {
					return
				}
			case isa.Bra:
				next = []int{in.Target}
				if in.Guard.Set {
					next = append(next, pc+1)
				}
			case isa.BrxIdx:
				next = in.Targets
			}
			pc = rapid.SampledFrom(next).Draw(t, "next")
		}
	})
}
