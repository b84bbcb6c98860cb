package gpu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/job"
	"warpbound/internal/runner/gpu"
)

// linking makes every node but the first point to the one before, through a pointer in a struct.
const linking = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .align 8 .b8 s[16], .param .u64 flag) {
.reg .pred %p; .reg .b32 %r<3>; .reg .b64 %n, %before, %at, %flag;
mov.b64 %at, s; ld.param.u64 %n, [%at+8]; ld.param.u64 %flag, [flag];
mov.u32 %r1, %tid.x; mul.wide.u32 %at, %r1, 8; add.u64 %at, %at, %n; sub.u64 %before, %at, 8;
setp.ne.u32 %p, %r1, 0; @%p st.global.u64 [%at], %before;
ld.global.u32 %r2, [%flag]; setp.ne.u32 %p, %r2, 0; @%p st.global.u32 [%flag], 7;
ret;
}
`

func linked(t *testing.T, flag string) *bench {
	t.Helper()
	j, err := job.Parse("job.toml", []byte(`module = "k.ptx"
grid = [1]
block = [4]
[[param]]
name = "s"
type = "struct"
[[param.field]]
name = "n"
type = "u32"
value = 4
[[param.field]]
name = "nodes"
same = "nodes"
[[param]]
name = "flag"
type = "u32"
count = 1
access = "read"
values = [`+flag+`]
[[buffer]]
name = "nodes"
type = "u64"
count = 4
values = ["nodes+24", 0, 0, 0]
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return bind(t, j, []byte(linking))
}

// TestPointers runs two runners beside each other: their buffers lie elsewhere, and the results are the same.
func TestPointers(t *testing.T) {
	b, dev := linked(t, "0"), open(t)
	one, other := b.start(t, dev, nil), b.start(t, dev, nil)
	in := b.job.Inputs(0)
	clone := func(r *gpu.Runner) [][]byte {
		var all [][]byte
		for _, data := range mustRun(t, r, in).Buffers {
			all = append(all, bytes.Clone(data))
		}
		return all
	}
	nodes := slices.IndexFunc(b.job.Job.Params, func(p job.Param) bool { return p.Name == "nodes" })
	left, right := clone(one), clone(other)
	base := binary.LittleEndian.Uint64(left[nodes][8:])
	for i, want := range []uint64{base + 24, base, base + 8, base + 16} {
		if got := binary.LittleEndian.Uint64(left[nodes][8*i:]); got != want {
			t.Errorf("node %d points to %#x, want %#x", i, got, want)
		}
	}
	if bytes.Equal(left[nodes], right[nodes]) {
		t.Error("both runners have their buffers at one place")
	}
	if again := clone(one); !bytes.Equal(left[nodes], again[nodes]) {
		t.Error("a second run finds another state")
	}
	if !gpu.SameResults(one, other, left, right) {
		t.Errorf("%x and %x differ", left, right)
	}
	right[nodes][8]++
	if gpu.SameResults(one, other, left, right) {
		t.Error("an address of another place is the same")
	}
}

// TestReadOnlyBuffer lets the kernel write to a buffer that it must not write to.
func TestReadOnlyBuffer(t *testing.T) {
	b := linked(t, "1")
	_, err := b.start(t, open(t), nil).Run(context.Background(), b.job.Inputs(0))
	if err == nil || !strings.Contains(err.Error(), `the kernel has written to flag, which access = "read" does not allow`) {
		t.Error(err)
	}
}
