// Package guided evolves the inputs of a launch element by element, with runs of the kernel as fitness: it keeps
// the few inputs that took longest, changes single elements of them, and copies those of threads between them. A
// share of all runs is of inputs that are sampled, as random testing has them. Atoms of a plan, if it has some, are
// changes like others.
//
// guided imports search and genetic. It must not import the simulator, the emulator or job: whoever runs the kernel
// is its Fitness.
package guided
