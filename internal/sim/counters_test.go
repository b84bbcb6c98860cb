package sim

import (
	"reflect"
	"slices"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// TestCounters checks that every counter has one name and is added up.
func TestCounters(t *testing.T) {
	var c Counters
	v := reflect.ValueOf(&c).Elem()
	names := CounterNames()
	if v.NumField() != len(names) {
		t.Fatalf("%d counters, %d names", v.NumField(), len(names))
	}
	for i := range names {
		v.Field(i).SetInt(int64(i + 1))
		if slices.Contains(names[:i], names[i]) {
			t.Errorf("there are two %s", names[i])
		}
	}
	values := c.Values([]int64{-1})
	slices.Sort(values)
	for i, n := range values[1:] {
		if n != int64(i+1) {
			t.Fatalf("values are %v", values)
		}
	}
	sum := c
	sum.Add(&c)
	for i := range names {
		if got, want := reflect.ValueOf(sum).Field(i).Int(), 2*int64(i+1); got != want {
			t.Errorf("field %d is %d after adding, want %d", i, got, want)
		}
	}
}

func TestResultAdd(t *testing.T) {
	read := func(line int32, count int64) emu.UninitialisedRead {
		in := &isa.Instr{}
		in.Pos.Line = line
		return emu.UninitialisedRead{Instr: in, Count: count}
	}
	one := &Result{
		Cycles: 5, Intervals: 2, Occupancy: machine.Occupancy{CTAs: 3}, Counters: Counters{WarpInstrs: 7},
		Schedulers:    [][]SchedulerCounters{{{Issued: 4}}, {{Issued: 1}}},
		Cores:         []CoreCounters{{1, 2, 3, 4, 5, 6, 7}},
		Uninitialised: []emu.UninitialisedRead{read(3, 8)},
	}
	two := &Result{
		Cycles: 6, Occupancy: machine.Occupancy{CTAs: 9}, Counters: Counters{WarpInstrs: 1},
		Schedulers:    [][]SchedulerCounters{{{Issued: 2}, {Issued: 3}}},
		Uninitialised: []emu.UninitialisedRead{read(3, 1), read(4, 1)},
	}
	two.Schedulers[0][0].Stalls[StallALU] = 9
	var sum Result
	for range 2 { // the second time in storage that was used
		sum.Reset()
		sum.Occupancy = one.Occupancy
		for _, r := range []*Result{one, two, one} {
			sum.Add(r)
		}
		switch s := sum.Schedulers; {
		case sum.Cycles != 16 || sum.Intervals != 4 || sum.Occupancy.CTAs != 3 || sum.Counters.WarpInstrs != 15:
			t.Errorf("%+v", sum)
		case len(s) != 2 || s[0][0].Issued != 10 || s[0][1].Issued != 3 || s[1][0].Issued != 2 || s[0][0].Stalls[StallALU] != 9:
			t.Errorf("schedulers %+v", s)
		case !slices.Equal(sum.Cores, []CoreCounters{{2, 4, 6, 8, 10, 12, 14}}):
			t.Errorf("cores %+v", sum.Cores)
		case len(sum.Uninitialised) != 2 || sum.Uninitialised[0].Count != 17 || sum.Uninitialised[1].Count != 1:
			t.Errorf("reads %+v", sum.Uninitialised)
		}
	}
}
