// Package emutest makes code and launches for tests of what executes kernels.
//
// It must not import a simulator or a method, so that the tests of all of them can use it.
package emutest

import (
	"encoding/binary"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/test/isatest"
	"warpbound/internal/trace"
)

// Code makes code of the kernel k of a PTX module.
func Code(t testing.TB, src string) *emu.Code {
	t.Helper()
	mod, err := ptx.Parse("k.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := ptx.Lower(mod)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(prog, "k")
	if err != nil {
		t.Fatal(err)
	}
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	code, err := emu.Decode(k, g)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// EveryInstr makes an Ipoint of every instruction, numbered like them.
func EveryInstr(code *emu.Code) []trace.Ipoint {
	ips := make([]trace.Ipoint, code.Len())
	for i := range ips {
		ips[i] = trace.Ipoint(i)
	}
	return ips
}

// Launch is a launch of so many CTAs of so many threads over mem, which it empties and
// fills with one buffer of so many bytes, in which every word is its own index. The
// kernel's one parameter is the buffer's address.
func Launch(t testing.TB, mem *emu.Memory, bytes, ctas, threads int) emu.Launch {
	t.Helper()
	mem.Reset()
	addr, err := mem.Alloc("buf", bytes)
	if err != nil {
		t.Fatal(err)
	}
	buf := mem.Bytes(addr)
	for i := 0; i < len(buf); i += 4 {
		binary.LittleEndian.PutUint32(buf[i:], uint32(i/4))
	}
	return emu.Launch{
		Grid: [3]int{ctas, 1, 1}, Block: [3]int{threads, 1, 1},
		Params: binary.LittleEndian.AppendUint64(nil, addr),
	}
}
