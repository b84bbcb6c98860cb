package kernels

import (
	"embed"
	"io/fs"
)

// The kernels of the paper by Betts and Donaldson have a folder and a list of their own: nothing else is measured
// with them.
//
//go:embed sdk/*/*.toml sdk/*/*.ptx sdk/*/*.bin
var embeddedSDK embed.FS

// An SDKKernel is a kernel of Table II of Betts and Donaldson (ECRTS 2013), written anew: it does what a kernel
// of the sample programs of CUDA 4.0 does, with a launch of the same shape.
type SDKKernel struct {
	// Reference has the kernel's name, which is that of its directory, and what it must leave in memory.
	Reference
	// Program is what the paper calls it.
	Program string
	// Tolerance is how far results may be from those of Reference, relative to the larger of them and 1; where it is
	// 0 they are equal bit by bit.
	Tolerance float64
	// Long tells that a run of the launch as large as the paper's takes about a fifth of a second to simulate, or more.
	Long bool
	// Differs is in what the kernel or the launch of paper.toml is known to differ from the paper's, and what
	// of it the paper leaves open.
	Differs string
}

// SDK returns the kernels in the order of the paper's table.
func SDK() []SDKKernel {
	const (
		million = "2^20 keys with values: the paper has no size, its times fit this one"
		square  = "1024 x 1024, which 1024 CTAs of 256 threads make with tiles of 32 x 32; which variant of the program it is, is inferred"
		wave    = "3584 elements: no more than a CTA for each SM fits starts within 7 cycles; which variant of the program it is, is inferred"
		matrix  = "the matrix has 2048 rows, the default of the program; "
		scan    = "2^20 elements: the paper has no size, its times fit this one"
	)
	return []SDKKernel{
		sdkKernel("BitonicSort-1", "bitonicTiles", bitonicTiles, million, "keysOut", "valuesOut").long(),
		sdkKernel("BitonicSort-2", "bitonicMergeStep", bitonicMergeStep, million, "keys", "values").long(),
		sdkKernel("BitonicSort-3", "bitonicMergeTiles", bitonicMergeTiles, million, "allKeys", "allValues").long(),
		sdkKernel("BlackScholes", "blackScholes", blackScholes,
			"4,000,000 options and 480 CTAs, the defaults of the program: the text says one wave, the figures of the table five; functions are approximations of the hardware", "call", "put").long().within(1e-4),
		sdkKernel("EigenValues-1", "bisect", bisect, matrix+"intervals are put in their order by a scan of another kind", "leftOut", "rightOut", "belowLeftOut", "belowRightOut", "found"),
		sdkKernel("EigenValues-2", "bisectSingle", bisectSingle,
			matrix+"the diagonal is fixed, so that the intervals, which EigenValues-1 would leave, are valid for all inputs", "eigenvalues").long(),
		sdkKernel("EigenValues-3", "bisectMulti", bisectMulti,
			matrix+"the diagonal is fixed, and 8 CTAs begin with 256 eigenvalues each; places of intervals are assigned otherwise", "eigenvalues", "numbers").long(),
		sdkKernel("Histogram-1", "histogramMerge", histogramMerge,
			"4370 partial histograms, which 64 MiB make: 64 CTAs of 8 warps fit starts within 39 cycles", "histogram"),
		sdkKernel("Histogram-2", "histogramPartial", histogramPartial, "64 MiB, the default of the program", "partial").long(),
		sdkKernel("MatrixMultiply", "matrixMultiply", matrixMultiply, "80 x 48 by 48 x 128: the paper has no size, its times fit a small one", "c"),
		sdkKernel("MatrixTranspose-1", "transposeNaive", transpose,
			square+"; 6 CTAs are resident in an SM, by its 1536 threads, and the paper counts 8", "out").long(),
		sdkKernel("MatrixTranspose-2", "transposeCoalesced", transpose, square, "out").long(),
		sdkKernel("MatrixTranspose-3", "transposePadded", transpose, square, "out").long(),
		sdkKernel("MatrixTranspose-4", "transposeDiagonal", transpose, square, "out").long(),
		sdkKernel("Reduction-1", "reduceModulo", reduce256(1), wave, "out"),
		sdkKernel("Reduction-2", "reduceStrided", reduce256(1), wave, "out"),
		sdkKernel("Reduction-3", "reduceSequential", reduce256(1), wave, "out"),
		sdkKernel("Reduction-4", "reduceFirstAdd", reduce256(2), wave, "out"),
		sdkKernel("Reduction-5", "reduceLastWarp", reduce256(2), wave, "out"),
		sdkKernel("Reduction-6", "reduceUnrolled", reduce256(2), wave, "out"),
		sdkKernel("ScalarProduct", "scalarProduct", scalarProduct, "256 pairs of 4096 elements and 128 CTAs, the defaults of the program", "out"),
		sdkKernel("Scan-1", "scanTiles", scanTiles, scan, "out"),
		sdkKernel("Scan-2", "scanSums", scanSums, scan+"; 4 CTAs fit starts within 7 cycles", "totals"),
		sdkKernel("Scan-3", "scanAdd", scanAdd, scan, "scanned"),
		sdkKernel("VectorAdd", "vectorAdd", vectorAdd, "3500 elements in 14 CTAs: one for each SM fits starts within 7 cycles", "c"),
	}
}

func sdkKernel(program, name string, compute func(in map[string][]byte, scalars map[string]uint64) map[string][]byte, differs string, outputs ...string) SDKKernel {
	return SDKKernel{Reference: Reference{name, outputs, compute}, Program: program, Differs: differs}
}

func (k SDKKernel) long() SDKKernel { k.Long = true; return k }

func (k SDKKernel) within(tolerance float64) SDKKernel { k.Tolerance = tolerance; return k }

// Files returns the kernel's directory: job.toml, a launch of a few CTAs and waves, paper.toml, one as large as the
// paper's, and what they name.
func (k SDKKernel) Files() fs.FS {
	dir, err := fs.Sub(embeddedSDK, "sdk/"+k.Kernel)
	if err != nil {
		panic(err) // names of kernels are valid paths
	}
	return dir
}
