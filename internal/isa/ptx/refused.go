package ptx

import (
	"slices"
	"strings"

	"warpbound/internal/isa"
)

// family is a group of instructions that PTX has and isa cannot express: all
// whose mnemonics begin with the words of one of the prefixes.
type family struct {
	prefixes string // separated by blanks
	reason   string
	does     traits
}

// traits are what is known of an instruction that isa cannot express. One without any
// computes its first operand, from the others and from memory.
type traits uint8

const (
	stores      traits = 1 << iota // it may change memory at the addresses among its operands,
	anywhere                       // or wherever it wants
	waits                          // it may wait for other threads, branch, or end its thread
	accumulates                    // it reads its results, too
	twoResults                     // its second operand is a result, too
	strange                        // nothing is known of it but its words: any operand may be an address
)

// The reasons of several families.
const (
	matrices  = "matrix instructions wmma and mma.sp are not modelled"
	asyncMMA  = "asynchronous matrix instructions of the tensor cores are not modelled"
	bulk      = "bulk copies with tensor maps, masks, reductions or to several CTAs are not modelled"
	clusters  = "launches of clusters from a kernel are not modelled"
	multimems = "memory of several devices (multimem) is not modelled"
)

// families are the instructions that are parsed, shown and printed, and that no kernel may
// execute; an instruction is of the first that has a prefix of it. The traits are as the
// chapters of the PTX manual (version 9.0) on the instructions have them; what is not in it of a
// family that synchronises may wait. Those that wait for operations of their own warp alone, such as
// wgmma.wait_group, do not wait for other threads, nor do those that all lanes of a warp have to
// execute together (.sync.aligned), nor tcgen05.alloc, which waits until tensor memory is free.
var families = []family{
	{"tex tld4 txq istypep", "textures are not modelled", 0},
	{"suld suq", "surfaces are not modelled", 0},
	{"sust sured", "surfaces are not modelled", stores},
	{"wmma.load wmma.mma mma.sp", matrices, 0},
	{"wmma.store", matrices, stores},
	{"wmma", matrices, stores | waits},
	{"wgmma.mma_async", asyncMMA, accumulates},
	{"wgmma.fence wgmma.commit_group wgmma.wait_group", asyncMMA, 0},
	{"tcgen05.ld.red", asyncMMA, twoResults},
	{"tcgen05.ld tcgen05.st tcgen05.cp tcgen05.shift tcgen05.mma tcgen05.dealloc tcgen05.relinquish_alloc_permit", asyncMMA, 0}, // in tensor memory
	{"tcgen05.wait::ld tcgen05.wait::st tcgen05.fence::before_thread_sync tcgen05.fence::after_thread_sync", asyncMMA, 0},
	{"tcgen05.alloc tcgen05.commit", asyncMMA, stores},
	{"wgmma tcgen05", asyncMMA, stores | waits},
	{"cp.async.bulk cp.reduce.async.bulk st.bulk tensormap", bulk, stores},
	{"st.async red.async", "asynchronous stores are not modelled", stores},
	{"multimem.ld_reduce", multimems, 0},
	{"multimem.st multimem.red multimem.cp", multimems, stores},
	{"multimem", multimems, stores | waits},
	{"prefetch.tensormap prefetch.const.tensormap prefetch.param.tensormap", bulk, 0},
	{"fma.rn.oob", "NaN of what lies out of bounds (oob) is not modelled", 0},
	{"cvt.rs", "stochastic rounding to floats of 4, 6 and 8 bits is not modelled", 0},
	{"clusterlaunchcontrol.query_cancel", clusters, 0},
	{"clusterlaunchcontrol.try_cancel", clusters, stores},
	{"clusterlaunchcontrol", clusters, stores | waits},
}

// familyOf returns the family of an instruction, nil if it is of none.
func familyOf(mnemonic string) *family {
	for i := range families {
		for prefix := range strings.FieldsSeq(families[i].prefixes) {
			if rest, ok := strings.CutPrefix(mnemonic, prefix); ok && (rest == "" || rest[0] == '.') {
				return &families[i]
			}
		}
	}
	return nil
}

// The words in the names of instructions that wait for other threads, let others go on that
// wait, branch or end threads: those that say so wherever they stand in a word, unless that is
// "async", and those that are a word of their own.
var (
	synchronisingParts = []string{"sync", "barrier", "wait", "arrive", "commit", "signal", "acquire", "release", "suspend"}
	synchronisingWords = []string{
		"bar", "join", "lock", "unlock", "yield", "sleep", "bra", "brx", "branch", "call", "jump", "jmp", "ret", "return", "exit", "trap", "kill", "launch",
	}
)

// maySynchronise reports whether the words of a mnemonic say that the instruction may do what
// synchronisingParts and synchronisingWords tell of.
func maySynchronise(mnemonic string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(mnemonic), func(r rune) bool { return r < 'a' || r > 'z' }) {
		contains := func(part string) bool { return strings.Contains(word, part) }
		if slices.Contains(synchronisingWords, word) || word != "async" && slices.ContainsFunc(synchronisingParts, contains) {
			return true
		}
	}
	return false
}

// traitsOf returns what is known of an instruction that isa cannot express: what its family
// does, or what all instructions do together that have its first word, or what its words say.
func traitsOf(mnemonic string) traits {
	if f := familyOf(mnemonic); f != nil {
		return f.does
	}
	name, _, _ := strings.Cut(mnemonic, ".")
	rows := forms()[name]
	if name == "call" { // of a function that the module does not have
		return anywhere
	}
	if rows == nil {
		if maySynchronise(mnemonic) {
			return stores | waits | strange
		}
		return stores | strange
	}
	var does traits
	for _, f := range rows {
		effect := f.op.Info().Effect
		if effect&isa.WritesMem != 0 {
			does |= stores
		}
		if effect&(isa.Barriers|isa.Branches|isa.Exits) != 0 {
			does |= waits
		}
	}
	return does
}

// refusal gives the reason why no kernel may execute an instruction, empty if
// PTX has none that begins like its mnemonic.
func refusal(mnemonic string) string {
	if f := familyOf(mnemonic); f != nil {
		return f.reason
	}
	if rest, ok := strings.CutPrefix(mnemonic, "cvt."); ok {
		for _, mode := range []string{"rn", "rzi"} {
			if len(candidates("cvt."+mode+"."+rest)) > 0 {
				return "this conversion rounds and must say how, as in cvt." + mode + "." + rest
			}
		}
	}
	return wrongWord(mnemonic)
}
