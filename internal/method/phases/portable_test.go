package phases

import (
	"bytes"
	"encoding/gob"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"warpbound/internal/trace"
)

// TestPortable: a profile that was saved is the same again in another process.
func TestPortable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		p := newProfile(r)
		for i := range rapid.IntRange(0, 12).Draw(t, "runs") {
			run := drawRun(t, len(r.points), i)
			if rapid.IntRange(0, 4).Draw(t, "saved") == 0 {
				p.Chosen(trace.Saved)
			}
			if err := run.Replay(p); err != nil {
				t.Fatal(err)
			}
		}
		var text bytes.Buffer
		if err := p.Save(gob.NewEncoder(&text)); err != nil {
			t.Fatal(err)
		}
		q := newProfile(r)
		if err := q.Restore(gob.NewDecoder(&text)); err != nil {
			t.Fatal(err)
		}
		q.number = p.number // which matters to runs that follow
		for _, n := range []*big.Int{&p.total, &q.total} {
			n.SetBytes(n.Bytes()) // of the same number the same bytes
		}
		if !reflect.DeepEqual(p, q) {
			t.Errorf("%+v, want %+v", q, p)
		}
	})
}

// TestDamaged: numbers of which some are missing, or are others, are an error or another graph.
func TestDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		p := newProfile(r)
		run := drawRun(t, len(r.points), 0)
		if err := run.Replay(p); err != nil {
			t.Fatal(err)
		}
		numbers := p.graphs[0].numbers()
		if _, err := contextsOf(numbers[:rapid.IntRange(0, len(numbers)-1).Draw(t, "cut")]); err == nil {
			t.Error("numbers are missing")
		}
		if _, err := contextsOf(append(numbers, 0)); err == nil {
			t.Error("there is a number too many")
		}
		at := rapid.IntRange(0, len(numbers)-1).Draw(t, "at")
		other := slices.Clone(numbers)
		other[at] = rapid.OneOf(rapid.Int64Range(-2, 20), rapid.Int64()).Draw(t, "other")
		g, err := contextsOf(other)
		if err == nil && !slices.Equal(g.numbers(), other) {
			t.Errorf("%v becomes %v", other, g.numbers())
		}
		if err == nil {
			g.merge(p.graphs[0])
		}
	})
}
