package emu

import "testing"

// TestMixedCarry adds behind a subtraction and the other way round: the flag says
// that there was no borrow, as that of the hardware does.
func TestMixedCarry(t *testing.T) {
	s := scenario{body: `
sub.cc.u32 %r1, %r0, 32; addc.u32 %r2, 0, 0;
add.cc.u32 %r1, %r0, 0xffffffe0; subc.u32 %r3, 2, 0;
mad.lo.u32 %r2, %r3, 16, %r2; st.global.u32 [%rd1], %r2; ret;`}
	s.expect(t, func(tid int) uint32 {
		if tid < 32 {
			return 16
		}
		return 33
	})
}
