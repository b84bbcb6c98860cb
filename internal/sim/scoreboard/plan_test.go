package scoreboard

import (
	"maps"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/isatest"
)

// TestMemoryGoesThroughTheLoadStoreUnit checks for every operation, type and
// space that what reads or writes memory is timed as an access of the load/store
// unit, and that nothing else is.
func TestMemoryGoesThroughTheLoadStoreUnit(t *testing.T) {
	m := fermi(t)
	lsu := m.Timing(isa.MemGlobal).Pipeline
	accesses := 0
	for _, op := range isatest.Ops() {
		for _, typ := range []isa.Type{isa.U8, isa.U32, isa.B64, isa.F16, isa.F32, isa.F64} {
			for space := isa.Generic; space <= isa.Param; space++ {
				in := &isa.Instr{Op: op, Type: typ, Space: space}
				effect := op.Info().Effect
				memory := effect&(isa.ReadsMem|isa.WritesMem) != 0
				if (kindOf(in) == kindMemory) != memory {
					t.Errorf("%s is of kind %d", in, kindOf(in))
				}
				if pipe := m.Timing(in.Class()).Pipeline; memory && pipe != lsu {
					t.Errorf("%s issues to pipeline %q", in, pipe)
				}
				if memory {
					accesses++
				}
				if memory && effect&(isa.Barriers|isa.Branches|isa.Exits) != 0 {
					t.Errorf("%s is an access and more", in)
				}
			}
		}
	}
	if accesses == 0 {
		t.Error("no operation accesses memory")
	}
}

// TestStandInsAreTimed changes the number that stands in for shuffles.
func TestStandInsAreTimed(t *testing.T) {
	code := compile(t, "shfl.bfly.b32 %r1, %t, 1, 31; add.u32 %r2, %r1, 1; ret;")
	slow := fermi(t)
	slow.StandIns = maps.Clone(slow.StandIns)
	shuffle := slow.StandIns["shuffle"]
	shuffle.Latency += 70
	slow.StandIns["shuffle"] = shuffle
	if a, b := observe(t, newSim(t, fermi(t), code), 1, 32), observe(t, newSim(t, slow, code), 1, 32); b.Cycles != a.Cycles+70 {
		t.Errorf("%d cycles become %d, want 70 more", a.Cycles, b.Cycles)
	}
}
