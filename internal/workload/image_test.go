package workload_test

import (
	"bytes"
	"runtime"
	"testing"
	"testing/fstest"

	"warpbound/internal/job"
	"warpbound/internal/test/jobtest"
)

const imageModule = `.version 7.0
.target sm_70
.address_size 64
.const .align 4 .u32 table[3] = {7, 8, 9};
.global .align 4 .b8 left[64];
.visible .entry k(.param .u64 random, .param .u64 count, .param .u64 nothing, .param .u64 list, .param .u64 links)
{
	.reg .b32 %v;
	ld.const.u32 %v, [table];
	st.global.u32 [left], %v;
	ret;
}
`

func imageJob(count string) fstest.MapFS {
	buffer := func(name, typ, count, content string) string {
		return "[[param]]\nname = \"" + name + "\"\ntype = \"" + typ + "\"\ncount = " + count + "\n" + content + "\n"
	}
	return fstest.MapFS{
		"k.ptx": {Data: []byte(imageModule)},
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"fermi-c2050\"\ntarget = \"sm_70\"\ngrid = [1]\nblock = [32]\n" +
			buffer("random", "f32", count, "init = \"uniform(-1, 1)\"") + buffer("count", "u16", count, "init = \"iota\"") +
			buffer("nothing", "u8", count, "init = \"zeros\"") + buffer("list", "u32", "3", "values = [5, 6, 7]") +
			buffer("links", "u64", "2", "values = [1, 2]\npointers = [{at = 8, to = \"list+4\"}]"))},
	}
}

// TestImage compares what is known of a launch with memory that is filled for a run: all lies where
// it does there and holds the same.
func TestImage(t *testing.T) {
	k := jobtest.Load(t, imageJob("1000"), "job.toml", "").First()
	e := k.NewEmulator()
	if _, err := e.Run(t.Context(), k.Bound.Vector(0)); err != nil { // which writes to no buffer
		t.Fatal(err)
	}
	ran, want, err := e.Image()
	if err != nil {
		t.Fatal(err)
	}
	image, addresses, err := k.Image()
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range e.Buffers() {
		at := addresses[i]
		if at != want[i] {
			t.Errorf("buffer %d is at 0x%x, want 0x%x", i, at, want[i])
		}
		for _, part := range [][2]int{{0, len(data)}, {3, 5}, {len(data) - 2, 2}, {len(data), 0}} {
			if got := image.Contents(at+uint64(part[0]), part[1]); !bytes.Equal(got, data[part[0]:][:part[1]]) {
				t.Errorf("%d bytes from %d of buffer %d are %x", part[1], part[0], i, got)
			}
		}
		if image.Contents(at-1, 1) != nil || image.Contents(at+uint64(len(data))-1, 2) != nil {
			t.Errorf("there are contents beside buffer %d", i)
		}
	}
	regions := image.Regions()
	for i, r := range ran.Regions() {
		if regions[i] != r {
			t.Errorf("region %d is %+v, want %+v", i, regions[i], r)
		}
	}
	variables := regions[len(e.Buffers()):]
	if len(variables) != 2 || image.Contents(variables[0].Addr, 4)[0] != 7 || image.ReadOnly(variables[0].Addr+4, 4)[0] != 8 || image.ReadOnly(addresses[0], 4) != nil {
		t.Errorf("variables at %+v", variables)
	}
}

// TestImageOfLargeBuffers: buffers take no memory until they are read, and no more than is read of
// those whose elements are known one by one.
func TestImageOfLargeBuffers(t *testing.T) {
	k := jobtest.Load(t, imageJob("150000000"), "job.toml", "").First()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	image, addresses, err := k.Image()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range k.Bound.Job.Params {
		if p.Content.Kind != job.Uniform && image.Contents(addresses[i]+uint64(p.Bytes)-2, 2) == nil {
			t.Errorf("buffer %s ends with nothing", p.Name)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes are allocated for places and some elements of buffers", n)
	}
}
