// Package driver is the CUDA driver API as a cuda.Driver: it opens libcuda.so.1, which the
// NVIDIA driver installs, when it is asked to, without a C compiler and without the CUDA
// toolkit. What the management library libnvidia-ml.so.1 says of clocks, temperature and
// other processes is in the conditions of a device; without it they are unknown.
//
// The package works on Linux on amd64 and arm64. Elsewhere, and in builds with the tag
// nocuda, which need no dynamic linker, New returns an error.
//
// driver imports internal/cuda and nothing else of this project.
package driver
