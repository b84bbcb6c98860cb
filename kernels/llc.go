package kernels

// LLC returns the references of the kernels with which Huangfu and Zhang evaluate
// their bounds of the misses in a shared last-level cache, as this project wrote them.
// They are of the same kind as References.
func LLC() []Reference {
	return []Reference{
		{"cfdAdvance", []string{"next"}, cfdAdvance},
		{"cfdStep", []string{"step"}, cfdStep},
		{"gaussianFactor", []string{"factor"}, gaussianFactor},
		{"gaussianUpdate", []string{"a", "rhs"}, gaussianUpdate},
		{"ludDiagonal", []string{"a"}, ludDiagonal},
		{"ludInternal", []string{"a"}, ludInternal},
		{"ludPerimeter", []string{"a"}, ludPerimeter},
		{"nwLower", []string{"score"}, nwLower},
		{"nwUpper", []string{"score"}, nwUpper},
		{"sradCoefficient", []string{"north", "south", "west", "east", "coefficient"}, sradCoefficient},
		{"sradSelect", []string{"north", "south", "west", "east", "coefficient"}, sradCoefficient},
		{"sradUpdate", []string{"image"}, sradUpdate},
	}
}

// A Benchmark is a row of Huangfu and Zhang's Table IV: a program with the size of its
// input.
type Benchmark struct {
	// Name is k1 to k10, Program what the table calls it.
	Name, Program string
	// Size is the number of cells (cfd), the edge of a matrix or an image (gaussian, lud,
	// srad) or the length of a sequence (nw).
	Size int
	// Jobs are the job files in Suite, one for each kernel of the program.
	Jobs []string
}

// LLCBenchmarks returns the rows of Table IV in their order. No data decide the path of a
// warp in any of them.
func LLCBenchmarks() []Benchmark {
	gaussian := []string{"gaussianFactor", "gaussianUpdate"}
	lud := []string{"ludDiagonal", "ludPerimeter", "ludInternal"}
	nw := []string{"nwUpper", "nwLower"}
	srad := []string{"sradSelect", "sradUpdate"}
	return []Benchmark{
		{"k1", "cfd1", 4096, jobs("job.toml", "cfdStep")},
		{"k2", "cfd2", 4096, jobs("job.toml", "cfdAdvance")},
		{"k3", "gaussian", 128, jobs("job.toml", gaussian...)},
		{"k4", "gaussian", 256, jobs("large.toml", gaussian...)},
		{"k5", "lud", 128, jobs("job.toml", lud...)},
		{"k6", "lud", 256, jobs("large.toml", lud...)},
		{"k7", "nw", 1024, jobs("job.toml", nw...)},
		{"k8", "nw", 2048, jobs("large.toml", nw...)},
		{"k9", "srad", 128, jobs("job.toml", srad...)},
		{"k10", "srad", 256, jobs("large.toml", srad...)},
	}
}

func jobs(file string, kernels ...string) []string {
	files := make([]string, len(kernels))
	for i, kernel := range kernels {
		files[i] = kernel + "/" + file
	}
	return files
}
