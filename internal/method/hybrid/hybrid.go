// Package hybrid bounds the execution time of a kernel from traces and from its
// control-flow graph, after Betts and Donaldson, Estimating the WCET of
// GPU-accelerated applications using hybrid analysis (ECRTS 2013).
//
// The pipeline, one type or function each:
//
//	cfg.Extended + method.Placement -> IPG       which transitions between Ipoints exist
//	IPG + trace.Source       -> Profile   what runs showed of each transition
//	Profile + loop bounds    -> Result    hybrid/warp, hybrid/dynamic, hybrid/waves
//
// Times of transitions are observed, so every estimate of this package has observed
// evidence, whatever its loop bounds rest on.
//
// docs/methods/hybrid.md says what is published, what is added, and why the bounds hold.
//
// hybrid imports neither the simulator nor the emulator: it sees traces alone.
package hybrid

import (
	"warpbound/internal/cfg"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// Program is what the method needs to know of a kernel.
type Program struct {
	*cfg.Extended
	Blocks []trace.IpointInfo // name and position of every block
	Facts  []method.Fact      // over blocks with Ipoints
}

// NewProgram describes the blocks of a kernel. x must extend g.
func NewProgram(g *cfg.Graph, x *cfg.Extended) *Program {
	return &Program{Extended: x, Blocks: method.SitesOf(g).Blocks}
}

// Sites returns the blocks at which Ipoints can be.
func (p *Program) Sites() *method.Sites { return &method.Sites{Flow: p.Flow, Blocks: p.Blocks} }
