package isa

import "strconv"

// Special is a special register.
type Special uint8

// The special registers. The components of a coordinate follow each other, and
// so do the registers of a numbered series.
const (
	NoSpecial Special = iota
	TidX
	TidY
	TidZ
	TidW // always zero, like every fourth component
	NtidX
	NtidY
	NtidZ
	NtidW
	CtaidX
	CtaidY
	CtaidZ
	CtaidW
	NctaidX
	NctaidY
	NctaidZ
	NctaidW
	ClusteridX
	ClusteridY
	ClusteridZ
	ClusteridW
	NclusteridX
	NclusteridY
	NclusteridZ
	NclusteridW
	ClusterCtaidX
	ClusterCtaidY
	ClusterCtaidZ
	ClusterCtaidW
	ClusterNctaidX
	ClusterNctaidY
	ClusterNctaidZ
	ClusterNctaidW
	ClusterCtarank
	ClusterNctarank
	IsExplicitCluster
	LaneID
	WarpID
	NwarpID
	SmID
	NsmID
	GridID
	LanemaskEq
	LanemaskLe
	LanemaskLt
	LanemaskGe
	LanemaskGt
	Clock
	Clock64
	ClockHi
	GlobalTimer
	GlobalTimerLo
	GlobalTimerHi
	DynamicSmemSize
	TotalSmemSize
	AggrSmemSize
	ReservedSmemBegin
	ReservedSmemEnd
	ReservedSmemCap
	ReservedSmem0
	ReservedSmem1
	CurrentGraphExec
	WarpSize
	Pm0                        // and 7 more
	Pm64        = Pm0 + 8      // %pm0_64, and 7 more
	Envreg0     = Pm64 + 8     // and 31 more
	numSpecials = Envreg0 + 32 // how many there are
)

// special is what is known of a special register: its PTX name without the
// percent sign, and its width in bits.
type special struct {
	name string
	bits int
}

var specials = makeSpecials()

func makeSpecials() [numSpecials]special {
	table := [numSpecials]special{
		ClusterCtarank: {"cluster_ctarank", 32}, ClusterNctarank: {"cluster_nctarank", 32},
		IsExplicitCluster: {"is_explicit_cluster", 1},
		LaneID:            {"laneid", 32}, WarpID: {"warpid", 32}, NwarpID: {"nwarpid", 32},
		SmID: {"smid", 32}, NsmID: {"nsmid", 32}, GridID: {"gridid", 64},
		LanemaskEq: {"lanemask_eq", 32}, LanemaskLe: {"lanemask_le", 32}, LanemaskLt: {"lanemask_lt", 32},
		LanemaskGe: {"lanemask_ge", 32}, LanemaskGt: {"lanemask_gt", 32},
		Clock: {"clock", 32}, Clock64: {"clock64", 64}, ClockHi: {"clock_hi", 32},
		GlobalTimer: {"globaltimer", 64}, GlobalTimerLo: {"globaltimer_lo", 32}, GlobalTimerHi: {"globaltimer_hi", 32},
		DynamicSmemSize: {"dynamic_smem_size", 32}, TotalSmemSize: {"total_smem_size", 32}, AggrSmemSize: {"aggr_smem_size", 32},
		ReservedSmemBegin: {"reserved_smem_offset_begin", 32}, ReservedSmemEnd: {"reserved_smem_offset_end", 32},
		ReservedSmemCap: {"reserved_smem_offset_cap", 32},
		ReservedSmem0:   {"reserved_smem_offset_0", 32}, ReservedSmem1: {"reserved_smem_offset_1", 32},
		CurrentGraphExec: {"current_graph_exec", 64},
		WarpSize:         {"WARP_SZ", 32},
	}
	for first, name := range map[Special]string{
		TidX: "tid", NtidX: "ntid", CtaidX: "ctaid", NctaidX: "nctaid", ClusteridX: "clusterid", NclusteridX: "nclusterid",
		ClusterCtaidX: "cluster_ctaid", ClusterNctaidX: "cluster_nctaid",
	} {
		for i, axis := range []string{".x", ".y", ".z", ".w"} {
			table[first+Special(i)] = special{name + axis, 32}
		}
	}
	for i := range Special(8) {
		table[Pm0+i] = special{"pm" + strconv.Itoa(int(i)), 32}
		table[Pm64+i] = special{"pm" + strconv.Itoa(int(i)) + "_64", 64}
	}
	for i := range Special(32) {
		table[Envreg0+i] = special{"envreg" + strconv.Itoa(int(i)), 32}
	}
	return table
}

// String returns the register's PTX name without the percent sign.
func (s Special) String() string { return specials[s].name }

// Bits returns the register's width in bits: 1 for a predicate.
func (s Special) Bits() int { return specials[s].bits }

// SpecialByName finds a special register by its PTX name without the percent
// sign.
func SpecialByName(name string) (Special, bool) {
	for s := TidX; s < numSpecials; s++ {
		if specials[s].name == name {
			return s, true
		}
	}
	return NoSpecial, false
}
