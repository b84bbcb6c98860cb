package kernelgen

// Features are what a kernel of PTX may hold beside what every one does. A few at a time show more of each, and are
// refused more rarely, than all at once.
type Features uint32

// The features.
const (
	Bits             Features = 1 << iota // fields of bits: bfe, bfi, lop3, prmt, bfind, shf, bmsk, szext
	Products                              // mul24, mad24, sad, dp2a, dp4a
	Halves                                // computations on 16 bits
	Counters                              // loops that count otherwise than up by one, below a limit of 32 bits
	Guards                                // ranges that follow from comparisons before, alone or joined, and branches for one thread
	Calls                                 // functions with parameters, which call others
	Recursion                             // functions that call themselves
	Local                                 // arrays in local memory, spills
	Depot                                 // words that live in local memory, as in code that is not optimised
	Tables                                // constants in constant and global memory, which nobody writes
	Generic                               // generic addresses, of which some may be in one of two memories
	Fences                                // fences of all scopes
	AsyncCopies                           // copies from global to shared memory, in groups
	CrossLane                             // votes, shuffles, matches and reductions, if warps have 32 threads
	PartialBarriers                       // barriers of some of the warps, and with results
	WideAtomics                           // atomics on 64 bits and on vectors
	Dynamic                               // shared memory whose size the launch says
	Contracts                             // loops and addresses that follow from what the job says of its inputs
	Fixed                                 // nothing that is sampled decides who executes what, nor an address
	Links                                 // pointers that are loaded
	Conversions                           // NaN, infinities and other numbers that become integers, which trip counts follow from
	SeparateLanes                         // operations of a warp to which lanes come at different times and places, if threads are independent
	SeparateBarriers                      // barriers to which they do

	AllFeatures = 1<<iota - 1

	Separate = SeparateLanes | SeparateBarriers // only for machines that schedule threads independently
)

// featureNames are the names in the order of the constants.
var featureNames = []string{
	"fields of bits", "products of parts", "16 bits", "counters", "guards", "calls", "recursion", "local memory", "depot",
	"tables", "generic addresses", "fences", "asynchronous copies", "cross-lane operations", "partial barriers",
	"wide atomics", "dynamic shared memory", "contracts", "fixed control", "pointers that are loaded",
	"numbers that become integers", "lanes that come apart", "threads that come apart to barriers",
}

// DrawFeatures draws some features, three at most.
func DrawFeatures(src Source) Features {
	f := Features(0)
	for range src.IntN(4) {
		f |= 1 << src.IntN(len(featureNames))
	}
	return f
}

// InTurn is one feature after the other, for tests that number their kernels.
func InTurn(kernel uint64) Features { return 1 << (kernel % uint64(len(featureNames))) }

// has reports whether the kernel may hold a feature.
func (g *generator) has(f Features) bool { return g.opts.Features&f != 0 }

// extra are the statements of the features that the kernel has.
func (g *generator) extra() []func() {
	var list []func()
	for _, e := range []struct {
		of        Features
		statement func()
	}{
		{Bits, g.bits}, {Bits, g.longBits}, {Products, g.products}, {Halves, g.half}, {Guards, g.window}, {Calls, g.call},
		{Recursion, g.recursion}, {Local, g.array}, {Local, g.array}, {Tables, g.table}, {Generic, g.pointer},
		{Generic, g.pointer}, {Fences, g.fence}, {AsyncCopies, g.copies}, {WideAtomics, g.wideAtomic}, {Links, g.link}, {Links, g.link},
		{Conversions, g.conversion}, {Conversions, g.conversion},
	} {
		if g.has(e.of) && !(e.of == Guards && g.has(Fixed)) { // of which sampled words decide
			list = append(list, e.statement, e.statement)
		}
	}
	return list
}

// knownExtra are ways in which features compute a word from others, which the last argument draws.
func (g *generator) knownExtra() []func(d string, draw func() string) {
	var list []func(string, func() string)
	for _, e := range []struct {
		of      Features
		compute func(string, func() string)
	}{
		{Bits, g.field}, {Products, g.product}, {Halves, g.onHalves},
		{Tables, func(d string, draw func() string) { g.constant(d, draw()) }},
		{Local, g.throughMemory},
	} {
		if g.has(e.of) {
			list = append(list, e.compute)
		}
	}
	return list
}
