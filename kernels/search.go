package kernels

// Search returns the references of the kernels in which data decide how long a launch
// takes, made for methods that search for the worst input. They are of the same kind as
// References. Whatever a job may draw is a valid input, and the result does not depend on
// the order in which threads run.
func Search() []Reference {
	return []Reference{
		{"artificial", []string{"result"}, artificial},
		{"bfsExpand", []string{"frontier", "reached", "visited", "distance", "over"}, bfsExpand},
		{"insertionSort", []string{"keys"}, insertionSort},
		{"knapsack", []string{"best"}, knapsack},
		{"lbm", []string{"next", "probe"}, lbm},
		{"petri", []string{"next", "fired"}, petriNSICHNEU().reference},
		{"petriSmall", []string{"next", "fired"}, petriSmall().reference},
		{"substringSearch", []string{"agree", "count"}, substringSearch},
	}
}

// A SearchBenchmark states facts of a kernel of Search as Table II of Horga et al. does.
type SearchBenchmark struct {
	// Kernel names the kernel and its directory, Program what the paper calls it; that is
	// empty for kernels that the paper does not have.
	Kernel, Program string
	// Kernels are launched by a run of the job, Repeated until nothing is left to do.
	Kernels  int
	Repeated bool
	// Ifs and Loops stand in the source, Branches are conditional ones in the job's module.
	Ifs, Loops, Branches int
	// Threads are those of job.toml.
	Threads int
	// Worst names the job, in the kernel's directory, of the worst input that is known. It
	// is empty if there is none that is known without a search.
	Worst string
	// Alone names the jobs, in the kernel's directory, each of which launches one of the other
	// Kernels alone.
	Alone []string
	// Full tells that with Worst all threads take the path with most instructions. An input with which some do less may still
	// take longer.
	Full bool
	// Tiny names the job, in the kernel's directory, of a launch that has so few inputs
	// that all of them can be run: TinyInputs. It is empty if there is none.
	Tiny       string
	TinyInputs int
}

// SearchBenchmarks returns the facts in the order of Search.
func SearchBenchmarks() []SearchBenchmark {
	return []SearchBenchmark{
		{Kernel: "artificial", Program: "Artificial", Kernels: 1, Ifs: 1, Branches: 1, Threads: 32768,
			Worst: "worst.toml", Full: true, Tiny: "tiny.toml", TinyInputs: 4096},
		{Kernel: "bfsExpand", Program: "BFS", Kernels: 2, Repeated: true, Ifs: 3, Loops: 1, Branches: 7, Threads: 1024,
			Worst: "worst.toml", Alone: []string{"update.toml"}, Tiny: "tiny.toml", TinyInputs: 4096},
		{Kernel: "insertionSort", Kernels: 1, Ifs: 1, Loops: 2, Branches: 4, Threads: 1024, Tiny: "tiny.toml", TinyInputs: 4096},
		{Kernel: "knapsack", Kernels: 1, Ifs: 2, Loops: 4, Branches: 9, Threads: 256, Tiny: "tiny.toml", TinyInputs: 4096},
		{Kernel: "lbm", Program: "LBM", Kernels: 1, Ifs: 13, Branches: 13, Threads: 32768, Tiny: "tiny.toml", TinyInputs: 4096},
		{Kernel: "petri", Program: "NSICHNEU", Kernels: 1, Ifs: 252, Branches: 252, Threads: 4096, Worst: "worst.toml"},
		{Kernel: "petriSmall", Kernels: 1, Ifs: 12, Branches: 12, Threads: 64, Tiny: "tiny.toml", TinyInputs: 6561},
		{Kernel: "substringSearch", Kernels: 1, Ifs: 1, Loops: 1, Branches: 4, Threads: 4096,
			Worst: "worst.toml", Full: true, Tiny: "tiny.toml", TinyInputs: 8192},
	}
}
