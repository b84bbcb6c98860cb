package absexec

import (
	"context"
	"errors"
	"testing"

	"warpbound/internal/abi"
)

// TestStoresToFixedBuffers has buffers whose contents are taken as fixed. A store that may be to one is an error, also where addresses of CTAs
// wrap around.
func TestStoresToFixedBuffers(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		writes bool
	}{
		"no store":     {"ld.global.u32 %r1, [%buf];", false},
		"behind":       {"st.global.u32 [%buf+64], %t;", false},
		"before":       {"st.global.u32 [%buf-4], %t;", false},
		"first word":   {"st.global.u32 [%buf], %t;", true},
		"last word":    {"st.global.u32 [%buf+60], %t;", true},
		"in two CTAs":  {"mul.wide.u32 %rd1, %c, 16; add.u64 %rd1, %rd1, %buf; st.global.u32 [%rd1+40], %t;", true},
		"wraps around": {"cvt.u64.u32 %rd1, %c; shl.b64 %rd1, %rd1, 62; add.u64 %rd1, %rd1, %buf; st.global.u32 [%rd1+0xc000000000000000], %t;", true},
		"unknown":      {"ld.global.u64 %rd1, [%buf+128]; st.global.u32 [%rd1], %t;", true},
		"for no lane":  {"setp.eq.u32 %p1, %t, 99; @%p1 st.global.u32 [%buf], %t;", false},
	} {
		l := compile(t, 5, [3]int{8, 1, 1}, [3]int{16, 1, 1}, "", c.body+" ret;")
		config := l.config()
		config.Fixed = []Range{{abi.GlobalBase, 64}}
		_, err := New(config).Warp(context.Background(), 0, func(Box) Visitor { return silent{} })
		if write := (*WriteError)(nil); errors.As(err, &write) != c.writes || !c.writes && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
