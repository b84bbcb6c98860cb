package scalar

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
)

// run executes a body as execute does. Its loop, if it has one, goes back six times.
func run(t *testing.T, body string) ([]byte, error) {
	t.Helper()
	out, trips, err := execute(t, body)
	if err == nil && len(trips) > 0 && trips[0] != 6 {
		t.Errorf("the loop went back %d times, not 6", trips[0])
	}
	return out, err
}

// execute executes a body on a buffer of two words, 5 and 7, by one warp's worth of threads, and returns how often its loops
// went back.
func execute(t *testing.T, body string) ([]byte, []int64, error) {
	t.Helper()
	src := `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 buf)
{
	.reg .pred %p;
	.reg .b32 %t, %x, %y;
	.reg .f32 %f;
	.reg .b64 %a;
	.shared .align 4 .b8 tile[8];
	ld.param.u64 %a, [buf];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 4, %a;
	ld.global.u32 %x, [%a];
` + body + "\n\tret;\n}\n"
	m, err := ptx.Parse("k.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptx.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	j, err := job.Parse("job.toml", []byte(`module = "k.ptx"
grid = [1]
block = [2]
[[param]]
name = "buf"
type = "u32"
count = 2
values = [5, 7]
`), func(string) ([]byte, error) { return nil, fmt.Errorf("no file") })
	if err != nil {
		t.Fatal(err)
	}
	k, err := j.Link(p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := j.Bind(k)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	trips := make([]int64, len(g.Loops().Loops))
	out, err := Execute(g, b, b.Inputs(0), trips)
	if err != nil {
		return nil, nil, err
	}
	return out[0], trips, nil
}

func TestExecute(t *testing.T) {
	for _, test := range []struct {
		body string
		want [2]uint32
	}{
		{"add.s32 %y, %x, %t; st.global.u32 [%a], %y;", [2]uint32{5, 8}},
		{"mov.u32 %y, 0;\nL: add.s32 %y, %y, 2; add.s32 %x, %x, -1; setp.ne.s32 %p, %x, 0; @%p bra L;\n st.global.u32 [%a], %y;", [2]uint32{10, 14}},
		{"st.shared.u32 [tile], %x; bar.sync 0; ld.shared.u32 %y, [tile]; st.global.u32 [%a], %y;", [2]uint32{7, 7}},
		{"atom.global.max.s32 %y, [%a], 6; st.global.u32 [%a], %y;", [2]uint32{5, 7}},
		{"red.global.min.u32 [%a], 6;", [2]uint32{5, 6}},
		{"mov.u32 %y, %ntid.x; st.global.u32 [%a], %y;", [2]uint32{2, 2}},
	} {
		out, err := run(t, test.body)
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		if got := [2]uint32{binary.LittleEndian.Uint32(out), binary.LittleEndian.Uint32(out[4:])}; got != test.want {
			t.Errorf("%s: %v, not %v", test.body, got, test.want)
		}
	}
}

// TestRefuses checks that what is not known is an error that names the place.
func TestRefuses(t *testing.T) {
	for body, want := range map[string]string{
		"add.sat.s32 %y, %x, %t;":              "does not know",
		"add.rz.f32 %f, %f, %f;":               "does not know",
		"add.ftz.f32 %f, %f, %f;":              "does not know",
		"mov.u32 %y, %laneid;":                 "does not know",
		"bar.sync 0, 32;":                      "does not know",
		"bar.arrive 0, 64;":                    "does not know",
		"atom.global.cas.b32 %y, [%a], 0, 1;":  "does not know",
		"shfl.sync.idx.b32 %y, %x, 0, 31, -1;": "does not know",
		"sin.approx.f32 %f, %f;":               "does not know",
		"mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%x, %y}, {%t}, {%t}, {%x, %y};": "does not know",
		"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [tile];":                         "does not know",
		"stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {%x};":                         "does not know",
		"movmatrix.sync.aligned.m8n8.trans.b16 %x, %y;":                                  "does not know",
		"st.global.u32 [%a+8], %x;":                                                      "accesses byte",
		"setp.eq.u32 %p, %t, 0; @%p bra L; bar.sync 0;\nL: bar.sync 1;":                  "different barriers",
	} {
		out, err := run(t, body)
		if err == nil || out != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestRefusesVariables(t *testing.T) {
	k := &isa.Kernel{Vars: []isa.Var{{Name: "v", Space: isa.Global}}}
	if err := known(k, [3]int{1, 1, 1}); err == nil || !strings.Contains(err.Error(), "such as v") {
		t.Error(err)
	}
}
