package absexec

import (
	"math/bits"

	"warpbound/internal/isa"
)

// waitsForThreads reports whether threads of a warp wait for others at an instruction, where they
// are scheduled independently.
func waitsForThreads(in *isa.Instr) bool {
	switch in.Op {
	case isa.Mma, isa.LdMatrix, isa.StMatrix, isa.MovMatrix:
		return true
	case isa.Activemask:
		return false
	}
	return in.Op.Info().Effect&(isa.Barriers|isa.Crosslane) != 0
}

// missingLanes returns the lanes that an instruction waits for and that do not surely execute it
// now, together with the running entry. Must are those in which its guard surely holds.
func (x *execution) missingLanes(pc int, must uint64) uint64 {
	alive := x.beyond
	for i := range x.stack {
		alive |= x.stack[i].may
	}
	return alive & x.memberLanes(pc) &^ (x.top().must & must)
}

// memberLanes returns the lanes that an instruction names, all if that is not known.
func (x *execution) memberLanes(pc int) uint64 {
	at, names := map[isa.Op]int{isa.Vote: 1, isa.Match: 1, isa.Redux: 1, isa.Shfl: 3, isa.BarWarp: 0, isa.Elect: 0}[x.instr(pc).Op]
	if !names || at >= len(x.instr(pc).Src) {
		return ^uint64(0)
	}
	v, named := x.source(pc, at), uint64(0)
	for m := x.top().may; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if v.known>>lane&1 == 0 || v.moves() {
			return ^uint64(0)
		}
		named |= v.lane(lane).base
	}
	return named
}
