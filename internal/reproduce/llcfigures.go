package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc/published"
	"warpbound/internal/method/llc/reuse"
	"warpbound/kernels"
)

// sharedFigures works the examples of the paper on shared caches, and compares the machine and the
// benchmarks with its Tables III and IV.
func sharedFigures() ([]estimate.Example, error) {
	last := strings.Fields(distances("ABCDCEBA"))
	all := []estimate.Example{
		example("Table I: reuse distances of A B C D A C E B", "inf inf inf inf 3 2 inf 4", distances("ABCDACEB")),
		example("Section IV-B: distance of the second A as the last access", "4", last[len(last)-1]),
	}
	for _, f := range sharedAccesses() {
		all = append(all, example(f.name, f.grey, f.area()))
	}
	for _, e := range []struct {
		issue, execution int64
		cycles           string
	}{{2, 10, "30"}, {4, 2, "34"}} {
		warp := slices.Repeat([]published.Instr{{Issue: e.issue, Execution: e.execution}}, 2)
		all = append(all, example(
			fmt.Sprintf("Eqs. 1 to 3, by hand: 4 warps, 2 instructions, LI %d, LE %d", e.issue, e.execution),
			e.cycles, fmt.Sprint(published.WCET(slices.Repeat([][]published.Instr{warp}, 4)))))
	}
	all = append(all, rates())
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		return nil, err
	}
	return append(all,
		fitted("Table III: SMs, warps and CTAs of each, lanes", "15 48 8 32",
			fmt.Sprint(m.SM.Count.Value, m.SM.Warps.Value, m.SM.CTAs.Value, m.SM.WarpSize.Value)),
		fitted("Table III: ways and bytes of an L1, bytes of a line", "4 65536 128",
			fmt.Sprint(m.L1.Ways.Value, m.L1.Sets.Value*m.L1.Ways.Value*m.L1.Line.Value, m.L1.Line.Value)),
		fitted("Table III: ways of the shared cache", "32", fmt.Sprint(m.LLC.Ways.Value)),
		inputs(),
	), nil
}

// distances returns the reuse distances of accesses to the lines of one set, each a letter.
func distances(lines string) string {
	s := reuse.NewStack(1)
	var list []string
	for _, line := range lines {
		if d := s.Access(uint64(line)); d == reuse.Never {
			list = append(list, "inf")
		} else {
			list = append(list, fmt.Sprint(d))
		}
	}
	return strings.Join(list, " ")
}

// paperCores are the accesses of the cores of Figs. 1, 3 and 4 in rows 1 to 8.
var paperCores = [3]string{"ABCDACBE", "ADCEABDC", "EBDACBAD"}

// greyArea asks which accesses may come between two to one line, given by core and row.
type greyArea struct {
	name          string
	rows          int // of an interval, the first of which ends with row 1; 0 if there are none
	before, after [2]int
	grey          string // first and last row of each core
}

func sharedAccesses() []greyArea {
	return []greyArea{
		{"Fig. 1: rows that count for C of core 0", 0, [2]int{0, 3}, [2]int{0, 6}, "3-6 1-8 1-8"},
		{"Fig. 3: the same with intervals of 2 accesses", 2, [2]int{0, 3}, [2]int{0, 6}, "3-6 2-7 2-7"},
		{"Fig. 4: E of core 0, used before by core 1", 2, [2]int{1, 4}, [2]int{0, 8}, "4-8 4-8 4-8"},
	}
}

// area returns the rows that count.
func (f *greyArea) area() string {
	var all []reuse.Core
	for _, lines := range paperCores {
		var c reuse.Core
		for i, line := range lines {
			var w reuse.Window
			if f.rows > 0 {
				k := int64((i + 1) / f.rows)
				w = reuse.Window{From: k, To: k}
			}
			c.Accesses, c.Windows = append(c.Accesses, reuse.Line(uint64(line))), append(c.Windows, w)
		}
		all = append(all, c)
	}
	at := func(place [2]int) reuse.Ref { return reuse.Ref{Core: place[0], At: place[1] - 1} }
	var list []string
	for _, s := range reuse.Between(all, at(f.before), at(f.after)) {
		list = append(list, fmt.Sprintf("%d-%d", s.From+1, s.To))
	}
	return strings.Join(list, " ")
}

// paperMisses is a column of Table II.
type paperMisses struct {
	actual, simple, accesses int64
	actualRate, simpleRate   string // per cent
}

// paperTableII has the columns of the table, which are numbered 1 to 8. There are no columns for k7 and k8: the misses of the last
// two are six and twelve passes over the lines of an image of 128 and one of 256 pixels squared, which srad makes and nw cannot.
var paperTableII = map[string]paperMisses{
	"k1":  {304, 372, 670, "45.4 %", "55.5 %"},
	"k2":  {608, 737, 1292, "47.1 %", "57.0 %"},
	"k3":  {643, 2330, 3228, "19.9 %", "72.2 %"},
	"k4":  {2311, 12499, 12499, "18.5 %", "100.0 %"},
	"k5":  {521, 1641, 2609, "20.0 %", "62.9 %"},
	"k6":  {2084, 7610, 11363, "18.3 %", "67.0 %"},
	"k9":  {3179, 15514, 15514, "20.5 %", "100.0 %"},
	"k10": {24816, 55524, 55524, "44.7 %", "100.0 %"},
}

// rates checks Table II against itself.
func rates() estimate.Example {
	follow := 0
	for _, k := range paperTableII {
		if share(k.actual, k.accesses) == k.actualRate {
			follow++
		}
		if share(k.simple, k.accesses) == k.simpleRate {
			follow++
		}
	}
	return example("Table II: printed rates that follow from its counts", fmt.Sprint(2*len(paperTableII)), fmt.Sprint(follow))
}

// paperInputs is Table IV.
var paperInputs = []struct {
	name, program string
	size          int
}{
	{"k1", "cfd1", 4096}, {"k2", "cfd2", 4096}, {"k3", "gaussian", 128}, {"k4", "gaussian", 256},
	{"k5", "lud", 128}, {"k6", "lud", 256}, {"k7", "nw", 1024}, {"k8", "nw", 2048},
	{"k9", "srad", 128}, {"k10", "srad", 256},
}

// inputs compares the benchmarks with Table IV.
func inputs() estimate.Example {
	agree := 0
	for i, b := range kernels.LLCBenchmarks() {
		if p := paperInputs[i]; p.name == b.Name && p.program == b.Program && p.size == b.Size {
			agree++
		}
	}
	return fitted("Table IV: programs and sizes that the benchmarks have", fmt.Sprint(len(paperInputs)), fmt.Sprint(agree))
}
