package emu

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// NewGrid prepares a launch of code over mem, in warps of width lanes. The
// kernel's variables in global and constant memory become buffers of mem with
// their initial contents. It is an error if the launch does not fit the kernel:
// its parameter block has another size, its CTAs have other threads than the
// kernel demands or more than 64 warps, its shared memory exceeds the window.
func NewGrid(code *Code, launch Launch, mem *Memory, width int) (*Grid, error) {
	g := &Grid{code: code, width: width, chunks: (width + lanes - 1) / lanes}
	if err := g.Restart(launch, mem); err != nil {
		return nil, err
	}
	return g, nil
}

// Restart prepares another launch of the same kernel as NewGrid does. What was in
// the slots of the launch before is gone; they are used again without allocation
// if the CTAs have the same number of warps and as much shared memory.
func (g *Grid) Restart(launch Launch, mem *Memory) error {
	g.launch, g.mem = launch, mem
	if err := g.check(); err != nil {
		return fmt.Errorf("kernel %s: %w", g.code.kernel.Readable(), err)
	}
	g.params = region{name: "the kernel's parameters", space: isa.Param, base: abi.ParamBase, size: uint64(len(launch.Params)), data: launch.Params, forbids: forbid(Store, Atomic)}
	if err := g.mapVars(); err != nil {
		return fmt.Errorf("kernel %s: %w", g.code.kernel.Readable(), err)
	}
	g.fillFixed()
	if g.undefined == nil {
		g.undefined = new(undefinedList)
	}
	g.undefined.found = g.undefined.found[:0]
	if g.code.raced {
		g.beginRaces()
	}
	if g.code.checked {
		g.reads = sized(g.reads, g.code.Len())
		clear(g.reads)
		g.objects = mem.heap > 0 || mem.unset // of a launch before, or of the host
	}
	return nil
}

// maxCTAs bounds the CTAs of a launch, so that an index fits an int32.
const maxCTAs = 1<<31 - 1

func (g *Grid) check() error {
	k := g.code.kernel
	if g.width < 1 || g.width > alu.MaxWidth {
		return fmt.Errorf("warps of %d lanes; they may have 1 to %d", g.width, alu.MaxWidth)
	}
	if at := g.code.wordMasks; at != none && g.width > 32 {
		in := g.code.Instr(int(at))
		return diag.Errorf(in.Pos, "%s: a lane mask of 32 bits in warps of %d lanes", in, g.width)
	}
	ctas, threads := 1, 1
	for i, axis := range []string{"x", "y", "z"} {
		grid, block := g.launch.Grid[i], g.launch.Block[i]
		if grid < 1 || block < 1 {
			return fmt.Errorf("a launch of %d CTAs of %d threads in %s", grid, block, axis)
		}
		if grid > maxCTAs/ctas {
			return fmt.Errorf("a grid of more than %d CTAs", maxCTAs)
		}
		if block > alu.MaxWidth*g.width/threads {
			return fmt.Errorf("a CTA of %s threads; it may have %d warps of %d", triple(g.launch.Block), alu.MaxWidth, g.width)
		}
		ctas *= grid
		threads *= block
		if want := k.Bounds.ReqNtid[i]; want > 0 && block != want {
			return fmt.Errorf("%d threads in %s; the kernel requires %d", block, axis, want)
		}
		if want := k.Bounds.Cluster[i]; want > 1 {
			return fmt.Errorf("clusters of one CTA; the kernel requires %d in %s", want, axis)
		}
	}
	limit := 1
	for _, n := range k.Bounds.MaxNtid {
		limit *= max(n, 1)
	}
	if k.Bounds.MaxNtid != [3]int{} && threads > limit {
		return fmt.Errorf("a CTA of %d threads; the kernel allows %d", threads, limit)
	}
	warps := (threads + g.width - 1) / g.width
	if n := len(g.launch.Params); n != g.code.paramBytes {
		return fmt.Errorf("a parameter block of %d bytes; the kernel has one of %d", n, g.code.paramBytes)
	}
	if n := g.launch.DynamicShared; n < 0 || n > abi.MaxShared {
		return fmt.Errorf("%d bytes of dynamic shared memory", n)
	}
	shared := g.code.sharedBytes
	if n := g.launch.DynamicShared; n > 0 {
		shared = int(g.code.DynamicSharedOffset()) + n
	}
	if shared > abi.MaxShared {
		return fmt.Errorf("%d bytes of shared memory; there can be %d", shared, abi.MaxShared)
	}
	if g.shape.warps != warps {
		g.fixed, g.dims = nil, dims{}
	}
	g.shape = shape{warps: warps, shared: shared}
	return nil
}

// mapVars gives every variable an address: those that lie in memory already theirs, and
// new buffers with their initial contents to others in global and constant memory.
func (g *Grid) mapVars() error {
	k := g.code.kernel
	g.vars = sized(g.vars, len(k.Vars))
	for i := range k.Vars {
		v := &k.Vars[i]
		if v.Space == isa.Shared || v.Space == isa.Local {
			g.vars[i] = g.code.offsets[i]
			continue
		}
		at, shared := g.launch.Vars[v.Pos]
		if !shared {
			var err error
			if at, err = g.mem.place(v); err != nil {
				return err
			}
		}
		g.vars[i] = at
	}
	for i := range k.Vars {
		v := &k.Vars[i]
		if v.Space == isa.Shared || v.Space == isa.Local {
			continue
		}
		if _, shared := g.launch.Vars[v.Pos]; shared {
			continue
		}
		if err := relocate(g.mem.Bytes(g.vars[i]), v, k.Vars, g.vars); err != nil {
			return err
		}
	}
	return nil
}

// Symbol returns the contents of the kernel's variable of that name in global or
// constant memory, nil if there is none. A host may set them before the CTAs
// start and read them afterwards.
func (g *Grid) Symbol(name string) []byte {
	for i := range g.code.kernel.Vars {
		if v := &g.code.kernel.Vars[i]; v.Name == name && (v.Space == isa.Global || v.Space == isa.Const) {
			return g.mem.Bytes(g.vars[i])
		}
	}
	return nil
}

// CTAs returns the number of CTAs of the launch.
func (g *Grid) CTAs() int { return g.launch.Grid[0] * g.launch.Grid[1] * g.launch.Grid[2] }

// Threads returns the number of threads of a CTA.
func (g *Grid) Threads() int { return g.launch.Block[0] * g.launch.Block[1] * g.launch.Block[2] }

// Warps returns the number of warps of a CTA.
func (g *Grid) Warps() int { return g.shape.warps }

// SharedBytes returns the bytes of shared memory of a CTA, static and dynamic.
func (g *Grid) SharedBytes() int { return g.shape.shared }
