//go:build linux && !nocuda && (amd64 || arm64)

package driver

import "encoding/binary"

// holdText is a kernel that keeps the GPU busy for some nanoseconds and touches no memory. It
// stands before the first event of a launch: while it runs the host queues the events and the
// kernel between them. A GPU with nothing to do would be through with the first event long before
// the host has launched the kernel, and how long the host takes would be in the time between the
// events.
const holdText = `.version 3.1
.target sm_30
.address_size 64
.visible .entry hold(.param .u32 nanoseconds)
{
	.reg .u64 %begun, %now, %wanted;
	.reg .u32 %n;
	.reg .pred %early;
	ld.param.u32 %n, [nanoseconds];
	cvt.u64.u32 %wanted, %n;
	mov.u64 %begun, %globaltimer;
AGAIN:
	mov.u64 %now, %globaltimer;
	sub.u64 %now, %now, %begun;
	setp.lt.u64 %early, %now, %wanted;
	@%early bra AGAIN;
	ret;
}
`

// How long the GPU is held, in nanoseconds: at first, and at most where the host takes longer.
const (
	firstHold   = 50_000
	longestHold = 1_600_000
)

// prepareHold loads the kernel that holds the GPU. A GPU on which it cannot be loaded is not held:
// one before compute capability 3.0 has no timer of nanoseconds.
func (d *device) prepareHold() {
	m := &loaded{device: d}
	if m.load([]byte(holdText)) != nil {
		return
	}
	if d.lib.ModuleGetFunction(&d.hold, m.module, terminated("hold")) != success {
		d.hold = 0
	}
	d.holdFor = firstHold
}

// holdGPU queues the kernel that holds the GPU.
func (d *device) holdGPU() error {
	if d.hold == 0 {
		return nil
	}
	one := [3]int{1, 1, 1}
	return d.call("cuLaunchKernel", d.launch(d.hold, one, one, 0, binary.LittleEndian.AppendUint32(nil, d.holdFor)))
}

// adaptHold holds the GPU longer from now on if it was through with the first event before the host
// had queued the last one.
func (d *device) adaptHold() {
	if d.hold != 0 && d.holdFor < longestHold && d.lib.EventQuery(d.start) != notReady {
		d.holdFor *= 2
	}
}
