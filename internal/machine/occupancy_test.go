package machine

import (
	"strings"
	"testing"
)

// TestFit goes through the limits of occupancy one by one.
func TestFit(t *testing.T) {
	const static = 16 << 10
	for _, c := range []struct {
		name    string
		grid    [3]int
		block   [3]int
		regs    int
		dynamic int
		want    Occupancy
		err     string
	}{
		{"shared", [3]int{100, 1, 1}, [3]int{64, 1, 1}, 20, 0, Occupancy{3, 2, "bytes of shared memory", 3, 0}, ""},
		{"more shared", [3]int{100, 1, 1}, [3]int{64, 1, 1}, 20, 1, Occupancy{2, 2, "bytes of shared memory", 4, 0}, ""},
		{"all shared", [3]int{14, 1, 1}, [3]int{64, 1, 1}, 20, 32 << 10, Occupancy{1, 2, "bytes of shared memory", 1, 0}, ""},
		{"too much shared", [3]int{1, 1, 1}, [3]int{64, 1, 1}, 20, 32<<10 + 1, Occupancy{}, "a CTA of [64 1 1] threads needs 49280 bytes of shared memory, but an SM of fermi-c2050 has 49152"},
		{"registers", [3]int{100, 1, 1}, [3]int{512, 1, 1}, 40, 0, Occupancy{1, 16, "registers", 8, 0}, ""},
		{"registers of an odd warp", [3]int{1, 1, 1}, [3]int{993, 1, 1}, 32, 0, Occupancy{1, 32, "threads", 1, 0}, ""},
		{"too many registers", [3]int{1, 1, 1}, [3]int{1024, 1, 1}, 33, 0, Occupancy{}, "needs 34816 registers, but an SM of fermi-c2050 has 32768"},
		{"threads", [3]int{1, 1, 1}, [3]int{10, 10, 6}, 1, 0, Occupancy{2, 19, "threads", 1, 0}, ""},
		{"too many threads", [3]int{1, 1, 1}, [3]int{32, 33, 1}, 1, 0, Occupancy{}, "a CTA of [32 33 1] threads has more than the 1024 that fermi-c2050 allows"},
		{"overflowing block", [3]int{1, 1, 1}, [3]int{1 << 40, 1 << 40, 1}, 1, 0, Occupancy{}, "has more than the 1024"},
		{"overflowing grid", [3]int{1 << 40, 1 << 40, 1}, [3]int{1, 1, 1}, 1, 0, Occupancy{}, "has more than 2147483647"},
		{"empty grid", [3]int{0, 1, 1}, [3]int{1, 1, 1}, 1, 0, Occupancy{}, "a grid of 0 and a block of 1 in x: both must be at least 1"},
		{"negative block", [3]int{1, 1, 1}, [3]int{1, 1, -1}, 1, 0, Occupancy{}, "a block of -1 in z"},
		{"negative registers", [3]int{1, 1, 1}, [3]int{1, 1, 1}, -1, 0, Occupancy{}, "-1 registers per thread"},
		{"negative shared", [3]int{1, 1, 1}, [3]int{1, 1, 1}, 1, -1, Occupancy{}, "-1 bytes of shared memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := fermi(t).Fit(Launch{Grid: c.grid, Block: c.block, Registers: c.regs, StaticShared: static, DynamicShared: c.dynamic})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v, want an error with %q", err, c.err)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
	m := fermi(t)
	m.SM.Warps.Value, m.SM.Threads.Value = 3, 1536
	if _, err := m.Fit(Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{128, 1, 1}, Registers: 1, StaticShared: static}); err == nil || !strings.Contains(err.Error(), "needs 4 warps") {
		t.Errorf("4 warps on an SM of 3: %v", err)
	}
	device := &Machine{Name: "cuda:0"}
	device.SM.CTAThreads.Value, device.SM.WarpSize.Value = 1024, 32
	if _, err := device.Fit(Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}}); err == nil || !strings.Contains(err.Error(), "an SM of cuda:0 is for its driver to say") {
		t.Errorf("a device: %v", err)
	}
}

// TestFitSplit checks that the registers of a split core limit each SIMD by itself: with 52
// registers a SIMD of 16384 holds 4 warps, where four SIMDs together could hold 19; and the
// paper's 1024 threads to a CTA leave room for 2 on an SM, 8 on the GPU, not 10.
func TestFitSplit(t *testing.T) {
	m := builtin(t, "gcn3-split")
	for _, c := range []struct {
		threads, regs int
		want          Occupancy
		err           string
	}{
		{1024, 24, Occupancy{2, 16, "threads", 13, 0}, ""},
		{1024, 28, Occupancy{2, 16, "threads", 13, 0}, ""},
		{1024, 33, Occupancy{1, 16, "registers", 25, 0}, ""},
		{64, 52, Occupancy{16, 1, "CTAs", 2, 0}, ""},
		{192, 52, Occupancy{5, 3, "registers", 5, 0}, ""},
		{64, 256, Occupancy{4, 1, "registers", 7, 0}, ""},
		{64, 257, Occupancy{}, "a warp needs 16640 registers, but a SIMD of gcn3-split has 16384"},
		{320, 256, Occupancy{}, "a CTA of [320 1 1] threads needs 81920 registers, but an SM of gcn3-split has 65536"},
	} {
		got, err := m.Fit(Launch{Grid: [3]int{100, 1, 1}, Block: [3]int{c.threads, 1, 1}, Registers: c.regs})
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("got %v, want %s", err, c.err)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%d threads of %d registers: got %+v, %v, want %+v", c.threads, c.regs, got, err, c.want)
		}
	}
}

// TestFitLocalMemory checks that large local arrays do not make a simulation
// allocate without bound: 512 KiB of each thread are 16 MiB of a warp.
func TestFitLocalMemory(t *testing.T) {
	for _, c := range []struct {
		ctas, threads int
		fits          bool
	}{
		{64, 32, true}, {65, 32, false}, {112, 1, false}, {32, 64, true}, {33, 64, false}, {2, 1024, true}, {3, 1024, false}, {1 << 30, 1, false},
	} {
		_, err := fermi(t).Fit(Launch{Grid: [3]int{c.ctas, 1, 1}, Block: [3]int{c.threads, 1, 1}, Registers: 1, Local: 512 << 10})
		if (err == nil) != c.fits || err != nil && !strings.Contains(err.Error(), "524288 bytes of local memory for each thread") {
			t.Errorf("%d CTAs of %d threads: %v", c.ctas, c.threads, err)
		}
	}
}

// TestCarveOuts: a launch takes the least carve-out that holds the shared memory of all CTAs that fit, and the L1 has what is left.
func TestCarveOuts(t *testing.T) {
	m := fermi(t)
	m.SM.SharedReserved.Value = 1024
	m.CarveOuts = map[string]Number{"0": {Value: 4}, "8": {Value: 3}, "16": {Value: 2}, "48": {Value: 1}}
	for _, c := range []struct{ ctas, threads, shared, fit, ways int }{
		{1, 1024, 0, 1, 3}, // the reserved 1 KiB
		{1, 64, 0, 8, 3},   // 8 of them
		{1, 1024, 15 << 10, 1, 2},
		{1, 1024, 15<<10 + 1, 1, 1},
		{1, 64, 5 << 10, 8, 1},
		{1, 1024, 47 << 10, 1, 1},
	} {
		got, err := m.Fit(Launch{Grid: [3]int{c.ctas, 1, 1}, Block: [3]int{c.threads, 1, 1}, StaticShared: c.shared})
		if err != nil || got.CTAs != c.fit || got.Ways != c.ways {
			t.Errorf("%d bytes of shared memory: got %+v, %v, want %d CTAs and %d ways", c.shared, got, err, c.fit, c.ways)
		}
	}
	if got, err := m.Fit(Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, StaticShared: 47<<10 + 1}); err == nil {
		t.Errorf("beside the reserved bytes there is no room for 47 KiB and one byte: %+v", got)
	}
	if plain, err := fermi(t).Fit(Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}}); err != nil || plain.Ways != 0 {
		t.Errorf("a machine without carve-outs leaves the L1 as it is: %+v, %v", plain, err)
	}
}
