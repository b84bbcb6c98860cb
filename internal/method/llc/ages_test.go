package llc

import (
	"testing"

	"pgregory.net/rapid"
)

// TestAges compares what is known of an L1 with some of the L1s that it can be.
func TestAges(t *testing.T) {
	builtin := fermi(t)
	rapid.Check(t, func(t *rapid.T) {
		m := *builtin
		m.L1.Sets.Value, m.L1.Ways.Value = 2, rapid.Int64Range(1, 4).Draw(t, "ways")
		known := newAges(&m)
		real := make([]*tags, 16)
		for i := range real {
			real[i] = newTags(&m)
		}
		certain := rapid.Bool().Draw(t, "certain")
		for number := range rapid.Int32Range(1, 60).Draw(t, "accesses") {
			kind := sort(rapid.IntRange(int(read), int(atomic)).Draw(t, "sort"))
			line := rapid.Uint64Range(0, 9).Draw(t, "line")
			optional := !certain && rapid.Bool().Draw(t, "optional")
			any := optional && rapid.IntRange(0, 3).Draw(t, "any") == 0
			x, surely, perhaps := known.there(line)
			if certain && surely != perhaps {
				t.Fatalf("access %d: it is not known of line %d whether it is there", number, line)
			}
			for i, l1 := range real {
				if _, at := l1.find(line); at < 0 && surely || at >= 0 && !perhaps {
					t.Fatalf("access %d: line %d is at %d, and known as %+v", number, line, at, x)
				}
				if optional && rapid.Bool().Draw(t, "made") {
					continue
				}
				to := line
				if any {
					to = rapid.Uint64Range(0, 9).Draw(t, "to")
				}
				switch kind {
				case read:
					fetch, hit := l1.use(to)
					if !hit {
						l1.insert(to, number)
					} else if x, _, _ := known.there(to); fetch > x.fetch {
						t.Fatalf("access %d: line %d of L1 %d comes with %d, not before %d", number, to, i, fetch, x.fetch)
					}
				case write:
					l1.use(to)
				case atomic:
					l1.drop(to)
				}
			}
			switch {
			case any:
				known.unknown(kind, number)
			case kind == read:
				known.read(line, number, optional)
			case kind == write:
				known.write(line, optional)
			case kind == atomic:
				known.drop(line, optional)
			}
		}
	})
}

// TestDropOfWhatMayBeOldest takes a line out that is perhaps older than any other: the others get no younger.
func TestDropOfWhatMayBeOldest(t *testing.T) {
	m := fermi(t)
	m.L1.Sets.Value, m.L1.Ways.Value = 1, 2
	known := newAges(m)
	known.unknown(read, 1)
	known.read(1, 2, true)
	known.unknown(read, 3)
	known.drop(1, false)
	known.read(2, 4, false)
	known.read(3, 5, false)
	if x, _, perhaps := known.there(4); perhaps {
		t.Errorf("after two other lines in two ways, a line may be there, known as %+v", x)
	}
}

// TestUnknownWrites: a write to a line that is there, whichever that is, makes no line leave.
func TestUnknownWrites(t *testing.T) {
	m := fermi(t)
	m.L1.Sets.Value, m.L1.Ways.Value = 1, 2
	known := newAges(m)
	known.read(1, 1, false)
	known.read(2, 2, false)
	for range 3 {
		known.unknown(write, 3)
	}
	for _, line := range []uint64{1, 2} {
		if x, surely, _ := known.there(line); !surely {
			t.Errorf("line %d may have left: %+v", line, x)
		}
	}
}
