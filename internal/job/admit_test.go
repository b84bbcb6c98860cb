package job

import (
	"strings"
	"testing"

	"warpbound/internal/isa"
)

func TestAdmit(t *testing.T) {
	b := bound(t, varied()+`
[[param]]
name  = "fixed"
type  = "u8"
count = 2
values = [1, 2]

[[param]]
name  = "wrapped"
type  = "b8"
range = [-2, 3]

[[param]]
name  = "one"
type  = "f32"
range = [1.5, 1.5]
`)
	index := func(name string) int {
		for i, p := range b.Job.Params {
			if p.Name == name {
				return i
			}
		}
		t.Fatal(name)
		return 0
	}
	for v := range 20 {
		if err := b.Admit(b.Inputs(v)); err != nil {
			t.Fatal(err)
		}
	}
	float := func(x float64) []byte { return littleEndian(floatBits(isa.F32, x), 4) }
	b14, s12 := index("b14"), index("s12")
	if b.Job.Params[b14].Type != isa.F32 || b.Job.Params[s12].Type != isa.F16 {
		t.Fatal("other types")
	}
	for _, c := range []struct {
		name  string
		param int
		at    int // element of a buffer
		data  []byte
		want  string // in the error; empty for none
	}{
		{"below", b14, 3, float(0.99), "element 3 of b14 is none that j draws"},
		{"low", b14, 3, float(1), ""},
		{"high", b14, 3, float(100), "element 3 of b14"},
		{"no number", b14, 999, []byte{0, 0, 0xc0, 0x7f}, "element 999 of b14"},
		{"fixed", index("fixed"), 1, []byte{3}, "fixed holds something else than j says"},
		{"wrapped low", index("wrapped"), 0, []byte{0xfe}, ""},
		{"wrapped high", index("wrapped"), 0, []byte{3}, ""},
		{"beyond", index("wrapped"), 0, []byte{4}, "element 0 of wrapped"},
		{"before", index("wrapped"), 0, []byte{0xfd}, "element 0 of wrapped"},
		{"equal ends", index("one"), 0, float(1.5), ""},
		{"beyond equal ends", index("one"), 0, float(1.75), "element 0 of one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := b.Inputs(0)
			to := in.Scalars[c.param]
			if b.Job.Params[c.param].Kind == Buffer {
				to = in.Buffers[c.param]
			}
			copy(to[c.at*len(c.data):], c.data)
			err := b.Admit(in)
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	in := b.Inputs(0)
	in.Buffers[b14] = in.Buffers[b14][4:]
	if err := b.Admit(in); err == nil || !strings.Contains(err.Error(), "b14 has 3996 bytes, not 4000") {
		t.Error(err)
	}
}
