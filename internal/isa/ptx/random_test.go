package ptx

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/fuzzsource"
)

// randomModule writes a kernel that uses whatever the table of forms has, from the
// numbers that bytes give. It is valid PTX, ends, stays within its buffers and
// gives the same memory however its warps are scheduled: a thread writes only
// memory of its own, but for atomic operations that commute, of which nobody uses
// what they return.
type randomModule struct {
	kernelgen.Source
	grid, cta [3]int
	width     int // lanes of a warp

	text      strings.Builder
	functions strings.Builder
	names     int
	left      int // statements that may still be made
	types     []isa.Type
	inFunc    bool
}

func (g *randomModule) chance(percent int) bool { return g.IntN(100) < percent }

// choose draws an element of a list.
func choose[T any](g *randomModule, from ...T) T { return from[g.IntN(len(from))] }

// Sizes in bytes.
const (
	ownBytes   = 64   // of a thread in each of global, shared and local memory
	tableBytes = 1024 // of constant memory
	inBytes    = 64   // of a parameter
	binBytes   = 4096 // that all threads update atomically, in global and shared memory
)

// copies is the number of registers of each type.
const copies = 3

// saved is the size of all registers of a thread in bytes.
func (g *randomModule) saved() int { return len(g.types) * copies * 16 }

// perThread is the memory of a thread in the buffer: its own, its registers, and
// its shared and local memory at the end.
func (g *randomModule) perThread() int { return ownBytes + g.saved() + 2*ownBytes }

func (g *randomModule) threads() int { return volume(g.cta) }

func volume(v [3]int) int { return v[0] * v[1] * v[2] }

// bufferBytes is the size of the kernel's buffer.
func (g *randomModule) bufferBytes() int {
	return volume(g.grid)*g.threads()*g.perThread() + binBytes
}

// allTypes are the types that registers have.
func allTypes() []isa.Type {
	var all []isa.Type
	for t := isa.Pred; ; t++ {
		if _, ok := isa.TypeByName(t.String()); !ok {
			return all
		}
		if n := t.Bits(); t == isa.Pred || n >= 8 {
			all = append(all, t)
		}
	}
}

func newRandomModule(data []byte) *randomModule {
	g := &randomModule{Source: fuzzsource.New(data), types: allTypes()}
	g.width = choose(g, 32, 32, 32, 16, 8, 2)
	g.cta = g.shape(min(130, 10*g.width))
	if g.width == 32 && g.chance(40) { // whole warps
		g.cta = [3]int{32 * (1 + g.IntN(4)), 1, 1}
	}
	g.grid = g.shape(4)
	g.left = 1 + g.IntN(50)
	return g
}

// shape draws three extents with a product of at most limit.
func (g *randomModule) shape(limit int) [3]int {
	v := [3]int{1, 1, 1}
	for axis := range v {
		if axis == 0 || g.chance(25) {
			v[axis] = 1 + g.IntN(limit)
			limit /= v[axis]
		}
	}
	return v
}

func (g *randomModule) emit(format string, args ...any) {
	fmt.Fprintf(&g.text, format+";\n", args...)
}

func (g *randomModule) place(label string) { g.text.WriteString(label + ":\n") }

func (g *randomModule) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// register names one of the registers of a type, or of as many bits where there
// are none of it.
func (g *randomModule) register(t isa.Type) string {
	if !slices.Contains(g.types, t) {
		t = g.types[slices.IndexFunc(g.types, func(have isa.Type) bool { return fits(have, t, false) })]
	}
	return fmt.Sprintf("%%%s_%d", t, g.IntN(copies))
}

// module returns the whole text.
func (g *randomModule) module() string {
	g.prologue()
	g.matrices()
	g.body()
	g.place("END")
	g.epilogue()
	var table []string
	for i := range tableBytes / 4 {
		table = append(table, fmt.Sprint(uint32(i)*2654435761))
	}
	return fmt.Sprintf(`.version 9.0
.target sm_100a
.address_size 64
.const .align 32 .b32 table[%d] = {%s};
%s
.visible .entry random(.param .u64 buffer, .param .align 32 .b8 in[%d])
{
%s}
`, len(table), strings.Join(table, ", "), g.functions.String(), inBytes, g.text.String())
}

// registers declares the registers and gives them their first values, which
// depend on a word.
func (g *randomModule) registers(word string) {
	g.emit(".reg .b32 %%mask, %%index, %%limit; .reg .b64 %%at, %%wide, %%value; .reg .pred %%test, %%carry")
	g.emit("cvt.u64.u32 %%value, %s", word)
	for _, t := range g.types {
		g.emit(".reg .%s %%%s_<%d>, %%drop_%s", t, t, copies, t)
		for i := range copies {
			g.emit("mad.lo.u64 %%value, %%value, 0x5851f42d4c957f2d, %d", 2*g.IntN(1<<16)+1)
			to := fmt.Sprintf("%%%s_%d", t, i)
			switch t.Bits() {
			case 1:
				g.emit("setp.gt.s64 %s, %%value, 0", to)
			case 8:
				g.emit("cvt.u8.u64 %s, %%value", to)
			case 128:
				g.emit("mov.b128 %s, {%%value, %%value}", to)
			default:
				g.emit("shr.b64 %%wide, %%value, %d", 64-t.Bits())
				if t.Bits() < 64 {
					g.emit("cvt.u%d.u64 %%b%d_0, %%wide", t.Bits(), t.Bits())
					g.emit("mov.b%d %s, %%b%d_0", t.Bits(), to, t.Bits())
				} else {
					g.emit("mov.b64 %s, %%wide", to)
				}
			}
		}
	}
	g.emit("add.cc.u32 %%mask, %s, -1", word) // gives the carry flag a value
}

// prologue computes the thread's numbers and addresses.
func (g *randomModule) prologue() {
	g.emit(".shared .align 32 .b8 own_shared[%d]; .shared .align 32 .b8 bins_shared[%d]; .local .align 32 .b8 own_local[%d]", g.threads()*ownBytes, binBytes, ownBytes)
	g.emit(".reg .b32 %%thread, %%cta, %%number, %%axis; .reg .b64 %%buffer, %%bins, %%global, %%shared, %%local, %%const, %%common")
	g.flatten("%thread", "tid", g.cta)
	g.flatten("%cta", "ctaid", g.grid)
	g.emit("mad.lo.u32 %%number, %%cta, %d, %%thread", g.threads())
	g.emit("ld.param.u64 %%buffer, [buffer]")
	g.emit("mad.wide.u32 %%global, %%number, %d, %%buffer", g.perThread())
	g.emit("add.u64 %%bins, %%buffer, %d", g.bufferBytes()-binBytes)
	g.emit("mov.u64 %%shared, own_shared; mad.wide.u32 %%shared, %%thread, %d, %%shared", ownBytes)
	g.emit("mov.u64 %%local, own_local")
	g.emit(".reg .b64 %%generic; mov.u64 %%const, table")
	g.registers("%number")
}

// flatten computes a linear index, x fastest, from a special register.
func (g *randomModule) flatten(to, special string, shape [3]int) {
	g.emit("mov.u32 %s, %%%s.z", to, special)
	for i, axis := range []string{"y", "x"} {
		g.emit("mov.u32 %%axis, %%%s.%s", special, axis)
		g.emit("mad.lo.u32 %s, %s, %d, %%axis", to, to, shape[1-i])
	}
}

// epilogue stores every register and the thread's own memory.
func (g *randomModule) epilogue() {
	at := ownBytes
	for _, t := range g.types {
		for i := range copies {
			from := fmt.Sprintf("%%%s_%d", t, i)
			switch t.Bits() {
			case 1:
				g.emit("selp.u32 %%mask, 1, 0, %s; st.global.u32 [%%global+%d], %%mask", from, at)
			default:
				g.emit("st.global.b%d [%%global+%d], %s", t.Bits(), at, from)
			}
			at += 16
		}
	}
	for _, space := range []string{"shared", "local"} {
		for i := 0; i < ownBytes; i += 8 {
			g.emit("ld.%s.u64 %%wide, [%%%s+%d]; st.global.u64 [%%global+%d], %%wide", space, space, i, at+i)
		}
		at += ownBytes
	}
	g.emit("ret")
}
