// Package search looks for inputs with which a kernel takes longest (Horga et al.,
// "Measurement Based Execution Time Analysis of GPGPU Programs via SE+GA", DSD 2018):
// symbolic execution of few threads gives atoms, which are inputs that make these threads take
// one path each; atoms are scaled to all threads of the launch; and a genetic algorithm
// combines them, with runs of the kernel as fitness.
//
// The threads' part in the inputs is a Plan: which elements each of them reads, and which belong
// to nobody alone. docs/methods/search.md has the rules.
//
// search imports isa, semantics, smt, symexec and genetic. It must not import the simulator, the
// emulator, job or target: whoever runs the kernel is its Fitness.
package search
