package emu

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

func TestMemory(t *testing.T) {
	m := new(Memory)
	var first []uint64
	for round := range 3 {
		m.Reset()
		var addrs []uint64
		for i, size := range []int{1000, 0, 256, 1} {
			addr, err := m.Alloc("b", size)
			if err != nil {
				t.Fatal(err)
			}
			data := m.Bytes(addr)
			if addr%256 != 0 || len(data) != size {
				t.Errorf("buffer %d of %d bytes at 0x%x has %d", i, size, addr, len(data))
			}
			for j := range data {
				if data[j] != 0 {
					t.Fatalf("round %d: byte %d of buffer %d is not zero", round, j, i)
				}
				data[j] = 0xff
			}
			if i > 0 && addr < addrs[i-1]+abi.BufferGap {
				t.Errorf("buffers at 0x%x and 0x%x leave no gap", addrs[i-1], addr)
			}
			addrs = append(addrs, addr)
		}
		if first == nil {
			first = addrs
		}
		for i := range addrs {
			if addrs[i] != first[i] {
				t.Errorf("round %d: buffer %d is at 0x%x, was at 0x%x", round, i, addrs[i], first[i])
			}
		}
		if m.Bytes(addrs[0]+4) != nil || m.Bytes(0) != nil || m.Bytes(1<<60) != nil {
			t.Error("bytes of an address at which no buffer begins")
		}
	}
	if _, err := m.Alloc("huge", 1<<50); err == nil || !strings.Contains(err.Error(), "huge") {
		t.Errorf("got %v", err)
	}
	if _, err := m.Alloc("negative", -1); err == nil {
		t.Error("a negative size is accepted")
	}
}

// TestReserve lays memory out twice, once with places alone: all is where it is else, and what has bytes has the same.
func TestReserve(t *testing.T) {
	sizes := []int{1000, 0, 256, 1 << 16, 1}
	v := isa.Var{Name: "v", Space: isa.Const, Bytes: 300, Align: 512, Init: []byte{7, 8}}
	whole, places := new(Memory), new(Memory)
	if _, err := places.Alloc("b", 64); err != nil { // whose bytes are not those of what is reserved behind
		t.Fatal(err)
	}
	for range 2 {
		whole.Reset()
		places.Reset()
		for _, size := range sizes {
			want, err := whole.Alloc("b", size)
			at, failed := places.Reserve("b", size)
			if err != nil || failed != nil || at != want {
				t.Errorf("a buffer of %d bytes is at 0x%x, want 0x%x (%v, %v)", size, at, want, err, failed)
			}
			if places.Bytes(at) != nil || places.Contents(at, 1) != nil {
				t.Errorf("a reserved buffer of %d bytes has some", size)
			}
			if r := places.findReserved(at + uint64(max(size-1, 0))); r == nil || r.base != at {
				t.Errorf("the last byte of %d is not found", size)
			}
			if places.findReserved(at-1) != nil || places.findReserved(abi.AlignUp(at+uint64(max(size, 1)), granule)) != nil {
				t.Errorf("a gap beside %d bytes holds a buffer", size)
			}
		}
		at, err := places.place(&v)
		if err != nil {
			t.Fatal(err)
		}
		if got := places.Contents(at, 3); !slices.Equal(got, []byte{7, 8, 0}) || places.Contents(at+298, 3) != nil || len(places.Bytes(at)) != 300 {
			t.Errorf("a variable behind reserved buffers holds %v", got)
		}
		if len(places.owner) != 0 {
			t.Errorf("a table of %d owners of reserved buffers", len(places.owner))
		}
	}
	if _, err := places.Reserve("huge", 1<<50); err == nil || !strings.Contains(err.Error(), "huge") {
		t.Errorf("got %v", err)
	}
	places.Reset()
	if at, err := places.Alloc("b", 8); err != nil || len(places.Bytes(at)) != 8 || places.find(at) == nil {
		t.Errorf("memory that is used again has no buffers with bytes: %v", err)
	}
}

func TestMemoryReusesStorage(t *testing.T) {
	m := new(Memory)
	n := testing.AllocsPerRun(100, func() {
		m.Reset()
		for range 4 {
			if _, err := m.Alloc("b", 4096); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for each round", n)
	}
}

func TestNearest(t *testing.T) {
	m := new(Memory)
	if got := m.nearest(5); got != nil {
		t.Error(got.name)
	}
	for _, name := range []string{"a", "b", "c"} {
		if _, err := m.Alloc(name, 256); err != nil {
			t.Fatal(err)
		}
	}
	b := m.buffers[1].base
	middle := m.buffers[0].end() + (b-m.buffers[0].end())/2
	for addr, want := range map[uint64]string{
		0: "a", 1 << 40: "c", b - 8: "b", b + 264: "b", m.buffers[0].end() + 4: "a", middle - 1: "a", middle: "b", middle + 1: "b",
	} {
		if got := m.nearest(addr); got.name != want {
			t.Errorf("0x%x: %s, want %s", addr, got.name, want)
		}
	}
}

// TestRegions tries that no region is empty: analyses take the first address of each for one that is in it.
func TestRegions(t *testing.T) {
	g := &Grid{mem: new(Memory)}
	for i, size := range []int{16, 0, 8} {
		if _, err := g.mem.Alloc(string(rune('a'+i)), size); err != nil {
			t.Fatal(err)
		}
	}
	b := g.mem.buffers
	want := []abi.Region{{Addr: b[0].base, Bytes: 16}, {Addr: b[2].base, Bytes: 8}}
	if got := g.Regions(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestReadOnly reads parameters and a constant table as a whole and in parts, and nothing that does not lie in them or may be written.
func TestReadOnly(t *testing.T) {
	g := &Grid{mem: new(Memory), params: region{space: isa.Param, base: abi.ParamBase, size: 12, data: []byte("twelve bytes")}}
	buffer, err := g.mem.Alloc("buffer", 8)
	if err != nil {
		t.Fatal(err)
	}
	table, err := g.mem.Alloc("table", 8)
	if err != nil {
		t.Fatal(err)
	}
	g.mem.buffers[1].space = isa.Const
	copy(g.mem.Bytes(table), "eight by")
	for _, c := range []struct {
		addr uint64
		n    int
		want string
	}{
		{abi.ParamBase, 12, "twelve bytes"}, {abi.ParamBase + 4, 8, "ve bytes"}, {abi.ParamBase + 4, 9, ""}, {abi.ParamBase + 12, 1, ""},
		{abi.ParamBase + 13, 1, ""}, {abi.ParamBase - 1, 1, ""}, {abi.ParamBase, 13, ""},
		{table, 8, "eight by"}, {table + 6, 2, "by"}, {table + 6, 3, ""}, {table - 1, 1, ""}, {table + 200, 1, ""}, {buffer, 1, ""}, {1 << 60, 1, ""},
	} {
		if got := string(g.ReadOnly(c.addr, c.n)); got != c.want {
			t.Errorf("%d bytes at %#x: %q, want %q", c.n, c.addr, got, c.want)
		}
	}
}

// TestReadText reads bytes for printf where a buffer has them, and says where they are missing.
func TestReadText(t *testing.T) {
	w := &Warp{cta: &CTA{grid: &Grid{mem: new(Memory)}}}
	text, err := w.cta.grid.mem.Alloc("text", 5)
	if err != nil {
		t.Fatal(err)
	}
	copy(w.cta.grid.mem.Bytes(text), "hello")
	for _, c := range []struct {
		at   uint64
		n    int
		want string
	}{{text, 5, "hello"}, {text + 3, 2, "lo"}, {text + 3, 3, ""}, {text + 5, 1, ""}, {text + 6, 1, ""}, {text + 100, 1, ""}, {text - 1, 1, ""}, {text, 6, ""}} {
		got, err := w.read(0, c.at, c.n)
		if string(got) != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, ErrOutOfBounds) {
			t.Errorf("%d bytes at %#x: %q, %v", c.n, c.at, got, err)
		}
	}
}
