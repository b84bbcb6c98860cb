package ptx

import "strings"

// family is a group of instructions that PTX has and isa cannot express: all
// whose mnemonics begin with the words of one of the prefixes.
type family struct {
	prefixes string // separated by blanks
	reason   string
}

// families are the instructions that are parsed, shown and printed, and that no
// kernel may execute.
var families = []family{
	{"tex tld4 txq istypep", "textures are not modelled"},
	{"suld sust sured suq", "surfaces are not modelled"},
	{"mma wmma ldmatrix stmatrix movmatrix", "matrix instructions of the tensor cores are not modelled"},
	{"wgmma tcgen05", "asynchronous matrix instructions of the tensor cores are not modelled"},
	{"mbarrier cp.async.mbarrier", "barriers in memory (mbarrier) are not modelled"},
	{"cp.async.bulk cp.reduce.async.bulk st.bulk tensormap", "bulk copies are not modelled"},
	{"st.async red.async", "asynchronous stores are not modelled"},
	{"multimem", "memory of several devices (multimem) is not modelled"},
	{"prefetch.tensormap prefetch.const.tensormap prefetch.param.tensormap", "bulk copies are not modelled"},
	{"fma.rn.oob", "NaN of what lies out of bounds (oob) is not modelled"},
	{"cvt.rs", "stochastic rounding is not modelled"},
	{"clusterlaunchcontrol", "launches of clusters from a kernel are not modelled"},
}

// refusal gives the reason why no kernel may execute an instruction, empty if
// its mnemonic belongs to no family.
func refusal(mnemonic string) string {
	for _, f := range families {
		for prefix := range strings.FieldsSeq(f.prefixes) {
			if rest, ok := strings.CutPrefix(mnemonic, prefix); ok && (rest == "" || rest[0] == '.') {
				return f.reason
			}
		}
	}
	if rest, ok := strings.CutPrefix(mnemonic, "cvt."); ok {
		for _, mode := range []string{"rn", "rzi"} {
			if len(candidates("cvt."+mode+"."+rest)) > 0 {
				return "this conversion rounds and must say how, as in cvt." + mode + "." + rest
			}
		}
	}
	return ""
}
