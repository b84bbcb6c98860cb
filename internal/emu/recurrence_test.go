package emu

import (
	"strings"
	"testing"
)

// TestRunLivelock: an execution without time passes on to another warp where one waits in a loop,
// and is over where none gets on.
func TestRunLivelock(t *testing.T) {
	flag := &scenario{body: `
		setp.ge.u32 %p0, %r0, 32; @%p0 bra write;
		spin: ld.volatile.global.u32 %r1, [%rd0+252]; setp.eq.u32 %p1, %r1, 0; @%p1 bra spin;
		st.global.u32 [%rd1], 7; ret;
		write: st.volatile.global.u32 [%rd0+252], 1; ret;`}
	if words, err := flag.run(t); err != nil || words[0] != 7 {
		t.Errorf("word %d, error %v", words[0], err)
	}
	never := &scenario{body: strings.Replace(flag.body, "+252], 1", "+248], 1", 1)}
	never.expectError(t, ErrLivelock, "k.ptx:12:9", "the loop that begins here waits for a change of offset 252 of out")
	barrier := &scenario{body: strings.Replace(flag.body, "write: st.volatile.global.u32 [%rd0+252], 1;", "write: bar.sync 0;", 1)}
	barrier.expectError(t, ErrLivelock, "CTA (0,0,0), thread (0,0,0)")
}
