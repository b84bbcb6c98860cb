package llc

import (
	"reflect"
	"testing"
)

// TestSums adds and compares sums field by field: the operations of one access are the maximum, all others add up.
func TestSums(t *testing.T) {
	fields := reflect.TypeFor[sums]().NumField()
	made := func(first int64) *sums {
		s := &sums{tails: []int64{first, 100 - first}}
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
		if joined.tails[0] != 70 || joined.tails[1] != 90 || both.tails[0] != c.s+3*c.t || both.tails[1] != 400-c.s-3*c.t {
			t.Errorf("tails of %d and %d: at least %v, sum %v", c.s, c.t, joined.tails, both.tails)
		}
	}
}

// set sets a field that is not exported.
func set(f reflect.Value, n int64) {
	reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().SetInt(n)
}
