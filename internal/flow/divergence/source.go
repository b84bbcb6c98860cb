package divergence

import "warpbound/internal/isa"

// source tells what the results of an instruction depend on.
type source uint8

const (
	private    source = iota // on what other threads do or what the thread alone has
	together                 // on the sources and what memory holds at the time
	collective               // on the sources of all lanes that execute it together
	pure                     // on the sources alone
)

// memory is what the instructions of a kernel do to memory.
type memory struct {
	global bool // they may write global memory
	local  bool // generic addresses may lead to memory of the thread's own
}

// contents looks through a kernel.
func contents(k *isa.Kernel) memory {
	var m memory
	for i := range k.Instrs {
		in := &k.Instrs[i]
		if in.Op.Info().Effect&isa.WritesMem != 0 && (in.Space == isa.Global || in.Space == isa.Generic) ||
			in.Op == isa.Call {
			m.global = true
		}
	}
	for i := range k.Vars {
		m.local = m.local || k.Vars[i].Space == isa.Local && !k.LocalSeparate
	}
	return m
}

// source classifies an instruction with results.
func (a *analysis) source(in *isa.Instr) source {
	switch in.Op {
	case isa.Ld:
		return a.memory.load(in)
	case isa.Vote, isa.Redux, isa.Activemask, isa.Bar:
		return collective
	case isa.Call, isa.RunSystem:
		return private
	}
	if in.Op.Info().Effect&(isa.ReadsMem|isa.WritesMem|isa.Crosslane|isa.Barriers) != 0 {
		return private
	}
	return pure
}

// load classifies a load. Lanes that load from one address together get one value.
func (m memory) load(in *isa.Instr) source {
	switch in.Space {
	case isa.Param, isa.Const:
		return pure
	case isa.Global:
		if !m.global && !in.Volatile {
			return pure
		}
		return together
	case isa.Shared:
		return together
	case isa.Generic:
		if !m.local {
			return together
		}
	}
	return private
}

// membersDiffer reports whether lanes that execute an operation of a warp together may name
// different members.
func (a *analysis) membersDiffer(i int) bool {
	in := &a.Form.Graph.Kernel.Instrs[i]
	if in.Op != isa.Vote && in.Op != isa.Redux || len(in.Src) < 2 || in.Src[1].Kind != isa.KindReg {
		return false
	}
	reads := a.Form.Reads(i)
	return a.values[reads[len(reads)-1]] > Warp
}
