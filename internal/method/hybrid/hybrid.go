// Package hybrid bounds the execution time of a kernel from traces and from its
// control-flow graph, after Betts and Donaldson, Estimating the WCET of
// GPU-accelerated applications using hybrid analysis (ECRTS 2013).
//
// The pipeline, one type or function each:
//
//	cfg.Extended + Placement -> IPG       which transitions between Ipoints exist
//	IPG + trace.Source       -> Profile   what runs showed of each transition
//	Profile + loop bounds    -> Result    hybrid/warp, hybrid/dynamic, hybrid/waves
//
// Times of transitions are observed, so every estimate of this package has observed
// evidence, whatever its loop bounds rest on.
//
// docs/methods.md says what is published, what is added, and why the bounds hold.
//
// hybrid imports neither the simulator nor the emulator: it sees traces alone.
package hybrid

import (
	"fmt"
	"strconv"
	"strings"

	"warpbound/internal/cfg"
	"warpbound/internal/trace"
)

// Program is what the method needs to know of a kernel.
type Program struct {
	*cfg.Extended
	Blocks []trace.IpointInfo // name and position of every block
	Facts  []Fact             // over blocks with Ipoints
}

// NewProgram describes the blocks of a kernel. x must extend g.
func NewProgram(g *cfg.Graph, x *cfg.Extended) *Program {
	p := &Program{Extended: x, Blocks: make([]trace.IpointInfo, len(g.Blocks))}
	for b := range g.Blocks {
		p.Blocks[b].Name = g.Blocks[b].Name
		if pos := g.Blocks[b].Source(); pos.Known() {
			p.Blocks[b].Pos = pos.String()
		}
	}
	return p
}

// Placement chooses the blocks that carry an Ipoint. The start and the exit of a warp
// always carry one.
type Placement func(p *Program) (chosen []bool, err error)

// EveryBlock places an Ipoint on every block.
func EveryBlock() Placement { return EveryNth(1) }

// EveryNth places an Ipoint on every n-th block in the order of the instructions, the
// first included.
func EveryNth(n int) Placement {
	return func(p *Program) ([]bool, error) {
		if n < 1 {
			return nil, fmt.Errorf("an ipoint on every %d-th block: the distance must be at least 1", n)
		}
		chosen := make([]bool, len(p.Blocks))
		for b := 0; b < len(chosen); b += n {
			chosen[b] = true
		}
		return chosen, nil
	}
}

// LoopHeaders places an Ipoint on the header of every loop.
func LoopHeaders() Placement {
	return func(p *Program) ([]bool, error) {
		chosen := make([]bool, len(p.Blocks))
		for _, l := range p.Flow.Loops().Loops {
			chosen[l.Header] = true
		}
		return chosen, nil
	}
}

// Named places an Ipoint on each of the named blocks.
func Named(names ...string) Placement {
	return func(p *Program) ([]bool, error) {
		chosen := make([]bool, len(p.Blocks))
		at := make(map[string]int, len(p.Blocks))
		for b, info := range p.Blocks {
			at[info.Name] = b
		}
		for _, name := range names {
			b, ok := at[name]
			if !ok {
				return nil, fmt.Errorf("ipoints: no block is named %q; inspect lists the names", name)
			}
			chosen[b] = true
		}
		return chosen, nil
	}
}

// ParsePlacement reads a placement: "blocks", "headers", "every:N" or
// "labels:NAME,NAME...".
func ParsePlacement(s string) (Placement, error) {
	kind, arg, hasArg := strings.Cut(s, ":")
	switch {
	case s == "blocks":
		return EveryBlock(), nil
	case s == "headers":
		return LoopHeaders(), nil
	case kind == "every" && hasArg:
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("ipoints %q: %q is not a positive number", s, arg)
		}
		return EveryNth(n), nil
	case kind == "labels" && arg != "":
		return Named(strings.Split(arg, ",")...), nil
	}
	return nil, fmt.Errorf("ipoints %q: want blocks, headers, every:N or labels:NAME,...", s)
}
