package synthetic

import (
	"fmt"
	"strings"
)

// writer writes the text of a module.
type writer struct {
	strings.Builder
	*Config
	*kernel
}

// stride is the distance of a work-item's elements of a buffer in bytes: the elements of
// one slot lie together, so that a wavefront's accesses are coalesced.
func (c *Config) stride() int { return 4 * c.WorkItems * c.Groups }

func (w *writer) emit(format string, args ...any) {
	w.WriteByte('\t')
	fmt.Fprintf(w, format, args...)
	w.WriteString(";\n")
}

func (w *writer) label(format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	w.WriteString(":\n")
}

func (w *writer) comment(format string, args ...any) {
	w.WriteString("\t// ")
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

func (w *writer) part(list []instruction) {
	for _, in := range list {
		w.emit("%s", in.text(w.stride()))
	}
}

// module writes the kernel as PTX.
func (c *Config) module(k *kernel) string {
	w := &writer{Config: c, kernel: k}
	n := k.counts(c.marked())
	fmt.Fprintf(w, "// A synthetic benchmark: %d instructions that all work-items execute and %d that one of %d\n",
		n.Uniform, n.Divergent, len(k.classes))
	fmt.Fprintf(w, "// classes executes, %d of both access memory; %d if-else, %d of them marked; seed %d.\n",
		n.Memory, n.Branches, n.Marked, c.Seed)
	w.WriteString(".version 6.3\n.target sm_70\n.address_size 64\n\n" +
		".visible .entry synthetic(\n\t.param .u64 out,\n\t.param .u64 in\n)\n{\n")
	w.emit(".reg .pred %%p")
	w.emit(".reg .b32 %%item, %%global, %%size, %%bit, %%count, %%w<%d>", registers)
	w.emit(".reg .b64 %%out, %%in, %%own")
	w.prologue()
	if c.Iterations > 1 {
		w.emit("mov.u32 %%count, 0")
		w.label("LOOP")
	}
	w.comment("non-divergent instructions")
	w.part(k.uniform)
	w.choice(0, 0)
	if c.Iterations > 1 {
		w.emit("add.u32 %%count, %%count, 1")
		w.emit("setp.lt.u32 %%p, %%count, %d", c.Iterations)
		w.emit("@%%p bra LOOP")
	}
	w.epilogue()
	w.WriteString("}\n")
	return w.String()
}

// mask makes the first value of register r: that of the work-item's number in the launch with
// the bits of the mask complemented.
func mask(r int) uint32 { return 0x9e3779b9 * uint32(r+1) }

// prologue finds the work-item's number and elements and gives the registers their first values.
func (w *writer) prologue() {
	w.comment("the work-item's numbers, in its group and in the launch, and elements")
	w.emit("mov.u32 %%item, %%tid.x")
	w.emit("mov.u32 %%global, %%ctaid.x")
	w.emit("mov.u32 %%size, %%ntid.x")
	w.emit("mad.lo.u32 %%global, %%global, %%size, %%item")
	w.emit("mul.wide.u32 %%own, %%global, 4")
	for _, buffer := range []string{"out", "in"} {
		w.emit("ld.param.u64 %%%s, [%s]", buffer, buffer)
		w.emit("add.u64 %%%s, %%%s, %%own", buffer, buffer)
	}
	for r := range registers {
		w.emit("xor.b32 %%w%d, %%global, %d", r, mask(r))
	}
}

// epilogue stores the sum of all registers.
func (w *writer) epilogue() {
	w.comment("what was computed")
	for r := 1; r < registers; r++ {
		w.emit("add.u32 %%w0, %%w0, %%w%d", r)
	}
	w.emit("st.global.u32 [%%out+%d], %%w0", slots*w.stride())
	w.emit("ret")
}

// choice writes the if-else of the work-items whose numbers are class modulo 2^level, and
// what is in it: the divergent instructions of one class at the deepest level.
func (w *writer) choice(level, class int) {
	if level == w.Nesting {
		w.comment("divergent instructions of class %d", class)
		w.part(w.classes[class])
		return
	}
	bit := 1 << level
	name := fmt.Sprintf("%d_%d", level, class)
	w.emit("and.b32 %%bit, %%item, %d", bit)
	w.emit("setp.ne.u32 %%p, %%bit, 0")
	if bit-1+class < w.marked() { // outer ones come first
		w.emit(".pragma \"split\"")
	}
	w.emit("@%%p bra ELSE_%s", name)
	w.choice(level+1, class)
	w.emit("bra END_%s", name)
	w.label("ELSE_%s", name)
	w.choice(level+1, class+bit)
	w.label("END_%s", name)
}

// job writes the job file.
func (c *Config) job() string {
	return fmt.Sprintf(`module = %q
kernel = "synthetic"
machine = %q
grid = [%d]
block = [%d]
seed = %d

[[param]]
name = "out"
type = "u32"
count = %d

[[param]]
name = "in"
type = "u32"
count = %d
init = "uniform(0, 4294967295)"
`, ModuleFile, c.Machine, c.Groups, c.WorkItems, c.Seed&(1<<62-1), (slots+1)*c.WorkItems*c.Groups, slots*c.WorkItems*c.Groups)
}
