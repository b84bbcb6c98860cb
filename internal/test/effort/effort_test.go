package effort

import (
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	for text, want := range map[string]int{"": 7, "1": 7, "30": 210} {
		t.Setenv(Variable, text)
		if got := Times(7); got != want {
			t.Errorf("%s=%q: %d, want %d", Variable, text, got, want)
		}
	}
	t.Setenv(Variable, "none")
	defer func() {
		if recover() == nil {
			t.Error("none is a number")
		}
	}()
	Times(7)
}

// failures counts errors.
type failures struct {
	testing.TB
	count int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.count++ }

func TestGrows(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		small, large time.Duration
		factor       float64
		errors       int
		times        int // that the small case is done
	}{
		{ms, enough, 2, 0, 0},
		{ms, 2 * enough, 19_000, 1, 1000},
		{ms, 2 * enough, 21_000, 0, 1000},
		{3 * enough, 20 * enough, 10, 0, 1},
		{enough, 20 * enough, 10, 1, 1},
	} {
		f, now, times := new(failures), time.Duration(5), 0
		small := func() { now += test.small; times++ }
		grows(f, func() time.Duration { return now }, test.factor, small, func() { now += test.large })
		if f.count != test.errors || times != test.times {
			t.Errorf("%v and %v, factor %g: %d errors, the small case is done %d times; want %d and %d",
				test.small, test.large, test.factor, f.count, times, test.errors, test.times)
		}
	}
}

func TestProcessorTime(t *testing.T) {
	begun, n := processorTime(), 0
	for processorTime() == begun {
		n++
	}
	if processorTime() < begun {
		t.Errorf("time goes back after %d loops", n)
	}
}
