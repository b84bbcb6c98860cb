// Package splitting rewrites kernels so that wavefronts split in two at chosen branches and
// merge where the branch reconverges: the compiler pass of Klashtorny, Wu, Kaushik and Patel
// (Predictable GPU Wavefront Splitting, TECS 22(5s), 2023, Section 4.1). Of
//
//	 @p   bra     other
//	      add     x, x, 1
//	      bra     done
//	other:
//	      sub     x, x, 1
//	done: ...
//
// Insert makes
//
//	      split
//	 @p   bra     other
//	      add     x, x, 1
//	      bra     done
//	other:
//	      sub     x, x, 1
//	done: merge
//	      ...
//
// The region of a branch is all that lanes pass between it and the reconvergence
// point (cfg.Flow.Reconverge). Edges that lead from the region to that point pass the
// branch's own merge, and no others do: paths that come there without having split keep
// clear of it, and where nested branches reconverge at the same point, the inner one merges
// before the outer one. Only structured branches can be split, for which this makes every
// lane that passes the split pass the merge, once, before it passes the split again;
// Splittable states the rules.
//
// Execution without split contexts, such as that of emu, takes no notice of the two
// instructions, so that a rewritten kernel does what it did before.
//
// splitting imports isa, cfg and diag. It knows neither time nor the hardware: how many
// branches may be split at a time is for others to say.
package splitting
