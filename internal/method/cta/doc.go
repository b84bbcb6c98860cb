// Package cta bounds the time of a launch without running it: Hirvisalo's method
// (V. Hirvisalo, "On Static Timing Analysis of GPU Kernels", WCET 2014), a static
// simulation of abstract warps.
//
// Method bounds launches on machines with barrel cores (docs/machine-model/barrel.md) with
// rules that are proved in docs/methods/cta.md: internal/absexec tells what each warp
// executes (path.go), how many requests its accesses make (package cost), and in which
// CTAs it does the same (package cells). Where the paths of all warps of a wave are known, its
// time is computed (schedule.go), else it is composed of the service and the delays
// of its warps (compose.go). waves.go counts waves of the same kind.
//
// cta imports flow/value, flow/access, isa, cfg, machine, absexec, semantics, estimate, diag, method/cells
// and method/cost. It must not import the simulator, against which its bounds are tested.
package cta
