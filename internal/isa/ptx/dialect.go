package ptx

import (
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/isa"
)

// dialect is what a module of an old version or target means without saying it.
// The PTX manual has it in the "PTX ISA Notes", in what it says of subnormal numbers
// on sm_1x, and in the changes of the versions.
type dialect struct {
	bare    bool // before PTX 1.4: modifiers are implied, entries declare parameters in their bodies
	keeps64 bool // up to PTX 1.4: conversions from and to 64 bits flush no subnormal numbers
	flushes bool // sm_1x: what computes with .f32 flushes subnormal numbers
	narrows bool // map_f64_to_f32: doubles are floats
}

// dialectOf reads the arguments of .version and .target.
func dialectOf(version string, target []string) dialect {
	major, minor, _ := strings.Cut(version, ".")
	m, err := strconv.Atoi(minor)
	return dialect{
		bare:    major == "1" && err == nil && m < 4,
		keeps64: major == "1" && err == nil && m <= 4,
		flushes: strings.HasPrefix(target[0], "sm_1") && len(target[0]) == len("sm_1x"),
		narrows: slices.Contains(target, "map_f64_to_f32"),
	}
}

// implied gives the whole mnemonics of those that PTX before 1.4 wrote without
// modifiers.
var implied = map[string]string{
	"div.f32": "div.approx.ftz.f32", "div.f64": "div.rn.f64",
	"rcp.f32": "rcp.approx.ftz.f32", "rcp.f64": "rcp.rn.f64",
	"sqrt.f32": "sqrt.approx.ftz.f32", "sqrt.f64": "sqrt.rn.f64",
	"rsqrt.f32": "rsqrt.approx.ftz.f32", "rsqrt.f64": "rsqrt.approx.f64",
	"sin.f32": "sin.approx.ftz.f32", "cos.f32": "cos.approx.ftz.f32",
	"lg2.f32": "lg2.approx.ftz.f32", "ex2.f32": "ex2.approx.ftz.f32",
}

// mnemonic gives the mnemonic with the modifiers that it implies.
func (d dialect) mnemonic(written string) string {
	if whole, ok := implied[written]; ok && d.bare {
		return whole
	}
	return written
}

// adjust gives a lowered instruction the meaning that it has in the dialect.
func (d dialect) adjust(c *candidate, in isa.Instr) (isa.Instr, error) {
	has := func(t isa.Type) bool { return in.Type == t || in.SrcType == t }
	switch {
	case d.narrows && has(isa.F64):
		return in, unknownError{"doubles that are floats (map_f64_to_f32) are not modelled"}
	case d.keeps64 && in.Op == isa.Cvt && (in.Type.Bits() == 64 || in.SrcType.Bits() == 64):
		in.FTZ = false
	case d.flushes && has(isa.F32) && c.allows("ftz"):
		in.FTZ = true
	}
	return in, nil
}

// allows reports whether a word may stand in the mnemonic of a form.
func (f *form) allows(word string) bool {
	return slices.ContainsFunc(f.words, func(e element) bool { _, ok := e.choices[word]; return ok })
}

// paramsOf gives the parameters of a function; before PTX 1.4 those of an entry
// are declared in its body.
func (l *lowering) paramsOf(f *Func) []*Decl {
	if f.Body == nil || !f.Entry || !l.dialect.bare {
		return f.Params
	}
	params := slices.Clone(f.Params)
	for _, s := range f.Body.Stmts {
		if d, ok := s.(*Decl); ok && d.Space == "param" {
			for _, name := range d.Names {
				one := *d
				one.Names = []Declarator{name}
				params = append(params, &one)
			}
		}
	}
	return params
}

// isEntryParam reports whether a declaration in a body is one of paramsOf.
func (fn *function) isEntryParam(d *Decl) bool {
	return fn.f.Entry && fn.dialect.bare && d.Space == "param"
}

// impliedAddressBits gives the size of addresses of a module without
// .address_size, which PTX before 2.3 did not have: 64 bits if an entry takes an
// integer of so many, for that is then a pointer, and else 32.
func (l *lowering) impliedAddressBits() int {
	for _, item := range l.Items {
		f, ok := item.(*Func)
		if !ok || !f.Entry {
			continue
		}
		for _, d := range l.paramsOf(f) {
			t, _ := isa.TypeByName(d.Type)
			if t.Bits() == 64 && !t.IsFloat() && len(d.Names[0].Dims) == 0 {
				return 64
			}
		}
	}
	return 32
}
