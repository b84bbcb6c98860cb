package workload

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// independentSince is the first architecture whose threads are scheduled independently (CUDA C++
// Programming Guide, Independent Thread Scheduling).
const independentSince = 70

// lockstepTarget warns of a module whose target is an architecture with warps in lock-step, on a
// machine whose threads are scheduled independently, if a kernel of the job has threads that deal
// with each other; nil if there is nothing to warn of.
func lockstepTarget(s *state) *diag.Warning {
	target, ok := isa.ParseTarget(s.program.Target)
	if !ok || target.SM >= independentSince || !s.machine.IndependentThreads() {
		return nil
	}
	for _, k := range s.linked {
		for i := range k.Instrs {
			if in := &k.Instrs[i]; joinsLanes(in) {
				return &diag.Warning{Pos: s.program.TargetPos, ID: "lockstep-target", Text: fmt.Sprintf(
					`the module targets %s, whose warps run in lock-step, and the threads of %s are scheduled independently: %s at %s may rely on what only lock-step promises; threads = "lockstep" in the job runs it so`,
					isa.Named(s.program.Target), s.machine.Name, k.Format(in), in.Pos)}
			}
		}
	}
	return nil
}

// joinsLanes reports whether the effect of an instruction may depend on which other threads of the
// warp execute it when: barriers, exchanges between lanes, and accesses by which threads tell each
// other something. Atomic operations are as if one followed the other in lock-step, too, and
// bar.warp.sync waits for the lanes that it names.
func joinsLanes(in *isa.Instr) bool {
	effect := in.Op.Info().Effect
	switch {
	case in.Op == isa.BarWarp, in.Op == isa.Atom, in.Op == isa.Red:
		return false
	case effect&(isa.Barriers|isa.Crosslane) != 0:
		return true
	case effect&(isa.ReadsMem|isa.WritesMem) == 0:
		return false
	}
	order, _ := in.Strength()
	return in.Space == isa.Shared || order != isa.OrderWeak
}
