package machine

import (
	"reflect"
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// instructions is the instruction cache that tests give fermi-c2050, which has none.
const instructions = `[icache]
sets = { value = 4, unit = "sets per SM", source = "s" }
ways = { value = 64, unit = "lines per set", source = "s" }
line = { value = 16, unit = "instructions", source = "s" }
miss = { value = 269, unit = "core cycles", source = "s" }

`

// constants is the constant cache likewise.
const constants = `[ccache]
sets = { value = 64, unit = "sets per SM", source = "s" }
ways = { value = 2, unit = "lines per set", source = "s" }
line = { value = 32, unit = "bytes", source = "s" }
miss = { value = 300, unit = "core cycles", source = "s" }

`

// copies is a line of [l2] that may be left out.
const copies = `copies = { value = "on", source = "s" }`

// operations is a section that may be left out.
const operations = `[operations]
logic = { pipeline = "sp", latency = 3, initiation = 2, unit = "core cycles", source = "s" }

`

// TestOptional parses files with and without what may be left out.
func TestOptional(t *testing.T) {
	src := fermiSource(t)
	with := strings.NewReplacer("[l1]\n", instructions+constants+"[l1]\n", "[shared]\n", operations+"[shared]\n", "[l2]\n", "[l2]\n"+copies+"\n").Replace(src)
	parse := func(src string) *Machine {
		m, err := Parse("m.toml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	plain, cached := parse(src), parse(with)
	if got := cached.ICache; got.Sets.Value != 4 || got.Ways.Value != 64 || got.Line.Value != 16 || got.Miss.Value != 269 || cached.L2.Copies.Value != On {
		t.Errorf("the instruction cache is %+v, copies through the L2 are %+v", got, cached.L2.Copies)
	}
	if plain.Hash() == cached.Hash() || len(cached.Rows()) != len(plain.Rows())+12 {
		t.Error("what may be left out is not part of the description")
	}
	if again := parse(string(cached.Format())); !reflect.DeepEqual(again, cached) {
		t.Error("the text of the machine gives another one")
	}
	for _, c := range []struct{ name, from, to, want string }{
		{"empty", instructions, "[icache]\n", "missing key icache.sets"},
		{"part", `miss = { value = 269, unit = "core cycles", source = "s" }`, "", "missing key icache.miss"},
		{"no constants", constants, "[ccache]\n", "missing key ccache.ways"},
		{"constants", `line = { value = 32,`, `line = { value = 8,`, "ccache.line = 8 is not between 16 and 1024 bytes"},
		{"switch", `"on"`, `"yes"`, `l2.copies = "yes" is none of on, off`},
		{"no source", copies, `copies = { value = "on" }`, "l2.copies does not say its source"},
		{"unknown group", "logic = {", "moves = {", `unknown group of operations "moves"; there is logic`},
		{"pipeline of a group", `logic = { pipeline = "sp"`, `logic = { pipeline = "ldst"`, `"ldst" is the pipeline for memory`},
		{"latency of a group", "latency = 3,", "latency = 0,", "operations.logic.latency = 0 is not between 1 and 100000 core cycles"},
		{"range", "269", "0", "icache.miss = 0 is not between 1 and 100000 core cycles"},
		{"shape", "value = 16", "value = 12", "icache.line = 12 must be a power of two"},
		{"lines", `sets = { value = 4, unit = "sets per SM"`, `sets = { value = 4096, unit = "sets per SM"`, "the caches together have"},
		{"core", `core  = "scoreboard"`, `core  = "barrel"`, "a barrel core has no icache"},
	} {
		_, err := Parse("m.toml", []byte(strings.Replace(with, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestOperations: a group of operations has its own timing, unless something stands in for the instruction.
func TestOperations(t *testing.T) {
	m := fermi(t)
	own := Timing{Pipeline: "sp", Latency: 3, Initiation: 2}
	m.Operations = Operations{logic: own}
	for _, c := range []struct {
		in   isa.Instr
		want Timing
	}{
		{isa.Instr{Op: isa.Setp, Type: isa.U32}, own},
		{isa.Instr{Op: isa.Cvt, Type: isa.F64, SrcType: isa.U32}, own},
		{isa.Instr{Op: isa.Lop3, Type: isa.B32}, m.StandIns["lop3"]},
		{isa.Instr{Op: isa.Add, Type: isa.U32}, m.Timing(isa.IntAdd)},
		{isa.Instr{Op: isa.SubCarry, Type: isa.U32}, m.Timing(isa.IntAdd)},
		{isa.Instr{Op: isa.Mul, Type: isa.F32}, m.Timing(isa.FP32Mul)},
		{isa.Instr{Op: isa.Bra}, m.Timing(isa.Control)},
	} {
		if got := m.InstrTiming(&c.in); got != c.want {
			t.Errorf("%s takes %+v, want %+v", c.in.Op.Info().Name, got, c.want)
		}
	}
}
