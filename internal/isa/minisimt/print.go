package minisimt

import (
	"fmt"
	"strconv"
	"strings"
)

// Print renders a module so that Parse reads the same from it, positions excepted.
func Print(m *Module) []byte {
	var b strings.Builder
	for i, k := range m.Kernels {
		if i > 0 {
			b.WriteByte('\n')
		}
		k.print(&b)
	}
	return []byte(b.String())
}

func (k *Kernel) print(b *strings.Builder) {
	var params []string
	for _, v := range k.Params {
		params = append(params, v.Type.String()+" "+v.Name)
	}
	fmt.Fprintf(b, "kernel %s(%s)\n", k.Name, strings.Join(params, ", "))
	for i, v := range k.Vars {
		switch {
		case i > 0 && k.Vars[i-1].Type == v.Type:
			b.WriteString(", " + v.Name)
		case i > 0:
			fmt.Fprintf(b, "\n%s %s", v.Type, v.Name)
		default:
			fmt.Fprintf(b, "%s %s", v.Type, v.Name)
		}
	}
	if len(k.Vars) > 0 {
		b.WriteByte('\n')
	}
	for i := range k.Code {
		fmt.Fprintf(b, "%d: %s\n", k.Start+i, &k.Code[i])
	}
}

// String renders the instruction without its address.
func (in *Instr) String() string {
	switch in.Op {
	case Bz, Bnz:
		return fmt.Sprintf("%s %s, %d", in.Op, in.A, in.Target)
	case Jump:
		return fmt.Sprintf("%s %d", in.Op, in.Target)
	case Store:
		return fmt.Sprintf("%s %s = %s", in.Op, in.A, in.B)
	case Load, Const:
		return fmt.Sprintf("%s %s = %s", in.Op, in.Dst, in.A)
	case Binop:
		return fmt.Sprintf("%s %s = %s %s %s", in.Op, in.Dst, in.A, in.Operator, in.B)
	case Barrier:
		return fmt.Sprintf("%s %s, %s", in.Op, in.A, in.B)
	}
	return in.Op.String()
}

// String renders the variable or number.
func (v Value) String() string {
	switch {
	case v.Name != "":
		return v.Name
	case !v.IsFloat:
		return strconv.Itoa(int(v.Int))
	}
	text := strconv.FormatFloat(float64(v.Float), 'g', -1, 32)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
