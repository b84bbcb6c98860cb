package llc

import (
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/isa"
)

// TestLinesOfOneWord compares the lines of words of local memory with those that lanes touch, one after the other.
func TestLinesOfOneWord(t *testing.T) {
	builtin := fermi(t)
	rapid.Check(t, func(t *rapid.T) {
		m := *builtin
		m.SM.WarpSize.Value = rapid.SampledFrom([]int64{1, 2, 8, 32, 64}).Draw(t, "width")
		m.L1.Line.Value = rapid.SampledFrom([]int64{4, 32, 64, 128, 512}).Draw(t, "line")
		l := newLayout(&m)
		lanes := rapid.Uint64().Draw(t, "lanes") & (^uint64(0) >> (64 - l.width))
		p := place{sm: rapid.IntRange(0, 14).Draw(t, "sm"), slot: rapid.IntRange(0, 47).Draw(t, "slot")}
		word := rapid.Uint64Range(0, 100).Draw(t, "word")
		var touched []line
		for number := range int(l.width) {
			if lanes>>number&1 != 0 {
				touched, _ = l.local(touched, 0, &access{bytes: localWord}, &p, &lane{number: number}, abi.LocalBase+word*localWord)
			}
		}
		if got := l.ofOneWord(lanes); got != int64(len(touched)) {
			t.Fatalf("%d lines, want %d", got, len(touched))
		}
	})
}

// TestLinesOfALane: elsewhere than in local memory, where each word of a lane is in another line, what a lane accesses is in one line, unless
// lines are shorter.
func TestLinesOfALane(t *testing.T) {
	m := *fermi(t)
	for _, c := range []struct{ line, bytes, elsewhere, local int64 }{
		{128, 1, 1, 1}, {128, 4, 1, 1}, {128, 8, 1, 2}, {128, 16, 1, 4}, {4, 1, 1, 1}, {4, 4, 1, 1}, {4, 8, 2, 2}, {8, 16, 2, 4},
	} {
		m.L1.Line.Value = c.line
		l := newLayout(&m)
		s := absexec.Step{May: 7, Access: &absexec.Access{Bytes: int(c.bytes), Known: 1, Space: isa.Global}}
		if got := l.open(&s); got != 2*c.elsewhere {
			t.Errorf("%d bytes of each of two lanes in lines of %d bytes: %d lines, want %d", c.bytes, c.line, got, 2*c.elsewhere)
		}
		for _, s.Access.Space = range []isa.Space{isa.Local, isa.Generic} {
			if got := l.open(&s); got != 2*c.local {
				t.Errorf("%d bytes of each of two lanes, perhaps in local memory, in lines of %d bytes: %d lines, want %d", c.bytes, c.line, got, 2*c.local)
			}
		}
	}
}

// TestAdd: a line that is touched again is in order if it is the last one of those that were touched first.
func TestAdd(t *testing.T) {
	var all []line
	for i, c := range []struct {
		number   uint64
		optional bool
		again    bool
		lines    int
	}{{7, true, false, 1}, {7, false, false, 1}, {8, true, false, 2}, {8, true, false, 2}, {7, true, true, 2}, {9, false, false, 3}, {8, true, true, 3}} {
		var again bool
		if all, again = add(all, 0, line{number: c.number, optional: c.optional}); again != c.again || len(all) != c.lines {
			t.Errorf("after %d of %d lines: %v, again %t", i+1, len(all), all, again)
		}
	}
	if all[0].optional || !all[1].optional || all[2].optional {
		t.Errorf("optional are %v", all)
	}
	if again, _ := add(all, 2, line{number: 7}); len(again) != 4 {
		t.Errorf("from the third on line 7 is not there: %v", again)
	}
}
