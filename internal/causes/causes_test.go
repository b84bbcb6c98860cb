package causes

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

const (
	waits Kind = iota
	works
)

func begun(limit int) *Log {
	l := &Log{Limit: limit}
	l.Reset()
	return l
}

// TestChain follows events that others made possible, across sites.
func TestChain(t *testing.T) {
	l := begun(0)
	a, b := Site{SM: 1, CTA: 2, Warp: 3, PC: 4}, Site{SM: 5, CTA: 6, Warp: 7, PC: 8}
	first := l.Add(3, Since{3, 0, waits}, a)
	l.Add(4, Since{4, first, works}, a) // leads nowhere
	second := l.Add(10, Later(Since{8, 0, waits}, Since{10, first, works}), b)
	third := l.Follow(10, Since{10, second, waits}, second) // takes no time
	last := l.Add(15, Since{12, third, works}, a)           // three cycles late
	want := []Segment{{0, 3, Nowhere, waits}, {3, 10, a, works}, {10, 12, b, works}, {12, 15, b, Other}}
	if got := l.Chain(last); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := l.Before(last, 11); got != third {
		t.Errorf("event %d is the last one before cycle 11, want %d", got, third)
	}
	if got := l.Chain(0); got != nil {
		t.Errorf("the beginning has the chain %v", got)
	}
}

// TestChainJoins makes one segment of what follows at one site, and only of that.
func TestChainJoins(t *testing.T) {
	l := begun(0)
	a, b := Site{PC: 1}, Site{PC: 2}
	id := l.Add(2, Since{2, 0, waits}, a)
	id = l.Add(4, Since{4, id, works}, a)
	id = l.Add(6, Since{6, id, works}, b)
	id = l.Add(7, Since{7, id, works}, b)
	id = l.Add(9, Since{9, id, waits}, b)
	want := []Segment{{0, 2, Nowhere, waits}, {2, 6, a, works}, {6, 7, b, works}, {7, 9, b, waits}}
	if got := l.Chain(id); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestWrongSince: what is said to be possible only later is not explained.
func TestWrongSince(t *testing.T) {
	l := begun(0)
	id := l.Add(5, Since{6, 0, works}, Nowhere)
	if got, want := l.Chain(id), []Segment{{0, 5, Nowhere, Other}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestCompact compares random logs that are compacted all the time with logs that are not: what is still named has the same chains.
func TestCompact(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0))
		small, large := begun(1), begun(0)
		var some, others [8]ID
		for at := range int64(300) {
			from, to, kind := random.IntN(len(some)), random.IntN(len(some)), Kind(random.IntN(3))
			site := Site{PC: int32(random.IntN(3))}
			since := at - random.Int64N(2)
			some[to] = small.Add(at, Since{since, some[from], kind}, site)
			others[to] = large.Add(at, Since{since, others[from], kind}, site)
			if !small.Full() {
				t.Fatal("the log has room")
			}
			small.Compact(func(name func(*ID)) {
				for i := range some {
					name(&some[i])
				}
			})
			small.full = 0 // as if it had not grown
		}
		for i := range some {
			if got, want := small.Chain(some[i]), large.Chain(others[i]); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
		}
		if len(small.events) == len(large.events) {
			t.Fatalf("seed %d: all %d events are kept", seed, len(large.events))
		}
	}
}
