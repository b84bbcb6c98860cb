package scoreboard

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
)

// independent is the machine whose threads are scheduled independently.
func independent(t *testing.T) *machine.Machine {
	m := *fermi(t)
	m.SM.IndependentThreads.Value = machine.On
	return &m
}

// TestIndependentThreadsEndSpinLock: lanes of two warps that take a lock one after the other end, and do not on a machine whose
// warps have a stack alone.
func TestIndependentThreadsEndSpinLock(t *testing.T) {
	code := compile(t, `
	spin: atom.global.cas.b32 %r1, [%buf], 0, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra spin;
	ld.volatile.global.u32 %r2, [%buf+4];
	add.u32 %r2, %r2, 1;
	st.volatile.global.u32 [%buf+4], %r2;
	membar.gl;
	atom.global.exch.b32 %r3, [%buf], 0;
	ret;`)
	run := observe(t, newSim(t, independent(t), code), 1, 64)
	data := run.mem.Bytes(abi.GlobalBase)
	if lock, count := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:]); lock != 0 || count != 1+64 { // it was one
		t.Errorf("lock %d, count %d", lock, count)
	}
	simtest.Fails(t, newSim(t, fermi(t), code), simtest.Launch(t, bufBytes, 1, 64), sim.ErrLivelock)
}

// contents returns all that buffers hold.
func contents(mem *emu.Memory) (all []byte) {
	for addr := uint64(abi.GlobalBase); mem.Bytes(addr) != nil; addr += abi.AlignUp(uint64(len(mem.Bytes(addr))), abi.BufferAlign) + abi.BufferGap {
		all = append(all, mem.Bytes(addr)...)
	}
	return all
}

// TestIndependentThreadsCompute: random kernels write the same as on a machine whose warps have a stack alone, and
// execute as many instructions of threads.
func TestIndependentThreadsCompute(t *testing.T) {
	for seed := range uint64(60) {
		code, prepare := simtest.Random(t, rand.New(rand.NewPCG(1, seed)))
		run := func(m *machine.Machine) *simtest.Observation {
			s, err := New(simtest.Config(m, code))
			if err != nil {
				t.Fatal(err)
			}
			return simtest.Observe(t, s, prepare)
		}
		stack, turns := run(fermi(t)), run(independent(t))
		if !bytes.Equal(contents(&stack.Mem), contents(&turns.Mem)) || stack.Counters.ThreadInstrs != turns.Counters.ThreadInstrs {
			t.Errorf("seed %d: results differ, or %d instructions of threads are not %d", seed, turns.Counters.ThreadInstrs, stack.Counters.ThreadInstrs)
		}
	}
}

// TestTurns counts where the other lanes of a diverged warp go on: at the barrier to which the first come, once in each of three CTAs.
func TestTurns(t *testing.T) {
	code := compile(t, `
	setp.lt.u32 %p1, %t, 16;
	@%p1 bra first;
	bar.sync 0;
	bra end;
	first: bar.sync 0;
	end: ret;`)
	run := observe(t, newSim(t, independent(t), code), 3, 32)
	if len(run.Turns) != 1 || run.Turns[0].Count != 3 || run.Turns[0].Instr.Op != isa.Bar {
		t.Errorf("turns %+v", run.Turns)
	}
}
