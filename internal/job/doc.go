// Package job reads and writes job files: a kernel, its launch, its inputs and the
// machine to run it on, as docs/formats.md describes them.
//
// Parse turns the text into a Job and refuses whatever is not understood, with
// the position of the key that is wrong. Bind then matches a Job with the kernel
// that its module holds. A Bound job makes the inputs of every test vector:
// these depend on the seed, the number of the vector and the parameter alone.
//
// FromGo makes a Job of one that a program describes with package jobs, and Render its file. Write
// makes the file of a Job with fixed inputs.
//
// The package opens files: the job's own and the data files that it names. It
// leaves the module and the machine file to others. It imports diag,
// jobs, internal/isa, internal/stream and internal/tomlpos and nothing else of this project.
package job
