package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/kernels"
)

// hybridFigures is a row of the paper's Table II, in cycles.
type hybridFigures struct {
	program                    string
	observed                   int64 // Z_HWM
	warp, dynamic, hybrid      int64
	overDynamic, overPublished string // as printed
}

// paperTableIIOfHybrid is the paper's Table II, in its order, which is that of kernels.SDK.
var paperTableIIOfHybrid = []hybridFigures{
	{"BitonicSort-1", 1045259, 173548, 1186941, 6929575, "14 %", "563 %"},
	{"BitonicSort-2", 101582, 7769, 107222, 1438780, "6 %", "1316 %"},
	{"BitonicSort-3", 264934, 39091, 296152, 2448819, "12 %", "824 %"},
	{"BlackScholes", 793333, 408700, 1080880, 2138670, "36 %", "170 %"},
	{"EigenValues-1", 1143429, 2801330, 2801337, 2801337, "145 %", "145 %"},
	{"EigenValues-2", 1811709, 4190040, 4190047, 4190047, "131 %", "131 %"},
	{"EigenValues-3", 2576497, 10292800, 10292807, 10292807, "299 %", "299 %"},
	{"Histogram-1", 181164, 1274430, 1274469, 1274469, "603 %", "603 %"},
	{"Histogram-2", 1220518, 69455, 1266381, 2884400, "4 %", "136 %"},
	{"MatrixMultiply", 3642, 4678, 4680, 4680, "29 %", "29 %"},
	{"MatrixTranspose-1", 97303, 23364, 117330, 2661646, "21 %", "2635 %"},
	{"MatrixTranspose-2", 40621, 6734, 44747, 1314576, "10 %", "3136 %"},
	{"MatrixTranspose-3", 39671, 6406, 43268, 898864, "9 %", "2166 %"},
	{"MatrixTranspose-4", 27807, 6276, 32282, 371462, "16 %", "1236 %"},
	{"Reduction-1", 2158, 4548, 4555, 4555, "111 %", "111 %"},
	{"Reduction-2", 2407, 6442, 6449, 6449, "168 %", "168 %"},
	{"Reduction-3", 2625, 4583, 4590, 4590, "75 %", "75 %"},
	{"Reduction-4", 1947, 3906, 3913, 3913, "101 %", "101 %"},
	{"Reduction-5", 1880, 2580, 2587, 2587, "38 %", "38 %"},
	{"Reduction-6", 1645, 2196, 2203, 2203, "34 %", "34 %"},
	{"ScalarProduct", 107625, 684002, 744425, 1378438, "591 %", "1181 %"},
	{"Scan-1", 98838, 52350, 146603, 4097887, "48 %", "4064 %"},
	{"Scan-2", 34116, 50886, 50893, 50893, "49 %", "49 %"},
	{"Scan-3", 46328, 2417, 47940, 373170, "3 %", "705 %"},
	{"VectorAdd", 656, 652, 659, 659, "< 1 %", "< 1 %"},
}

// paperAverages recomputes the averages that the paper states from the rows of its Table II.
func paperAverages() []estimate.Example {
	var dynamic, published []float64
	for _, f := range paperTableIIOfHybrid {
		dynamic = append(dynamic, above(f.dynamic, f.observed))
		published = append(published, above(f.hybrid, f.observed))
	}
	return []estimate.Example{
		example("Table II: average difference of Z_dynamic, from the paper's rows", "102 %", whole(mean(dynamic))),
		example("Table II: average difference of Z_hybrid, from the paper's rows", "796 %", whole(mean(published))),
	}
}

func whole(percent float64) string { return fmt.Sprintf("%.0f %%", percent) }

// tableI is the paper's Table I with the kernels of ours that stand for each application.
func tableI() estimate.Table {
	does := [][2]string{
		{"BitonicSort", "Parallel algorithm to sort n elements"},
		{"BlackScholes", "Computes European pricing options using the Black-Scholes formula"},
		{"EigenValues", "Computes all eigenvalues for a square matrix"},
		{"Histogram", "Computes a 64-bin histogram"},
		{"MatrixMultiply", "Multiplies two n x m matrices"},
		{"MatrixTranspose", "Transposes an n x m matrix"},
		{"VectorAdd", "Adds two n-element vectors"},
		{"Reduction", "Parallel summation of n elements using a tree-based implementation"},
		{"Scan", "Given an array A of n elements, computes the array of the sums of its first elements"},
		{"ScalarProduct", "Calculates the scalar product of two n-element vectors"},
	}
	t := estimate.Table{Name: "Table I: the applications, and our kernels", Columns: []string{"application", "what it does", "kernels"}}
	for _, d := range does {
		var names []string
		for _, k := range kernels.SDK() {
			if name, _, _ := strings.Cut(k.Program, "-"); name == d[0] {
				names = append(names, k.Kernel)
			}
		}
		t.Rows = append(t.Rows, []string{d[0], d[1], strings.Join(names, ", ")})
	}
	return t
}

// hybridColumn is a column of Table II: a cell of each row, and what stands below them all.
type hybridColumn struct {
	name  string
	cell  func(r *hybridRow) string
	total func(rows []hybridRow) string // nil for nothing
}

// hybridTableII sets high-water marks and bounds beside the paper's Table II.
func hybridTableII(rows []hybridRow, opts Options) estimate.Table {
	size, inputs := "launches of the paper's size", fmt.Sprintf("%d random inputs for each kernel, or a tenth of it where a run takes long", opts.Vectors)
	if opts.Quick {
		size, inputs = "small launches, not of the paper's size", fmt.Sprintf("%d random inputs for each kernel", opts.Vectors)
	}
	columns := []hybridColumn{
		{"kernel", func(r *hybridRow) string { return r.kernel.Program }, func([]hybridRow) string { return "average" }},
		paperColumn("paper: Z_HWM", func(f hybridFigures) any { return f.observed }),
		paperColumn("Z_warp", func(f hybridFigures) any { return f.warp }),
		paperColumn("Z_dynamic", func(f hybridFigures) any { return f.dynamic }),
		paperDifference(func(f hybridFigures) (string, int64) { return f.overDynamic, f.dynamic }),
		paperColumn("Z_hybrid", func(f hybridFigures) any { return f.hybrid }),
		paperDifference(func(f hybridFigures) (string, int64) { return f.overPublished, f.hybrid }),
		{"ours: Z_HWM", func(r *hybridRow) string { return fmt.Sprint(r.observed) }, nil},
		{"hybrid/warp", func(r *hybridRow) string { return fmt.Sprint(r.cycles("hybrid/warp")) }, nil},
	}
	for _, id := range hybridBounds {
		if slices.ContainsFunc(rows, func(r hybridRow) bool { return r.estimates[id] != nil }) {
			columns = append(columns, figureColumns(id, func(r *hybridRow) int64 { return r.cycles(id) })...)
		}
		if id == "hybrid/waves" {
			columns = append(columns, figureColumns("Eq. 2 as published", func(r *hybridRow) int64 { traces, _ := r.equation2(); return traces })...)
			columns = append(columns, figureColumns("Eq. 2, waves from the launch", func(r *hybridRow) int64 { _, launch := r.equation2(); return launch })...)
		}
	}
	columns = append(columns, hybridColumn{"bounds", func(r *hybridRow) string {
		if below := r.below(); len(below) > 0 {
			return "BELOW: " + strings.Join(below, ", ")
		}
		return "ok"
	}, nil})

	t := hybridTable(fmt.Sprintf("Table II: %s, %s (the paper: 1000), one where\n"+
		"no input can change the time. Differences are to the high-water mark (Z_HWM); neither Eq. 2 is a bound as published", size, inputs), columns, rows)
	t.Label = estimate.LabelNoTarget // the paper's times are those of a GPU
	return t
}

// hybridLaunches says what was run for each row of Table II.
func hybridLaunches(rows []hybridRow) estimate.Table {
	return hybridTable("Launches of Table II, inputs from which bounds were learned, and what differs from the paper or is not known of it\n"+
		"where launches are of its size", []hybridColumn{
		{"kernel", func(r *hybridRow) string { return r.kernel.Program }, nil},
		{"ours", func(r *hybridRow) string { return r.kernel.Kernel }, nil},
		{"CTAs", func(r *hybridRow) string { return fmt.Sprint(r.ctas) }, nil},
		{"threads of each", func(r *hybridRow) string { return fmt.Sprint(r.threads) }, nil},
		{"vectors", func(r *hybridRow) string { return fmt.Sprint(r.runs) }, nil},
		{"time depends on inputs", func(r *hybridRow) string {
			if r.invariant {
				return "no, proven"
			}
			return "perhaps"
		}, nil},
		{"differs", func(r *hybridRow) string { return r.kernel.Differs }, nil},
	}, rows)
}

// hybridTable makes a table of columns.
func hybridTable(name string, columns []hybridColumn, rows []hybridRow) estimate.Table {
	t := estimate.Table{Name: name}
	totals := false
	for _, c := range columns {
		t.Columns = append(t.Columns, c.name)
		totals = totals || c.total != nil
	}
	for i := range rows {
		var cells []string
		for _, c := range columns {
			cells = append(cells, c.cell(&rows[i]))
		}
		t.Rows = append(t.Rows, cells)
	}
	if totals {
		var cells []string
		for _, c := range columns {
			cell := "-"
			if c.total != nil {
				cell = c.total(rows)
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// paperColumn is a column of the paper.
func paperColumn(name string, figure func(f hybridFigures) any) hybridColumn {
	return hybridColumn{name, func(r *hybridRow) string { return fmt.Sprint(figure(r.paper)) }, nil}
}

// paperDifference is a column of the paper with differences, which are as printed.
func paperDifference(of func(f hybridFigures) (printed string, cycles int64)) hybridColumn {
	return hybridColumn{"difference", func(r *hybridRow) string { printed, _ := of(r.paper); return printed }, func(rows []hybridRow) string {
		return average(rows, func(r *hybridRow) float64 { _, cycles := of(r.paper); return above(cycles, r.paper.observed) })
	}}
}

// figureColumns are a column of ours and that of its differences to the high-water mark.
func figureColumns(name string, cycles func(r *hybridRow) int64) []hybridColumn {
	over := func(r *hybridRow) float64 { return above(cycles(r), r.observed) }
	return []hybridColumn{
		{name, func(r *hybridRow) string { return fmt.Sprint(cycles(r)) }, nil},
		{"difference", func(r *hybridRow) string { return whole(over(r)) }, func(rows []hybridRow) string { return average(rows, over) }},
	}
}

// average is the mean over rows.
func average(rows []hybridRow, of func(r *hybridRow) float64) string {
	var list []float64
	for i := range rows {
		list = append(list, of(&rows[i]))
	}
	return whole(mean(list))
}
