package llc

import (
	"reflect"
	"testing"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/saturating"
)

// TestSums adds and compares sums field by field: the operations of one access are the maximum, all others add up.
func TestSums(t *testing.T) {
	fields := reflect.TypeFor[sums]().NumField()
	made := func(first int64) *sums {
		s := &sums{tails: []saturating.Int{saturating.Of(first), saturating.Of(100 - first)}}
		for i := range fields {
			if f := reflect.ValueOf(s).Elem().Field(i); f.Kind() == reflect.Int64 {
				set(f, first+int64(i))
			}
		}
		return s
	}
	for _, c := range []struct{ s, t int64 }{{10, 70}, {70, 10}} {
		joined, both := made(c.s), made(c.s)
		joined.atLeast(made(c.t))
		both.times(made(c.t), 3)
		for i := range fields {
			name := reflect.TypeFor[sums]().Field(i).Name
			if name == "tails" {
				continue
			}
			at := func(s *sums) int64 { return reflect.ValueOf(s).Elem().Field(i).Int() }
			maximum, sum := max(c.s, c.t)+int64(i), c.s+3*c.t+4*int64(i)
			if name == "together" {
				sum = maximum
			}
			if at(joined) != maximum || at(both) != sum {
				t.Errorf("%s of %d and %d: at least %d, sum %d", name, c.s, c.t, at(joined), at(both))
			}
		}
		sum := both.tails[0].Int64() == c.s+3*c.t && both.tails[1].Int64() == 400-c.s-3*c.t
		if joined.tails[0] != 70 || joined.tails[1] != 90 || !sum {
			t.Errorf("tails of %d and %d: at least %v, sum %v", c.s, c.t, joined.tails, both.tails)
		}
	}
}

// set sets a field that is not exported.
func set(f reflect.Value, n int64) {
	reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().SetInt(n)
}

// TestSurelySent counts accesses to the shared cache that a warp makes in every run, at least, whatever addresses its lanes have.
func TestSurelySent(t *testing.T) {
	const all, some = 0xffffffff, 0xff
	at := func(space isa.Space, known uint64) *absexec.Access {
		a := &absexec.Access{Space: space, Bytes: 4, Known: known}
		a.Lanes[space] = known
		return a
	}
	store, load, add := &isa.Instr{Op: isa.St}, &isa.Instr{Op: isa.Ld}, &isa.Instr{Op: isa.Atom}
	for _, c := range []struct {
		name string
		step absexec.Step
		want saturating.Int
	}{
		{"no access", absexec.Step{Instr: &isa.Instr{Op: isa.Add}, Certain: true, Must: all, May: all}, 0},
		{"a load, which may hit the L1", absexec.Step{Instr: load, Certain: true, Must: all, May: all, Access: at(isa.Global, some)}, 0},
		{"a volatile load", absexec.Step{Instr: &isa.Instr{Op: isa.Ld, Volatile: true}, Certain: true, Must: all, May: all, Access: at(isa.Global, some)}, 1},
		{"a volatile load of local memory, which may hit", absexec.Step{Instr: &isa.Instr{Op: isa.Ld, Volatile: true}, Certain: true, Must: all, May: all, Access: at(isa.Local, all)}, 0},
		{"a copy that may read nothing", absexec.Step{Instr: &isa.Instr{Op: isa.CpAsync, Volatile: true}, Certain: true, Must: all, May: all, Access: at(isa.Global, some)}, 0},
		{"a store that may not be issued", absexec.Step{Instr: store, Must: all, May: all, Access: at(isa.Global, some)}, 0},
		{"a store that no lane surely makes", absexec.Step{Instr: store, Certain: true, May: all, Access: at(isa.Global, all)}, 0},
		{"a store to addresses that are not known", absexec.Step{Instr: store, Certain: true, Must: all, May: all, Access: at(isa.Global, 0)}, 0},
		{"a store to addresses some of which are known", absexec.Step{Instr: store, Certain: true, Must: all, May: all, Access: at(isa.Global, some)}, 1},
		{"a store that some lanes surely make", absexec.Step{Instr: store, Certain: true, Must: some, May: all, Access: at(isa.Global, all)}, 1},
		{"a store to local memory", absexec.Step{Instr: store, Certain: true, Must: all, May: all, Access: at(isa.Local, all)}, 1},
		{"a store to shared memory", absexec.Step{Instr: store, Certain: true, Must: all, May: all, Access: at(isa.Shared, all)}, 0},
		{"an atomic operation", absexec.Step{Instr: add, Certain: true, Must: all, May: all, Access: at(isa.Global, some)}, 1},
	} {
		r := &recorder{analysis: &analysis{}}
		if got := r.surely(&c.step); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		for _, within := range []*recorder{{analysis: r.analysis, forks: make([]fork, 1)}, {analysis: r.analysis, loops: make([]loop, 1)}} {
			if got := within.surely(&c.step); got != 0 {
				t.Errorf("%s in an alternative or an iteration that stands for several: %d", c.name, got)
			}
		}
	}
}
