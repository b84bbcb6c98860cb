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

func fermi(t testing.TB) *Machine {
	t.Helper()
	m, err := Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fermiSource(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile("fermi-c2050.toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

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
	if _, err := Builtin("voodoo"); err == nil || err.Error() != `no machine "voodoo"; built in are fermi-c2050` {
		t.Errorf("got %v", err)
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
		"classes.fp32-mad.latency":   {Value: "5", Unit: "core cycles"},
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
	if got := m.Milliseconds(575_000); got != 1 {
		t.Errorf("575000 cycles are %v ms", got)
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
	other := parse(strings.Replace(src, "latency = 145", "latency = 146", 1))
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

// TestParseErrors replaces one piece of the Fermi description and expects an
// error that says what is wrong, at the place where the given text stands.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, old, new, at, want string }{
		{"syntax", `name  =`, `name  ==`, `= "fermi`, "expected"},
		{"unknown section", "[dram]", "[drum]", "drum]", `unknown key "drum"`},
		{"unknown key", "banks       =", "bonks       =", "bonks", `unknown key "bonks"`},
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
		{"latency", "latency = 145", "latency = 0", "latency = 0", "classes.int-div.latency = 0 is not between 1 and 100000 core cycles"},
		{"class unit", `initiation = 130, unit = "core cycles"`, `initiation = 130, unit = "ns"`, `unit = "ns"`, `the unit of classes.fp64-div must be "core cycles", not "ns"`},
		{"missing class", "int-div     =", "#", "classes]", "missing key classes.int-div ="},
		{"unknown class", "int-div     =", "int-root =", "int-root", `unknown timing class "int-root"`},
		{"pipeline", `pipeline = "sfu", latency = 145`, `pipeline = "alu", latency = 145`, `pipeline = "alu"`, `classes.int-div: no pipeline "alu"; there are ldst, sfu, sp`},
		{"policy", `"gto"`, `"fifo"`, `value = "fifo"`, `sm.policy = "fifo" is none of gto, lrr, rr`},
		{"no policy", "policy  ", "# ", "sm]", "missing key sm.policy = { value = ..., source = ... }; the value is one of gto, lrr, rr"},
		{"clocks", "value = 575000000", "value = 575000001", "dram = { value = 750", "the ratio of the clocks, reduced to 191666667:250000000, has a side beyond 1048576"},
		{"threads", "value = 1536,", "value = 1537,", "threads       =", "1537 threads do not fit into 48 warps of 32"},
		{"CTA", "value = 1024,", "value = 2048,", "cta_threads   =", "a CTA of 2048 threads does not fit into the 1536 of an SM"},
		{"lines differ", `line  = { value = 128`, `line  = { value = 64`, "line  = ", "lines of 64 bytes differ from the 128 of l2.line"},
		{"caches", `value = 64, unit = "sets per partition"`, `value = 65536, unit = "sets per partition"`, "sets       = { value = 65536", "the caches together have 6293248 lines, more than 1048576"},
		{"memory pipeline", `mem-shared  = { pipeline = "ldst"`, `mem-shared  = { pipeline = "sp"`, `pipeline = "sp", latency = 26`, `all memory classes share one pipeline, but this is not "ldst"`},
		{"other in memory pipeline", `int-add     = { pipeline = "sp"`, `int-add     = { pipeline = "ldst"`, `pipeline = "ldst", latency = 4`, `"ldst" is the pipeline for memory`},
		{"two memory pipelines", "ldst = { value = 1", "ldst = { value = 2", "ldst = { value = 2", "an SM has 1 pipeline for memory, not 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := fermiSource(t)
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
	if _, err := Parse("m.toml", make([]byte, maxFile+1)); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a huge file gives %v", err)
	}
}

// TestEmptyFileNamesEverything checks that one run of the checker reports all
// that is missing, and that no declared field lacks the tags it is checked by.
func TestEmptyFileNamesEverything(t *testing.T) {
	_, err := Parse("m.toml", nil)
	if err == nil {
		t.Fatal("an empty file is accepted")
	}
	for path, f := range fermi(t).fields() {
		switch f.value.Interface().(type) {
		case Number:
			if !strings.Contains(err.Error(), fmt.Sprintf("missing key %s = { value = ..., unit = %q,", path, f.tag.Get("unit"))) {
				t.Errorf("%s is not reported", path)
			}
			if f.tag.Get("unit") == "" || f.bound("min") > f.bound("max") {
				t.Errorf("%s has tags %q", path, f.tag)
			}
		default:
			if _, isChoice := f.value.Interface().(interface{ row(string) Row }); !isChoice {
				continue
			}
			if !strings.Contains(err.Error(), "missing key "+path) {
				t.Errorf("%s is not reported", path)
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
