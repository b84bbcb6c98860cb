package isa_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/kernelgen"
	"warpbound/internal/splitting"
	"warpbound/internal/test/isatest"
	"warpbound/kernels"
)

// lower makes a program of a module, of mini-SIMT code if the file's name says so.
func lower(t testing.TB, file string, text []byte) *isa.Program {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if path.Ext(file) == ".simt" {
		m, err := minisimt.Parse(file, text)
		must(err)
		p, err := minisimt.Lower(m)
		must(err)
		return p
	}
	m, err := ptx.Parse(file, text)
	must(err)
	p, err := ptx.Lower(m)
	must(err)
	return p
}

// linked returns the kernels of a module.
func linked(t testing.TB, file string, text []byte) []*isa.Kernel {
	t.Helper()
	p := lower(t, file, text)
	var all []*isa.Kernel
	for _, f := range p.Entries() {
		if f.Extern {
			continue
		}
		k, err := isatest.Link(p, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	return all
}

// committed returns kernels of the suite and of the modules that tests of the front ends and
// of the emulator read.
func committed(t testing.TB) []*isa.Kernel {
	t.Helper()
	var all []*isa.Kernel
	for _, pattern := range []string{"*/*.ptx", "*/*.simt"} {
		files, err := fs.Glob(kernels.Suite(), pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%d modules, error %v", len(files), err)
		}
		for _, file := range files {
			text, err := fs.ReadFile(kernels.Suite(), file)
			if err != nil {
				t.Fatal(err)
			}
			if path.Base(file) != "petri.ptx" { // the same generator wrote a smaller one
				all = append(all, linked(t, file, text)...)
			}
		}
	}
	for _, file := range []string{
		"ptx/testdata/calls.O0.ptx", "ptx/testdata/calls.O2.ptx", "ptx/testdata/directives.ptx", "ptx/testdata/old.ptx",
		"../emu/testdata/system.ptx", "../flow/divergence/testdata/listing1.simt",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, linked(t, file, text)...)
	}
	return append(all, linked(t, "every.ptx", []byte(every))...)
}

// sampled returns a random kernel: every third in mini-SIMT code.
func sampled(t testing.TB, seed uint64) *isa.Kernel {
	t.Helper()
	draw := kernelgen.New
	if seed%3 == 2 {
		draw = kernelgen.NewSIMT
	}
	c := draw(rand.New(rand.NewPCG(seed, 0)), kernelgen.Options{
		Statements: 20, Depth: 3, Trips: 4, Threads: 64, CTAs: 2, Irreducible: seed%2 == 0, Split: true,
	})
	return linked(t, c.File, []byte(c.Module))[0]
}

// every has the operations whose operands or modes are unlike those of others.
const every = `.version 8.3 .target sm_90 .address_size 64
.global .u64 tab[2] = {tab, 5};
.entry k(.param .u64 n) {
	.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .b16 %h<4>; .reg .f32 %f<4>;
	.shared .align 16 .b8 buf[64];
	.local .b32 own[4];
	ld.param.u64 %d0, [n];
	cvta.to.global.u64 %d1, %d0;
	isspacep.shared %p1, %d0;
	setp.lt.and.s32 %p1|%p2, %r1, 3, !%p3;
	set.lt.u32.f32 %r1, %f1, %f2;
	testp.finite.f32 %p2, %f1;
	selp.b32 %r2, %r1, 7, %p1;
	slct.f32.s32 %f1, %f2, %f3, %r1;
	and.pred %p1, %p2, %p3;
	add.cc.u32 %r1, %r2, %r3;
	madc.lo.u32 %r1, %r2, %r3, %r4;
	lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x3f, %p2;
	prmt.b32.f4e %r1, %r2, %r3, %r4;
	vadd.u32.u32.s32.sat %r1.b0, %r2.b1, %r3.h0, %r4;
	vadd4.u32.u32.u32.add %r1, %r2.b3201, %r3.b7654, %r4;
	vset.u32.u32.lt %r1, %r2, %r3;
	vmad.s32.s32.s32.shr7 %r1, %r2.h0, %r3.b1, %r4;
	mov.b64 {%r1, %r2}, %d1;
	mov.b64 %d2, {%r1, %r2};
	mul.wide.u32 %d2, %r1, %r2;
	cvt.rn.f32.s32 %f1, %r1;
	cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;
	ld.global.v2.u32 {%r1, %r2}, [%d1+8];
	ld.global.s16 %r1, [%d1];
	st.shared.v4.u32 [buf], {%r1, %r2, %r3, %r4};
	st.local.u32 [own+4], %r1;
	ld.global.u64 %d3, [tab];
	cp.async.ca.shared.global [buf], [%d1], 8, %r1;
	cp.async.commit_group;
	cp.async.wait_group 0;
	prefetch.global.L1 [%d1];
	atom.global.add.u32 %r1, [%d1], 1;
	atom.shared.cas.b32 %r1, [buf], %r2, %r3;
	red.global.max.s32 [%d1], %r1;
	bar.sync 0;
	barrier.cta.red.and.pred %p1, 0, %p2;
	bar.red.popc.u32 %r1, 0, %p2;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	vote.sync.ballot.b32 %r1, %p1, 0xffffffff;
	vote.sync.any.pred %p1, %p2, 0xffffffff;
	match.all.sync.b32 %r1|%p1, %r2, 0xffffffff;
	redux.sync.add.s32 %r1, %r2, 0xffffffff;
	elect.sync %r1|%p1, 0xffffffff;
	shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, 0xffffffff;
	activemask.b32 %r1;
	bar.warp.sync 0xffffffff;
	membar.gl;
	fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;
	tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}|%p1, [%d1, {%r1}];
	@%p1 sust.b.1d.b32.clamp [%d1, {%r1}], %r2;
	multimem.st.global.u32 [tab], %r1;
	mov.u64 %d2, %clock64;
	@%p1 trap;
	ts: .branchtargets A, B;
	brx.idx %r1, ts;
A:	@!%p1 bra B;
	ret;
B:	exit;
}
`

// TestVerifyAccepts verifies the kernels of modules and random ones, as they are linked and
// with splits at all branches that have a place for them.
func TestVerifyAccepts(t *testing.T) {
	all := committed(t)
	for seed := range uint64(60) {
		all = append(all, sampled(t, seed))
	}
	split := 0
	for _, k := range all {
		g, err := cfg.Build(k)
		if err != nil {
			t.Error(err)
			continue
		}
		var branches []int
		for b := range g.Blocks {
			if splitting.Splittable(g, b) == nil {
				branches = append(branches, b)
			}
		}
		r, err := splitting.Insert(g, branches)
		if err != nil {
			continue // a kernel whose branches have no syncs
		}
		split += len(branches)
		if err := isa.Verify(r.Graph.Kernel); err != nil {
			t.Errorf("%s with splits: %v", k.File, err)
		}
	}
	if split < 100 {
		t.Errorf("only %d branches were split", split)
	}
}

// TestVerifySuffices breaks kernels at random. Verify gives an error with its place or
// accepts what remains, and then the flow graph is made and every stage behind gives a result
// or an error.
func TestVerifySuffices(t *testing.T) {
	pool := slices.DeleteFunc(committed(t), func(k *isa.Kernel) bool { return len(k.Instrs) > 300 })
	for seed := range uint64(9) {
		pool = append(pool, sampled(t, seed))
	}
	accepted, executable := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b := breaker{T: t, Kernel: *pool[rapid.IntRange(0, len(pool)-1).Draw(t, "kernel")]}
		b.Instrs, b.Regs, b.Labels = slices.Clone(b.Instrs), slices.Clone(b.Regs), slices.Clone(b.Labels)
		b.Vars, b.Params = slices.Clone(b.Vars), slices.Clone(b.Params)
		for range rapid.IntRange(1, 3).Draw(t, "mutations") {
			b.mutate()
		}
		k := &b.Kernel
		if err := isa.Verify(k); err != nil {
			if broken := (*isa.InvariantError)(nil); !errors.As(err, &broken) || broken.Error() == "" || broken.Err == nil {
				t.Fatalf("%#v", err)
			}
			return
		}
		accepted++
		for i := range k.Instrs {
			_ = k.Format(&k.Instrs[i])
		}
		_ = isa.Obstacles(k)
		g, err := cfg.Build(k)
		if slices.ContainsFunc(k.Instrs, func(in isa.Instr) bool { return in.Op == isa.Unknown }) {
			if err == nil {
				t.Fatal("a kernel of which nothing is known has a flow graph")
			}
			return
		}
		if err != nil {
			t.Fatalf("Verify accepts a kernel without a flow graph: %v", err)
		}
		_ = cfg.Liveness(g)
		if _, err := emu.Decode(k, g); err == nil {
			executable++
		}
	})
	if accepted == 0 || executable == 0 {
		t.Errorf("%d kernels were accepted, %d of them can be executed", accepted, executable)
	}
	t.Logf("%d kernels were accepted, %d of them can be executed", accepted, executable)
}

// breaker changes a kernel of its own.
type breaker struct {
	*rapid.T
	isa.Kernel
}

func (b *breaker) int(minimum, maximum int) int {
	return rapid.IntRange(minimum, maximum).Draw(b.T, "n")
}
func (b *breaker) bool() bool { return rapid.Bool().Draw(b.T, "b") }

// near returns an index of something of which there are n, or one that is just outside.
func (b *breaker) near(n int) int {
	if b.int(0, 5) == 0 {
		return rapid.SampledFrom([]int{-2, -1, n, n + 1, 1 << 30}).Draw(b.T, "outside")
	}
	return b.int(0, max(n-1, 0))
}

// word returns a number in the place of one of n words.
func (b *breaker) word(n int) uint8 { return uint8(max(b.near(n), 0)) }

func (b *breaker) operand() isa.Operand {
	return isa.Operand{
		Kind: isa.Kind(b.word(int(isa.KindParam) + 1)), Not: b.int(0, 4) == 0, Special: isa.Special(b.word(int(isa.Envreg0) + 32)),
		Reg: isa.Reg(b.near(len(b.Regs))), Var: int32(b.near(len(b.Vars))), Imm: uint64(b.int(-40, 40)),
	}
}

func (b *breaker) operands(list []isa.Operand) []isa.Operand {
	list = slices.Clone(list)
	switch n := b.int(0, 5); {
	case n == 0:
		return append(list, b.operand())
	case len(list) == 0:
		return list
	case n == 1:
		return list[:len(list)-1]
	default:
		list[b.int(0, len(list)-1)] = b.operand()
	}
	return list
}

func (b *breaker) mutate() {
	if b.int(0, 5) == 0 {
		b.declarations()
		return
	}
	in := &b.Instrs[b.int(0, len(b.Instrs)-1)]
	ops := len(isatest.Ops()) + int(isa.OpaqueAccess) + 1
	switch b.int(0, 25) {
	case 0, 1, 2:
		in.Op = isa.Op(b.near(ops))
	case 3, 4:
		in.Type = isa.Type(b.word(35))
	case 5:
		in.SrcType = isa.Type(b.word(35))
	case 6:
		in.Guard = isa.Guard{Set: true, Not: b.bool(), Reg: isa.Reg(b.near(len(b.Regs)))}
	case 7, 8:
		in.Dst = b.operands(in.Dst)
	case 9, 10, 11:
		in.Src = b.operands(in.Src)
	case 12:
		in.Space, in.Round = isa.Space(b.word(6)), isa.Round(b.word(10))
	case 13:
		in.Cmp = isa.Cmp(b.word(24))
	case 14:
		in.Combine, in.Permute = isa.Combine(b.word(4)), isa.Permute(b.word(7))
	case 15:
		in.Atom = isa.AtomOp(b.word(11))
	case 16:
		in.Lane = isa.LaneOp(b.word(11))
	case 17:
		in.Barrier = isa.BarrierOp(b.word(8))
	case 18:
		in.System = isa.System(b.word(6))
	case 19:
		in.Target = b.near(len(b.Instrs))
	case 20:
		in.Targets = []int{b.near(len(b.Instrs)), b.near(len(b.Instrs))}
	case 21:
		in.Video = b.video()
	case 22:
		in.FTZ, in.Sat, in.Approx, in.Full, in.NaN = b.bool(), b.bool(), b.bool(), b.bool(), b.bool()
		in.Wrap, in.Relu = b.bool(), b.bool()
	case 23:
		in.Callee, in.Reason, in.Split = rapid.SampledFrom([]string{"", "f"}).Draw(b.T, "callee"), "", b.bool()
	case 24:
		b.Instrs = slices.Delete(b.Instrs, len(b.Instrs)-1, len(b.Instrs))
		if len(b.Instrs) == 0 {
			b.Instrs = []isa.Instr{{Op: isa.Exit}}
		}
	default: // any operation with operands of any kind
		*in = isa.Instr{Op: isa.Op(b.near(ops)), Type: isa.Type(b.word(35))}
		for range min(in.Op.Info().Dst[1], 3) {
			in.Dst = append(in.Dst, b.operand())
		}
		for range b.int(in.Op.Info().Src[0], in.Op.Info().Src[1]) {
			in.Src = append(in.Src, b.operand())
		}
	}
}

func (b *breaker) video() *isa.Video {
	if b.int(0, 3) == 0 {
		return nil
	}
	selection := func() isa.Selection {
		return isa.Selection{Bits: 8 * b.word(5), At: [4]uint8{b.word(8), b.word(8), b.word(8), b.word(8)}}
	}
	return &isa.Video{
		TypeB: isa.Type(b.word(35)), Parts: b.near(5), A: selection(), B: selection(),
		Into: b.word(16), Width: 8 * b.word(5), Minus: b.bool(), MinusC: b.bool(), PlusOne: b.bool(), Shift: b.word(64),
	}
}

// declarations changes what stands outside of the instructions.
func (b *breaker) declarations() {
	switch kind := b.int(0, 6); {
	case kind == 0:
		b.AddressBits = b.int(30, 64)
	case kind == 1:
		b.Reconvergence = isa.Reconvergence(b.int(0, 2))
	case kind == 2 && len(b.Labels) > 0:
		b.Labels[b.int(0, len(b.Labels)-1)].Index = b.near(len(b.Instrs))
	case kind == 3 && len(b.Params) > 0:
		p := &b.Params[b.int(0, len(b.Params)-1)]
		p.Offset, p.Bytes = b.int(-8, 64), b.int(-8, 16)
	case kind == 4 && len(b.Vars) > 0:
		v := &b.Vars[b.int(0, len(b.Vars)-1)]
		v.Space, v.Bytes, v.Align = isa.Space(b.word(6)), b.int(-8, 64), b.int(-8, 64)
		if b.bool() {
			v.Init = make([]byte, b.int(0, 64))
			v.Relocs = []isa.Reloc{{Offset: b.int(-8, 64), Size: b.int(-1, 9), Shift: b.int(-1, 64), Var: v.Name}}
		}
	case len(b.Regs) > 0:
		b.Regs[b.int(0, len(b.Regs)-1)].Type = isa.Type(b.word(35))
	}
}

// BenchmarkVerify compares what it costs to verify a kernel and to make it ready for
// execution.
func BenchmarkVerify(b *testing.B) {
	text, err := fs.ReadFile(kernels.Suite(), "petri/petri.ptx")
	if err != nil {
		b.Fatal(err)
	}
	k := linked(b, "petri.ptx", text)[0]
	g, err := cfg.Build(k)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if err := isa.Verify(k); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			if _, err := cfg.Build(k); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := emu.Decode(k, g); err != nil {
				b.Fatal(err)
			}
		}
	})
}
