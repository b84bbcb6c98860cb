package machine

import (
	"reflect"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// products is a section that may be left out.
const products = `[tensor]
"m16n8k16 f32 f16" = { pipeline = "sfu", latency = 27, initiation = 8, unit = "core cycles", source = "s" }
"m8n8k4 f32 f16" = { pipeline = "sfu", latency = 14, initiation = 4, unit = "core cycles", source = "s" }

`

// mma returns a product of halves, added in single precision.
func mma(m, n, k int) isa.Instr {
	matrix := &isa.Matrix{M: m, N: n, K: k, TypeB: isa.F16, TypeC: isa.F32}
	in := isa.Instr{Op: isa.Mma, Type: isa.F32, SrcType: isa.F16, Matrix: matrix, Pos: diag.Pos{File: "k.ptx", Line: int32(k), Col: 1}}
	d, a, b, c := in.FragmentRegs()
	in.Dst, in.Src = make([]isa.Operand, d), make([]isa.Operand, a+b+c)
	return in
}

// TestProducts: a product takes the timing of its shape and types, unless a stand-in is there for it; where one is timed, all must be.
func TestProducts(t *testing.T) {
	src := strings.Replace(fermiSource(t), "[shared]\n", products+"[shared]\n", 1)
	m, err := Parse("m.toml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Parse("m.toml", m.Format()); err != nil || !reflect.DeepEqual(again, m) || m.Hash() == fermi(t).Hash() {
		t.Errorf("the text of the machine gives another one: %v", err)
	}
	first, short, third := mma(8, 8, 4), mma(16, 8, 8), mma(16, 8, 16)
	if got := m.InstrTiming(&third); got != m.StandIns["mma-80"] {
		t.Errorf("%+v stands in for what the generation lacks, want %+v", got, m.StandIns["mma-80"])
	}
	k := &isa.Kernel{Instrs: []isa.Instr{first, short, third, {Op: isa.Ret}}}
	if err := m.CheckProducts(k); err != nil {
		t.Errorf("stand-ins time all: %v", err)
	}
	m.StandIns = nil
	for _, in := range []*isa.Instr{&first, &third} {
		if got := m.InstrTiming(in); got != m.Tensor[in.Product()] || got.Latency == 0 {
			t.Errorf("%s takes %+v", in.Product(), got)
		}
	}
	const want = `: fermi-c2050 does not time this product, although it times others: add "m16n8k8 f32 f16" = `
	if err := m.CheckProducts(k); err == nil || !strings.HasPrefix(err.Error(), "k.ptx:8:1: mma.m16n8k8.") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want %s", err, want)
	}
	m.Tensor = nil
	if err := m.CheckProducts(k); err != nil || m.InstrTiming(&short) != m.Timing(isa.Tensor) {
		t.Errorf("without products: %v, %+v", err, m.InstrTiming(&short))
	}
	for _, c := range []struct{ from, to, want string }{
		{"m16n8k16 f32 f16", "m16n8k17 f32 f16", `unknown product "m16n8k17 f32 f16"; a key is "SHAPE TYPE TYPE"`},
		{`"sfu", latency = 27`, `"ldst", latency = 27`, `"ldst" is the pipeline for memory`},
		{"latency = 27", "latency = 0", "tensor.m16n8k16 f32 f16.latency = 0 is not between 1 and 100000 core cycles"},
	} {
		_, err := Parse("m.toml", []byte(strings.Replace(src, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
