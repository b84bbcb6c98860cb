package ptx

import (
	"bytes"
	stdcontext "context"
	"encoding/binary"
	"fmt"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/flow"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/sim/scoreboard"
	"warpbound/internal/test/isatest"
)

// FuzzExecute makes a kernel of any bytes, which uses whatever the table of forms
// has, executes it without time and simulates it under every scheduling policy.
// All must come to an end, leave the same memory and execute as many
// instructions, and the schedulers account for every cycle.
func FuzzExecute(f *testing.F) {
	for seed := range byte(12) {
		f.Add([]byte{seed})
	}
	f.Add([]byte{54, 8}) // a kernel with all instructions on matrices
	f.Fuzz(func(t *testing.T, data []byte) {
		g := newRandomModule(data)
		src := g.module()
		if err := g.execute(src); err != nil {
			t.Errorf("%v\n%s", err, src)
		}
	})
}

// execute executes the module in all ways and compares.
func (g *randomModule) execute(src string) error {
	code, registers, err := decoded(src)
	if err != nil {
		return err
	}
	want := new(emu.Memory)
	launch, err := g.launch(want)
	if err != nil {
		return err
	}
	grid, err := emu.NewGrid(code, launch, want, g.width)
	if err != nil {
		return err
	}
	counted, err := emu.Run(stdcontext.Background(), grid)
	if err != nil {
		return fmt.Errorf("without time: %w", err)
	}
	for _, policy := range []machine.Policy{machine.GTO, machine.GTY, machine.LRR, machine.RR} {
		got := new(emu.Memory)
		if launch, err = g.launch(got); err != nil {
			return err
		}
		result, err := simulated(code, registers, g.width, policy, launch, got)
		if err != nil {
			return fmt.Errorf("policy %s: %w", policy, err)
		}
		a, b := want.Bytes(abi.GlobalBase), got.Bytes(abi.GlobalBase)
		if i := differs(a, b); i >= 0 {
			return fmt.Errorf("policy %s: byte %d of the buffer, which is %d of thread %d, is %#x; without time it is %#x",
				policy, i, i%g.perThread(), i/g.perThread(), b[i], a[i])
		}
		if err := accounted(result, counted); err != nil {
			return fmt.Errorf("policy %s: %w", policy, err)
		}
	}
	return nil
}

func differs(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

// decoded makes code of a module's only kernel, and tells how many registers it
// needs.
func decoded(src string) (*emu.Code, int, error) {
	m, err := Parse("random.ptx", []byte(src))
	if err != nil {
		return nil, 0, err
	}
	p, err := Lower(m)
	if err != nil {
		return nil, 0, err
	}
	if len(p.Warnings) > 0 {
		return nil, 0, fmt.Errorf("%s: %s", p.Warnings[0].Pos, p.Warnings[0].Text)
	}
	k, err := isatest.Link(p, "random")
	if err != nil {
		return nil, 0, err
	}
	g, err := cfg.Build(k)
	if err != nil {
		return nil, 0, err
	}
	code, err := emu.Decode(k, g)
	return code, flow.Registers(g), err
}

// launch puts the kernel's buffer into memory and returns its launch.
func (g *randomModule) launch(mem *emu.Memory) (emu.Launch, error) {
	addr, err := mem.Alloc("buffer", g.bufferBytes())
	if err != nil {
		return emu.Launch{}, err
	}
	buffer := mem.Bytes(addr)
	for i := range buffer {
		buffer[i] = byte(i * 37)
	}
	params := binary.LittleEndian.AppendUint64(nil, addr)
	params = append(params, make([]byte, 24)...) // up to the alignment of the next
	for i := range byte(inBytes) {
		params = append(params, i*91)
	}
	return emu.Launch{Grid: g.grid, Block: g.cta, Params: params}, nil
}

// simulated runs a launch on a machine of two SMs that takes any kernel.
func simulated(code *emu.Code, registers, width int, policy machine.Policy, launch emu.Launch, mem *emu.Memory) (*sim.Result, error) {
	m, err := machine.Builtin("fermi-c2050")
	if err == nil {
		m, err = m.WithPolicy(policy)
	}
	if err != nil {
		return nil, err
	}
	m.SM.Count.Value, m.SM.WarpSize.Value, m.SM.Registers.Value = 2, int64(width), 1<<20
	m.L1.MSHRs.Value = 3
	s, err := scoreboard.New(sim.Config{Code: code, Machine: m, RegsPerThread: registers, MaxCycles: 50_000_000})
	if err != nil {
		return nil, err
	}
	return s.Run(stdcontext.Background(), launch, mem, nil)
}

// accounted checks that every scheduler accounts for every cycle, and that as many
// instructions were executed as without time.
func accounted(r *sim.Result, counted emu.Counters) error {
	var issued int64
	for sm, schedulers := range r.Schedulers {
		for i, c := range schedulers {
			sum := c.Issued
			for _, n := range c.Stalls {
				sum += n
			}
			if sum != r.Cycles {
				return fmt.Errorf("scheduler %d of SM %d accounts for %d of %d cycles", i, sm, sum, r.Cycles)
			}
			issued += c.Issued
		}
	}
	if n := r.Counters; issued != n.WarpInstrs || n.WarpInstrs != counted.WarpInstrs || n.ThreadInstrs != counted.ThreadInstrs {
		return fmt.Errorf("%d instructions issued, %d executed by warps and %d by threads; without time %+v",
			issued, n.WarpInstrs, n.ThreadInstrs, counted)
	}
	return nil
}
