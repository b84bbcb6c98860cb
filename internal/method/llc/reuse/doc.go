// Package reuse predicts which accesses to a cache with least-recently-used replacement hit,
// from the sequences of lines that cores access: exactly for one sequence (Stack), and as
// bounds for several cores that share the cache and of which only the windows of the
// accesses are known (Analyze), after Huangfu and Zhang, "WCET Analysis of the Shared Data
// Cache in Integrated CPU-GPU Architectures". Why the bounds hold is in
// docs/methods/shared-cache.md.
//
// It must not import any other package of the project: sequences know no programs and no timing.
package reuse
