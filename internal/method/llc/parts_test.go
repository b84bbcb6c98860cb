package llc

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/machine"
	"warpbound/internal/method"
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
		if _, answer := q.send(from, true, noBank, 0); answer-from < hit.Min || answer-from > hit.Max {
			t.Errorf("a hit takes %d cycles from %d, want %+v", answer-from, from, hit)
		}
		q = newQueue(newLatencies(m, 1))
		sent, answer := q.send(from, false, noBank, 0)
		if answer-from > miss.Max || answer-from > q.oldest() {
			t.Errorf("a miss takes %d cycles from %d, want %+v and %d at most", answer-from, from, miss, q.oldest())
		}
		next, later := q.send(from, false, noBank, 0)
		if next <= sent || later-answer > q.separation() {
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
	p := newCPU(method.CPU{Accesses: []method.CPUAccess{
		{Address: 0}, {Address: 4}, {Address: 0, Store: true}, {Address: 256, Store: true}, {Address: 256},
	}}, fermi(t))
	want := []reuse.Access{reuse.Line(0), reuse.Line(0), reuse.Line(2), reuse.Line(2)}
	if !slices.Equal(p.accesses, want) {
		t.Errorf("%v, want %v", p.accesses, want)
	}
}

// TestDuring leaves out what a CPU of unknown accesses does after a number of intervals, so that a line that an SM
// uses again in the next interval stays.
func TestDuring(t *testing.T) {
	m := *fermi(t)
	m.Regulator.Quota.Value, m.LLC.Ways.Value = 4, 8
	all := method.CPU{Accesses: []method.CPUAccess{{Address: 0}, {Address: 128}, {Address: 0}, {Address: 0, Store: true}}, More: 1000}
	for _, c := range []struct {
		cpu                    method.CPU
		intervals              int64
		known, unknown, others int64
	}{
		{all, 0, 3, 0, 1000},
		{all, 1, 3, 1, 999},
		{all, 2, 3, 5, 995},
		{all, 1000, 3, 1000, 0},
		{method.CPU{Accesses: all.Accesses}, 1, 3, 0, 0},
		{method.CPU{}, 1, 0, 0, 0},
	} {
		p := newCPU(c.cpu, &m)
		got, later := p.during(c.intervals, 4)
		known, unknown := int64(0), int64(0)
		for _, a := range got {
			known, unknown = known+a.Min, unknown+a.Max-a.Min
		}
		if known != c.known || unknown != c.unknown || later != c.others {
			t.Errorf("%+v in %d intervals: %d accesses, %d unknown ones and %d later, want %d, %d and %d", c.cpu, c.intervals, known, unknown, later, c.known, c.unknown, c.others)
		}
	}

	a := &analysis{machine: &m, cpu: newCPU(method.CPU{Accesses: make([]method.CPUAccess, 1), More: 1 << 39}, &m)}
	for i := range uint64(16) { // with stores each is an access to the shared cache
		a.cpu.accesses = append([]reuse.Access{reuse.Line(i % 3)}, a.cpu.accesses...)
	}
	sms := []*stream{{sent: []reuse.Access{reuse.Line(7), reuse.Line(8), reuse.Line(9), reuse.Line(10), reuse.Line(7)}}}
	known, later, err := a.reuses(t.Context(), sms, Interval)
	if err != nil {
		t.Fatal(err)
	}
	if again := known.Cores[0][4]; again.Class != reuse.Hit || !again.Own {
		t.Errorf("an access in the next interval is %+v", again)
	}
	d := &detail{}
	d.misses(sms, known, later)
	if cpu := d.Cores[1].Misses; later != 1<<39 || cpu < 1<<39 || d.AllMisses < 1<<39 || d.Misses != 4 {
		t.Errorf("%d misses, %d with the CPU, %d of the CPU, %d later", d.Misses, d.AllMisses, cpu, later)
	}
}
