package workload_test

import (
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/flow/strided"
	"warpbound/internal/test/jobtest"
)

// TestKnownArguments asks what is known of every word of a struct before a launch.
func TestKnownArguments(t *testing.T) {
	j := jobtest.Text(t, `module = "`+jobtest.MatchFile+`"
grid = [1]
block = [32]
[[param]]
name = "n"
type = "u32"
range = [3, 5]
[[param]]
name = "s"
type = "struct"
[[param.field]]
name = "x"
type = "f32"
count = 8
pointers = [{at = 8, to = "s.x"}]
[[param.field]]
name = "y"
same = "s.x+8"
[[param.field]]
name = "sizes"
type = "u16"
array = 3
values = [7, 8, 9]
[[param.field]]
name = "rows"
type = "u64"
array = 2
values = ["s.x+24", 5]
[[param.field]]
name = "ranges"
type = "u32"
array = 2
init = "uniform(1, 2)"
[[param.field]]
name = "weight"
type = "f32"
range = [0, 1]
`, ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u32 n, .param .align 8 .b8 s[56]) { ret; }\n")
	at := func(bytes uint64) strided.Interval {
		return strided.Multiples(64, abi.BufferAlign).Add(strided.Const(64, bytes))
	}
	want := map[int]strided.Interval{
		0: strided.Between(32, 3, 5), 8: at(0), 16: at(8),
		24: strided.Const(16, 7), 26: strided.Const(16, 8), 28: strided.Const(16, 9),
		32: at(24), 40: strided.Const(64, 5), 48: strided.Between(32, 1, 2), 52: strided.Between(32, 1, 2), 56: strided.Between(32, 1<<31, 0x3f7fffff),
	}
	found := make(map[int]strided.Interval)
	for _, w := range j.First().Launch().Params {
		if _, again := found[w.Offset]; !again { // the first one counts
			found[w.Offset] = w.Interval
		}
	}
	if len(found) != len(want) {
		t.Errorf("%d words are known, not %d", len(found), len(want))
	}
	for offset, set := range want {
		if found[offset] != set {
			t.Errorf("the word at %d is %v, want %v", offset, found[offset], set)
		}
	}
}

// TestAliasedArguments asks whether several arguments may point into one buffer.
func TestAliasedArguments(t *testing.T) {
	const (
		prelude = "module = \"" + jobtest.MatchFile + "\"\ngrid = [1]\nblock = [32]\n"
		memory  = "\n[[buffer]]\nname = \"m\"\ntype = \"u32\"\ncount = 8\n[[buffer]]\nname = \"o\"\ntype = \"u32\"\ncount = 8\n"
	)
	bytes := func(first, second string) string {
		return `
[[param]]
name = "s"
type = "u8"
bytes = 16
hex = "00000000000000000000000000000000"
pointers = [{at = 0, to = "` + first + `"}, {at = 8, to = "` + second + `"}]` + memory
	}
	fields := func(second string) string {
		return `
[[param]]
name = "s"
type = "struct"
[[param.field]]
name = "x"
type = "u32"
count = 8
[[param.field]]
name = "y"
` + second + memory
	}
	for _, c := range []struct {
		name, params string
		want         bool
	}{
		{"two buffers in bytes", bytes("m", "o"), false},
		{"one buffer twice in bytes", bytes("m", "m"), true},
		{"parts of a buffer in bytes", bytes("m", "m+16"), true},
		{"two buffers in fields", fields("type = \"u32\"\ncount = 8"), false},
		{"a view of another field", fields(`same = "s.x"`), true},
		{"a view of memory that no other argument points into", fields(`same = "m"`), false},
		{"a number that is the address of another field's buffer", fields("type = \"u64\"\narray = 1\nvalues = [\"s.x\"]"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := jobtest.Text(t, prelude+c.params, ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .align 8 .b8 s[16]) { ret; }\n")
			if got := j.First().Launch().Aliased; got != c.want {
				t.Errorf("aliased: %t", got)
			}
		})
	}
}
