package machine

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
)

func builtin(t testing.TB, name string) *Machine {
	t.Helper()
	m, err := Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fermi(t testing.TB) *Machine { return builtin(t, "fermi-c2050") }

func source(t testing.TB, name string) string {
	t.Helper()
	src, err := os.ReadFile(name + ".toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func fermiSource(t testing.TB) string { return source(t, "fermi-c2050") }

func TestBuiltinsHaveTheirNames(t *testing.T) {
	if !slices.Contains(Names(), "fermi-c2050") {
		t.Errorf("built-in machines are %v", Names())
	}
	for _, name := range Names() {
		m, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name != name {
			t.Errorf("%s.toml is called %s", name, m.Name)
		}
	}
	if _, err := Builtin("voodoo"); err == nil || err.Error() != `no machine "voodoo"; built in are a100, a40, a6000, ampere-bounded, fermi-bounded, fermi-c2050, fermi-c2050-v1, gcn3-split, gh200, gtx480, h100, h200, integrated-fermi, mini-simt, orin-agx, orin-nano, predictable-rr, rtx-2060, rtx-3070, rtx-3070ti, t4, v100, xavier-agx` {
		t.Errorf("got %v", err)
	}
}

// TestTensorIsAssumed leaves the class tensor out of every machine's file.
func TestTensorIsAssumed(t *testing.T) {
	for _, name := range Names() {
		m, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		delete(m.Classes, "tensor")
		if m, err = Parse("m.toml", m.Format()); err != nil {
			t.Error(err)
			continue
		}
		if got := m.Timing(isa.Tensor); !got.Assumed() || got.Latency < 32 || got.Initiation < 32 || got.Pipeline != m.Timing(isa.SFU).Pipeline {
			t.Errorf("%s: %+v", name, got)
		}
		if got := m.Timing(isa.IntAdd); got.Assumed() {
			t.Errorf("%s: a class that is published is assumed: %+v", name, got)
		}
	}
}

// TestRows checks that every number and every class is listed with a unit and a
// source.
func TestRows(t *testing.T) {
	m := fermi(t)
	seen := map[string]Row{}
	for _, r := range m.Rows() {
		if _, twice := seen[r.Path]; twice {
			t.Errorf("%s is listed twice", r.Path)
		}
		seen[r.Path] = r
		if r.Value == "" || r.Source == "" {
			t.Errorf("incomplete row %+v", r)
		}
	}
	want := map[string]Row{
		"sm.warps":                   {Value: "48", Unit: "warps per SM"},
		"sm.policy":                  {Value: "gto"},
		"pipelines.sp":               {Value: "2", Unit: "pipelines per SM"},
		"classes.fp32-mad.latency":   {Value: "11", Unit: "core cycles"},
		"dram.rcd":                   {Value: "12", Unit: "DRAM cycles"},
		"classes.int-div.initiation": {Value: "8", Unit: "core cycles"},
	}
	for path, w := range want {
		if got := seen[path]; got.Value != w.Value || got.Unit != w.Unit {
			t.Errorf("%s is %+v, want %+v", path, got, w)
		}
	}
	for _, c := range isa.Classes() {
		if _, ok := seen["classes."+c.String()+".latency"]; !ok {
			t.Errorf("class %s is not listed", c)
		}
	}
}

// TestStandIns checks that the C2050, which is older than all features, has a number
// for each of them, and that instructions get it.
func TestStandIns(t *testing.T) {
	m := fermi(t)
	rows := map[string]bool{}
	for _, r := range m.Rows() {
		rows[r.Path] = true
	}
	for _, f := range isa.Features() {
		if _, ok := m.StandIns[f.Name]; !ok || !rows["stand_ins."+f.Name+".latency"] {
			t.Errorf("nothing stands in for %s", f.Name)
		}
		if f.Since <= 20 {
			t.Errorf("the C2050 has %s of sm_%d", f.Name, f.Since)
		}
	}
	add, half := &isa.Instr{Op: isa.Add, Type: isa.F32}, &isa.Instr{Op: isa.Add, Type: isa.F16}
	if _, _, ok := m.StandIn(add); ok || m.InstrTiming(add) != m.Timing(isa.FP32Add) {
		t.Errorf("%s has the timing %+v", add, m.InstrTiming(add))
	}
	if f, got, ok := m.StandIn(half); !ok || f.Name != "half" || got != m.StandIns["half"] || m.InstrTiming(half) != got {
		t.Errorf("%s has the timing %+v of %s", half, got, f.Name)
	}
	m.StandIns = nil
	if got := m.InstrTiming(half); got != m.Timing(isa.FP32Add) {
		t.Errorf("without stand-ins, %s has the timing %+v", half, got)
	}
}

// TestSizes checks the sums that are known of the machine as a whole.
func TestSizes(t *testing.T) {
	m := fermi(t)
	if got := m.L1.Sets.Value * m.L1.Ways.Value * m.L1.Line.Value; got != 16<<10 {
		t.Errorf("L1 has %d bytes", got)
	}
	if got := m.L2.Partitions.Value * m.L2.Sets.Value * m.L2.Ways.Value * m.L2.Line.Value; got != 768<<10 {
		t.Errorf("L2 has %d bytes", got)
	}
	peak := m.L2.Partitions.Value * m.DRAM.Burst.Value * m.Clock.DRAM.Value / m.DRAM.CCD.Value
	if peak != 144_000_000_000 {
		t.Errorf("peak DRAM bandwidth is %d bytes per second", peak)
	}
	flops := m.SM.Count.Value * m.Pipelines["sp"].Value * m.SM.WarpSize.Value * 2 * m.Clock.Core.Value
	if flops != 1_030_400_000_000 {
		t.Errorf("peak is %d single-precision operations per second", flops)
	}
	if core, dram := m.ClockRatio(); core != 23 || dram != 30 {
		t.Errorf("the clocks are as %d:%d", core, dram)
	}
}

func TestHash(t *testing.T) {
	m := fermi(t)
	src := fermiSource(t)
	parse := func(src string) *Machine {
		m, err := Parse("m.toml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	same := parse(strings.ReplaceAll("# another comment\n"+src, "C2050-4: ", "elsewhere: "))
	if same.Hash() != m.Hash() {
		t.Error("comments and sources change the hash")
	}
	if later := parse(strings.Replace(src, `"sm_20"`, `"sm_21"`, 1)); later.Hash() != m.Hash() || later.Architecture == m.Architecture {
		t.Error("the architecture changes the hash")
	}
	other := parse(strings.Replace(src, "latency = 151", "latency = 152", 1))
	if other.Hash() == m.Hash() {
		t.Error("a latency does not change the hash")
	}
	rr, err := m.WithPolicy(RR)
	if err != nil || rr.Hash() == m.Hash() || m.SM.Policy.Value != GTO || rr.SM.Policy.Value != RR {
		t.Errorf("with another policy: %v, %v and %v", err, rr.SM.Policy, m.SM.Policy)
	}
	if _, err := m.WithPolicy("fifo"); err == nil {
		t.Error("policy fifo was accepted")
	}
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(m.Hash()) {
		t.Errorf("hash %q", m.Hash())
	}
}

// damage is one piece of a description, what replaces it, and what the error
// says at the place where the text at stands.
type damage struct{ name, old, new, at, want string }

// checkDamages expects an error for each damage of a built-in description.
func checkDamages(t *testing.T, name string, damages []damage) {
	for _, c := range damages {
		t.Run(c.name, func(t *testing.T) {
			old := source(t, name)
			if !strings.Contains(old, c.old) {
				t.Fatalf("the description has no %q", c.old)
			}
			src := strings.Replace(old, c.old, c.new, 1)
			m, err := Parse("m.toml", []byte(src))
			want := c.want
			if c.at != "" {
				before, _, _ := strings.Cut(src, c.at)
				line := strings.Count(before, "\n")
				want = fmt.Sprintf("m.toml:%d:%d: ", line+1, len(before)-strings.LastIndexByte(before, '\n'))
			}
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q at %q", err, c.want, want)
			}
			if m != nil {
				t.Error("got a machine with the error")
			}
		})
	}
}

// TestParseJob checks that a job in place of a machine is not taken for one with wrong keys.
func TestParseJob(t *testing.T) {
	_, err := Parse("job.toml", []byte("kernel = 'k'\nmodule = 'm.ptx'\ngrid = [1]\n"))
	if err == nil || err.Error() != "job.toml:2:1: this is a job, not a machine: a machine file has name, core, clock, sm" {
		t.Errorf("got %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	checkDamages(t, "fermi-c2050", []damage{
		{"syntax", `name  =`, `name  ==`, `= "fermi`, "expected"},
		{"unknown section", "[dram]", "[drum]", "drum]", `unknown key "drum"`},
		{"unknown key", "banks       =", "bonks       =", "bonks", `unknown key "bonks"; did you mean "banks"?`},
		{"unknown part", `48, unit`, `48, uint`, "uint", `unknown key "uint"`},
		{"type", "value = 48,", `value = "48",`, `"48"`, "sm.warps: a TOML string cannot stand here"},
		{"missing name", `name  = "fermi-c2050"`, "", "", "m.toml:1:1: missing key name"},
		{"name", `"fermi-c2050"`, `"Fermi C2050"`, "name  =", `name "Fermi C2050" may hold`},
		{"missing number", "warps         =", "# ", "sm]", `missing key sm.warps = { value = ..., unit = "warps per SM", source = ... }`},
		{"missing value", `value = 48, `, "", "warps         =", "sm.warps has no value"},
		{"missing unit", `48, unit = "warps per SM"`, `48`, "warps         =", `the unit of sm.warps must be "warps per SM", not ""`},
		{"wrong unit", `48, unit = "warps per SM"`, `48, unit = "threads"`, `unit = "threads"`, `the unit of sm.warps must be "warps per SM", not "threads"`},
		{"no source", `"warps per SM", source = "OCC"`, `"warps per SM", source = " "`, `source = " "`, "sm.warps does not say its source"},
		{"no SM", "value = 14,", "value = 0,", "value = 0", "sm.count = 0 is not between 1 and 256 SMs"},
		{"huge", "value = 14,", "value = 9000000000,", "value = 9", "sm.count = 9000000000 is not between 1 and 256 SMs"},
		{"line", `value = 128, unit = "bytes", source = "C2050-4`, `value = 96, unit = "bytes", source = "C2050-4`, "value = 96", "l1.line = 96 must be a power of two"},
		{"latency", "latency = 151", "latency = 0", "latency = 0", "classes.int-div.latency = 0 is not between 1 and 100000 core cycles"},
		{"class unit", `initiation = 130, unit = "core cycles"`, `initiation = 130, unit = "ns"`, `unit = "ns"`, `the unit of classes.fp64-div must be "core cycles", not "ns"`},
		{"missing class", "int-div     =", "#", "classes]", "missing key classes.int-div ="},
		{"unknown class", "int-div     =", "int-root =", "int-root", `unknown timing class "int-root"`},
		{"pipeline", `pipeline = "sfu", latency = 151`, `pipeline = "alu", latency = 151`, `pipeline = "alu"`, `classes.int-div: no pipeline "alu"; there are ldst, sfu, sp`},
		{"policy", `"gto"`, `"fifo"`, `value = "fifo"`, `sm.policy = "fifo" is none of gto, gty, lrr, rr, oldest, youngest, random`},
		{"no policy", "policy  ", "# ", "sm]", "missing key sm.policy = { value = ..., source = ... }; the value is one of gto, gty, lrr, rr, oldest, youngest, random"},
		{"no core", `core  = "scoreboard"`, "", "", "m.toml:1:1: missing key core = \"scoreboard\", \"barrel\", \"split\" or \"integrated\""},
		{"core", `core  = "scoreboard"`, `core  = "tomasulo"`, "core  =", `core = "tomasulo" is none of scoreboard, barrel, split`},
		{"architecture", `"sm_20"`, `"2.0"`, "architecture", `architecture = "2.0" is none of "sm_20" and the like`},
		{"architecture of code", `"sm_20"`, `"sm_90a"`, "architecture", `architecture = "sm_90a" is none of`},
		{"no architecture", `"sm_20"`, `""`, "architecture", `architecture = "" is none of`},
		{"memory of a barrel core", "[l1]", "[memory]\n[l1]", "memory]", "a scoreboard core has no memory"},
		{"unknown feature", "lop3            =", "lop4            =", "lop4", `unknown feature "lop4"`},
		{"stand-in without source", `source = "choice: class int-add: logic`, `source = "" } # `, `source = "" } # `, "stand_ins.lop3 does not say its source"},
		{"stand-in for memory", `atomic-64       = { pipeline = "ldst"`, `atomic-64       = { pipeline = "sp"`, `pipeline = "sp", latency = 40`, `"ldst" is the pipeline for memory and for nothing else`},
		{"stand-in in the pipeline for memory", `lop3            = { pipeline = "sp"`, `lop3            = { pipeline = "ldst"`, `pipeline = "ldst", latency = 11`, `"ldst" is the pipeline for memory and for nothing else`},
		{"stand-in that is too quick", `atomic-64       = { pipeline = "ldst", latency = 40`, `atomic-64       = { pipeline = "ldst", latency = 38`, "latency = 38", "a latency of 38 is shorter than the 40 of other accesses"},
		{"clocks", "value = 575000000", "value = 575000001", "dram = { value = 750", "the ratio of the clocks, reduced to 191666667:250000000, has a term beyond 1048576"},
		{"threads", "value = 1536,", "value = 1537,", "threads       =", "1537 threads do not fit into 48 warps of 32"},
		{"CTA", "value = 1024,", "value = 2048,", "cta_threads   =", "a CTA of 2048 threads does not fit into the 1536 of an SM"},
		{"lines differ", `line  = { value = 128`, `line  = { value = 64`, "line  = ", "lines of 64 bytes differ from the 128 of l2.line"},
		{"caches", `value = 64, unit = "sets per partition"`, `value = 65536, unit = "sets per partition"`, "sets       = { value = 65536", "the caches together have 6293248 lines, more than 4194304"},
		{"memory pipeline", `mem-shared  = { pipeline = "ldst"`, `mem-shared  = { pipeline = "sp"`, `pipeline = "sp", latency = 32`, `all memory classes share one pipeline, but this is not "ldst"`},
		{"other in memory pipeline", `int-add     = { pipeline = "sp"`, `int-add     = { pipeline = "ldst"`, `pipeline = "ldst", latency = 11`, `"ldst" is the pipeline for memory`},
		{"two memory pipelines", "ldst = { value = 1", "ldst = { value = 2", "ldst = { value = 2", "an SM has 1 pipeline for memory, not 2"},
	})
	if _, err := Parse("m.toml", make([]byte, maxFile+1)); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a huge file gives %v", err)
	}
}

// TestBarrelErrors does the same for what only barrel cores have or must not have.
func TestBarrelErrors(t *testing.T) {
	checkDamages(t, "predictable-rr", []damage{
		{"cache", "[memory]", "[l1]\n[memory]", "l1]", "a barrel core has no l1"},
		{"pipelines", "[memory]", "[pipelines]\nsp = {}\n[memory]", "pipelines]", "a barrel core has no pipelines"},
		{"DRAM clock", "[sm]", "dram = { value = 1000 }\n[sm]", "dram = {", "a barrel core has no clock.dram"},
		{"atomic pass", "[memory]", "atomic_pass = { value = 2 }\n[memory]", "atomic_pass", "a barrel core has no shared.atomic_pass"},
		{"pipeline", "sfu         = { ", `sfu         = { pipeline = "sfu", `, `pipeline = "sfu"`, "a barrel core has no pipelines"},
		{"missing class", "sfu         =", "#", "classes]", `missing key classes.sfu = { latency = ..., initiation = ..., unit = "core cycles", source = ... }`},
		{"schedulers", `value = 1, unit = "schedulers`, `value = 2, unit = "schedulers`, "schedulers    =", "a barrel core has 1 scheduler, not 2"},
		{"greedy", `"lrr"`, `"gto"`, "policy        =", "a barrel core schedules by lrr, not by gto"},
		{"strict", `"lrr"`, `"rr"`, "policy        =", "a barrel core schedules by lrr, not by rr"},
		{"latency", "latency = 32,", "latency = 31,", "latency = 31", "a latency of 31 is shorter than the initiation of 32"},
		{"barrier", "sync        = { latency = 1, initiation = 1", "sync        = { latency = 2, initiation = 2", "barrier       =", "1 cycles are less than the initiation of 2 of sync"},
		{"wave", `"core cycles per wave"`, `"core cycles per CTA"`, `unit = "core cycles per CTA"`, `the unit of sm.dispatch must be "core cycles per wave"`},
		{"requests", `"segment", source`, `"sector", source`, `value = "sector"`, `memory.requests = "sector" is none of segment, access`},
		{"segment", `value = 32, unit = "bytes"`, `value = 48, unit = "bytes"`, "value = 48, unit = \"bytes\"", "memory.segment = 48 must be a power of two"},
		{"no segment", "segment  =", "# ", "memory]", `missing key memory.segment = { value = ..., unit = "bytes", source = ... }`},
	})
}

// TestBarrelMachines checks what the text says of the predictable machines.
func TestBarrelMachines(t *testing.T) {
	for _, name := range []string{"predictable-rr", "mini-simt"} {
		m := builtin(t, name)
		if m.Core != Barrel || m.Pipelines != nil || m.L1 != (L1{}) || m.DRAM != (DRAM{}) {
			t.Errorf("%s is no barrel machine: %+v", name, m)
		}
		for _, r := range m.Rows() {
			if strings.HasPrefix(r.Path, "l1.") || strings.HasSuffix(r.Path, ".pipeline") {
				t.Errorf("%s lists %s", name, r.Path)
			}
		}
		for _, p := range []Policy{GTO, RR} {
			want := fmt.Sprintf("%s: a barrel core schedules by lrr, not by %s; choose a machine with a scoreboard core, or leave it out", name, p)
			if _, err := m.WithPolicy(p); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		if _, err := m.WithPolicy(LRR); err != nil {
			t.Error(err)
		}
	}
	m := builtin(t, "predictable-rr")
	if got := m.SM.Count.Value * m.Memory.Segment.Value * m.Clock.Core.Value / m.Timing(isa.MemGlobal).Initiation; got/1e9 != 128 {
		t.Errorf("the memories deliver %d bytes per second", got)
	}
	if got := m.Nanoseconds(10 * m.Timing(isa.MemGlobal).Latency); got < 1735 || got > 1745 {
		t.Errorf("ten loads take %d ns", got)
	}
	if got := m.Nanoseconds(575_000_000*1000 + 1); got != 1_000_000_000_001 {
		t.Errorf("1000 s and a cycle are %d ns", got)
	}
}

// TestEmptyFileNamesEverything checks that one run of the checker reports all
// that is missing, and that no declared field lacks the tags it is checked by.
func TestEmptyFileNamesEverything(t *testing.T) {
	for _, name := range []string{"fermi-c2050", "predictable-rr", "gcn3-split", "integrated-fermi"} {
		m := builtin(t, name)
		_, err := Parse("m.toml", fmt.Appendf(nil, "core = %q", m.Core))
		if err == nil {
			t.Fatal("a file that names the core only is accepted")
		}
		for path, f := range m.fields() {
			switch f.value.Interface().(type) {
			case Number:
				if !strings.Contains(err.Error(), fmt.Sprintf("missing key %s = { value = ..., unit = %q,", path, f.unit(m.Core))) {
					t.Errorf("%s is not reported", path)
				}
				if f.tag.Get("unit") == "" || f.bound("min") > f.bound("max") {
					t.Errorf("%s has tags %q", path, f.tag)
				}
			case interface{ row(string) Row }:
				if !strings.Contains(err.Error(), "missing key "+path) {
					t.Errorf("%s is not reported", path)
				}
			}
		}
	}
}

// FuzzParse checks that no input makes Parse panic, and that what it accepts is
// within the limits that bound a simulator's memory.
func FuzzParse(f *testing.F) {
	src := fermiSource(f)
	f.Add([]byte(src))
	f.Add([]byte(strings.Replace(src, "value = 14,", "value = 256,", 1)))
	f.Add([]byte(source(f, "predictable-rr")))
	f.Add([]byte(source(f, "gcn3-split")))
	f.Add([]byte(source(f, "integrated-fermi")))
	f.Add([]byte(fewer))
	f.Add([]byte("name = 1"))
	f.Add([]byte("[classes]\nint-add = { latency = 1 }\n[[sm]]\ncount = [[]]"))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse("m.toml", src)
		if (m == nil) != (err != nil) {
			t.Fatalf("machine %v with error %v", m, err)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "m.toml") {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		if m.SM.Count.Value*m.SM.Warps.Value > maxWarps {
			t.Fatalf("%d SMs of %d warps", m.SM.Count.Value, m.SM.Warps.Value)
		}
		for _, r := range m.Rows() {
			if r.Source == "" {
				t.Fatalf("row without a source: %+v", r)
			}
		}
	})
}
