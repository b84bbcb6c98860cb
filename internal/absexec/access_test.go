package absexec

import "testing"

// TestRepeatFirst gives lanes behind the eighth the address of the first. What was known of them before is known no more.
func TestRepeatFirst(t *testing.T) {
	const n, mask = 8, 0x00ffff0f
	v := &value{base: vectors(32), known: 0x0000ff0f, nonAffine: 0x01000100, alike: 0xffffffff}
	for lane := range 32 {
		set(v.base, lane, uint64(100+lane))
	}
	v.repeatFirst(n, mask)
	for lane := range 32 {
		repeats := lane >= n && mask>>lane&1 != 0
		want := uint64(100 + lane)
		if repeats {
			want = 100
		}
		known := repeats || 0x0000ff0f>>lane&1 != 0
		if at(v.base, lane) != want || v.known>>lane&1 != 0 != known || v.alike>>lane&1 != 0 == repeats {
			t.Errorf("lane %d has %d, known %t, alike %t", lane, at(v.base, lane), v.known>>lane&1 != 0, v.alike>>lane&1 != 0)
		}
	}
	if v.nonAffine != 0x01000000 {
		t.Errorf("lanes %#x are not affine", v.nonAffine)
	}
}
