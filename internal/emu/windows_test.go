package emu

import "testing"

const sharedAndLocal = ".shared .align 8 .b8 s[80]; .const .align 4 .u32 c = 9; .global .align 4 .u32 g = 8;"

// TestWindows converts addresses between spaces and the generic one.
func TestWindows(t *testing.T) {
	const store = " st.global.u32 [%rd1], %r1; ret;"
	for _, c := range []struct {
		name string
		scenario
		want uint32
	}{
		{"the address of a shared variable is an offset", scenario{body: "mov.u32 %r1, s+16;" + store}, 16},
		{"that of a local one is, too", scenario{body: ".local .align 8 .b8 l[16]; mov.u64 %rd2, l+12; cvt.u32.u64 %r1, %rd2;" + store}, 12},
		{"and that of a parameter", scenario{body: "mov.b64 %rd2, out; cvt.u32.u64 %r1, %rd2;" + store}, 0},
		{"shared there and back", scenario{body: `mov.u64 %rd2, s; cvta.shared.u64 %rd3, %rd2; st.u32 [%rd3+4], 7; cvta.to.shared.u64 %rd4, %rd3;
ld.shared.u32 %r2, [%rd4+4]; setp.eq.u64 %p1, %rd2, %rd4; selp.u32 %r1, %r2, 0, %p1;` + store}, 7},
		{"local there and back", scenario{body: `.local .align 8 .b8 l[16]; mov.u64 %rd2, l; cvta.local.u64 %rd3, %rd2; st.u32 [%rd3+4], 7; cvta.to.local.u64 %rd4, %rd3;
ld.local.u32 %r2, [%rd4+4]; setp.eq.u64 %p1, %rd2, %rd4; selp.u32 %r1, %r2, 0, %p1;` + store}, 7},
		{"a parameter there and back", scenario{body: `mov.b64 %rd2, out; cvta.param.u64 %rd3, %rd2; ld.u64 %rd4, [%rd3]; cvta.to.param.u64 %rd3, %rd3; ld.param.u64 %rd5, [%rd3];
setp.eq.u64 %p1, %rd4, %rd5; setp.eq.and.u64 %p1, %rd4, %rd0, %p1; selp.u32 %r1, 1, 0, %p1;` + store}, 1},
		{"global and constant addresses are generic", scenario{body: `mov.u64 %rd2, g; cvta.global.u64 %rd3, %rd2; cvta.to.global.u64 %rd4, %rd3; mov.u64 %rd5, c; cvta.const.u64 %rd6, %rd5;
ld.u32 %r1, [%rd2]; ld.global.u32 %r2, [%rd4]; add.u32 %r1, %r1, %r2; ld.u32 %r2, [%rd6]; add.u32 %r1, %r1, %r2; ld.const.u32 %r2, [%rd5]; add.u32 %r1, %r1, %r2;` + store}, 34},
		{"an address without a register", scenario{body: "st.shared.u32 [s+8], 6; ld.shared.u32 %r1, [8];" + store}, 6},
		{"a variable that the instruction names", scenario{body: "st.shared.u32 [s+8], 6; ld.u32 %r1, [s+8];" + store}, 6},
		{"an element", scenario{body: "mov.u32 %r2, 3; st.shared.u8 s[%r2+1], 5; mov.u64 %rd2, s; ld.shared.u8 %r1, [%rd2+4];" + store}, 5},
		{"from below the window, in 32 bits", scenario{body: "mov.u32 %r2, s; add.u32 %r2, %r2, -24; st.shared.u32 [%r2+32], 4; ld.shared.u32 %r1, [s+8];" + store}, 4},
		{"from below the window, lane by lane", scenario{body: `mov.u32 %r2, s; and.b32 %r3, %r0, 7; shl.b32 %r3, %r3, 2; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, -16;
st.shared.u32 [%r2+16], %r3; ld.shared.u32 %r1, [%r2+16]; sub.u32 %r1, %r1, %r3;` + store}, 0},
		{"from below the window, in 64 bits", scenario{body: "mov.u64 %rd2, s; add.u64 %rd2, %rd2, -24; st.shared.u32 [%rd2+32], 4; ld.shared.u32 %r1, [s+8];" + store}, 4},
		{"an atomic operation by a generic address", scenario{body: `mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; setp.ne.u32 %p1, %r0, 0; @!%p1 st.shared.u32 [s], 0; bar.sync 0;
red.add.u32 [%rd2], 1; bar.sync 0; ld.shared.u32 %r1, [s];` + store}, 64},
		{"asynchronous copies to an offset", scenario{target: "sm_80", body: "mov.u64 %rd2, g; mov.u32 %r2, s; cp.async.ca.shared.global [%r2], [%rd2], 4; cp.async.wait_all; ld.shared.u32 %r1, [%r2];" + store}, 8},
		{"an array that is the argument of a function", scenario{vars: ".func (.param .b32 r) f(.param .align 4 .b8 a[8]) { .reg .b64 p; .reg .b32 x; mov.b64 p, a; cvta.local.u64 p, p; ld.u32 x, [p+4]; st.param.b32 [r], x; ret; }",
			body: "{ .param .align 4 .b8 a[8]; .param .b32 r; st.param.b32 [a+4], 3; call (r), f, (a); ld.param.b32 %r1, [r]; }" + store}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.vars += sharedAndLocal
			c.expect(t, func(int) uint32 { return c.want })
		})
	}
}

// TestIsspacep asks of addresses in each window in which one they are.
func TestIsspacep(t *testing.T) {
	for addr, want := range map[string]uint32{
		"mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2;":                              1,
		"mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2;":                               2,
		"mov.b64 %rd2, out; cvta.param.u64 %rd2, %rd2;":                             4,
		"mov.u64 %rd2, g; cvta.global.u64 %rd2, %rd2;":                              8,
		"mov.u64 %rd2, c; cvta.const.u64 %rd2, %rd2;":                               16,
		"mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; add.u64 %rd2, %rd2, 0x10000;": 1, // the window is larger than the memory
		"mov.u64 %rd2, s;": 0,
		"mov.u64 %rd2, l;": 0,
		"mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; cvta.shared.u64 %rd2, %rd2;": 0,
	} {
		body := ".local .align 8 .b8 l[16]; mov.u32 %r1, 0; " + addr
		for i, space := range []string{"shared", "local", "param", "global", "const"} {
			body += "isspacep." + space + " %p1, %rd2; selp.u32 %r2, " + []string{"1", "2", "4", "8", "16"}[i] + ", 0, %p1; add.u32 %r1, %r1, %r2; "
		}
		s := scenario{vars: sharedAndLocal, body: body + "st.global.u32 [%rd1], %r1; ret;"}
		t.Run(addr, func(t *testing.T) { s.expect(t, func(int) uint32 { return want }) })
	}
}

// TestWindowErrors leaves conversions out, does them twice, and takes the wrong space.
func TestWindowErrors(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"store without cvta.shared", "mov.u64 %rd2, s+16; st.u32 [%rd2], 1;", "4 bytes at 0x10, in no window and below all memory: the base of the address may be a null pointer or an offset alone; an offset in shared space must be converted by cvta.shared"},
		{"load without cvta.local", "mov.u64 %rd2, l; ld.u32 %r1, [%rd2+96];", "; an offset in local space must be converted by cvta.local"},
		{"load without cvta.param", "mov.b64 %rd2, out; ld.u64 %rd3, [%rd2];", "; an offset in param space must be converted by cvta.param"},
		{"atomic without cvta.shared", "mov.u64 %rd2, s; atom.add.u32 %r1, [%rd2], 1;", "must be converted by cvta.shared"},
		{"reduction of an offset in global space", "mov.u64 %rd2, s; red.global.add.u32 [%rd2], 1;", "an offset in shared space is no address in global space"},
		{"store after cvta.shared twice", "mov.u64 %rd2, s+16; cvta.shared.u64 %rd2, %rd2; cvta.shared.u64 %rd2, %rd2; st.u32 [%rd2], 1;", "4 bytes at 0x2000010, in no window: cvta.shared may have converted the address twice"},
		{"load after cvta.local twice", "mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; cvta.local.u64 %rd2, %rd2; ld.u32 %r1, [%rd2];", "cvta.local may have converted the address twice"},
		{"load after cvta.param twice", "mov.b64 %rd2, out; cvta.param.u64 %rd2, %rd2; cvta.param.u64 %rd2, %rd2; ld.u32 %r1, [%rd2];", "cvta.param may have converted the address twice"},
		{"load after cvta.to.shared twice", "mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; cvta.to.shared.u64 %rd2, %rd2; cvta.to.shared.u64 %rd2, %rd2; ld.shared.u32 %r1, [%rd2];", "beyond the window of shared space"},
		{"shared store to a generic address", "mov.u64 %rd2, s+16; cvta.shared.u64 %rd2, %rd2; st.shared.u32 [%rd2], 1;", "4 bytes at 0x1000010 in shared space; that is a generic address of it: convert it by cvta.to.shared, or leave .shared out"},
		{"shared store to a generic address in 32 bits", "mov.u32 %r2, s; add.u32 %r2, %r2, 0x1000000; st.shared.u32 [%r2], 1;", "that is a generic address of it"},
		{"local load from a generic address", "mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; ld.local.u32 %r1, [%rd2];", "in local space; that is a generic address of it: convert it by cvta.to.local, or leave .local out"},
		{"parameter by a generic address", "mov.b64 %rd2, out; cvta.param.u64 %rd2, %rd2; ld.param.u32 %r1, [%rd2];", "in param space; that is a generic address of it"},
		{"local load from a generic address in shared memory", "mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; ld.local.u32 %r1, [%rd2];", "in local space; that is a generic address in shared space"},
		{"shared load from a generic address in local memory", "mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; ld.shared.u32 %r1, [%rd2];", "in shared space; that is a generic address in local space"},
		{"shared load from global memory", "ld.shared.u32 %r1, [%rd0];", "in shared space; the address lies in global space, offset 0 of out"},
		{"the wrong conversion", "mov.u64 %rd2, s+16; cvta.local.u64 %rd2, %rd2; cvta.shared.u64 %rd2, %rd2; st.u32 [%rd2], 1;", "4 bytes at 0x5000010"},
		{"global load from a generic address in shared memory", "mov.u64 %rd2, s+16; cvta.shared.u64 %rd2, %rd2; ld.global.u32 %r1, [%rd2];", "in global space; the address lies in shared space, offset 16 of shared memory (80 bytes; s+16)"},
		{"copy to a generic address", "mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; cp.async.ca.shared.global [%rd2], [%rd0], 4;", "that is a generic address of it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{target: "sm_80", vars: sharedAndLocal, body: ".local .align 8 .b8 l[128]; " + c.body + " ret;"}
			s.expectError(t, ErrOutOfBounds, c.want)
		})
	}
}
