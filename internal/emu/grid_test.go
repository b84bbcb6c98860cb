package emu

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

func TestNewGridErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(k *isa.Kernel, l *Launch, width *int)
		want   string
	}{
		{"width", func(_ *isa.Kernel, _ *Launch, w *int) { *w = 65 }, "warps of 65 lanes"},
		{"no lanes", func(_ *isa.Kernel, _ *Launch, w *int) { *w = 0 }, "warps of 0 lanes"},
		{"empty", func(_ *isa.Kernel, l *Launch, _ *int) { l.Grid[1] = 0 }, "0 CTAs of 1 threads in y"},
		{"grid", func(_ *isa.Kernel, l *Launch, _ *int) { l.Grid = [3]int{1 << 20, 1 << 20, 1 << 30} }, "a grid of more than"},
		{"block", func(_ *isa.Kernel, l *Launch, _ *int) { l.Block = [3]int{1024, 3, 1} }, "a CTA of (1024,3,1) threads; it may have 64 warps of 32"},
		{"exact threads", func(k *isa.Kernel, _ *Launch, _ *int) { k.Bounds.ReqNtid = [3]int{32, 1, 1} }, "64 threads in x; the kernel requires 32"},
		{"most threads", func(k *isa.Kernel, _ *Launch, _ *int) { k.Bounds.MaxNtid = [3]int{8, 4, 0} }, "a CTA of 64 threads; the kernel allows 32"},
		{"clusters", func(k *isa.Kernel, _ *Launch, _ *int) { k.Bounds.Cluster = [3]int{1, 2, 1} }, "clusters of one CTA; the kernel requires 2 in y"},
		{"parameters", func(_ *isa.Kernel, l *Launch, _ *int) { l.Params = nil }, "a parameter block of 0 bytes; the kernel has one of 8"},
		{"negative shared", func(_ *isa.Kernel, l *Launch, _ *int) { l.DynamicShared = -1 }, "-1 bytes of dynamic shared memory"},
		{"shared", func(_ *isa.Kernel, l *Launch, _ *int) { l.DynamicShared = abi.MaxShared - 8 }, "of shared memory; there can be"},
		{"extern", func(k *isa.Kernel, _ *Launch, _ *int) {
			k.Vars = append(k.Vars, isa.Var{Name: "x", Space: isa.Global, Extern: true})
		}, "variable x is declared extern"},
		{"relocation", func(k *isa.Kernel, _ *Launch, _ *int) {
			k.Vars = append(k.Vars, isa.Var{Name: "x", Space: isa.Global, Bytes: 4, Relocs: []isa.Reloc{{Size: 8, Var: "x"}}})
		}, "x has an address of 8 bytes at 0 of its 4 bytes"},
		{"relocation's variable", func(k *isa.Kernel, _ *Launch, _ *int) {
			k.Vars = append(k.Vars, isa.Var{Name: "x", Space: isa.Global, Bytes: 8, Relocs: []isa.Reloc{{Size: 8, Var: "y"}}})
		}, "address of y"},
		{"too much memory", func(k *isa.Kernel, _ *Launch, _ *int) {
			k.Vars = append(k.Vars, isa.Var{Name: "x", Space: isa.Global, Bytes: 1 << 40})
		}, "buffer x of 1099511627776 bytes does not fit"},
		{"masks of 32 lanes", func(k *isa.Kernel, _ *Launch, w *int) {
			k.Regs = regs(isa.U32)
			k.Instrs = append([]isa.Instr{{Op: isa.Activemask, Type: isa.B32, Dst: ops(reg(0))}}, k.Instrs...)
			*w = 64
		}, "a lane mask of 32 bits in warps of 64 lanes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &isa.Kernel{
				Name: "k", AddressBits: 64, Instrs: []isa.Instr{{Op: isa.Exit}}, Params: []isa.Var{{Bytes: 8}},
				Vars: []isa.Var{{Name: "s", Space: isa.Shared, Bytes: 32, Align: 4}},
			}
			l := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Params: make([]byte, 8)}
			width := 32
			c.change(k, &l, &width)
			code, err := Decode(k, build(k)) // which does not look at what lies in memory
			if err != nil {
				t.Fatal(err)
			}
			_, err = NewGrid(code, l, new(Memory), width)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "kernel k") {
				t.Errorf("error %v lacks %q", err, c.want)
			}
		})
	}
}

// TestCoordinates has every thread of a launch in three dimensions write its
// coordinates to its own place.
func TestCoordinates(t *testing.T) {
	s := scenario{body: `
mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y; mov.u32 %r5, %ctaid.z;
mov.u32 %r6, %ntid.x; mov.u32 %r7, %ntid.y; mov.u32 %r8, %ntid.z; mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y;
mad.lo.u32 %r11, %r2, %r7, %r1; mad.lo.u32 %r11, %r11, %r6, %r0; // thread
mad.lo.u32 %r12, %r5, %r10, %r4; mad.lo.u32 %r12, %r12, %r9, %r3; // CTA
mul.lo.u32 %r13, %r6, %r7; mul.lo.u32 %r13, %r13, %r8; mad.lo.u32 %r12, %r12, %r13, %r11;
mad.wide.u32 %rd2, %r12, 4, %rd0;
mov.u32 %r14, %nctaid.z; mov.u32 %r15, %warpid; mov.u32 %r16, %laneid; mov.u32 %r17, %nwarpid; mov.u32 %r18, WARP_SZ;
mad.lo.u32 %r19, %r15, %r18, %r16; sub.u32 %r19, %r19, %r11; // 0
mad.lo.u32 %r12, %r12, 100, %r14; mad.lo.u32 %r12, %r17, 10, %r12; add.u32 %r12, %r12, %r19;
st.global.u32 [%rd2], %r12; ret;`}
	code := decode(t, s.kernel(t))
	mem := new(Memory)
	threads := 2 * 3 * 4 * 5 * 3 * 2
	out, err := mem.Alloc("out", 4*threads)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{32, 16, 5} {
		l := Launch{Grid: [3]int{2, 3, 4}, Block: [3]int{5, 3, 2}, Params: binary.LittleEndian.AppendUint64(nil, out)}
		g, err := NewGrid(code, l, mem, width)
		if err != nil {
			t.Fatal(err)
		}
		n, err := Run(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(threads * code.Len()); n.ThreadInstrs != want || n.WarpInstrs != int64(24*g.Warps()*code.Len()) {
			t.Errorf("width %d: %+v, want %d thread instructions", width, n, want)
		}
		for i := range threads {
			want := uint32(100*i + 4 + 10*g.Warps())
			if got := binary.LittleEndian.Uint32(mem.Bytes(out)[4*i:]); got != want {
				t.Fatalf("width %d: thread %d stored %d, want %d", width, i, got, want)
			}
		}
	}
}

// TestEnvironment reads what the machine tells a kernel of itself.
func TestEnvironment(t *testing.T) {
	env := Env{Cycle: 5<<32 + 77, Time: 9<<32 + 3, SM: 4, SMs: 14}
	want := []struct {
		register isa.Special
		value    uint64
	}{
		{isa.Clock, 77}, {isa.ClockHi, 5}, {isa.Clock64, 5<<32 + 77}, {isa.GlobalTimer, 9<<32 + 3},
		{isa.GlobalTimerLo, 3}, {isa.GlobalTimerHi, 9}, {isa.SmID, 4}, {isa.NsmID, 14},
		{isa.GridID, 0}, {isa.DynamicSmemSize, 6}, {isa.TotalSmemSize, 256}, {isa.AggrSmemSize, 256},
		{isa.ReservedSmemCap, 0}, {isa.CurrentGraphExec, 0}, {isa.WarpSize, 32}, {isa.Pm0 + 3, 0}, {isa.Pm64 + 7, 0}, {isa.Envreg0 + 31, 0},
		{isa.TidX, 0}, {isa.NtidX, 33}, {isa.NtidY, 2}, {isa.NtidW, 0}, {isa.NwarpID, 3},
		{isa.CtaidX, 4}, {isa.CtaidY, 1}, {isa.CtaidZ, 2}, {isa.CtaidW, 0}, {isa.NctaidX, 5}, {isa.NctaidY, 2}, {isa.NctaidZ, 3}, {isa.NctaidW, 0},
		{isa.ClusteridX, 4}, {isa.ClusteridY, 1}, {isa.ClusteridZ, 2}, {isa.ClusteridW, 0}, {isa.NclusteridX, 5}, {isa.NclusteridZ, 3},
		{isa.ClusterCtaidX, 0}, {isa.ClusterNctaidX, 1}, {isa.ClusterNctaidZ, 1}, {isa.ClusterNctaidW, 0},
		{isa.ClusterCtarank, 0}, {isa.ClusterNctarank, 1},
	}
	k := &isa.Kernel{Name: "k", AddressBits: 64, Target: "sm_70", Regs: regs(isa.U64)}
	for _, c := range want {
		k.Instrs = append(k.Instrs, isa.Instr{Op: isa.Mov, Type: isa.U64, Dst: ops(reg(0)), Src: ops(special(c.register))})
	}
	k.Instrs = append(k.Instrs, isa.Instr{Op: isa.Exit})
	g, err := NewGrid(decode(t, k), Launch{Grid: [3]int{5, 2, 3}, Block: [3]int{33, 2, 1}, DynamicShared: 6}, new(Memory), 32)
	if err != nil {
		t.Fatal(err)
	}
	var cta CTA
	g.StartCTA(&cta, 4+5*1+10*2)
	w := &cta.Warps[0]
	for _, c := range want {
		if err := w.Step(&env, new(Effect)); err != nil {
			t.Fatal(err)
		}
		if got := w.regs.At(alu.WideSlot(alu.RegsBase), 0); got != c.value {
			t.Errorf("%%%s is %d, want %d", c.register, got, c.value)
		}
	}
}

func TestSymbol(t *testing.T) {
	s := scenario{vars: ".global .align 4 .u32 g = 5; .const .align 4 .u32 c[2];", body: `
ld.global.u32 %r1, [g]; ld.const.u32 %r2, [c+4]; add.u32 %r1, %r1, %r2; st.global.u32 [g], %r1; ret;`}
	code := decode(t, s.kernel(t))
	mem := new(Memory)
	for range 3 {
		mem.Reset()
		g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: make([]byte, 8)}, mem, 32)
		if err != nil {
			t.Fatal(err)
		}
		copy(g.Symbol("c")[4:], []byte{7})
		if _, err := Run(context.Background(), g); err != nil {
			t.Fatal(err)
		}
		if got := g.Symbol("g")[0]; got != 12 || g.Symbol("none") != nil {
			t.Errorf("g is %d, want 12", got)
		}
	}
}

func TestRunStops(t *testing.T) {
	s := scenario{body: "long: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 1000000; @%p0 bra long; ret;"}
	code := decode(t, s.kernel(t))
	g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: make([]byte, 8)}, new(Memory), 32)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, limit := range []int64{0, 5000} {
		if n, err := RunSerially(context.Background(), g, Serial{Limit: limit, SMs: 1}); !errors.Is(err, ErrLimit) || n.WarpInstrs != limit {
			t.Errorf("after %d of %d instructions: %v", n.WarpInstrs, limit, err)
		}
	}
}

// TestRunSerially has all warps count, and looks who came when and where.
func TestRunSerially(t *testing.T) {
	s := scenario{body: `
atom.global.add.u32 %r1, [%rd0], 1; setp.ne.u32 %p0, %laneid, 0; @%p0 bra E;
mov.u32 %r2, %smid; shl.b32 %r2, %r2, 8; add.u32 %r1, %r1, %r2; mov.u32 %r2, %nsmid; shl.b32 %r2, %r2, 16; add.u32 %r1, %r1, %r2;
mov.u32 %r3, %ctaid.x; mov.u32 %r4, %warpid; mad.lo.u32 %r3, %r3, 2, %r4; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd0;
st.global.u32 [%rd2+4], %r1; E: ret;`}
	code := decode(t, s.kernel(t))
	for _, c := range []struct {
		descending bool
		want       []uint32 // by CTA and warp: how many threads came before, on which of two multiprocessors
	}{
		{false, []uint32{0x20000, 0x20020, 0x20140, 0x20160, 0x20080, 0x200a0}},
		{true, []uint32{0x200a0, 0x20080, 0x20160, 0x20140, 0x20020, 0x20000}},
	} {
		mem := new(Memory)
		out, err := mem.Alloc("out", 256)
		if err != nil {
			t.Fatal(err)
		}
		launch := Launch{Grid: [3]int{3, 1, 1}, Block: [3]int{64, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, out)}
		g, err := NewGrid(code, launch, mem, 32)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := RunSerially(context.Background(), g, Serial{Limit: 1000, SMs: 2, Descending: c.descending}); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := binary.LittleEndian.Uint32(mem.Bytes(out)[4+4*i:]); got != want {
				t.Errorf("descending %t: warp %d of all finds %#x, want %#x", c.descending, i, got, want)
			}
		}
	}
}

// TestRestart runs launches of several shapes on one grid. Each must leave what a
// grid of its own leaves, and an equal one after it allocates nothing.
func TestRestart(t *testing.T) {
	s := scenario{vars: ".extern .shared .align 4 .b8 s[];", body: `
mov.u64 %rd2, s; mad.wide.u32 %rd3, %r0, 4, %rd2; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r5, %total_smem_size;
mad.lo.u32 %r3, %r1, %r2, %r0; st.shared.u32 [%rd3], %r3; bar.sync 0; ld.shared.u32 %r4, [%rd2]; add.u32 %r4, %r4, %r5;
mov.u32 %r6, %nctaid.x; mad.lo.u32 %r4, %r6, 100000, %r4; mad.lo.u32 %r4, %r2, 1000000, %r4;
mad.wide.u32 %rd4, %r3, 4, %rd0; st.global.u32 [%rd4], %r4; ret;`}
	code := decode(t, s.kernel(t))
	var again *Grid
	for _, shape := range []struct{ ctas, threads, shared int }{{3, 64, 1024}, {1, 160, 1024}, {5, 64, 4096}, {2, 20, 80}, {4, 20, 80}, {4, 24, 96}, {4, 24, 192}} {
		run := func(g *Grid, mem *Memory) *Grid {
			mem.Reset()
			addr, err := mem.Alloc("out", 4*shape.ctas*shape.threads)
			if err != nil {
				t.Fatal(err)
			}
			l := Launch{Grid: [3]int{shape.ctas, 1, 1}, Block: [3]int{shape.threads, 1, 1}, DynamicShared: shape.shared}
			l.Params = binary.LittleEndian.AppendUint64(nil, addr)
			if g == nil {
				g, err = NewGrid(code, l, mem, 32)
			} else {
				err = g.Restart(l, mem)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Run(context.Background(), g); err != nil {
				t.Fatal(err)
			}
			return g
		}
		var own, used Memory
		run(nil, &own)
		again = run(again, &used)
		if !bytes.Equal(own.Bytes(abi.GlobalBase), used.Bytes(abi.GlobalBase)) {
			t.Errorf("%+v: a grid that was used before gives another result", shape)
		}
		if n := testing.AllocsPerRun(3, func() { run(again, &used) }); n > 1 { // the parameter block
			t.Errorf("%+v: %v allocations", shape, n)
		}
	}
}

// TestExplicitCluster reads whether the kernel asks for clusters of a given size.
func TestExplicitCluster(t *testing.T) {
	for limits, want := range map[string]uint32{"": 0, ".explicitcluster": 1, ".reqnctapercluster 1": 1} {
		s := scenario{limits: limits, body: "mov.pred %p0, %is_explicit_cluster; selp.u32 %r1, 1, 0, %p0; st.global.u32 [%rd1], %r1; ret;"}
		s.expect(t, func(int) uint32 { return want })
	}
}

// TestSharedMemorySize reads how much shared memory a CTA has: from sm_30 to sm_75 in units of 256 bytes, else of 128.
func TestSharedMemorySize(t *testing.T) {
	for target, want := range map[string]uint32{"sm_20": 384, "sm_30": 512, "sm_75": 512, "sm_80": 384, "sm_100": 384} {
		s := scenario{target: target, dynamic: 300, body: "mov.u32 %r1, %total_smem_size; st.global.u32 [%rd1], %r1; ret;"}
		s.expect(t, func(int) uint32 { return want })
	}
}

// TestDefinedVariables launches kernels on variables that lie in memory already.
func TestDefinedVariables(t *testing.T) {
	pos := func(line int32) diag.Pos { return diag.Pos{File: "m", Line: line, Col: 1} }
	counter := isa.Var{Name: "counter", Space: isa.Global, Bytes: 4, Align: 4, Init: []byte{5}, Pos: pos(1)}
	where := isa.Var{Name: "where", Space: isa.Const, Bytes: 8, Align: 8, Init: make([]byte, 8), Relocs: []isa.Reloc{{Size: 8, Var: "counter", Addend: 1}}, Pos: pos(2)}
	own := isa.Var{Name: "counter", Space: isa.Global, Bytes: 4, Align: 4, Init: []byte{9}, Pos: pos(3)}
	mem := new(Memory)
	at, err := mem.Define([]isa.Var{counter, where, {Name: "s", Space: isa.Shared, Bytes: 8, Pos: pos(4)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(at) != 2 || binary.LittleEndian.Uint64(mem.Bytes(at[where.Pos])) != at[counter.Pos]+1 {
		t.Errorf("addresses %v, contents % x", at, mem.Bytes(at[where.Pos]))
	}
	k := &isa.Kernel{
		Name: "k", AddressBits: 64, Instrs: []isa.Instr{{Op: isa.Exit}}, Vars: []isa.Var{own, where, counter},
	}
	g, err := NewGrid(decode(t, k), Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Vars: at}, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	mem.Bytes(at[counter.Pos])[0] = 6
	if err := g.Restart(g.Launch(), mem); err != nil {
		t.Fatal(err)
	}
	if g.vars[2] != at[counter.Pos] || mem.Bytes(at[counter.Pos])[0] != 6 {
		t.Error("a launch initialises a variable again")
	}
	if got := g.Symbol("counter"); got[0] != 9 || g.vars[0] == at[counter.Pos] {
		t.Errorf("another variable of the name holds %d, want 9", got[0])
	}
	for _, v := range []isa.Var{{Name: "x", Space: isa.Global, Extern: true}, {Name: "x", Space: isa.Global, Bytes: 8, Relocs: []isa.Reloc{{Size: 8, Var: "y"}}}} {
		if _, err := mem.Define([]isa.Var{v}); err == nil {
			t.Errorf("%+v was defined", v)
		}
	}
}

func TestFree(t *testing.T) {
	mem := new(Memory)
	a, _ := mem.Alloc("a", 300)
	b, _ := mem.Alloc("b", 8)
	if mem.Contents(a+296, 4) == nil || mem.Contents(a+297, 4) != nil || mem.Contents(a-1, 1) != nil {
		t.Error("contents of a are not its 300 bytes")
	}
	if !mem.Free(a) || mem.Free(a) || mem.Free(b+4) || mem.Free(a+1<<30) {
		t.Error("freed what is no buffer, or not what is one")
	}
	if mem.Contents(a, 1) != nil || mem.Contents(b, 8) == nil {
		t.Error("the wrong buffer was freed")
	}
	if c, err := mem.Alloc("c", 8); err != nil || c <= b {
		t.Errorf("the address 0x%x after 0x%x: %v", c, b, err)
	}
}
