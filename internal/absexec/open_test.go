package absexec

import (
	"fmt"
	"strings"
	"testing"
)

// TestOpenResults branches on results that the manual leaves open, or of which it states no error,
// and on others of the same instructions. Of an open one both ways must be followed, whatever the
// emulator gives. Which results are open package arithmetic says, whose comparison in internal/alu
// asks for the same of each instruction.
func TestOpenResults(t *testing.T) {
	for _, c := range []struct {
		name, body string // sets %rd1
		open       bool
	}{
		{"a quotient", "mov.u32 %r1, 0; add.u32 %r1, %r1, 2; div.u32 %r2, 7, %r1; cvt.u64.u32 %rd1, %r2;", false},
		{"a quotient by zero", "mov.u32 %r1, 0; div.u32 %r2, 7, %r1; cvt.u64.u32 %rd1, %r2;", true},
		{"a remainder by zero", "mov.u64 %rd2, 0; rem.s64 %rd1, 7, %rd2;", true},
		{"a sine of zero", "mov.b32 %r1, 0; sin.approx.f32 %r2, %r1; cvt.u64.u32 %rd1, %r2;", false},
		{"a sine of much", "mov.b32 %r1, 0f4B000001; sin.approx.f32 %r2, %r1; cvt.u64.u32 %rd1, %r2;", true},
		{"a cosine of much", "mov.b32 %r1, 0f4B000001; cos.approx.ftz.f32 %r2, %r1; cvt.u64.u32 %rd1, %r2;", true},
		{"a quotient by a subnormal number",
			"mov.b32 %r1, 0f3F800000; mov.b32 %r2, 3; div.approx.f32 %r3, %r1, %r2; cvt.u64.u32 %rd1, %r3;", true},
		{"a gross reciprocal of infinity", "mov.b64 %rd2, 0d7FF0000000000000; rcp.approx.ftz.f64 %rd1, %rd2;", false},
		{"a gross reciprocal", "mov.b64 %rd2, 0d4008000000000000; rcp.approx.ftz.f64 %rd1, %rd2;", true},
		{"a gross reciprocal root", "mov.b64 %rd2, 0d4008000000000000; rsqrt.approx.ftz.f64 %rd1, %rd2;", true},
		{"a reciprocal root", "mov.b64 %rd2, 0d4008000000000000; rsqrt.approx.f64 %rd1, %rd2;", true},
		{"an elected lane", "elect.sync %r1|%p2, -1; cvt.u64.u32 %rd1, %r1;", true},
		{"from a lane", "mov.u32 %r1, %t; shfl.sync.idx.b32 %r2, %r1, 3, 31, -1; cvt.u64.u32 %rd1, %r2;", false},
		{"from a lane that takes no part",
			`mov.u32 %r1, %t; setp.lt.u32 %p2, %t, 4; mov.u32 %r2, 9;
			@%p2 shfl.sync.idx.b32 %r2, %r1, 5, 31, 15; cvt.u64.u32 %rd1, %r2;`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := c.body + " setp.ne.u64 %p1, %rd1, 1; @%p1 bra done; add.u32 %r9, %i, 1; done: ret;"
			l := compile(t, 0, [3]int{1, 1, 1}, [3]int{32, 1, 1}, "", body)
			text := fmt.Sprint(describe(t, l.config(), 0))
			if got := strings.Contains(text, "open"); got != c.open {
				t.Errorf("%s", text)
			}
		})
	}
}
