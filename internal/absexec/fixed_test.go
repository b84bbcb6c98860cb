package absexec

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
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

// TestSpanOfStores has a store at a known address that goes from one CTA to the next by steps. Where
// it wraps around, which no kernel brings about, it may be anywhere: an error, though it begins
// outside the buffer whose contents are taken as fixed.
func TestSpanOfStores(t *testing.T) {
	for _, c := range []struct {
		step int64
		want string
	}{
		{4, ""},
		{1 << 62, "k.ptx:7:2: internal error: the known address of an access wraps around among CTAs"},
		{-1 << 62, "k.ptx:7:2: internal error: the known address of an access wraps around among CTAs"},
	} {
		at := &value{known: 1, base: make([]alu.Vector, 1)}
		set(at.base, 0, abi.GlobalBase+1<<20)
		at.setSteps(0, [Axes]int64{c.step}, ^uint64(0))
		access := &Access{Space: isa.Global, Bytes: 4, Known: 1, addr: at}
		access.Lanes[isa.Global] = 1
		x := &execution{
			Executor: &Executor{config: Config{Fixed: []Range{{abi.GlobalBase, 64}}}},
			box:      Box{Hi: [3]int{8, 1, 1}},
			step:     Step{Instr: &isa.Instr{Op: isa.St, Pos: diag.Pos{File: "k.ptx", Line: 7, Col: 2}}, May: 1, Access: access},
		}
		switch err := x.checkFixed(); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("by steps of %#x: %v, want %q", c.step, err, c.want)
		}
		if c.want == "" {
			continue
		}
		generic := &Access{Space: isa.Generic, Bytes: 4, Known: 1, addr: at}
		if err := x.findSpaces(x.step.Instr, generic); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("generic, by steps of %#x: %v, want %q", c.step, err, c.want)
		}
	}
}
