package emu

import (
	"encoding/binary"

	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// value returns a constant's value in a lane of a warp of CTA number cta.
func (g *Grid) value(k constant, cta, warp, lane int) uint64 {
	if k.isVar {
		if k.v == isa.ParamVar {
			return abi.ParamBase + k.value
		}
		return g.vars[k.v] + k.value
	}
	if k.isParam {
		return g.parameter(k)
	}
	if k.special == isa.NoSpecial {
		return k.value
	}
	return uint64(g.special(k.special, cta, warp, lane))
}

// parameter returns the value of a parameter, or of a part.
func (g *Grid) parameter(k constant) uint64 {
	var bytes [8]byte
	copy(bytes[:], g.launch.Params[k.value:][:k.bytes])
	x := binary.LittleEndian.Uint64(bytes[:])
	if k.bits > 0 {
		shift := 64 - 8*k.bytes
		x = uint64(int64(x<<shift)>>shift) & alu.LowBits(k.bits)
	}
	return x
}

// special returns the value of a special register that Env does not hold. A
// cluster is one CTA. Zero are the grid's number, since one launch is one grid;
// what the hardware counts or a driver leaves in registers; the reserved shared
// memory, of which there is none; and the fourth components of coordinates.
func (g *Grid) special(s isa.Special, cta, warp, lane int) uint32 {
	tid := unflatten(warp*g.width+lane, g.launch.Block)
	ctaid := unflatten(cta, g.launch.Grid)
	bit := uint32(1) << lane
	switch s {
	case isa.TidX, isa.TidY, isa.TidZ:
		return uint32(tid[s-isa.TidX])
	case isa.NtidX, isa.NtidY, isa.NtidZ:
		return uint32(g.launch.Block[s-isa.NtidX])
	case isa.CtaidX, isa.CtaidY, isa.CtaidZ:
		return uint32(ctaid[s-isa.CtaidX])
	case isa.NctaidX, isa.NctaidY, isa.NctaidZ:
		return uint32(g.launch.Grid[s-isa.NctaidX])
	case isa.ClusteridX, isa.ClusteridY, isa.ClusteridZ:
		return uint32(ctaid[s-isa.ClusteridX])
	case isa.NclusteridX, isa.NclusteridY, isa.NclusteridZ:
		return uint32(g.launch.Grid[s-isa.NclusteridX])
	case isa.ClusterNctaidX, isa.ClusterNctaidY, isa.ClusterNctaidZ, isa.ClusterNctarank:
		return 1
	case isa.LaneID:
		return uint32(lane)
	case isa.WarpID:
		return uint32(warp)
	case isa.NwarpID:
		return uint32(g.shape.warps)
	case isa.LanemaskEq:
		return bit
	case isa.LanemaskLe:
		return bit | (bit - 1)
	case isa.LanemaskLt:
		return bit - 1
	case isa.LanemaskGe:
		return -bit
	case isa.LanemaskGt:
		return -bit &^ bit
	case isa.DynamicSmemSize:
		return uint32(g.launch.DynamicShared)
	case isa.TotalSmemSize, isa.AggrSmemSize:
		return uint32(abi.AlignUp(uint64(g.shape.shared), g.code.sharedUnit()))
	case isa.WarpSize:
		return uint32(g.width)
	}
	return 0
}

// fillFixed makes the places of the constants that do not differ by CTA. Those
// that do not differ by warp are shared by all warps. Special registers stay if the launch
// before had the same dimensions.
func (g *Grid) fillFixed() {
	constants, warps := g.code.constants, g.shape.warps
	g.fixed = sized(g.fixed, len(constants)*warps*g.chunks)
	d := dims{g.launch.Grid, g.launch.Block, g.launch.DynamicShared, g.shape}
	same := g.dims == d
	g.dims = d
	for i, k := range constants {
		sc := specialScope(k.special)
		if sc == ofCTA || same && k.special != isa.NoSpecial {
			continue
		}
		for warp := range warps {
			for chunk := range g.chunks {
				at := g.fixedIndex(i, warp, chunk)
				if warp > 0 && sc == ofGrid {
					g.fixed[at] = g.fixed[g.fixedIndex(i, 0, chunk)]
					continue
				}
				v := g.fixed[at]
				if v.words == nil && v.vector == nil {
					v = newPlace(k.wide)
				}
				if k.special == isa.NoSpecial {
					v.fill(g.value(k, 0, 0, 0))
				} else {
					for lane := range lanes {
						v.set(lane, g.value(k, 0, warp, chunk*lanes+lane))
					}
				}
				g.fixed[at] = v
			}
		}
	}
}

func (g *Grid) fixedIndex(constant, warp, chunk int) int {
	return (constant*g.shape.warps+warp)*g.chunks + chunk
}

// place is where a constant lies: the one or the other.
type place struct {
	words  *vec.Words
	vector *vec.Vector
}

func newPlace(wide bool) place {
	if wide {
		return place{vector: new(vec.Vector)}
	}
	return place{words: new(vec.Words)}
}

// fill gives all lanes the value x.
func (p place) fill(x uint64) {
	if p.vector != nil {
		p.vector.Fill(x)
		return
	}
	p.words.Fill(uint32(x))
}

// set gives a lane the value x.
func (p place) set(lane int, x uint64) {
	if p.vector != nil {
		p.vector[lane] = x
		return
	}
	p.words[lane] = uint32(x)
}
