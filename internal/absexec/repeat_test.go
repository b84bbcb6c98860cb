package absexec

import (
	"fmt"
	"strings"
	"testing"
)

// repeats lists how many iterations each summary stands for.
func (r *recorder) repeats() string {
	var list []string
	for _, e := range r.events {
		if e.mark == "repeat" {
			list = append(list, fmt.Sprint(e.times))
		}
	}
	return strings.Join(list, " ")
}

// TestSummaries checks what is told of loops, and that it covers what warps execute. Of loops that data ends
// the bound is what they were seen to need.
func TestSummaries(t *testing.T) {
	const up = "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, "
	for _, c := range []struct {
		name, body    string
		exact, coarse string // iterations that summaries stand for, of the first warp in the first box
	}{
		{"constant", "mov.u32 %r1, 0; L: " + up + "50; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "48", "48"},
		{"down", "mov.u32 %r1, 50; L: sub.u32 %r1, %r1, 2; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "23", "23"},
		{"by lane", "mov.u32 %r1, 0; L: st.global.u32 [%buf], %r1; add.u32 %r1, %r1, 1; add.u32 %r3, %t, 20; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "18", "18"},
		{"by CTA", "mov.u32 %r1, 0; add.u32 %r3, %c, 20; L: " + up + "%r3; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "18", "18"},
		{"addresses", "mov.u32 %r1, 0; L: mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %buf; st.global.u32 [%rd1], %r1; " + up + "50; @%p1 bra L; ret;", "48", "48"},
		{"addresses of bytes", "mov.u32 %r1, 0; mov.u64 %rd1, %buf; L: st.global.u8 [%rd1], %r1; add.u64 %rd1, %rd1, 1; " + up + "51; @%p1 bra L; st.global.u8 [%rd1], %r1; ret;", "49", "49"},
		{"squares", "mov.u32 %r1, 0; mov.u32 %r2, 0; L: add.u32 %r2, %r2, %r1; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd1, %buf; st.global.u32 [%rd1], %r2; " + up + "50; @%p1 bra L; st.global.u32 [%buf], %r2; ret;", "48", "48"},
		{"two phases", "mov.u32 %r1, 0; L: setp.lt.u32 %p2, %r1, 25; @%p2 bra A; add.u32 %r2, %r2, 1; A: " + up + "50; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "24 23", "24 23"},
		{"even and odd", "mov.u32 %r1, 0; L: and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra A; st.global.u32 [%buf], %r1; A: " + up + "50; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "", "49"},
		{"predicate that changes", "mov.u32 %r1, 0; setp.eq.u32 %p3, %r1, 0; L: @%p3 st.global.u32 [%buf], %r1; not.pred %p3, %p3; " + up + "50; @%p1 bra L; ret;", "48", "48"},
		{"data", "mov.u32 %r1, 0; L: ld.global.u32 %r3, [%buf]; st.global.u32 [%buf+8], %r1; add.u32 %r1, %r1, 1; and.b32 %r3, %r3, 15; add.u32 %r3, %r3, 20; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; st.global.u32 [%buf+4], %r1; ret;", "22", "22"},
		{"data by lane", "mov.u32 %r1, 0; mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r3, [%rd1]; and.b32 %r3, %r3, 15; add.u32 %r3, %r3, 20; L: st.global.u32 [%buf+512], %r1; " + up + "%r3; @%p1 bra L; st.global.u32 [%rd1], %r1; ret;", "33", "33"},
		{"left in the middle", "mov.u32 %r1, 0; mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r3, [%rd1]; and.b32 %r3, %r3, 31; L: setp.eq.u32 %p2, %r1, %r3; @%p2 bra E; st.global.u32 [%buf+512], %r1; " + up + "50; @%p1 bra L; E: st.global.u32 [%rd1], %r1; ret;", "6", "6"},
		{"exit", "mov.u32 %r1, 0; mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r3, [%rd1]; and.b32 %r3, %r3, 31; L: setp.eq.u32 %p2, %r1, %r3; @%p2 ret; st.global.u32 [%buf+512], %r1; " + up + "50; @%p1 bra L; ret;", "", ""},
		{"branch on data", "mov.u32 %r1, 0; mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %buf; L: ld.global.u32 %r3, [%rd1]; and.b32 %r3, %r3, %r1; setp.eq.u32 %p2, %r3, 0; @%p2 bra A; st.global.u32 [%buf+512], %r1; A: " + up + "50; @%p1 bra L; st.global.u32 [%buf+516], %r1; ret;", "48", "48"},
		{"alternatives", "mov.u32 %r1, 0; L: ld.global.u32 %r3, [%buf]; setp.eq.u32 %p2, %r3, 0; @%p2 bra A; st.global.u32 [%buf+512], %r1; bra B; A: st.global.u32 [%buf+516], %r1; B: " + up + "50; @%p1 bra L; st.global.u32 [%buf+516], %r1; ret;", "48", "48"},
		{"nested", "mov.u32 %r1, 0; L: mov.u32 %r2, 0; M: add.u32 %r2, %r2, 1; st.global.u32 [%buf], %r2; setp.lt.u32 %p2, %r2, 20; @%p2 bra M; " + up + "30; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "18 28 18 18", "18 28 18 18"},
		{"triangle", "mov.u32 %r1, 0; L: mov.u32 %r2, 0; M: add.u32 %r2, %r2, 1; st.global.u32 [%buf], %r2; setp.le.u32 %p2, %r2, %r1; @%p2 bra M; " + up + "7; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "2 3 4 5", "6 27 6"},
		{"local memory", ".local .u32 d[4]; mov.u32 %r1, 0; st.local.u32 [d], %r1; st.local.u32 [d+4], %t; L: ld.local.u32 %r1, [d]; ld.local.u32 %r2, [d+4]; st.global.u32 [%buf], %r2; add.u32 %r2, %r2, 1; st.local.u32 [d+4], %r2; add.u32 %r1, %r1, 1; st.local.u32 [d], %r1; setp.lt.u32 %p1, %r1, 50; @%p1 bra L; ld.local.u32 %r2, [d+4]; st.global.u32 [%buf], %r2; ret;", "48", "48"},
		{"local memory that is overwritten", ".local .u32 d[4]; mov.u32 %r1, 0; st.local.u32 [d], %r1; L: ld.local.u32 %r2, [d]; st.global.u32 [%buf], %r2; setp.eq.u32 %p2, %r1, 30; @%p2 st.local.u32 [d], %r1; " + up + "50; @%p1 bra L; ld.local.u32 %r2, [d]; st.global.u32 [%buf], %r2; ret;", "29 18", "29 18"},
		{"lanes elsewhere", "setp.lt.u32 %p2, %t, 16; @%p2 bra A; mov.u32 %r1, 7; st.global.u32 [%buf], %r1; bra B; A: mov.u32 %r1, 0; L: " + up + "50; @%p1 bra L; B: st.global.u32 [%buf], %r1; ret;", "48", "48"},
		{"barriers", "mov.u32 %r1, 0; L: bar.sync 0; " + up + "50; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "48", "48"},
		{"wraps", "mov.u32 %r1, 4294967290; L: add.u32 %r1, %r1, 1; cvt.u64.u32 %rd1, %r1; and.b64 %rd1, %rd1, 255; add.u64 %rd1, %rd1, %buf; st.global.u8 [%rd1], %r1; setp.ne.u32 %p1, %r1, 40; @%p1 bra L; st.global.u32 [%buf], %r1; ret;", "44", "44"},
		{"turns", "mov.u32 %r1, 0; mov.u32 %r2, 5; L: mov.u32 %r3, %r2; mov.u32 %r2, %r4; mov.u32 %r4, %r3; st.global.u32 [%buf], %r3; " + up + "50; @%p1 bra L; st.global.u32 [%buf], %r2; ret;", "48", "48"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := compile(t, 5, [3]int{3, 1, 1}, [3]int{64, 1, 1}, "", c.body)
			config := l.config()
			config.Bound, config.Uniform = l.observe(t)
			l.prepare(t, 0, 32)
			config.Launch = l.semantics
			for how, want := range map[summaries]string{exactSummaries: c.exact, coarseSummaries: c.coarse} {
				l.summarise = how
				if err := l.cover(t, config, 1); err != nil {
					t.Error(err)
				}
				runs, err := l.run(config, 0)
				if err != nil {
					t.Fatal(err)
				}
				for box, r := range runs {
					if got := r.repeats(); box.Lo == [3]int{} && got != want {
						t.Errorf("%d: %q, want %q", how, got, want)
					}
				}
			}
		})
	}
}
