// Package split bounds kernels on machines that split wavefronts, after Klashtorny, Wu,
// Kaushik and Patel (Predictable GPU Wavefront Splitting for Safety-Critical Systems, ACM
// TECS 22(5s), 2023).
//
// internal/splitting/bsb makes the branch serialisation form of a kernel and selects the branches
// that split (Algorithm 1). LongestPath is Algorithm 2 for such forms, and Choose answers the
// question that the paper leaves open: which branches to split. The equations as published are in
// the package published.
//
// split must not import the simulator, the emulator or front ends.
package split
