package isa

import "fmt"

// Video is what the video operations, VAdd to VMad, say beyond what other
// instructions do (PTX ISA, Video Instructions). The result has Instr.Type, source
// a Instr.SrcType; the types are U32 and S32.
//
// With one part a and b are single numbers. With two or four the parts of a and,
// behind them, those of b make one sequence of which either source takes its own.
type Video struct {
	TypeB Type
	Parts int // that are computed: 1, 2 halves or 4 bytes
	A, B  Selection

	// Into has a bit for each part of d, of Width bits, that is computed; the other
	// parts are those of c. Under Instr.Atom d has no parts: what is computed is
	// added to c or compared with it. The width 32 stands for all of d.
	Into  uint8
	Width uint8

	Minus   bool  // VMad: the product is negated
	MinusC  bool  // VMad: c is negated
	PlusOne bool  // VMad: one is added
	Shift   uint8 // VMad: bits by which the sum is shifted right
}

// Selection says which parts of its operands a video operation computes with.
type Selection struct {
	Bits uint8    // width of a part: 8, 16, or 32 for all of the operand
	At   [4]uint8 // the number of the part, from the least significant, for each result
}

// format renders a selection as PTX does.
func (s Selection) format(parts int) string {
	if s.Bits == 32 {
		return ""
	}
	text := map[uint8]string{8: "b", 16: "h"}[s.Bits]
	for i := parts - 1; i >= 0; i-- {
		text += fmt.Sprint(s.At[i])
	}
	return text
}

// modifiers lists what distinguishes video instructions.
func (v *Video) modifiers() []string {
	mods := []string{v.TypeB.String()}
	for _, m := range []struct{ prefix, text string }{
		{"a", v.A.format(v.Parts)}, {"b", v.B.format(v.Parts)},
	} {
		if m.text != "" {
			mods = append(mods, m.prefix+"="+m.text)
		}
	}
	if v.Width != 32 || v.Parts > 1 {
		mods = append(mods, fmt.Sprintf("into%d=%04b", v.Width, v.Into))
	}
	if v.Minus {
		mods = append(mods, "minus")
	}
	if v.MinusC {
		mods = append(mods, "minusc")
	}
	if v.PlusOne {
		mods = append(mods, "po")
	}
	if v.Shift > 0 {
		mods = append(mods, "shr"+fmt.Sprint(v.Shift))
	}
	return mods
}
