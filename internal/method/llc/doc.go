// Package llc bounds launches on machines whose SMs share a last-level cache with a CPU
// (docs/machine-model/integrated.md), after Huangfu and Zhang, "WCET Analysis
// of the Shared Data Cache in Integrated CPU-GPU Architectures": the misses in that cache
// and, with what they tell of each access, the time.
//
// internal/absexec tells what each warp executes and where it accesses memory (record.go,
// access.go). An SM issues strictly in turn, so that what it issues, which accesses hit its
// L1 and which it sends to the shared cache follow without its times (play.go).
// internal/method/llc/reuse tells of each of these whether it hits, by the method Simple or
// by the method Interval. With that the time is computed (timing.go, memory.go), also where it is
// not known of all accesses whether they are made (windows.go, ages.go). Where the
// instructions of warps are not known exactly, all is bounded by sums (coarse.go). docs/methods/llc.md
// has the proofs.
//
// llc imports isa, cfg, machine, absexec, semantics, estimate and diag, and what methods share. It must not
// import the simulator, against which its bounds are tested.
package llc
