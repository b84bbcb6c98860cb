package workload_test

import (
	"bytes"
	"context"
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/scalar"
	"warpbound/internal/test/jobtest"
)

// TestIndependentThreads executes random kernels on a machine whose threads are scheduled independently: buffers are as after one
// thread after the other.
func TestIndependentThreads(t *testing.T) {
	for seed := range uint64(150) {
		c := jobtest.Random(seed, jobtest.RandomOptions(seed))
		k := *jobtest.Load(t, jobtest.Case(c), "job.toml", "").First()
		m := *k.Machine
		m.Core, m.SM.IndependentThreads.Value = machine.Scoreboard, machine.On
		k.Machine = &m
		in := k.Bound.Inputs(0)
		want, err := scalar.Execute(k.Graph, k.Bound, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		e := k.NewEmulator()
		if _, err := e.Run(context.Background(), in); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		for i, got := range e.Buffers() {
			if !bytes.Equal(got, want[i]) {
				t.Errorf("seed %d: buffer %d is %x, want %x", seed, i, got, want[i])
			}
		}
	}
}
