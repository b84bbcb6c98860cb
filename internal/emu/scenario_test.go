package emu

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/test/isatest"
)

// scenario is a kernel k(out) with the given body. It has the registers %r0 to
// %r19, %rd0 to %rd9 of which %rd0 is out, and %p0 to %p9; %r0 is %tid.x and
// %rd1 is out + 4 * %tid.x.
type scenario struct {
	vars    string // declarations of variables
	limits  string // directives of the kernel
	body    string
	block   int    // threads; 64 if it is 0
	width   int    // lanes of a warp; 32 if it is 0
	dynamic int    // bytes of shared memory
	target  string // sm_70 if it is empty
}

func (s *scenario) kernel(t *testing.T) *isa.Kernel {
	t.Helper()
	src := ".version 8.8\n.target " + cmp.Or(s.target, "sm_100a") + "\n.address_size 64\n.file 1 \"k.cu\"\n" + s.vars + `
.visible .entry k(.param .u64 out) ` + s.limits + ` {
.reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .pred %p<10>; .reg .b16 %h<5>;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
mad.wide.u32 %rd1, %r0, 4, %rd0;
` + strings.TrimSpace(s.body) + "\n}\n"
	m, err := ptx.Parse("k.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptx.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(p, "k")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// run executes the scenario with a buffer of 64 words and returns those.
func (s *scenario) run(t *testing.T) ([]uint32, error) {
	t.Helper()
	k := s.kernel(t)
	code := decode(t, k)
	mem := new(Memory)
	out, err := mem.Alloc("out", 256)
	if err != nil {
		t.Fatal(err)
	}
	launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, DynamicShared: s.dynamic}
	if s.block > 0 {
		launch.Block[0] = s.block
	}
	launch.Params = binary.LittleEndian.AppendUint64(nil, out)
	width := 32
	if s.width > 0 {
		width = s.width
	}
	g, err := NewGrid(code, launch, mem, width)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), g)
	words := make([]uint32, 64)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(mem.Bytes(out)[4*i:])
	}
	return words, err
}

// expect runs the scenario and compares the words of its threads.
func (s *scenario) expect(t *testing.T, want func(tid int) uint32) {
	t.Helper()
	words, err := s.run(t)
	if err != nil {
		t.Fatal(err)
	}
	block := s.block
	if block == 0 {
		block = 64
	}
	for tid := range block {
		if words[tid] != want(tid) {
			t.Fatalf("thread %d stored 0x%x, want 0x%x", tid, words[tid], want(tid))
		}
	}
}

// expectError runs the scenario and looks for the parts of a message.
func (s *scenario) expectError(t *testing.T, cause error, parts ...string) {
	t.Helper()
	_, err := s.run(t)
	if err == nil {
		t.Fatal("no error")
	}
	var fault *Fault
	if !errors.As(err, &fault) || cause != nil && !errors.Is(err, cause) {
		t.Errorf("error %v is not a fault by %v", err, cause)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}
