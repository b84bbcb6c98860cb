// Package published holds Eqs. 1 to 3 of Huangfu and Zhang, "WCET Analysis of the Shared Data
// Cache in Integrated CPU-GPU Architectures", as they stand: the times of warps that issue in
// turn. They give a bound if all warps issue equally many instructions and there is no
// barrier, and none otherwise (published_test.go); package llc computes times by the rules of the machine
// instead.
//
// It must not import any other package of the project.
package published

// Instr is an instruction of a warp: Issue is its issuing latency, which does not overlap with that of
// another one, and Execution its execution latency, which may; in cycles (Fig. 5).
type Instr struct{ Issue, Execution int64 }

// WCET is Eq. 3: when the last of the warps ends, each of which issues its instructions one after the
// other, the warps in turn. Where an equation names an instruction that its warp does not have, the
// term is left out.
func WCET(warps [][]Instr) int64 {
	issued := Issued(warps)
	end := int64(0)
	for i, w := range warps {
		if last := len(w) - 1; last >= 0 {
			end = max(end, issued[i][last]+w[last].Issue+w[last].Execution)
		}
	}
	return end
}

// Issued is Eqs. 1 and 2: when each warp issues each of its instructions.
func Issued(warps [][]Instr) [][]int64 {
	t := make([][]int64, len(warps))
	rounds := 0
	for i, w := range warps {
		t[i] = make([]int64, len(w))
		rounds = max(rounds, len(w))
	}
	for j := range rounds {
		for i, w := range warps {
			if j >= len(w) {
				continue
			}
			before, k := i-1, j
			if i == 0 {
				before, k = len(warps)-1, j-1
			}
			if k >= 0 && before >= 0 && k < len(warps[before]) {
				t[i][j] = t[before][k] + warps[before][k].Issue
			}
			if j > 0 {
				t[i][j] = max(t[i][j], t[i][j-1]+w[j-1].Issue+w[j-1].Execution)
			}
		}
	}
	return t
}
