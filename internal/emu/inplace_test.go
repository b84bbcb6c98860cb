package emu

import "testing"

// TestInPlace computes results that have the vector of their source, since that is not read
// any more.
func TestInPlace(t *testing.T) {
	s := scenario{body: `
and.b32 %r1, %r0, 3; cnot.b32 %r2, %r1; st.global.u32 [%rd1], %r2; ret;`}
	s.expect(t, func(tid int) uint32 {
		if tid%4 == 0 {
			return 1
		}
		return 0
	})
}
