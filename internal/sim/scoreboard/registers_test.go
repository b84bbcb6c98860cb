package scoreboard

import (
	"fmt"
	"slices"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// TestDependences issues instructions of one warp that depend on each other on a machine where some readers of a result wait
// longer than others.
func TestDependences(t *testing.T) {
	m := fermi(t)
	m.Dependences = map[string]machine.Number{"sp sfu": {Value: 3}, "sp guard": {Value: 9}, "sp ldst": {Value: 2}, "sfu sp": {Value: 5}}
	add, fp, sfu := m.Timing(isa.IntAdd).Latency, m.Timing(isa.FP32Add).Latency, m.Timing(isa.SFU).Latency
	for name, c := range map[string]struct {
		body string
		want []int64
	}{
		"the same pipeline":            {"add.u32 %r1, %r0, 1; add.u32 %r2, %r1, 1; ret;", []int64{0, add, add + 1}},
		"another pipeline":             {"add.f32 %f1, %f0, %f0; sqrt.approx.f32 %f2, %f1; ret;", []int64{0, fp + 3, fp + 4}},
		"back again":                   {"sqrt.approx.f32 %f1, %f0; add.f32 %f2, %f1, %f1; ret;", []int64{0, sfu + 5, sfu + 6}},
		"the quicker first":            {"add.f32 %f1, %f0, %f0; add.f32 %f2, %f1, %f1; sqrt.approx.f32 %f3, %f1; ret;", []int64{0, fp, fp + 3, fp + 4}},
		"an address":                   {"add.u64 %rd1, %buf, 4; ld.global.u32 %r1, [%rd1]; ret;", []int64{0, add + 2, add + 3}},
		"a guard":                      {"setp.eq.u32 %p1, %r0, 0; @%p1 mov.u32 %r2, 1; ret;", []int64{0, add + 9, add + 10}},
		"a branch":                     {"setp.eq.u32 %p1, %r0, 1; @%p1 bra END; mov.u32 %r2, 1; END: ret;", []int64{0, add + 9, add + 9 + m.Timing(isa.Control).Latency, add + 10 + m.Timing(isa.Control).Latency}},
		"a predicate as datum":         {"setp.eq.u32 %p1, %r0, 0; selp.u32 %r1, 1, 2, %p1; ret;", []int64{0, add, add + 1}},
		"a guard that is a datum, too": {"setp.eq.u32 %p1, %r0, 0; @%p1 selp.u32 %r1, 1, 2, %p1; ret;", []int64{0, add + 9, add + 10}},
		"write after write":            {"sqrt.approx.f32 %f1, %f0; add.f32 %f1, %f0, %f0; ret;", []int64{0, sfu + 5, sfu + 6}},
	} {
		if at, _ := solo(t, m, c.body); !slices.Equal(at, c.want) {
			t.Errorf("%s: issues at %v, want %v", name, at, c.want)
		}
	}
}

// TestManySources issues an instruction of five sources right after that which gives one of them.
func TestManySources(t *testing.T) {
	m := fermi(t)
	const (
		before = "mov.u64 %rd1, %buf; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; mov.f32 %f4, %f0; "
		store  = "st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4}; ret;"
	)
	for source := range 5 {
		body, latency := before+"add.u64 %rd1, %rd1, 16; "+store, m.Timing(isa.IntAdd).Latency
		if source > 0 {
			body, latency = before+fmt.Sprintf("sqrt.rn.f32 %%f%d, %%f0; ", source)+store, m.Timing(isa.SFU).Latency
		}
		at, _ := solo(t, m, body)
		if n := len(at); at[n-2]-at[n-3] != latency {
			t.Errorf("a store whose source %d comes with the instruction before issues after %d cycles, want %d", source, at[n-2]-at[n-3], latency)
		}
	}
}
