package emu

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"warpbound/internal/cfg"
)

// TestNoEffect checks that what only concerns other grids, tools and the memory
// order leaves results alone.
func TestNoEffect(t *testing.T) {
	s := scenario{body: `
setp.lt.u32 %p1, %r0, 10; mov.u64 %rd3, %rd1;
nanosleep.u32 %r0; nanosleep.u32 100; brkpt; pmevent 3; pmevent.mask 0x7; griddepcontrol.wait; griddepcontrol.launch_dependents;
setmaxnreg.inc.sync.aligned.u32 64; setmaxnreg.dec.sync.aligned.u32 24;
membar.cta; membar.gl; membar.sys; membar.proxy.alias;
fence.sc.cta; fence.acq_rel.gpu; fence.acquire.cluster; fence.release.sys; fence.gpu;
fence.proxy.alias; fence.proxy.async; fence.proxy.async.global; fence.proxy.async.shared::cta;
fence.mbarrier_init.release.cluster; fence.acquire.sync_restrict::shared::cluster.cluster;
fence.proxy.tensormap::generic.release.gpu; fence.proxy.tensormap::generic.acquire.gpu [%rd3], 128;
fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
st.global.u32 [%rd1], %r0; ret;`}
	s.expect(t, func(tid int) uint32 { return uint32(tid) })
}

// TestRefusedReason checks that an instruction that cannot be executed is
// refused with its position, its text and the reason.
func TestRefusedReason(t *testing.T) {
	s := scenario{body: "multimem.st.global.u32 [%rd1], 32; ret;"}
	k := s.kernel(t)
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Decode(k, g)
	const want = "k.ptx:11:1: cannot execute multimem.st.global.u32 [%rd1], 32: memory of several devices (multimem) is not modelled"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestOldModule runs a kernel as the first compilers wrote it.
func TestOldModule(t *testing.T) {
	const file = "../isa/ptx/testdata/old.ptx"
	k := linked(t, file, "_Z1kPfi")
	mem := new(Memory)
	buffer, err := mem.Alloc("a", 64*4)
	if err != nil {
		t.Fatal(err)
	}
	data := mem.Bytes(buffer)
	for i := range 64 {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(i)))
	}
	params := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, buffer), 50)
	g, err := NewGrid(decode(t, k), Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}, Params: params}, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	// The threads beyond the 50 branch around a barrier in the middle of a warp, to the end.
	if _, err := Run(context.Background(), g); err != nil {
		t.Error(err)
	}
	for i := range 50 {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])); got != 6*float32(i) {
			t.Errorf("element %d is %g, want %g", i, got, 6*float32(i))
		}
	}
}
