package workload_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// TestEmulate: a run without time makes the launches of a simulated one, of which each finds what those before have left.
func TestEmulate(t *testing.T) {
	j := jobtest.Load(t, kernels.Suite(), "bfsExpand/tiny.toml", "")
	w, in := j.Workload, j.First().Bound.Inputs(0)
	for buffer, words := range [][]uint32{{0, 1, 1, 1}, {1, 1, 0, 0}, {1, 2}} { // start, degree and edges of 0 - 1 - 2
		for i, x := range words {
			binary.LittleEndian.PutUint32(in.Buffers[buffer][4*i:], x)
		}
	}
	want, err := jobtest.Run(context.Background(), j, in)
	if err != nil {
		t.Fatal(err)
	}
	var begun []int
	var left [][]byte
	run := func(limit int64, stop error) error {
		begun = nil
		return workload.Emulate(context.Background(), w, in, workload.Emulation{Limit: limit, Before: func(launch int, e *workload.Emulator) error {
			begun, left = append(begun, launch), e.Buffers()
			image, addresses, err := e.Image()
			if err != nil {
				return err
			}
			for i, data := range left {
				if data != nil && !bytes.Equal(image.Contents(addresses[i], len(data)), data) {
					t.Errorf("launch %d finds other contents of buffer %d", launch, i)
				}
			}
			return stop
		}})
	}
	if err := run(1<<20, nil); err != nil {
		t.Fatal(err)
	}
	if n := want.Rounds; n < 3 || !slices.Equal(begun, slices.Repeat([]int{0, 1}, n)) {
		t.Errorf("launches %v of %d rounds", begun, n)
	}
	for i, data := range left { // which the last launch has changed since
		if !bytes.Equal(data, want.Buffers[i]) {
			t.Errorf("buffer %d is %x, simulated %x", i, data, want.Buffers[i])
		}
	}
	if err := run(100, nil); !errors.Is(err, emu.ErrLimit) || len(begun) < 2 {
		t.Errorf("after %d launches: %v", len(begun), err)
	}
	stop := errors.New("enough")
	if err := run(1<<20, stop); !errors.Is(err, stop) || len(begun) != 1 {
		t.Errorf("after %d launches: %v", len(begun), err)
	}
}
