package scaffold

import (
	"context"
	"errors"
	"math/rand/v2"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// trials executes guesses.
type trials struct {
	*watcher
	machine   *machine.Machine
	registers int // of a thread
	memory    emu.Memory
	steps     int // that all trials have taken
}

// dynamicShared is the dynamic shared memory that trials have; what is used of it goes into the job.
const dynamicShared = 32 << 10

// sharedArgument is the shared memory that an address among the arguments is of.
const sharedArgument = 4 << 10

// verdict is what a trial says of a guess.
type verdict struct {
	*outcome
	blocks int // covered
	below  int // buffers that threads access before their address
}

// better reports whether a guess with the verdict v is to be preferred to one with u.
func (v *verdict) better(u *verdict) bool {
	switch {
	case (v.err == nil) != (u.err == nil):
		return v.err == nil
	case v.blocks != u.blocks:
		return v.blocks > u.blocks
	}
	return v.err == nil && v.below < u.below
}

// complete reports whether all is well.
func (v *verdict) complete() bool { return v.err == nil && v.below == 0 && v.blocks == len(v.covered) }

// try executes a guess. The windows of its buffers grow as far as threads reach.
func (t *trials) try(ctx context.Context, g *guess, d draw) (*verdict, error) {
	for {
		out, err := t.once(ctx, g, d)
		if err != nil {
			return nil, err
		}
		if out.err != nil && t.widen(g, out) {
			continue
		}
		v := &verdict{outcome: out}
		for i, c := range out.covered {
			if c {
				v.blocks++
			} else if !t.graph.Blocks[i].Reachable {
				v.blocks++
			}
		}
		for _, r := range out.reached {
			if r.min < 0 {
				v.below++
			}
		}
		return v, nil
	}
}

// widen enlarges the window of the buffer beyond whose window a thread went, if that may help.
func (t *trials) widen(g *guess, out *outcome) bool {
	if !errors.Is(out.err, emu.ErrOutOfBounds) {
		return false
	}
	done := false
	out.at.base.each(func(s int) {
		i := g.at(t.evidence.sources[s].word)
		if i < 0 || g.words[i].kind != isPointer {
			return
		}
		w := &g.words[i]
		at := out.address - t.buffers[t.bufferOf(g, i)].address
		if at < maxWindow-64 && int(at) >= w.window-64 {
			for w.window < int(at)+64 {
				w.window *= 4
			}
			done = true
		}
	})
	return done
}

// bufferOf returns the number of the buffer of a word.
func (t *trials) bufferOf(g *guess, word int) int {
	n := 0
	for i := range word {
		if g.words[i].kind == isPointer {
			n++
		}
	}
	return n
}

// once executes a guess in windows as they are.
func (t *trials) once(ctx context.Context, g *guess, d draw) (*outcome, error) {
	t.memory.Reset()
	random := rand.New(rand.NewPCG(1, d.seed))
	launch := emu.Launch{Grid: g.grid, Block: g.block, Params: make([]byte, t.code.ParamBytes())}
	var buffers, nodes []placed
	if t.dynamic() {
		launch.DynamicShared = dynamicShared
	}
	for i := range g.words {
		w := &g.words[i]
		switch w.kind {
		case isNumber:
			w.put(launch.Params, w.bits())
		case isShared:
			w.put(launch.Params, t.code.DynamicSharedOffset()+uint64(launch.DynamicShared))
			launch.DynamicShared += sharedArgument
		case isPointer:
			at, err := t.memory.Alloc("trial", before+w.window)
			if err != nil {
				return nil, err
			}
			w.holds.fill(t.memory.Bytes(at)[before:], w.elem, d.word(i), random.Float64)
			at = abi.AlignUp(at+before, abi.BufferAlign)
			buffers = append(buffers, placed{word: w.offset, address: at, before: before, bytes: w.window})
			w.put(launch.Params, at)
			if w.links.nodes > 0 {
				p, err := t.link(w, t.memory.Contents(at, w.window))
				if err != nil {
					return nil, err
				}
				nodes = append(nodes, p)
			}
		}
	}
	out, err := t.run(ctx, launch, &t.memory, append(buffers, nodes...))
	if err != nil {
		return nil, err
	}
	t.steps += out.steps
	return out, nil
}

// dynamic reports whether the kernel has an array in shared memory whose size the launch says.
func (t *trials) dynamic() bool {
	for _, v := range t.kernel.Vars {
		if v.Space == isa.Shared && v.Extern && v.Bytes == 0 {
			return true
		}
	}
	return false
}

// fits reports whether the machine holds a CTA of a launch.
func (t *trials) fits(s shape) bool {
	dynamic := 0
	if t.dynamic() {
		dynamic = dynamicShared
	}
	_, err := t.machine.Fit(machine.Launch{
		Grid: s.grid, Block: s.block, Registers: t.registers,
		StaticShared: t.code.SharedBytes(), DynamicShared: dynamic, Local: t.code.LocalBytes(),
	})
	return err == nil
}
