package hybrid_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound"
	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/trace"
	"warpbound/kernels"
)

// TestRecord bounds from what several sinks took: the estimates are those of the same runs as one trace.
func TestRecord(t *testing.T) {
	ctx := context.Background()
	job, err := warpbound.LoadFS(kernels.Suite(), "reduction/job.toml", warpbound.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := flowtest.Suite(t, "reduction").Graph
	header := g.Loops().Loops[0].Header
	at := diag.Pos{File: "job.toml", Line: 3, Col: 1}
	p := &method.Problem{Graph: g, Bounds: []method.LoopBound{{Header: header, Max: 50, Pos: at}, {Header: header, Max: 40, Pos: at}}}
	r, err := hybrid.Method{}.Record(p, method.EveryBlock())
	if err != nil {
		t.Fatal(err)
	}
	var sinks []trace.Sink
	whole := r.Sink(trace.Common)
	for vector := range 3 {
		var file bytes.Buffer
		if _, err := job.Simulate(ctx, warpbound.SimulateOptions{Vector: vector, Trace: &file}); err != nil {
			t.Fatal(err)
		}
		sinks = append(sinks, r.Sink(trace.Common))
		for _, to := range []trace.Sink{whole, sinks[vector]} {
			src, err := trace.Open(bytes.NewReader(file.Bytes()), nil)
			if err != nil {
				t.Fatal(err)
			}
			own, err := src.Header().Translate(r.Ipoints())
			if err != nil {
				t.Fatal(err)
			}
			if err := trace.Copy(trace.Remap(to, own), src); err != nil {
				t.Fatal(err)
			}
		}
	}
	want, err := r.Bound(ctx, []trace.Sink{whole})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Bound(ctx, sinks)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Estimates, got.Estimates); diff != "" || got.Runs != 3 || got.Model == nil || got.Certificate == nil {
		t.Errorf("%d runs (-want +got):\n%s", got.Runs, diff)
	}
	for i, n := range (hybrid.Method{}).Names() {
		if got.Estimates[i].Method != n.ID || got.Estimates[i].Bounds() != (n.Part == "") {
			t.Errorf("%s is about %q", n.ID, n.Part)
		}
	}
	for _, l := range got.Estimates[0].Detail.(*estimate.HybridWarp).Loops {
		if l.Header == g.Name(header) && l.Bound != 40 {
			t.Errorf("loop %s has bound %d", l.Header, l.Bound)
		}
	}
}

// TestRecordWarns: a bound of a loop whose iterations no transition shows has no effect.
func TestRecordWarns(t *testing.T) {
	g := flowtest.Suite(t, "reduction").Graph
	header := g.Loops().Loops[0].Header
	at := diag.Pos{File: "job.toml", Line: 3, Col: 1}
	p := &method.Problem{Graph: g, Bounds: []method.LoopBound{{Header: header, Max: 50, Pos: at}}}
	r, err := hybrid.Method{}.Record(p, func(s *method.Sites) ([]bool, error) { return make([]bool, len(s.Blocks)), nil })
	if err != nil {
		t.Fatal(err)
	}
	sink := r.Sink(trace.Common)
	run := trace.Run{Records: []trace.Record{{Ipoint: trace.Start}, {Ipoint: trace.Exit, Cycle: 5}}, End: 5}
	if err := run.Replay(sink); err != nil {
		t.Fatal(err)
	}
	a, err := r.Bound(context.Background(), []trace.Sink{sink})
	if err != nil || len(a.Warnings) != 1 || a.Warnings[0].ID != "unused-loop-bound" || a.Warnings[0].Pos != at {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := r.Bound(context.Background(), nil); !contains(err, "no run was observed") {
		t.Error(err)
	}
}

// TestApplies: wavefronts that split are at several places at a time.
func TestApplies(t *testing.T) {
	m, err := machine.Builtin("gcn3-split")
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[machine.SplitMode]bool{machine.SplitNone: true, machine.DWS: false, machine.PWS: false} {
		in, err := m.WithSplit(mode, 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := (hybrid.Method{}).Applies(in); (err == nil) != want {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// TestRecordIndependentThreads: where lanes may diverge and threads are scheduled independently, transitions that the graph does not have are edges,
// and the estimates say that the order of paths is observed; where lanes stay together all is as ever.
func TestRecordIndependentThreads(t *testing.T) {
	g := flowtest.Suite(t, "reduction").Graph
	m := &machine.Machine{Name: "turns", Core: machine.Scoreboard}
	turns := func(uniform func(int) bool) (jumps, said bool) {
		r, err := hybrid.Method{}.Record(&method.Problem{Graph: g, Machine: m, Uniform: uniform}, method.EveryBlock())
		if err != nil {
			t.Fatal(err)
		}
		sink := r.Sink(trace.Common)
		last := trace.Ipoint(len(r.Ipoints()) - 1)
		jumps = errors.Join(sink.BeginRun(0),
			sink.Record(trace.Record{Ipoint: trace.Start}), sink.Record(trace.Record{Cycle: 1, Ipoint: 0}), sink.Record(trace.Record{Cycle: 2, Ipoint: last}),
			sink.Record(trace.Record{Cycle: 3, Ipoint: 1}), sink.Record(trace.Record{Cycle: 4, Ipoint: trace.Exit}), sink.EndRun(4)) == nil
		if !jumps {
			return false, false
		}
		a, err := r.Bound(t.Context(), []trace.Sink{sink})
		if err != nil {
			t.Fatal(err)
		}
		return true, slices.ContainsFunc(a.Estimates[0].Assumptions, func(s string) bool { return strings.HasPrefix(s, "paths of a branch take turns") })
	}
	all := func(is bool) func(int) bool { return func(int) bool { return is } }
	for _, c := range []struct {
		name    string
		threads machine.Switch
		uniform func(int) bool
		want    bool
	}{
		{"on a stack", machine.Off, all(false), false}, {"independent", machine.On, all(false), true},
		{"unknown", machine.On, nil, true}, {"uniform", machine.On, all(true), false},
	} {
		m.SM.IndependentThreads.Value = c.threads
		if jumps, said := turns(c.uniform); jumps != c.want || said != c.want {
			t.Errorf("%s: jumps between paths are taken: %v, and said: %v; want %v", c.name, jumps, said, c.want)
		}
	}
}
