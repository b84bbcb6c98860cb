package gated

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/isa"
)

// Name returns the name of a value: that of its register and a number that tells
// the register's values apart, as in "%r1.2"; "leaves.1" for a truth value that is no
// register's.
func (f *Form) Name(v ID) string {
	switch {
	case v == None:
		return "-"
	case v == False:
		return "false"
	case v == True:
		return "true"
	}
	register := "leaves"
	if r := f.Values[v].Reg; r != isa.NoReg {
		register = f.Graph.Kernel.Regs[r].Name
	}
	return fmt.Sprintf("%s.%d", register, f.numbers[v])
}

// Define returns how a value is made: "gamma(%p.1, %r.2, %r.1)", or the instruction of
// which it is the result.
func (f *Form) Define(v ID) string {
	value := &f.Values[v]
	var parts []string
	if value.By != None {
		parts = append(parts, f.Name(value.By))
	}
	for _, a := range value.Args {
		parts = append(parts, f.Name(a))
	}
	list := "(" + strings.Join(parts, ", ") + ")"
	switch value.Kind {
	case Result:
		return f.Instr(value.Instr)
	case Initial:
		return "initial"
	case Gamma:
		return "gamma" + list
	case Mu:
		return "mu" + list
	case Eta:
		return "eta" + list
	}
	return f.Name(v)
}

// Instr renders an instruction with the names of values in place of those of
// registers.
func (f *Form) Instr(i int) string {
	k := *f.Graph.Kernel
	in := k.Instrs[i]
	in.Text = "" // which has the names of registers
	in.Src, in.Dst = slices.Clone(in.Src), slices.Clone(in.Dst)
	k.Regs = nil
	value := func(v ID) isa.Reg {
		k.Regs = append(k.Regs, isa.RegDecl{Name: f.Name(v)})
		return isa.Reg(len(k.Regs) - 1)
	}
	reads := f.reads[i]
	next := func() isa.Reg {
		r := value(reads[0])
		reads = reads[1:]
		return r
	}
	if in.Guard.Set {
		in.Guard.Reg = next()
	}
	for n := range in.Src {
		switch o := &in.Src[n]; o.Kind {
		case isa.KindReg:
			o.Reg = next()
		case isa.KindAddr, isa.KindVarAddr:
			if o.Reg != isa.NoReg {
				o.Reg = next()
			}
		}
	}
	for n := range in.Dst {
		if in.Dst[n].Kind == isa.KindReg {
			in.Dst[n].Reg = value(f.writes[i][n])
		}
	}
	return k.Format(&in)
}

// number gives the values of each register numbers in the order in which they were
// made.
func (f *Form) number() {
	count := make(map[isa.Reg]int)
	f.numbers = make([]int, len(f.Values))
	for v := range f.Values {
		if f.Values[v].Kind == Truth {
			continue
		}
		r := f.Values[v].Reg
		f.numbers[v] = count[r]
		count[r]++
	}
}

// String renders the form: the blocks in their order, each with the gammas and mus at
// its start, and behind the header of a loop what is chosen at the end of its
// iterations and what is left of it.
func (f *Form) String() string {
	var b strings.Builder
	k := f.Graph.Kernel
	fmt.Fprintf(&b, "kernel %s\n", k.Name)
	define := func(list []ID) {
		for _, v := range list {
			fmt.Fprintf(&b, "\t%s = %s\n", f.Name(v), f.Define(v))
		}
	}
	for block := range f.Graph.Blocks {
		if !f.Graph.Reachable(block) {
			continue
		}
		fmt.Fprintf(&b, "%s:\n", f.Graph.Name(block))
		if block == f.Graph.Entry() {
			for v := range f.Values {
				if f.Values[v].Kind == Initial {
					define([]ID{ID(v)})
				}
			}
		}
		define(f.starts[block])
		for i := f.Graph.Blocks[block].Start; i < f.Graph.Blocks[block].End; i++ {
			fmt.Fprintf(&b, "\t%s\n", f.Instr(i))
			define(f.guarded[i])
		}
	}
	for l, loop := range f.Loops {
		fmt.Fprintf(&b, "loop at %s, left if %s:\n", f.Graph.Name(f.Graph.Loops().Loops[l].Header), f.Name(loop.Leave))
		define(loop.Next)
		define(loop.Etas)
	}
	return b.String()
}
