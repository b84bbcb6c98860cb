// Package kernels is the benchmark suite: GPU kernels with the PTX that clang makes
// of them and one for the mini-SIMT machine, a job for each, and reference results
// in Go. Six kernels in PTX are the ones that all methods are measured with (References);
// the others are for methods about shared caches (LLC), for searches for the worst
// input (Search), for devices with tensor cores (Tensor), for jobs of several launches
// (Applications), for what arguments of kernels can be (Arguments), and for comparing hybrid
// analysis with its paper (SDK).
//
// The directory of each kernel bears its name. The references restate in plain
// Go what a kernel computes, so this package imports nothing else of the
// project: neither its instruction semantics nor its job format.
package kernels

import (
	"embed"
	"io/fs"
)

//go:embed */*.toml */*.ptx */*.simt */*.kernel */*.bin
var embedded embed.FS

// Suite returns the directories of all kernels, each with everything that its
// job.toml names.
func Suite() fs.FS { return embedded }

// Names returns the names of the kernels of References, which are those of their
// directories.
func Names() []string {
	var names []string
	for _, r := range References() {
		names = append(names, r.Kernel)
	}
	return names
}

// A Reference computes what a kernel of the suite must leave in memory.
type Reference struct {
	// Kernel names the kernel and its directory.
	Kernel string
	// Outputs names the job parameters whose buffers the kernel writes.
	Outputs []string
	// Compute returns the exact contents of the Outputs after a run. It takes
	// the contents of all buffers before the run and the scalar arguments, both
	// by the name of the job parameter, and leaves them as they are. Buffers
	// are little-endian, as on the GPU; scalars are the argument's bits. The
	// launch must cover the data as the kernel's own job does.
	Compute func(in map[string][]byte, scalars map[string]uint64) map[string][]byte
}

// MiniSIMT returns the references of the kernels for the mini-SIMT machine, which are
// the same kind of thing.
func MiniSIMT() []Reference {
	return []Reference{{"triangleSum", []string{"v"}, triangleSum}}
}

// Applications returns the references of applications of several kernels, whose job is application.toml.
func Applications() []Reference {
	return []Reference{{"relaxation", []string{"a", "b", "changed"}, relaxation}}
}

// References returns the references of the six kernels in PTX that every method is
// measured with. Their results
// are meant to be compared bit by bit: they round every floating-point
// operation as the kernel does and in the same order.
func References() []Reference {
	return []Reference{
		{"bfs", []string{"level", "changed"}, bfs},
		{"bitonicSort", []string{"keys"}, bitonicSort},
		{"histogram64", []string{"histogram"}, histogram64},
		{"matrixMul", []string{"c"}, matrixMul},
		{"reduction", []string{"out"}, reduction},
		{"vectorAdd", []string{"c"}, vectorAdd},
	}
}
