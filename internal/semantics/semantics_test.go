package semantics

import (
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// image is a launch of the tests' own making: 2 CTAs of 40 threads in warps of 32, whose
// constants are the number of the CTA.
type image struct{ kernel *isa.Kernel }

func (m image) Kernel() *isa.Kernel { return m.kernel }
func (image) GridDim() [3]int       { return [3]int{2, 1, 1} }
func (image) Threads() int          { return 40 }
func (image) Warps() int            { return 2 }
func (image) Width() int            { return 32 }
func (image) SharedBytes() int      { return 0 }

func (image) Constant(_ isa.Operand, ctaid [3]int, _, _ int) (uint64, bool) {
	return uint64(ctaid[0]), true
}
func (image) ReadOnly(uint64, int) []byte                 { return nil }
func (image) InConstants(uint64, uint64) (some, all bool) { return false, false }
func (image) Contents(addr uint64, n int) []byte          { return make([]byte, n) }
func (image) Regions() []abi.Region                       { return []abi.Region{{Addr: abi.GlobalBase, Bytes: 8}} }
func (image) LocalBytes() int                             { return 16 }

func kernel(typ isa.Type) *isa.Kernel {
	r := isa.RegOperand(0)
	return &isa.Kernel{Name: "k", AddressBits: 64, Regs: []isa.RegDecl{{Name: "%r0", Type: isa.U32}}, Instrs: []isa.Instr{
		{Op: isa.Add, Type: typ, Dst: []isa.Operand{r}, Src: []isa.Operand{r, isa.ImmOperand(3)}, Pos: diag.Pos{File: "k.ptx", Line: 7, Col: 1}},
		{Op: isa.St, Type: isa.U32, Src: []isa.Operand{{Kind: isa.KindAddr, Reg: isa.NoReg}, r}},
		{Op: isa.Exit},
	}}
}

// TestLaunch looks at a launch that no emulator has made.
func TestLaunch(t *testing.T) {
	l, err := New(image{kernel(isa.U32)})
	if err != nil {
		t.Fatal(err)
	}
	if !l.Pure(0) || l.Pure(1) || l.Pure(2) {
		t.Error("an addition is pure, a store and an exit are not")
	}
	if l.Threads(0) != 1<<32-1 || l.Threads(1) != 1<<8-1 {
		t.Errorf("lanes %#x and %#x hold threads", l.Threads(0), l.Threads(1))
	}
	if r := l.Regions(); len(r) != 1 || r[0].Bytes != 8 || l.LocalBytes() != 16 {
		t.Errorf("memory is at %v, and %d bytes of a thread", r, l.LocalBytes())
	}
	if x, ok := l.Constant(isa.Operand{Kind: isa.KindSpecial, Special: isa.CtaidX}, [3]int{1, 0, 0}, 0, 0); x != 1 || !ok {
		t.Errorf("a constant is %d, %t", x, ok)
	}
	source := alu.Lanes{Num: make([]alu.Vector, 1)}
	source.Num[0][5] = 39
	sum := []alu.Lanes{{Num: make([]alu.Vector, 1)}}
	unsettled, err := l.Evaluator().Eval(0, 1<<5, sum, []alu.Lanes{source, {}})
	if err != nil || unsettled != 0 || sum[0].Num[0][5] != 42 {
		t.Errorf("39 + 3 is %d, unsettled in %#x, error %v", sum[0].Num[0][5], unsettled, err)
	}
}

// TestUnsettled makes integers of NaN in one of two lanes, and of an immediate that is NaN.
func TestUnsettled(t *testing.T) {
	k := kernel(isa.U32)
	k.Regs = append(k.Regs, isa.RegDecl{Name: "%f0", Type: isa.F32})
	k.Instrs[0] = isa.Instr{
		Op: isa.Cvt, Type: isa.U32, SrcType: isa.F32, Round: isa.RoundIntRZ,
		Dst: []isa.Operand{isa.RegOperand(0)}, Src: []isa.Operand{isa.RegOperand(1)},
	}
	source := alu.Lanes{Num: make([]alu.Vector, 1)}
	source.Num[0][5], source.Num[0][6] = 0x7fc00000, 0x40400000
	for want, of := range map[uint64]isa.Operand{
		1 << 5: isa.RegOperand(1), 3 << 5: isa.ImmOperand(0xffc00000), 0: isa.ImmOperand(0xff800000),
	} {
		k.Instrs[0].Src[0] = of
		l, err := New(image{k})
		if err != nil {
			t.Fatal(err)
		}
		result := []alu.Lanes{{Num: make([]alu.Vector, 1)}}
		unsettled, err := l.Evaluator().Eval(0, 3<<5, result, []alu.Lanes{source})
		if err != nil || unsettled != want {
			t.Errorf("lanes %#x are unsettled, want %#x, error %v", unsettled, want, err)
		}
		if of.Kind == isa.KindReg && (result[0].Num[0][5] != 0 || result[0].Num[0][6] != 3) {
			t.Errorf("NaN is %d and 3 is %d", result[0].Num[0][5], result[0].Num[0][6])
		}
	}
}

// TestNewErrors checks that an instruction that cannot be computed is named.
func TestNewErrors(t *testing.T) {
	_, err := New(image{kernel(isa.B32)})
	const want = "k.ptx:7:1: cannot compute add.b32 %r0, %r0, 0x3: add is not defined on b32"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s...", err, want)
	}
}

func TestSpace(t *testing.T) {
	for addr, want := range map[uint64]isa.Space{
		0: isa.Generic, abi.SharedBase - 1: isa.Generic, abi.SharedBase: isa.Shared, abi.LocalBase: isa.Local,
		abi.SharedBase + abi.WindowBytes: isa.Generic, abi.LocalBase + abi.WindowBytes - 1: isa.Local, abi.LocalBase + abi.WindowBytes: isa.Generic,
		abi.ParamAddress(8): isa.Param, abi.ParamBase + abi.WindowBytes: isa.Generic, abi.GlobalBase - 1: isa.Generic, abi.GlobalBase: isa.Global,
	} {
		if got := Space(addr); got != want {
			t.Errorf("0x%x lies in %s space, want %s", addr, got, want)
		}
	}
}

// TestNotModelled has an instruction whose effect is not known to any analysis of launches.
func TestNotModelled(t *testing.T) {
	for _, op := range []isa.Op{isa.Unknown, isa.Opaque, isa.OpaqueAccess, isa.Call} {
		k := kernel(isa.U32)
		k.Instrs[1] = isa.Instr{Op: op, Text: "frob [%r0]", Reason: "it is new", Pos: diag.Pos{File: "k.ptx", Line: 8, Col: 1}}
		const want = "k.ptx:8:1: cannot compute frob [%r0]: it is new"
		if _, err := New(image{k}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", op, err, want)
		}
	}
}
