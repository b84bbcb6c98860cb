package reproduce

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/kernels"
)

// sweep makes figures with short benchmarks and a few kernels.
func sweep(t *testing.T, figures ...func(*sweeper, context.Context) error) *sweeper {
	t.Helper()
	return sweepOf(t, 400, figures...)
}

// sweepOf is sweep with benchmarks of so many instructions.
func sweepOf(t *testing.T, instructions int, figures ...func(*sweeper, context.Context) error) *sweeper {
	t.Helper()
	base := benchmark(1)
	base.Instructions = instructions
	s := &sweeper{lab: &lab{}, base: base, kernels: []string{"ludPerimeter", "matrixMul"}, runs: 1, out: &estimate.Reproduction{}}
	for _, figure := range figures {
		if err := figure(s, t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s.beyond != 0 {
		t.Errorf("%d of %d runs take longer than their bound", s.beyond, s.count)
	}
	checkLabels(t, s.out)
	for _, table := range s.out.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: a row of %d cells for %d columns: %q", table.Name, len(row), len(table.Columns), row)
			}
		}
	}
	return s
}

// column returns the numbers of a column of a table, without units.
func column(t *testing.T, table estimate.Table, at int) []float64 {
	t.Helper()
	var list []float64
	for _, row := range table.Rows {
		v, err := strconv.ParseFloat(strings.TrimSuffix(row[at], " %"), 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// TestTable3 checks that what PWS gains over DWS grows with S, as the paper has it, and that no
// bound is twice what was observed.
func TestTable3(t *testing.T) {
	s := sweep(t, (*sweeper).table3)
	all, gains, sweep := s.out.Tables[0], s.out.Tables[1], s.out.Tables[2]
	for i, observed := range column(t, all, 2) { // no splitting, DWS, DWS on idle SIMDs, PWS
		if i%4 == 2 && 10*observed > 11*column(t, all, 2)[i+1] {
			t.Errorf("parts on idle SIMDs take %v cycles, those on split SIMDs %v", observed, column(t, all, 2)[i+1])
		}
	}
	all.Rows = slices.DeleteFunc(all.Rows, func(row []string) bool { return row[7] == "-" })
	for at := 1; at <= 2; at++ {
		if by := column(t, gains, at); !slices.IsSorted(by) || by[0] < 35 || by[2] < 60 {
			t.Errorf("PWS takes less than DWS by %v per cent (%s)", by, gains.Columns[at])
		}
	}
	if above := slices.Max(append(column(t, all, 7), column(t, sweep, 7)...)); above > 2 {
		t.Errorf("a bound is %v times what was observed", above)
	}
	if len(sweep.Rows) != 8 {
		t.Errorf("%d numbers of split SIMDs", len(sweep.Rows))
	}
}

// TestSharesOfInstructions checks that more divergent instructions make splitting worth more,
// and more instructions that access memory make it worth less.
func TestSharesOfInstructions(t *testing.T) {
	s := sweepOf(t, 200, (*sweeper).fig10a, (*sweeper).fig10b)
	for i, p := range s.out.Plots {
		for _, series := range p.Series {
			first, last := series.Values[0], series.Values[len(series.Values)-1]
			if up := i == 0; up != (first < last) {
				t.Errorf("%s, %s: %v", p.Title, series.Name, series.Values)
			}
		}
	}
}

// TestConcurrentReuse checks, of trials on all processors, that SIMDs that idle split SIMDs become save time, the more the fewer branches
// split.
func TestConcurrentReuse(t *testing.T) {
	s := sweep(t, (*sweeper).fig12)
	saved := column(t, s.out.Tables[0], 6)
	slices.Reverse(saved)
	if !slices.IsSorted(saved) || saved[0] != 0 || saved[3] < 30 {
		t.Errorf("reuse saves %v per cent", saved)
	}
}

func TestKernelsThatSplit(t *testing.T) {
	s := sweep(t, (*sweeper).fig10e, (*sweeper).fig11)
	if names := s.out.Plots[2].Positions; !slices.Equal(names, []string{"matrixMul", "ludPerimeter", "geometric mean", "arithmetic mean"}) {
		t.Errorf("kernels by speed-up: %q", names)
	}
	if normalised := s.out.Plots[0].Series[0].Values[0]; normalised >= 1 {
		t.Errorf("splitting does not lower the bound of ludPerimeter: %v of that without", normalised)
	}
	for at, table := range s.out.Tables[:2] { // with all branches marked, and those of if-else
		if points := column(t, table, 2); points[0] != []float64{3, 1}[at] || points[1] != 0 {
			t.Errorf("%s: split points %v", table.Name, points)
		}
	}
	if same := column(t, s.out.Tables[2], 4); same[0] != 1 {
		t.Errorf("matrixMul has no if-else to mark, and its speed-up is %v", same[0])
	}
}

// TestL1 has the bounds that there are without a cache, and shorter runs of matrixMul, which loads most lines more than once.
func TestL1(t *testing.T) {
	s := sweep(t, (*sweeper).fig10eL1, (*sweeper).fig11L1)
	table := s.out.Tables[0]
	for _, at := range []int{1, 3} {
		if without, with := column(t, table, at), column(t, table, at+4); !slices.Equal(without, with) {
			t.Errorf("bounds are %v without an L1 and %v with one", without, with)
		}
	}
	if without, with := column(t, table, 2), column(t, table, 6); with[1] >= without[1] {
		t.Errorf("the longest runs take %v without an L1 and %v with one", without, with)
	}
	if s.out.Plots[0].File != "fig11-l1" {
		t.Errorf("the plot is %s", s.out.Plots[0].File)
	}
}

// TestGuards marks no branch that does nothing in one of its outcomes: bitonicSort on 4 SIMDs loses nothing then, and half of its time if
// SELECT takes the guard of bounds.
func TestGuards(t *testing.T) {
	m, err := splitMachine(paperSIMDs / 2)
	if err != nil {
		t.Fatal(err)
	}
	job, err := load(kernels.Suite(), "bitonicSort/job.toml", m)
	if err != nil {
		t.Fatal(err)
	}
	var cycles []int64
	for _, marks := range []marks{every, ifElse} {
		p, err := trial{job: job, in: setting{machine.PWS, 1, marks}, runs: 1}.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cycles = append(cycles, p.observed)
	}
	if 10*cycles[0] < 18*cycles[1] {
		t.Errorf("%d cycles with the guard split, %d without", cycles[0], cycles[1])
	}
}

// TestChoices checks that the best branches have bounds that are no greater than those of SELECT's,
// and are less for some kernel.
func TestChoices(t *testing.T) {
	s := sweep(t, (*sweeper).choices)
	selected, best := column(t, s.out.Tables[0], 4), column(t, s.out.Tables[0], 7)
	less := 0
	for i := range best {
		if best[i] > selected[i] {
			t.Errorf("%s: bound %v with the best branches, %v with SELECT's", s.out.Tables[0].Rows[i][0], best[i], selected[i])
		}
		if best[i] < selected[i] {
			less++
		}
	}
	if less == 0 {
		t.Error("the best branches are never better than SELECT's")
	}
}
