package llc

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/machine"
	"warpbound/internal/method/llc/reuse"
)

func fermi(t testing.TB) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTurns compares turns with trying one cycle after the other.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns := turns{rapid.Int64Range(0, 20).Draw(t, "first"), rapid.Int64Range(1, 20).Draw(t, "period")}
		at := rapid.Int64Range(0, 100).Draw(t, "at")
		want := at
		for want < turns.first || (want-turns.first)%turns.period != 0 {
			want++
		}
		if got := turns.from(at); got != want {
			t.Fatalf("%+v from %d: %d, want %d", turns, at, got, want)
		}
	})
}

// TestQueue has two accesses of core 1 of 16, alone and one behind the other.
func TestQueue(t *testing.T) {
	m := fermi(t)
	hit, miss := m.LLCSpan()
	for from := range int64(200) {
		q := newQueue(newLatencies(m, 1))
		if _, answer := q.send(from, true, 0); answer-from < hit.Min || answer-from > hit.Max {
			t.Errorf("a hit takes %d cycles from %d, want %+v", answer-from, from, hit)
		}
		q = newQueue(newLatencies(m, 1))
		sent, answer := q.send(from, false, 0)
		if answer-from > miss.Max || answer-from > q.oldest() {
			t.Errorf("a miss takes %d cycles from %d, want %+v and %d at most", answer-from, from, miss, q.oldest())
		}
		next, later := q.send(from, false, 0)
		if next <= sent || later-answer > q.apart() {
			t.Errorf("accesses from %d are sent at %d and %d, answered at %d and %d", from, sent, next, answer, later)
		}
	}
}

// TestTags compares an L1 with a list of the lines that were used.
func TestTags(t *testing.T) {
	builtin := fermi(t)
	rapid.Check(t, func(t *rapid.T) {
		m := *builtin
		m.L1.Sets.Value, m.L1.Ways.Value = 2, 2
		l1 := newTags(&m)
		var used []uint64 // the line used last is the last
		for _, line := range rapid.SliceOf(rapid.Uint64Range(0, 7)).Draw(t, "lines") {
			var of []uint64
			for _, l := range used {
				if l%2 == line%2 {
					of = append(of, l)
				}
			}
			want := slices.Contains(of[max(0, len(of)-2):], line)
			if _, got := l1.use(line); got != want {
				t.Fatalf("line %d after %v: hit %t", line, used, got)
			} else if !got {
				l1.insert(line, 0)
			}
			used = append(slices.DeleteFunc(used, func(l uint64) bool { return l == line }), line)
		}
	})
}

// TestCPU has a load that hits the CPU's L1, and stores that do not allocate there.
func TestCPU(t *testing.T) {
	p := newCPU(CPU{Accesses: []CPUAccess{
		{Address: 0}, {Address: 4}, {Address: 0, Store: true}, {Address: 256, Store: true}, {Address: 256},
	}}, fermi(t))
	want := []reuse.Access{reuse.Line(0), reuse.Line(0), reuse.Line(2), reuse.Line(2)}
	if !slices.Equal(p.accesses, want) {
		t.Errorf("%v, want %v", p.accesses, want)
	}
}
