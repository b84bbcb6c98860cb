// Package greedy is the method static/greedy: a bound of the time of a launch on a machine with scoreboards, caches and DRAM, for
// every work-conserving choice of warps and every order in which the memory serves requests
// (docs/methods/greedy.md has the argument).
//
// Whatever ends last has waited, at every instant before, either for time that it needs itself or for something that served others.
// So a launch takes at most as long as the longest chain of instructions takes alone, plus what everything that can delay the chain
// has to serve in all. Abstract execution tells which instructions, passes and lines a warp needs at most, for all inputs.
//
//	absexec ──> path ──> class of CTAs ──> L1s ──> SM ──┐
//	             (sums, chain)              footprint ─┴──> stages of memory ──> bound
//
// greedy imports what describes a launch, absexec, and of the methods only what they share (cells, cost, reach). It must not import a
// simulator, against which it is tested, nor other methods.
package greedy
