package hybrid_test

import (
	"bytes"
	"encoding/gob"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

// saved saves a profile and restores another one from that.
func saved(p, q *hybrid.Profile) error {
	var text bytes.Buffer
	if err := p.Save(gob.NewEncoder(&text)); err != nil {
		return err
	}
	return q.Restore(gob.NewDecoder(&text))
}

// TestPortable: a profile that was saved is the same again in another process, with transitions that the graph does not have, too.
func TestPortable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProgram(rt, t, true)
		w := newWalker(rt, p.Flow, true)
		options := hybrid.Options{Unknown: rapid.Bool().Draw(rt, "unknown")}
		if options.Unknown {
			p.Extended = p.Flow.WithEdges(nil)
			options.Clocks = rapid.SampledFrom([]trace.Clocks{trace.Common, trace.PerSM}).Draw(rt, "clocks")
		}
		minimum := int64(0)
		p.Facts = []method.Fact{{Name: "f", Terms: []method.FactTerm{{Block: rapid.IntRange(0, len(p.Blocks)-1).Draw(rt, "block"), Coef: 2}}, Min: &minimum}}
		g, err := hybrid.NewIPG(p, method.EveryBlock())
		if err != nil {
			rt.Fatal(err)
		}
		whole, again := hybrid.NewProfileOf(g, options), hybrid.NewProfileOf(g, options)
		for number := range rapid.IntRange(0, 3).Draw(rt, "runs") {
			run := drawRun(rt, w, g, number)
			if err := run.Replay(whole); err != nil {
				rt.Fatal(err)
			}
		}
		if err := saved(whole, again); err != nil {
			rt.Fatal(err)
		}
		if !reflect.DeepEqual(whole, again) {
			rt.Errorf("%+v, want %+v", again, whole)
		}
	})
}

// TestPortableElsewhere: what was saved of another graph is refused.
func TestPortableElsewhere(t *testing.T) {
	straight, err := hybrid.NewIPG(makeProgram(t, 2, parseEdges(t, "0>1 1>2"), nil), method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	p, q := hybrid.NewProfile(whileIPG(t)), hybrid.NewProfile(straight)
	run := loopRun(0, 2)
	if err := run.Replay(p); err != nil {
		t.Fatal(err)
	}
	if err := saved(p, q); err == nil || !strings.Contains(err.Error(), "of another graph") {
		t.Error(err)
	}
}
