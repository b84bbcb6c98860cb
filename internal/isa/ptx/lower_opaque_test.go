package ptx

import (
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// TestUnmodelled checks what instructions that are not modelled write and read, and what memory
// they may change. Registers are numbered in the order of their first use, operands in the
// module's text.
func TestUnmodelled(t *testing.T) {
	for _, c := range []struct{ snippet, want string }{
		// Unknown names.
		{"frob.u32 %r1, %r2, 7;", "opaque %0, %1"},
		{"frob;", "opaque"},
		{"frob.u32 _, %r1;", "opaque %0"},
		{"frob.u32 3, %r1;", "opaque %0"},
		{"frob.u32 {%r1, _, %r2}, {%r3, 4}, %tid.x;", "opaque %0, %1, %2, %tid.x"},
		{"frob.u32 %r1|%p1, !%p2;", "opaque %0, %1, %2"},
		{"frob.v2.u32 {%r1, %r2}|%p1, %r3;", "opaque %0, %1, %2, %3"},
		{"frob.u32 %r1, %r2+4;", "opaque %0, %1"},
		{"frob.u32 %r1.h0, %r2.b3210;", "opaque %0, %1"},
		{"frob.u32 %r1, nothing, %r;", "opaque %0"},
		{"frob.cc.u32 %r1, %r2;", "opaque %0, %2, %1"}, // and the carry flag
		{".reg .b128 q; frob.b128 q, %r1;", "opaque %0, %1, %2"},
		{".reg .v4 .f32 v; frob.v4.f32 v, v.y;", "opaque %0, %1, %2, %3, %1"},

		// Memory: what may be an address, in the space that the name says.
		{"frob.u32 %r1, [%r2+4];", "opaque.access %0, %1"},
		{"frob.global.u32 [%rd1], %r1;", "opaque.access.global %0, %1"},
		{"frob.shared::cluster.u32 [tile+4], %r1;", "opaque.access.shared var3, %0"},
		{"frob.shared::cta.shared::cluster.u32 [%r1];", "opaque.access.shared %0"},
		{"frob.shared::cluster.global [%r1], [%rd1, {%r2, %r3}];", "opaque.access %0, %1, %2, %3"},
		{"frob.global.u32 %r1, tile[%r2];", "opaque.access.global %0, var3, %1"},
		{"frob.u32 %r1, %rd1;", "opaque.access %0, %1"}, // perhaps a pointer
		{"frob.u32 %rd1, %r1;", "opaque %0, %1"},
		{"frob.u32 %r1, g;", "opaque.access %0, var0"},
		{"frob.u32 %r1, [p];", "opaque.access %0, param+8"},

		// Words that a modelled instruction does not have.
		{"add.s31 %r1, %r2, 1;", "opaque %0, %1"},
		{"add.s31 %rd1, %rd2, 1;", "opaque %0, %1"},
		{"redux.sync.frob.u32 %r1, %r2, -1;", "opaque %0, %1"},
		{"ld.frob.global.u32 %r1, [%rd1];", "opaque %0, %1"},
		{"st.frob.shared.u32 [%rd1], %r1;", "opaque.access.shared %0, %1"},
		{"atom.frob.u32 %r1, [%rd1], %r2;", "opaque.access %0, %1, %2"},
		{"ld.param.u32 %r1, [n+4];", "opaque %0, param"},

		// Families of the manual.
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f5, %f6}];", "opaque %0, %1, %2, %3, %4, %5, %6, %7"},
		{"suld.b.1d.b32.trap %r1, [%rd1, {%r2}];", "opaque %0, %1, %2"},
		{"sust.b.1d.b32.trap [%rd1, {%r1}], %r2;", "opaque.access %0, %1, %2"},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, %p1, 1, 1, 0, 0;", "opaque %0, %1, %0, %1, %2, %3, %4"},
		{"wgmma.wait_group.sync.aligned 0;", "opaque"},
		{"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3];", "opaque %0, %1, %2"},
		{"tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r1, %r2}, %r3, [%r4];", "opaque %0, %1, %2, %3"},
		{"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;", "opaque.access.shared %0"},
		{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];", "opaque.access.shared %0"},
		{"tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 1;", "opaque.access.global %0"},
		{"multimem.ld_reduce.global.add.f32 %f1, [%rd1];", "opaque %0, %1"},
		{"multimem.red.release.gpu.global.add.f32 [%rd1], %f1;", "opaque.access.global %0, %1"},
		{"prefetch.tensormap [%rd1];", "opaque %0"},

		// Calls of what is nowhere declared.
		{"{ .param .b32 a; .param .b32 r; call (r), nowhere, (a, %r1); }", "opaque.access %1, %0, %2"},
	} {
		p, err := lowerSnippet(c.snippet)
		if err != nil {
			t.Errorf("%s\n%v", c.snippet, err)
			continue
		}
		checkProgram(t, p)
		in := p.Func("k").Instrs[0]
		in.Text = ""
		if got := in.String(); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.snippet, got, c.want)
		}
	}
}

// TestUnmodelledResults checks how many of the operands are results.
func TestUnmodelledResults(t *testing.T) {
	for snippet, want := range map[string]int{
		"frob.u32 %r1, %r2, %r3;":              1,
		"frob.u32 [%rd1], %r2;":                0,
		"frob.v2.u32 {%r1, %r2}|%p1, %r3;":     3,
		"frob.cc.u32 %r1, %r2;":                2,
		".reg .v4 .f32 v; frob.v4.f32 v, %r1;": 4,
		"tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r1, %r2}, %r3, [%r4];":     3,
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2;": 2,
		"call (%r1), nowhere, (%r2);": 1,
		"call nowhere, (%r2);":        0,
	} {
		p, err := lowerSnippet(snippet)
		if err != nil {
			t.Errorf("%s\n%v", snippet, err)
			continue
		}
		if got := len(p.Func("k").Instrs[0].Dst); got != want {
			t.Errorf("%s\n%d results, want %d", snippet, got, want)
		}
	}
}

// TestNothingKnown checks which instructions leave nothing known of a kernel, and why.
func TestNothingKnown(t *testing.T) {
	for snippet, want := range map[string]string{
		"E: frob.u32 %r1, E;":                            "the instruction is not known, and it may branch to E",
		"E: frob.u32 %r1, {%r2, E};":                     "it may branch to E",
		"E: @%p1 add.s31 %r1, E;":                        "not .s31, want .s16, .s32, .s64, .u16, .u32, .u64, and it may branch to E",
		"E: L: .branchtargets E; frob.u32 %r1, L;":       "it may branch to L",
		"frob.u32 %r1, f;":                               "it may call f",
		"L: .callprototype _ (.reg .b32 a); frob [L+0];": "it may call L",
		"{ .param .b32 a; frob.u32 %r1, a; }":            "it may keep the address of parameter a",
		"frob.sync.u32 %r1, %r2;":                        "it may wait for other threads",
		"frob.try_wait.u32 %r1;":                         "it may wait for other threads",
		"frob.x::arrive;":                                "it may wait for other threads",
		"frob_barrier [%rd1];":                           "it may wait for other threads",
		"frob.COMMIT;":                                   "it may wait for other threads",
		"frob.ret;":                                      "end its thread",
		"bar.frob 0;":                                    "it may wait for other threads",
		"barrier.frob.sync 0;":                           "it may wait for other threads",
		"bra.frob;":                                      "branch",
		"exit.frob;":                                     "end its thread",
		"wgmma.frob.sync.aligned;":                       "it may wait for other threads",
		"tcgen05.frob [%r1];":                            "it may wait for other threads",
		"multimem.frob [%rd1];":                          "it may wait for other threads",
	} {
		p, err := lowerSnippet(snippet)
		if err != nil {
			t.Errorf("%s\n%v", snippet, err)
			continue
		}
		checkProgram(t, p)
		in := p.Func("k").Instrs[0]
		if in.Op != isa.Unknown || !strings.Contains(in.Reason, want) {
			t.Errorf("%s\nis %s because: %s\nwant %s", snippet, in.Op, in.Reason, want)
		}
	}
	for _, mnemonic := range []string{"frob", "frob.async.b32", "frob.mma_async", "frob.b32", "secret.frob", "frob.block", "barrel"} {
		if maySynchronise(mnemonic) {
			t.Errorf("%s counts as one that synchronises", mnemonic)
		}
	}
}

// TestUnmodelledForms checks that there is one warning for each form in a function.
func TestUnmodelledForms(t *testing.T) {
	p, err := lowerSnippet("frob.u32 %r1, 1;\n@%p1 frob.u32 %r2, 2;\nfrob.s32 %r1, 3;\nfrob.u32 %r3, 4;\ntex.1d.v2.f32.s32 {%f1, %f2}, [t, {%r1}];")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range p.Warnings {
		got = append(got, w.Pos.String()+" "+w.Text)
	}
	const want = `t.ptx:2:1 unknown instruction frob.u32 %r1, 1 (3 of this form in k)
t.ptx:4:1 unknown instruction frob.s32 %r1, 3
t.ptx:6:1 tex.1d.v2.f32.s32 {%f1, %f2}, [t, {%r1}] cannot be executed: textures are not modelled`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// TestUnmodelledTwins compares every form with one that has a word more, and so is not modelled,
// and with one whose first word is unknown. These write the same registers at least and read or
// write those that it reads, and memory too, or nothing is known of them.
func TestUnmodelledTwins(t *testing.T) {
	refused := make(map[isa.Op]bool)
	for _, r := range rows {
		name, f, err := compile(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, mnemonic := range spellings(name, f)[:2] {
			c, ok := f.match(strings.Split(mnemonic, ".")[1:], true)
			if !ok {
				t.Fatalf("%s does not match its form %s", mnemonic, r.form)
			}
			lowered := func(mnemonic string) (writes, reads map[string]bool, first isa.Instr) {
				text := "ts: .branchtargets E; E: " + mnemonic + " " + operandsFor(t, &c) + ";"
				p, err := lowerSnippet(declared + text)
				if err != nil {
					t.Fatalf("%s\n%v", text, err)
				}
				fn := p.Func("k")
				writes, reads = make(map[string]bool), make(map[string]bool)
				for i := range fn.Instrs {
					fn.Instrs[i].Reads(func(r isa.Reg) { reads[fn.Regs[r].Name] = true })
					fn.Instrs[i].Writes(func(r isa.Reg) { writes[fn.Regs[r].Name] = true })
				}
				return writes, reads, fn.Instrs[0]
			}
			writes, reads, modelled := lowered(mnemonic)
			effect := modelled.Op.Info().Effect
			for _, twin := range []string{mnemonic + ".frob", "frob." + mnemonic} {
				alsoWrites, alsoReads, in := lowered(twin)
				if in.Op == isa.Unknown {
					refused[modelled.Op] = refused[modelled.Op] || name != "mbarrier" // others of which wait
					continue
				}
				if in.Obstacle() == "" || effect&(isa.Barriers|isa.Branches|isa.Exits) != 0 {
					t.Errorf("%s is lowered to %s", twin, in.Op)
				}
				for reg := range writes {
					if reg != "%saved" && !alsoWrites[reg] {
						t.Errorf("%s writes %s, unlike %s", mnemonic, reg, in.Text)
					}
				}
				for reg := range reads {
					if strings.HasPrefix(reg, "%reg_") && !alsoReads[reg] && !alsoWrites[reg] {
						t.Errorf("%s reads %s, unlike %s", mnemonic, reg, in.Text)
					}
				}
				if effect&isa.WritesMem != 0 && (in.Op != isa.OpaqueAccess || in.Space != isa.Generic && in.Space != modelled.Space) {
					t.Errorf("%s may change memory of %s, unlike %s", mnemonic, modelled.Space, in.String())
				}
			}
		}
	}
	for _, op := range []isa.Op{isa.Add, isa.VAdd, isa.Setp, isa.Mov, isa.Cvt, isa.St, isa.CpAsync, isa.Atom} {
		if refused[op] {
			t.Errorf("nothing is known of instructions like %s", op)
		}
	}
}
