package ptx

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

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
	{"wmma mma.sp", "matrix instructions wmma and mma.sp are not modelled"},
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
// PTX has none that begins like its mnemonic.
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
	if near := nearest(mnemonic); len(near) > 0 {
		return "no form of the instruction has these words, want " + strings.Join(near, ", or ")
	}
	return ""
}

// nearest lists the forms that begin with the first word of a mnemonic and know
// most of its other words, in their order: up to three, in the order of the table.
func nearest(mnemonic string) []string {
	name, rest, _ := strings.Cut(mnemonic, ".")
	var near []string
	maximum := 0
	for _, f := range forms()[name] {
		left, known := f.words, 0
		for word := range strings.SplitSeq(rest, ".") {
			at := slices.IndexFunc(left, func(e element) bool { _, ok := e.choices[word]; return ok })
			if at >= 0 {
				left, known = left[at+1:], known+1
			}
		}
		switch {
		case known > maximum:
			maximum, near = known, []string{spelled(f.text)}
		case known == maximum && len(near) < 3:
			near = append(near, spelled(f.text))
		}
	}
	return near
}

// spelled replaces the names of small sets of words in a form by the words.
func spelled(form string) string {
	return setName.ReplaceAllStringFunc(form, func(name string) string {
		set := sets[name[1:len(name)-1]]
		if len(set) == 0 || len(set) > 8 {
			return name
		}
		return "<" + strings.Join(slices.Sorted(maps.Keys(set)), "|") + ">"
	})
}

var setName = regexp.MustCompile("<[a-z0-9]+>")
