// Package genetic is a genetic algorithm over individuals whose fitness is a time in cycles to
// be made as long as possible (Horga et al., "Measurement Based Execution Time Analysis of
// GPGPU Programs via SE+GA", DSD 2018, Section IV.C): a first population with special
// individuals, an elite that is kept, one-point crossover of a random parent with one that is
// biased to the elite, and mutation of single genes. Random testing with the same number of
// runs is there for comparison.
//
// What genes mean is up to the Problem, which also runs individuals. The result depends on the
// settings and the problem alone: not on how many individuals run at a time, nor on whether
// the search was interrupted and resumed from a State in between.
//
// genetic imports nothing of this project.
package genetic
