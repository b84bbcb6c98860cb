// Package phases estimates the execution time of a launch from traces, in contexts: hybrid/phases.
//
// Where the hybrid method of Betts and Donaldson (ECRTS 2013) adds up the largest times of transitions between Ipoints
// wherever they were seen, this one keeps apart what differs: the CTA, the phase between two barriers, and how
// many back edges the warp has taken there. What is left is a graph without cycles, and the estimate is its longest
// path:
//
//	          phase 0                    phase 1
//	start --> loop 1 --> loop 2 --.      .--> milestone --> exit       warp 0
//	   \                           > release 0                \
//	    '--> loop 1 --------------'      '--> milestone --> exit       warp 1
//
// A transition to a barrier ends at its release, which is the last arrival of a warp of the CTA, and one out of a
// barrier takes its time since the release: no waiting is charged, and the longest path changes warps at barriers.
//
//	method.Problem   -> recording   which instructions carry an Ipoint, and what each is for
//	runs             -> profile     for several windows: a graph of contexts with the largest times
//	profile          -> estimate    window by prediction, longest path
//
// No run that was observed takes longer than the estimate; what other runs may take is what prediction
// tries. docs/methods/phases.md says why, and what each ingredient is worth.
//
// phases imports neither simulators nor other methods: it sees traces alone.
package phases
