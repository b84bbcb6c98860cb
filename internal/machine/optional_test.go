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

// dependences is a section likewise.
const dependences = `[dependences]
"sp guard" = { value = 9, unit = "core cycles", source = "s" }
"sp sfu" = { value = 1, unit = "core cycles", source = "s" }

`

// buffers is a section likewise.
const buffers = `[lsu]
buffer = { value = 5, unit = "instructions per scheduler", source = "s" }
latency = { value = 11, unit = "core cycles", source = "s" }
address = { value = 4, unit = "core cycles per instruction of a scheduler", source = "s" }
interval = { value = 2, unit = "core cycles per instruction of an SM", source = "s" }
tags = { value = 4, unit = "tags per core cycle", source = "s" }
tag = { value = 128, unit = "bytes per tag", source = "s" }

`

// carveOuts is a section likewise.
const carveOuts = `[carve_outs]
"48" = { value = 1, unit = "lines per set", source = "s" }
"8" = { value = 4, unit = "lines per set", source = "s" }

`

// TestOptional parses files with and without what may be left out.
func TestOptional(t *testing.T) {
	src := fermiSource(t)
	with := strings.NewReplacer("[l1]\n", instructions+constants+carveOuts+buffers+"[l1]\n", "[shared]\n", operations+dependences+"[shared]\n", "[l2]\n", "[l2]\n"+copies+"\n").Replace(src)
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
	if plain.Hash() == cached.Hash() || len(cached.Rows()) != len(plain.Rows())+22 {
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
		{"unknown group", "logic = {", "moves = {", `unknown group of operations "moves"; there are half, convert, count, wide, logic`},
		{"pipeline of a group", `logic = { pipeline = "sp"`, `logic = { pipeline = "ldst"`, `"ldst" is the pipeline for memory`},
		{"latency of a group", "latency = 3,", "latency = 0,", "operations.logic.latency = 0 is not between 1 and 100000 core cycles"},
		{"producer", `"sp sfu"`, `"xu sfu"`, `"xu" is no pipeline; a key is "PRODUCER CONSUMER", the consumer a pipeline or "guard", and there are ldst, sfu, sp`},
		{"consumer", `"sp sfu"`, `"sp"`, `"" is no pipeline`},
		{"guard as producer", `"sp sfu"`, `"guard sfu"`, `"guard" is no pipeline`},
		{"memory as producer", `"sp sfu"`, `"ldst sfu"`, "results of the pipeline for memory have no fixed latency"},
		{"no dependence", dependences, "[dependences]\n", "[dependences] is empty"},
		{"range of a dependence", "value = 9", "value = 0", "dependences.sp guard = 0 is not between 1 and 100000 core cycles"},
		{"buffered", "value = 11", "value = 32", "32 cycles are not less than the latency of 32 of mem-shared"},
		{"tags", "value = 128, unit = \"bytes per tag", "value = 64, unit = \"bytes per tag", "64 bytes are less than a line of 128"},
		{"part of the unit", "interval = {", "# {", "missing key lsu.interval"},
		{"carve-out", `"8" =`, `"08" =`, `"08" is no number of KiB of shared memory`},
		{"ways", `value = 4, unit = "lines per set"`, `value = 5, unit = "lines per set"`, "the L1 has 4 ways, not 5"},
		{"smaller than shared memory", `"48" =`, `"47" =`, "the 49152 bytes of shared memory of an SM are more than 47 KiB"},
		{"range", "269", "0", "icache.miss = 0 is not between 1 and 100000 core cycles"},
		{"shape", "value = 16", "value = 12", "icache.line = 12 must be a power of two"},
		{"core", `core  = "scoreboard"`, `core  = "barrel"`, "a barrel core has no icache"},
	} {
		_, err := Parse("m.toml", []byte(strings.Replace(with, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestHalves: an L2 has halves if its partitions can be divided.
func TestHalves(t *testing.T) {
	src := strings.Replace(fermiSource(t), "[l2]\n", "[l2]\nfar = { value = 185, unit = \"core cycles\", source = \"s\" }\n", 1)
	m, err := Parse("m.toml", []byte(src))
	if err != nil || m.L2.Far.Value != 185 {
		t.Fatalf("halves are %d cycles apart: %v", m.L2.Far.Value, err)
	}
	for _, c := range []struct{ from, to, want string }{
		{`value = 6, unit = "partitions"`, `value = 5, unit = "partitions"`, "5 partitions are no two halves"},
		{"value = 185", "value = 1", "one cycle is too short for a way there and back; write 0 for an L2 without halves"},
	} {
		if _, err := Parse("m.toml", []byte(strings.Replace(src, c.from, c.to, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestLinesOfSmallCaches: those for instructions count among the lines of all.
func TestLinesOfSmallCaches(t *testing.T) {
	src := strings.Replace(fermiSource(t), `value = 64, unit = "sets per partition"`, `value = 8192, unit = "sets per partition"`, 1)
	if _, err := Parse("m.toml", []byte(src)); err != nil {
		t.Fatal(err)
	}
	small := strings.Replace(instructions, "value = 4,", "value = 4096,", 1)
	_, err := Parse("m.toml", []byte(strings.Replace(src, "[l1]\n", small+"[l1]\n", 1)))
	if err == nil || !strings.Contains(err.Error(), "the caches together have") {
		t.Errorf("got %v", err)
	}
}

// TestOperations: a group of operations has its own timing, unless something stands in for the instruction.
func TestOperations(t *testing.T) {
	m := fermi(t)
	own := Timing{Pipeline: "sp", Latency: 3, Initiation: 2}
	m.Operations = Operations{"logic": own}
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

// TestGroupsOfOperations: an instruction takes the timing of the first of its groups that the machine times.
func TestGroupsOfOperations(t *testing.T) {
	m := fermi(t)
	group := map[string]Timing{}
	m.Operations = Operations{}
	for i, g := range isa.Groups() {
		group[g.Name] = Timing{Pipeline: "sp", Latency: int64(i + 1), Initiation: 1}
		m.Operations[g.Name] = group[g.Name]
	}
	half := *m
	half.StandIns = nil // it has halves
	for _, c := range []struct {
		in   isa.Instr
		want string // a group, or a class
	}{
		{isa.Instr{Op: isa.Add, Type: isa.F16}, "half"},
		{isa.Instr{Op: isa.Mad, Type: isa.BF16}, "half"},
		{isa.Instr{Op: isa.Add, Type: isa.F32}, "fp32-add"},
		{isa.Instr{Op: isa.Cvt, Type: isa.F32, SrcType: isa.F16}, "convert"},
		{isa.Instr{Op: isa.Cvt, Type: isa.U64, SrcType: isa.U32}, "convert"},
		{isa.Instr{Op: isa.Cvt, Type: isa.U32, SrcType: isa.U8}, "logic"},
		{isa.Instr{Op: isa.Popc, Type: isa.B64}, "count"},
		{isa.Instr{Op: isa.Clz, Type: isa.B32}, "count"},
		{isa.Instr{Op: isa.Add, Type: isa.U64}, "wide"},
		{isa.Instr{Op: isa.Setp, Type: isa.S64}, "wide"},
		{isa.Instr{Op: isa.Mov, Type: isa.U64}, "logic"},
		{isa.Instr{Op: isa.Add, Type: isa.F64}, "fp64-add"},
		{isa.Instr{Op: isa.Mul, Type: isa.U64}, "int-mul"},
		{isa.Instr{Op: isa.Add, Type: isa.U32}, "int-add"},
	} {
		want, ok := group[c.want]
		if !ok {
			want = m.Classes[c.want]
		}
		if got := half.InstrTiming(&c.in); got != want {
			t.Errorf("%s.%s takes %+v, want %s: %+v", c.in.Op.Info().Name, c.in.Type, got, c.want, want)
		}
	}
}
