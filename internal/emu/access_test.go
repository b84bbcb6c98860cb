package emu

import (
	"testing"

	"warpbound/internal/abi"
)

func TestAccess(t *testing.T) {
	for _, c := range []struct {
		name string
		scenario
		want func(tid int) uint32
	}{
		{"widths", scenario{vars: `.global .align 8 .b8 g[8] = {0x80, 0xff, 0x01, 0x82, 0x03, 0x84, 0x05, 0x86};`, body: `
ld.global.u8 %r1, [g]; ld.global.s8 %r2, [g]; ld.global.u16 %r3, [g+2]; ld.global.s16 %r4, [g+2];
sub.u32 %r5, %r1, %r2; // 0x100
sub.u32 %r6, %r3, %r4; // 0x10000
ld.global.s32 %rd2, [g+4]; shr.u64 %rd2, %rd2, 60; cvt.u32.u64 %r7, %rd2; // 0xf
ld.global.u32 %rd3, [g+4]; shr.u64 %rd3, %rd3, 31; cvt.u32.u64 %r8, %rd3; // 1
add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7; add.u32 %r5, %r5, %r8;
st.global.u32 [%rd1], %r5; ret;`}, func(int) uint32 { return 0x10110 }},

		{"narrow stores", scenario{body: `
mov.u32 %r1, 0x12345678; st.global.u32 [%rd1], %r1;
mov.u32 %r2, 0xabcdef01; cvt.u16.u32 %h0, %r2; st.global.u8 [%rd1+1], %h0; st.global.u16 [%rd1+2], %h0;
cvt.u64.u32 %rd2, %r0; setp.eq.u32 %p0, %r0, 5; @%p0 st.global.u32 [%rd1], %rd2; ret;`}, func(tid int) uint32 {
			if tid == 5 {
				return 5
			}
			return 0xef010178
		}},

		{"vectors", scenario{vars: `.shared .align 16 .b8 s[1024];`, body: `
mov.u64 %rd2, s; mad.wide.u32 %rd3, %r0, 16, %rd2;
add.u32 %r1, %r0, 1; mul.lo.u32 %r2, %r0, %r0;
st.shared.v4.u32 [%rd3], {%r0, %r1, %r2, 9};
ld.shared.v2.u32 {%r3, %r4}, [%rd3+8];
ld.shared.v2.b16 {%h0, %h1}, [%rd3];
cvt.u32.u16 %r5, %h0; add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5;
st.global.u32 [%rd1], %r3; ret;`}, func(tid int) uint32 { return uint32(tid*tid + 9 + tid) }},

		{"result over address", scenario{body: `
st.global.u32 [%rd1], 7; mov.u64 %rd2, %rd1; ld.global.u32 %rd2, [%rd2]; st.global.u32 [%rd1], %rd2; ret;`},
			func(int) uint32 { return 7 }},

		{"every thread has its own local memory", scenario{body: `
.local .align 8 .b8 depot[16]; .reg .b64 %SP; .reg .b64 %SPL;
mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;
st.u32 [%SP+4], %r0; st.local.u32 [%SPL+8], 3;
setp.lt.u32 %p0, %r0, 10; @%p0 st.u32 [%SP+8], %r0;
ld.local.u32 %r1, [depot+4]; ld.u32 %r2, [%SP+8];
add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1; ret;`}, func(tid int) uint32 {
			if tid < 10 {
				return uint32(2 * tid)
			}
			return uint32(tid + 3)
		}},

		{"one instruction accesses four spaces", scenario{
			vars: `.shared .align 4 .b8 s[4]; .const .align 4 .u32 c = 1000; .global .align 4 .u32 g = 2000;`, body: `
.local .align 4 .b8 l[4];
mov.u64 %rd2, s; st.shared.u32 [%rd2], 3000; cvta.shared.u64 %rd3, %rd2;
mov.u64 %rd4, l; st.local.u32 [%rd4], %r0; cvta.local.u64 %rd5, %rd4;
mov.u64 %rd6, c; cvta.const.u64 %rd6, %rd6; mov.u64 %rd7, g; cvta.global.u64 %rd7, %rd7;
and.b32 %r1, %r0, 3;
setp.eq.u32 %p0, %r1, 0; selp.u64 %rd8, %rd3, %rd5, %p0;
setp.eq.u32 %p0, %r1, 1; selp.u64 %rd8, %rd6, %rd8, %p0;
setp.eq.u32 %p0, %r1, 2; selp.u64 %rd8, %rd7, %rd8, %p0;
ld.u32 %r2, [%rd8];
isspacep.shared %p1, %rd8; @%p1 add.u32 %r2, %r2, 1;
isspacep.const %p1, %rd8; @%p1 add.u32 %r2, %r2, 2;
isspacep.global %p1, %rd8; @%p1 add.u32 %r2, %r2, 3;
isspacep.local %p1, %rd8; @%p1 add.u32 %r2, %r2, 4;
st.global.u32 [%rd1], %r2; ret;`}, func(tid int) uint32 {
			return []uint32{3001, 1002, 2003, uint32(tid) + 4}[tid%4]
		}},

		{"dynamic shared memory", scenario{dynamic: 512, vars: `.shared .align 4 .b8 s[20]; .extern .shared .align 8 .b8 d[];`, body: `
mov.u64 %rd2, d; mad.wide.u32 %rd3, %r0, 8, %rd2; st.shared.u64 [%rd3], %rd3;
bar.sync 0; xor.b32 %r1, %r0, 63; mad.wide.u32 %rd4, %r1, 8, %rd2; ld.shared.u64 %rd5, [%rd4];
sub.u64 %rd5, %rd5, %rd2; cvt.u32.u64 %r2, %rd5; st.global.u32 [%rd1], %r2; ret;`},
			func(tid int) uint32 { return uint32(63-tid) * 8 }},

		{"addresses in initial values", scenario{
			vars: `.global .align 4 .u32 g = 77; .global .align 8 .u64 p = g; .const .align 8 .u64 q = generic(g);`, body: `
ld.global.u64 %rd2, [p]; ld.global.u32 %r1, [%rd2]; ld.const.u64 %rd3, [q]; ld.u32 %r2, [%rd3];
add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1; ret;`}, func(int) uint32 { return 154 }},

		{"later lanes win", scenario{body: `st.global.u32 [%rd0], %r0; ret;`}, func(tid int) uint32 {
			if tid == 0 {
				return 63
			}
			return 0
		}},
	} {
		t.Run(c.name, func(t *testing.T) { c.expect(t, c.want) })
	}
}

func TestAccessErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		scenario
		cause error
		want  []string
	}{
		{"beyond the buffer", scenario{body: "ld.global.u32 %r1, [%rd1+4]; ret;"}, ErrOutOfBounds,
			[]string{"thread (63,0,0)", "4 bytes at 0x10000100, offset 256 of out (256 bytes at 0x10000000)"}},
		{"far from any buffer", scenario{body: "setp.ne.u32 %p0, %r0, 9; @%p0 ret; ld.global.u32 %r1, [%rd1+0x2000]; ret;"}, ErrOutOfBounds,
			[]string{"thread (9,0,0)", "0x10002024", "offset 8228 of out (256 bytes at 0x10000000)"}},
		{"null", scenario{body: "mov.u64 %rd2, 0; ld.u32 %r1, [%rd2]; ret;"}, ErrOutOfBounds, []string{"4 bytes at 0x0"}},
		{"before all", scenario{body: "st.global.u32 [%rd1+-4], 0; ret;"}, ErrOutOfBounds, []string{"thread (0,0,0)", "0xffffffc"}},
		{"end of the address space", scenario{body: "mov.u64 %rd2, -2; ld.global.u8 %r1, [%rd2]; ret;"}, ErrOutOfBounds, []string{"0xfffffffffffffffe"}},
		{"straddles the end", scenario{body: "ld.global.u64 %rd2, [%rd0+252]; ret;"}, ErrOutOfBounds, []string{"8 bytes at 0x100000fc"}},
		{"misaligned", scenario{body: "setp.eq.u32 %p0, %r0, 40; selp.u64 %rd2, 2, 0, %p0; add.u64 %rd2, %rd2, %rd0; ld.global.u32 %r1, [%rd2]; ret;"},
			ErrMisaligned, []string{"thread (40,0,0)", "4 bytes at 0x10000002, which is no multiple of 4, offset 2 of out"}},
		{"misaligned vector", scenario{body: "ld.global.v2.u32 {%r1, %r2}, [%rd0+4]; ret;"}, ErrMisaligned, []string{"8 bytes at 0x10000004"}},
		{"constant", scenario{vars: ".const .align 4 .u32 c = 1;", body: "mov.u64 %rd2, c; cvta.const.u64 %rd2, %rd2; st.u32 [%rd2], 1; ret;"},
			ErrReadOnly, []string{"offset 0 of c"}},
		{"atomic on a constant", scenario{vars: ".const .align 4 .u32 c = 1;", body: "mov.u64 %rd2, c; cvta.const.u64 %rd2, %rd2; atom.add.u32 %r1, [%rd2], 1; ret;"},
			ErrReadOnly, []string{"offset 0 of c"}},
		{"shared", scenario{vars: ".shared .align 4 .b8 s[64];", body: "mov.u64 %rd2, s; mad.wide.u32 %rd3, %r0, 4, %rd2; ld.shared.u32 %r1, [%rd3]; ret;"},
			ErrOutOfBounds, []string{"thread (16,0,0)", "4 bytes at 0x40, offset 64 of shared memory (64 bytes; s+64)"}},
		{"local", scenario{body: ".local .align 4 .b8 l[16]; mov.u64 %rd2, l; ld.local.u32 %r1, [%rd2+16]; ret;"},
			ErrOutOfBounds, []string{"offset 16 of local memory (16 bytes; l+16)"}},
		{"another space", scenario{vars: ".shared .align 4 .b8 s[64];", body: "mov.u64 %rd2, s; ld.global.u32 %r1, [%rd2]; ret;"},
			ErrOutOfBounds, []string{"4 bytes at 0x0, in no window", "; an offset in shared space is no address in global space"}},
		{"no local memory at all", scenario{body: "mov.u64 %rd2, 0; ld.local.u32 %r1, [%rd2]; ret;"}, ErrOutOfBounds, nil},
		{"trap", scenario{body: "setp.eq.u32 %p0, %r0, 3; @%p0 trap; ret;"}, ErrTrap, []string{"thread (3,0,0)", "k.ptx:11"}},
		{"index of a branch", scenario{body: "ts: .branchtargets a, b; and.b32 %r1, %r0, 3; brx.idx %r1, ts; a: ret; b: ret;"}, nil,
			[]string{"thread (2,0,0)", "index 2 of a branch with 2 targets"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.expectError(t, c.cause, c.want...) })
	}
}

// TestAccessEffects looks at what Step reports of accesses.
func TestAccessEffects(t *testing.T) {
	s := scenario{block: 40, vars: ".shared .align 8 .b8 s[16];", body: `
mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2;
setp.lt.u32 %p0, %r0, 8; selp.u64 %rd3, %rd2, %rd1, %p0;
setp.lt.u32 %p1, %r0, 16;
@%p1 st.u32 [%rd3], 1;
atom.shared.add.u32 %r1, [s+4], 1;
ld.param.u64 %rd4, [out];
ret;`}
	code := decode(t, s.kernel(t))
	mem := new(Memory)
	out, err := mem.Alloc("out", 256)
	if err != nil {
		t.Fatal(err)
	}
	params := []byte{byte(out), byte(out >> 8), byte(out >> 16), byte(out >> 24), 0, 0, 0, 0}
	g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{40, 1, 1}, Params: params}, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	var cta CTA
	g.StartCTA(&cta, 0)
	w := &cta.Warps[0]
	var found []Access
	var eff Effect
	for !w.Done() {
		if err := w.Step(new(Env), &eff); err != nil {
			t.Fatal(err)
		}
		if eff.Access.Kind != NoAccess {
			found = append(found, eff.Access)
		}
	}
	if len(found) != 4 {
		t.Fatalf("%d accesses, want 4", len(found))
	}
	mixed := found[1]
	if mixed.Kind != Store || mixed.Bytes != 4 || mixed.Space != 0 || mixed.Lanes[2] != 0xff || mixed.Lanes[1] != 0xff00 {
		t.Errorf("store to two spaces: %+v", mixed)
	}
	if mixed.Addr[3] != abi.SharedBase || mixed.Addr[9] != out+36 {
		t.Errorf("addresses 0x%x and 0x%x", mixed.Addr[3], mixed.Addr[9])
	}
	if a := found[2]; a.Kind != Atomic || a.Lanes[2] != 1<<32-1 || a.Addr[31] != abi.SharedBase+4 {
		t.Errorf("atomic: %+v", a)
	}
	if a := found[3]; a.Kind != Load || a.Lanes[5] != 1<<32-1 || a.Addr[0] != abi.ParamBase || a.Bytes != 8 {
		t.Errorf("parameter: %+v", a)
	}
}

func TestAtomics(t *testing.T) {
	for _, c := range []struct {
		name, body string
		sum        uint32 // of what the 64 threads got
		final      uint32
	}{
		{"add", "atom.global.add.u32 %r1, [%rd2], 2", 63 * 64, 128 + 0},
		{"exch", "atom.global.exch.b32 %r1, [%rd2], %r0", 62*63/2 + 0, 63},
		{"inc", "atom.global.inc.u32 %r1, [%rd2], 9", 6*45 + 6, 4},
		{"dec", "atom.global.dec.u32 %r1, [%rd2], 9", 6*45 + 9 + 8 + 7, 6},
		{"max", "atom.global.max.u32 %r1, [%rd2], %r0", 62*63/2 + 0, 63},
		{"min", "mov.u32 %r2, -5; atom.global.min.s32 %r1, [%rd2], %r2", 1<<32 - 63*5, 1<<32 - 5},
		{"or", "shl.b32 %r2, 1, %r0; setp.lt.u32 %p0, %r0, 4; selp.u32 %r2, %r2, 0, %p0; atom.global.or.b32 %r1, [%rd2], %r2", 1 + 3 + 7 + 60*15, 15},
		{"and", "atom.global.and.b32 %r1, [%rd2], 1", 0, 0},
		{"xor", "atom.global.xor.b32 %r1, [%rd2], 1", 32, 0},
		{"cas", "add.u32 %r2, %r0, 1; atom.global.cas.b32 %r1, [%rd2], %r0, %r2", 63 * 64 / 2, 64},
		{"f32", "atom.global.add.f32 %r1, [%rd2], 0f40000000; cvt.rzi.u32.f32 %r1, %r1", 63 * 64, 0x43000000},
		{"red", "red.global.add.u32 [%rd2], 1; mov.u32 %r1, 0", 0, 64},
		{"subnormal in global memory", "red.global.add.f32 [%rd2], 0f00000001; mov.u32 %r1, 0", 0, 0},
		{"subnormal in shared memory", "red.shared.add.f32 [s], 0f00000001; bar.sync 0; ld.shared.u32 %r3, [s]; st.global.u32 [%rd2], %r3; mov.u32 %r1, 0", 0, 64},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{vars: ".global .align 4 .u32 g; .shared .align 4 .u32 s; .global .align 4 .u32 sum;",
				body: "mov.u64 %rd2, g; " + c.body + `; red.global.add.u32 [sum], %r1; bar.sync 0;
ld.global.u32 %r5, [sum]; ld.global.u32 %r6, [g];
setp.eq.u32 %p5, %r0, 0; selp.u32 %r5, %r5, %r6, %p5; st.global.u32 [%rd1], %r5; ret;`}
			s.expect(t, func(tid int) uint32 {
				if tid == 0 {
					return c.sum
				}
				return c.final
			})
		})
	}
}
