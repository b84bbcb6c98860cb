// Package workload holds jobs that are ready to run: the job file, its module lowered, linked
// and decoded for a machine, and what follows from them before anything is executed.
//
// Prepare is the pipeline from text to decoded kernels; Stages lists what it does. A Workload is a
// value: everything that changes one (Split, WithLLC) returns another.
//
// workload must not import methods, runners, simulators or drivers of devices.
package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/trace"
)

// Workload is a job that is ready to run. It does not change, and goroutines may share it.
type Workload struct {
	Spec    *job.Job
	Machine *machine.Machine // with the job's shared cache and its mode of splitting
	Kernels []*Kernel        // by launch of a run (job.Job.Runs); the first is the job's
	Module  Module
	Choice  SplitOptions // how its wavefronts split other than job and machine say

	// MachineName is that of a built-in machine, or the path of its file from the working
	// directory; empty if the job was not read from there.
	MachineName string

	ClockMode string // the mode of the machine whose clocks it has; empty for none

	// Kept are the inputs of the job files in KeptDir, which take part in every campaign; nil for none.
	Kept []SavedInputs

	alone    bool           // it is one of the launches of a run (Launches)
	warnings []diag.Warning // of the module
	whole    *Workload      // before instructions that split were inserted; nil for itself
}

// Module is the text that a job's kernels are from.
type Module struct {
	File   string // its path from the working directory
	Text   []byte
	Hash   string // SHA-256 of Text, in hexadecimal
	Parsed Parsed // as the target needs it
}

// Kernel is one kernel of a workload, decoded.
type Kernel struct {
	Bound     *job.Bound
	Graph     *cfg.Graph
	Code      *emu.Code
	Registers int // per thread

	// Machine is the workload's as the kernel finds it: idle split SIMDs are used otherwise
	// (Klashtorny et al., Eq. 2).
	Machine  *machine.Machine
	Splits   []int // blocks whose branch splits, or may split in mode dws
	Warnings []diag.Warning

	// Vars are the variables of all kernels of a run with several launches, which each finds where the
	// others do; nil of other runs.
	Vars []isa.Var
	// Kept are the buffers that hold what the job says whenever the launch begins, by parameter of the
	// whole job; nil for all.
	Kept []bool
	// Gaps are bytes that lie before buffers beyond those between all, by parameter of the whole job; nil for none.
	Gaps []uint64

	found *found // nil to keep nothing
	// whole is the kernel with all inputs, of which those of this one are a part; nil of a kernel with all of them.
	whole *Kernel
}

// Name returns the name of the job file.
func (w *Workload) Name() string { return w.Spec.File }

// First returns the kernel of the first launch of a run.
func (w *Workload) First() *Kernel { return w.Kernels[0] }

// Kernel returns the name of the job's kernel.
func (w *Workload) Kernel() string { return w.First().Graph.Kernel.Name }

// Width returns the number of lanes of a warp.
func (w *Workload) Width() int { return int(w.Machine.SM.WarpSize.Value) }

// width is the number of lanes of a warp.
func (k *Kernel) width() int { return int(k.Machine.SM.WarpSize.Value) }

// Warnings returns the findings about the module and the job's kernel.
func (w *Workload) Warnings() []diag.Warning {
	return slices.Concat(w.warnings, w.First().Warnings)
}

// AllWarnings returns the findings about the module and all kernels of a run.
func (w *Workload) AllWarnings() []diag.Warning {
	all := slices.Clone(w.warnings)
	for i, k := range w.Kernels {
		same := func(o *Kernel) bool { return o.Graph.Kernel.Pos == k.Graph.Kernel.Pos }
		if !slices.ContainsFunc(w.Kernels[:i], same) {
			all = append(all, k.Warnings...)
		}
	}
	return all
}

// Whole returns the workload before instructions that split were inserted: itself if there are
// none.
func (w *Workload) Whole() *Workload {
	if w.whole == nil {
		return w
	}
	return w.whole
}

// Buffers returns the names of the job's buffers.
func (w *Workload) Buffers() []string {
	var names []string
	for _, p := range w.Spec.Params {
		if p.Kind == job.Buffer {
			names = append(names, p.Name)
		}
	}
	return names
}

// Inputs returns the contents of one of the job's test vectors by parameter: buffers before the
// run, numbers and structs as bytes, all little-endian.
func (w *Workload) Inputs(vector int) map[string][]byte {
	in := w.First().Bound.Inputs(vector)
	out := make(map[string][]byte)
	for i, p := range w.Spec.Params {
		switch p.Kind {
		case job.Buffer:
			out[p.Name] = in.Buffers[i]
		case job.Scalar, job.Struct, job.Array:
			out[p.Name] = in.Scalars[i]
		}
	}
	return out
}

// digest is the SHA-256 of a text, in hexadecimal.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// AtBlocks returns the Ipoint of each instruction of a kernel where each block carries one, or trace.None, from its beginning.
func AtBlocks(k *Kernel, points []trace.Ipoint) []trace.Ipoint {
	of := slices.Repeat([]trace.Ipoint{trace.None}, len(k.Graph.Kernel.Instrs))
	for b, at := range points {
		of[k.Graph.Blocks[b].Start] = at
	}
	return of
}
