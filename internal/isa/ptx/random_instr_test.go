package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/isa"
)

// instruction writes a random instruction without control flow: any row of the
// table with any of its words. All lanes of the warp that are here execute those
// that name the lanes that take part.
func (g *randomModule) instruction() {
	for {
		name, f, err := compile(rows[g.IntN(len(rows))])
		if err != nil {
			panic(err)
		}
		switch f.op {
		case isa.Bra, isa.BrxIdx, isa.Ret, isa.Exit, isa.Trap, isa.Bar, isa.Mbarrier, isa.BulkCopy: // a module of its own has those
			continue
		case isa.Mma, isa.LdMatrix, isa.StMatrix, isa.MovMatrix: // see matrices
			continue
		}
		c, mnemonic := g.spell(name, f)
		if text, ok := g.operands(&c, mnemonic); ok {
			guard := ""
			members := slices.ContainsFunc(f.slots, func(s slot) bool { return s.letter == 'm' && !s.hint })
			if !members && g.chance(15) {
				guard = "@" + choose(g, "", "!") + g.register(isa.Pred) + " "
			}
			if members || f.op == isa.BarWarp {
				g.emit("activemask.b32 %%mask")
				guard = ""
			}
			g.emit("%s%s %s", guard, mnemonic, text)
			return
		}
	}
}

// matrices writes instructions on matrices, if all warps are whole. It is for where their lanes are
// together.
func (g *randomModule) matrices() {
	if g.width != 32 || g.threads()%g.width != 0 {
		return
	}
	first := slices.IndexFunc(rows, func(r row) bool { return r.op == isa.Mma }) // the last of the table
	for range g.IntN(6) {
		name, f, err := compile(rows[first+g.IntN(len(rows)-first)])
		if err != nil {
			panic(err)
		}
		c, mnemonic := g.spell(name, f)
		if text, ok := g.operands(&c, mnemonic); ok {
			g.emit("%s %s", mnemonic, text)
		}
	}
}

// spell chooses the words of a mnemonic.
func (g *randomModule) spell(name string, f *form) (candidate, string) {
	for {
		mnemonic := name
		for _, e := range f.words {
			if !e.optional || g.chance(40) {
				mnemonic += "." + choose(g, slices.Sorted(maps.Keys(e.choices))...)
			}
		}
		if c, ok := f.match(strings.Split(mnemonic, ".")[1:], true); ok && executable(&c.instr) {
			return c, mnemonic
		}
	}
}

// executable reports whether an instruction is more than words of the table that
// happen to fit: PTX has no such comparisons and conversions.
func executable(in *isa.Instr) bool {
	switch in.Op {
	case isa.Set:
		return in.Type != isa.U16 && in.Type != isa.S16 || in.SrcType != isa.F32 && in.SrcType != isa.F64
	case isa.Cvt:
		return (!in.FTZ || in.SrcType == isa.F32 || in.Type == isa.F32 && in.SrcType == isa.F64) &&
			(in.Round < isa.RoundIntRN || !in.Type.IsFloat() || in.Type == in.SrcType)
	}
	return true
}

// operands writes the operands of a candidate, and not if it is none that may
// stand here.
func (g *randomModule) operands(c *candidate, mnemonic string) (string, bool) {
	var texts []string
	common := g.commutes(c) && g.chance(50)
	for i := range c.slots {
		s := &c.slots[i]
		if s.flag {
			continue
		}
		if s.hint && g.chance(50) {
			break
		}
		text, ok := "", true
		switch {
		case s.address:
			text, ok = g.address(c, s, common, mnemonic)
		case s.letter == 'm' && !s.hint || c.op == isa.BarWarp:
			text = "%mask"
		case s.letter == 'i':
			text = g.constant(c, mnemonic)
		case common && s.result():
			text = "%drop_" + c.instr.Type.String()
		default:
			text, ok = g.operand(c, s)
			if n, err := strconv.Atoi(text); err == nil && ofByte(c.op, s.letter) && uint(n) > 255 {
				text = "255"
			}
			if ok && s.selects && strings.HasPrefix(text, "%") && !strings.Contains(text, ".") {
				text += g.selection(c.parts, s.result())
			}
		}
		if !ok {
			return "", false
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", "), true
}

// selection writes which parts of a register an instruction takes that computes
// so many at a time, or which it writes.
func (g *randomModule) selection(parts int, result bool) string {
	if parts == 1 {
		return choose(g, ".b", ".h") + fmt.Sprint(g.IntN(2))
	}
	if g.chance(50) {
		return ""
	}
	if result {
		return "." + map[int]string{2: "h", 4: "b"}[parts] + choose(g, "10", "0", "1")
	}
	text := "." + map[int]string{2: "h", 4: "b"}[parts]
	for range parts {
		text += fmt.Sprint(g.IntN(2 * parts))
	}
	return text
}

// operand writes what stands at a place that is no address.
func (g *randomModule) operand(c *candidate, s *slot) (string, bool) {
	t := c.typeOf(s, isa.U64)
	n, parts := 1, t
	switch {
	case s.parts:
		n = choose(g, 2, 2, 4)
		var ok bool
		if parts, ok = partTypes[t.Bits()/n]; !ok {
			n, parts = 2, partTypes[t.Bits()/2]
		}
		if t == isa.B128 {
			n, parts = 2, isa.B64
		}
	case s.vector && c.vector > 0:
		n = c.vector
	case s.fragment:
		var elements isa.Type
		n, elements = fragmentOf(&c.instr, s.letter)
		parts = registerOf(elements)
	default:
		return g.value(c, s, t)
	}
	var texts []string
	for range n {
		texts = append(texts, g.register(parts))
		if s.result() && slices.Contains(texts[:len(texts)-1], texts[len(texts)-1]) {
			texts[len(texts)-1] = "_" // two results in one register
		}
	}
	return "{" + strings.Join(texts, ", ") + "}", true
}

// value writes a register, a constant or a special register.
func (g *randomModule) value(c *candidate, s *slot, t isa.Type) (string, bool) {
	if s.result() {
		text := g.fitting(t, s.wider)
		if s.second != nil && (c.op == isa.Lop3 || g.chance(60)) {
			second := choose(g, "_", "%test", g.register(isa.Pred))
			if second == text {
				second = "_"
			}
			return text + "|" + second, true
		}
		return text, true
	}
	if s.not && g.chance(40) {
		return "!" + g.fitting(t, s.wider), true
	}
	switch integer := t.Class() == isa.Bits || t.Class() == isa.Unsigned || t.Class() == isa.Signed; {
	case integer && t.Bits() <= 64 && g.chance(20):
		return choose(g, "0", "1", "2", "-1", "5", "31", "32", "64", "127", fmt.Sprint(g.IntN(1<<16))), true
	case t == isa.F32 && g.chance(20):
		return choose(g, "0f00000000", "0f80000000", "0f3F800000", "0f00000001", "0f7F7FFFFF", "0f7F800000", "0f7FC00001", "0fC0490FDB"), true
	case t == isa.F64 && g.chance(20):
		return choose(g, "0d0000000000000000", "0d8000000000000000", "0d3FF0000000000000", "0d0000000000000001", "0d7FF0000000000000", "0d7FF8000000000001", "0d400921FB54442D18"), true
	case integer && t.Bits() == 32 && c.op != isa.Nop && g.chance(10):
		return choose(g, "%tid.x", "%tid.y", "%ntid.x", "%ctaid.x", "%nctaid.y", "%laneid", "%warpid", "%nwarpid", "%lanemask_lt", "%lanemask_ge", "WARP_SZ", "%total_smem_size"), true
	}
	return g.fitting(t, s.wider), true
}

// fitting names a register that may stand at a place of a type.
func (g *randomModule) fitting(t isa.Type, wider bool) string {
	var may []isa.Type
	for _, have := range g.types {
		if fits(have, t, wider) && (have.Bits() <= 64 || t == isa.B128) {
			may = append(may, have)
		}
	}
	if g.chance(60) {
		return g.register(t)
	}
	return g.register(choose(g, may...))
}

// constant writes an operand that must be constant.
func (g *randomModule) constant(c *candidate, mnemonic string) string {
	switch {
	case c.op == isa.Lop3:
		return fmt.Sprint(g.IntN(256))
	case c.op == isa.Fence:
		return "128"
	case strings.HasPrefix(mnemonic, "setmaxnreg"):
		return fmt.Sprint(24 + 8*g.IntN(29))
	case strings.Contains(mnemonic, "async.cg"):
		return "16"
	case c.op == isa.CpAsync:
		return choose(g, "4", "8", "16")
	}
	return fmt.Sprint(g.IntN(16))
}

// commutes reports whether atomic operations of an instruction on one element
// commute.
func (g *randomModule) commutes(c *candidate) bool {
	in := c.instr
	if in.Op != isa.Atom && in.Op != isa.Red || in.Type.IsFloat() || c.vector > 0 || g.inFunc {
		return false
	}
	switch in.Atom {
	case isa.AtomAdd, isa.AtomAnd, isa.AtomOr, isa.AtomXor, isa.AtomMin, isa.AtomMax:
		return true
	}
	return false
}

// address writes an address at which an instruction may access memory.
func (g *randomModule) address(c *candidate, s *slot, common bool, mnemonic string) (string, bool) {
	bytes := c.instr.Type.Bytes() * max(c.vector, 1)
	space := c.instr.Space
	if s.space != isa.Generic {
		space = s.space
	}
	switch c.op {
	case isa.CpAsync:
		bytes = 16
		if s.space == isa.Generic {
			space = isa.Global
		}
	case isa.LdMatrix, isa.StMatrix: // lanes access rows in their own memory
		bytes = isa.MatrixRow
	case isa.Prefetch, isa.Mov, isa.Fence:
		bytes = 1
	}
	if bytes > 32 { // an access may have so many
		return "", false
	}
	if strings.HasPrefix(mnemonic, "ldu") || strings.Contains(mnemonic, ".nc") || strings.Contains(mnemonic, ".mmio") {
		space = isa.Global
	}
	atomic := c.op == isa.Atom || c.op == isa.Red
	if atomic && space != isa.Generic && space != isa.Global && space != isa.Shared {
		return "", false
	}
	size := ownBytes
	base := ""
	switch {
	case common:
		base = "%bins"
		if space == isa.Shared || space == isa.Generic && g.chance(50) {
			base = "bins_shared"
		}
		if base == "bins_shared" && space == isa.Generic {
			g.emit("mov.u64 %%generic, bins_shared; cvta.shared.u64 %%generic, %%generic")
			base = "%generic"
		}
		kind := int(c.instr.Atom)*8 + int(c.instr.Type) - int(isa.B8)
		return g.within(base, (kind*16)%(binBytes-16), 16, bytes), true
	case space == isa.Generic:
		base = choose(g, "%global", "%shared", "%local")
		if atomic {
			base = choose(g, "%global", "%shared")
		}
	case space == isa.Global, space == isa.Shared, space == isa.Local:
		base = "%" + space.String()
	case space == isa.Const && c.op == isa.Ld:
		base, size = "%const", tableBytes
	case space == isa.Param && c.op == isa.Ld && !g.inFunc && !strings.Contains(mnemonic, "param::func"):
		base, size = "in", inBytes
	default:
		return "", false
	}
	if g.inFunc { // the only memory that functions know
		if atomic || space != isa.Generic && space != isa.Local {
			return "", false
		}
		base = "%local"
	}
	if own := strings.TrimPrefix(base, "%"); space == isa.Generic && (own == "shared" || own == "local") {
		g.emit("cvta.%s.u64 %%generic, %s", own, base)
		base = "%generic"
	}
	return g.within(base, 0, size, bytes), true
}

// within writes an address in size bytes from a base and an offset on.
func (g *randomModule) within(base string, offset, size, bytes int) string {
	if g.chance(50) {
		return fmt.Sprintf("[%s+%d]", base, offset+g.IntN(size/bytes)*bytes)
	}
	if !strings.HasPrefix(base, "%") {
		g.emit("mov.u64 %%wide, %s", base)
		base = "%wide"
	}
	at := g.name("%at")
	g.emit(".reg .b64 %s; and.b32 %%index, %s, %d; cvt.u64.u32 %s, %%index; add.u64 %s, %s, %s",
		at, g.fitting(isa.U32, false), (size-1)&^(bytes-1), at, at, at, base)
	if offset == 0 && g.chance(50) {
		return "[" + at + "]"
	}
	return fmt.Sprintf("[%s+%d]", at, offset)
}
