package machine

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// over is a machine with a base and a section of its own.
func over(t *testing.T, base, text string) *Machine {
	t.Helper()
	m, err := Parse("m.toml", []byte("name = \"m\"\nbase = \""+base+"\"\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBasisErrors(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"unknown basis", `sm.count = { value = 3, unit = "SMs", source = "s", basis = "guessed" }`, `m.toml:3:53: sm.count has basis "guessed", which is none of measured, published, derived, assumed`},
		{"empty basis", `sm.count = { value = 3, unit = "SMs", source = "s", basis = "" }`, `m.toml:3:53: sm.count has basis "", which is none of`},
		{"basis of a word", `sm.policy = { value = "lrr", source = "s", basis = "rumoured" }`, `m.toml:3:44: sm.policy has basis "rumoured"`},
		{"basis of a class", `classes.sfu = { pipeline = "sfu", latency = 8, initiation = 8, unit = "core cycles", source = "s", basis = "x" }`, `m.toml:3:100: classes.sfu has basis "x"`},
		{"basis of a dependence", `dependences."sp sfu" = { value = 3, unit = "core cycles", source = "s", basis = "x" }`, `m.toml:3:73: dependences.sp sfu has basis "x"`},
		{"other letters", `sm.count = { value = 3, unit = "SMs", source = "s", Basis = "guessed" }`, `m.toml:3:4: sm.count has basis "guessed"`},
		{"below", `sm.count = { value = 3, unit = "SMs", source = "s", range = [4, 5] }`, `m.toml:3:53: sm.count.range = [4, 5] does not contain the value 3`},
		{"above", `sm.count = { value = 6, unit = "SMs", source = "s", range = [4, 5] }`, `m.toml:3:53: sm.count.range = [4, 5] does not contain the value 6`},
		{"reversed", `sm.count = { value = 4, unit = "SMs", source = "s", range = [5, 3] }`, `m.toml:3:53: sm.count.range = [5, 3] does not contain the value 4`},
		{"zeros", `sm.count = { value = 4, unit = "SMs", source = "s", range = [0, 0] }`, `m.toml:3:53: sm.count.range = [0, 0] does not contain the value 4`},
		{"too low", `sm.count = { value = 4, unit = "SMs", source = "s", range = [0, 5] }`, `m.toml:3:53: sm.count.range = [0, 5] is not between 1 and 256`},
		{"too high", `sm.count = { value = 4, unit = "SMs", source = "s", range = [1, 257] }`, `m.toml:3:53: sm.count.range = [1, 257] is not between 1 and 256`},
		{"no power of two", `l2.sets = { value = 64, unit = "sets per partition", source = "s", range = [32, 100] }`, `m.toml:3:68: l2.sets.range = [32, 100] must have powers of two as its ends`},
		{"one end", `sm.count = { value = 4, unit = "SMs", source = "s", range = [4] }`, `m.toml:3:53: sm.count.range must have two values, [LOWEST, GREATEST], between which the number is believed to be, and has 1`},
		{"three ends", `sm.count = { value = 4, unit = "SMs", source = "s", Range = [4, 5, 6] }`, `m.toml:3:53: sm.count.Range must have two values`},
		{"range of a word", `sm.policy = { value = "lrr", source = "s", range = [1, 2] }`, `m.toml:3:44: unknown key "range"`},
		{"latency", `classes.sfu = { pipeline = "sfu", latency = 8, initiation = 8, unit = "core cycles", source = "s", latency_range = [9, 10] }`, `m.toml:3:100: classes.sfu.latency_range = [9, 10] does not contain the value 8`},
		{"initiation", `classes.sfu = { pipeline = "sfu", latency = 8, initiation = 8, unit = "core cycles", source = "s", initiation_range = [0, 10] }`, `m.toml:3:100: classes.sfu.initiation_range = [0, 10] is not between 1 and 100000`},
		{"one range for both", `classes.sfu = { pipeline = "sfu", latency = 8, initiation = 8, unit = "core cycles", source = "s", range = [1, 10] }`, `m.toml:3:100: unknown key "range"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse("m.toml", []byte("name = \"m\"\nbase = \"fermi-c2050\"\n"+c.line))
			if err == nil || !strings.Contains(err.Error(), c.want) || m != nil {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// believed states bases and ranges of a number, a word, a class and numbers of a map.
const believed = `
sm.count = { value = 3, unit = "SMs", source = "s", basis = "published" }
sm.policy = { value = "lrr", source = "s", basis = "derived" }
sm.dispatch = { value = 5, unit = "core cycles per CTA", source = "s", basis = "assumed", range = [1, 9] }
l2.sets = { value = 64, unit = "sets per partition", source = "s", range = [32, 128] }
classes.sfu = { pipeline = "sfu", latency = 8, initiation = 6, unit = "core cycles", source = "s", basis = "measured", latency_range = [8, 9], initiation_range = [6, 6] }
stand_ins.lop3 = { pipeline = "sp", latency = 4, initiation = 1, unit = "core cycles", source = "s", basis = "assumed", initiation_range = [1, 2] }
dependences."sp sfu" = { value = 3, unit = "core cycles", source = "s", basis = "measured", range = [2, 4] }
`

// TestBasisIsRead has bases and ranges among the rows and in the text, and none in the hash.
func TestBasisIsRead(t *testing.T) {
	m := over(t, "fermi-c2050", believed)
	rows := map[string]Row{}
	for _, r := range m.Rows() {
		rows[r.Path] = r
	}
	for path, want := range map[string]Row{
		"sm.count":               {Basis: Published},
		"sm.policy":              {Basis: Derived},
		"sm.dispatch":            {Basis: Assumed, Range: Range{1, 9}},
		"l2.sets":                {Range: Range{32, 128}},
		"l2.ways":                {},
		"classes.sfu.latency":    {Basis: Measured, Range: Range{8, 9}},
		"classes.sfu.initiation": {Basis: Measured, Range: Range{6, 6}},
		"stand_ins.lop3.latency": {Basis: Assumed},
		"dependences.sp sfu":     {Basis: Measured, Range: Range{2, 4}},
	} {
		if got := rows[path]; got.Basis != want.Basis || got.Range != want.Range {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
	again, err := Parse("m.toml", m.Format())
	if err != nil || !slices.Equal(again.Rows(), m.Rows()) {
		t.Errorf("the text of the machine gives another one: %v", err)
	}
	plain := m.WithSources(func(_, source string) string { return source + "'" })
	if plain.StatesBasis() || plain.Ranged() != nil || plain.Hash() != m.Hash() {
		t.Errorf("other sources: basis %t, ranges %q, hash %s for %s", plain.StatesBasis(), plain.Ranged(), plain.Hash(), m.Hash())
	}
	without := m.WithoutBasis()
	if without.StatesBasis() || without.Ranged() != nil || without.Hash() != m.Hash() || without.SM.Count.Source != "s" || !m.StatesBasis() {
		t.Errorf("without basis: %s", without.Format())
	}
	if same := m.WithSources(func(_, source string) string { return source }); !slices.Equal(same.Rows(), m.Rows()) {
		t.Error("the same sources change rows")
	}
	if got, want := m.Ranged(), []string{"sm.dispatch", "classes.sfu.latency", "stand_ins.lop3.initiation", "dependences.sp sfu", "l2.sets"}; !slices.Equal(got, want) {
		t.Errorf("ranges of %q, want %q", got, want)
	}
}

// TestAccounts has the numbers that kernels of few instructions exercise.
func TestAccounts(t *testing.T) {
	scoreboard := over(t, "gtx480", `
sm.count = { value = 3, unit = "SMs", source = "s", basis = "published" }
ccache = { sets = { value = 64, unit = "sets per SM", source = "s" }, ways = { value = 2, unit = "lines per set", source = "s" }, line = { value = 32, unit = "bytes", source = "s" }, miss = { value = 300, unit = "core cycles", source = "s" } }
operations.logic = { pipeline = "sp", latency = 9, initiation = 1, unit = "core cycles", source = "s" }
dependences."sp sfu" = { value = 3, unit = "core cycles", source = "s" }
dependences."sp guard" = { value = 3, unit = "core cycles", source = "s" }
dependences."sfu sp" = { value = 3, unit = "core cycles", source = "s" }
`)
	integrated := over(t, "integrated-fermi", `sm.count = { value = 3, unit = "SMs", source = "s", basis = "published" }`)
	ret := isa.Instr{Op: isa.Ret}
	global := []string{"classes.mem-global.latency", "classes.mem-atomic.initiation", "clock.dram", "l1.sets", "l2.latency", "interconnect.flit", "dram.cl", "pipelines.ldst"}
	for _, c := range []struct {
		name  string
		m     *Machine
		in    isa.Instr
		has   []string
		lacks []string
	}{
		{"nothing", scoreboard, ret, []string{"clock.core", "sm.count", "sm.policy", "sm.shared", "sm.dispatch", "icache.miss", "classes.control.latency", "pipelines.sp", "dependences.sp guard"},
			append([]string{"sm.barrier", "classes.control.pipeline", "classes.int-add.latency", "pipelines.sfu", "dependences.sp sfu", "ccache.miss", "shared.banks", "operations.logic.latency"}, global...)},
		{"int-add", scoreboard, isa.Instr{Op: isa.Add, Type: isa.U32}, []string{"classes.int-add.latency", "classes.int-add.initiation"}, []string{"classes.fp32-add.latency", "operations.logic.latency"}},
		{"a group", scoreboard, isa.Instr{Op: isa.And, Type: isa.B32}, []string{"operations.logic.latency"}, []string{"classes.int-add.latency"}},
		{"a stand-in", scoreboard, isa.Instr{Op: isa.Shfl, Type: isa.B32}, []string{"stand_ins.shuffle.latency"}, []string{"classes.sync.latency", "sm.barrier"}},
		{"sfu", scoreboard, isa.Instr{Op: isa.Sin, Type: isa.F32}, []string{"classes.sfu.latency", "pipelines.sfu", "dependences.sp sfu", "dependences.sfu sp"}, []string{"classes.fp32-div.latency"}},
		{"barrier", scoreboard, isa.Instr{Op: isa.Bar}, []string{"sm.barrier", "classes.sync.latency"}, []string{"shared.banks"}},
		{"parameter", scoreboard, isa.Instr{Op: isa.Ld, Space: isa.Param, Type: isa.U32}, []string{"classes.mem-param.latency", "ccache.miss", "pipelines.ldst"}, []string{"l1.sets", "shared.banks", "classes.mem-global.latency"}},
		{"shared", scoreboard, isa.Instr{Op: isa.Ld, Space: isa.Shared, Type: isa.U32}, []string{"classes.mem-shared.latency", "shared.banks"}, []string{"shared.atomic_pass", "l1.sets", "clock.dram", "ccache.miss"}},
		{"atomic on shared", scoreboard, isa.Instr{Op: isa.Red, Space: isa.Shared, Type: isa.U32}, []string{"classes.mem-shared.latency", "shared.atomic_pass"}, []string{"l1.sets", "classes.mem-atomic.latency"}},
		{"global", scoreboard, isa.Instr{Op: isa.St, Space: isa.Global, Type: isa.U32}, global, []string{"shared.banks", "shared.atomic_pass", "ccache.miss"}},
		{"local", scoreboard, isa.Instr{Op: isa.St, Space: isa.Local, Type: isa.U32}, global, []string{"shared.banks"}},
		{"atomic", scoreboard, isa.Instr{Op: isa.Atom, Space: isa.Global, Type: isa.U32}, global, []string{"shared.banks", "shared.atomic_pass"}},
		{"generic", scoreboard, isa.Instr{Op: isa.Ld, Type: isa.U32}, append([]string{"shared.banks"}, global...), []string{"shared.atomic_pass"}},
		{"copy", scoreboard, isa.Instr{Op: isa.CpAsync, Space: isa.Shared, Type: isa.B32}, append([]string{"shared.banks", "stand_ins.async-copy.latency"}, global...), nil},
		{"integrated", integrated, ret, []string{"clock.core", "classes.control.latency"}, []string{"llc.sets", "regulator.quota", "cpu.hit", "dram.open", "l1.ways", "interconnect.slot"}},
		{"integrated global", integrated, isa.Instr{Op: isa.Ld, Space: isa.Global, Type: isa.U32}, []string{"llc.sets", "regulator.quota", "cpu.hit", "dram.open", "l1.ways", "interconnect.slot"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := map[string]Basis{}
			for _, a := range c.m.Accounts(&isa.Kernel{Instrs: []isa.Instr{ret}}, &isa.Kernel{Instrs: []isa.Instr{c.in}}) {
				if _, twice := seen[a.Path]; twice {
					t.Errorf("%s counts twice", a.Path)
				}
				seen[a.Path] = a.Basis
			}
			if seen["sm.count"] != Published || seen["sm.warps"] != Assumed {
				t.Errorf("sm.count is %q, sm.warps, which states no basis, %q", seen["sm.count"], seen["sm.warps"])
			}
			for _, path := range c.has {
				if seen[path] == "" {
					t.Errorf("%s does not count", path)
				}
			}
			for _, path := range c.lacks {
				if seen[path] != "" {
					t.Errorf("%s counts", path)
				}
			}
		})
	}
	for _, name := range []string{"predictable-rr", "mini-simt", "fermi-c2050"} {
		if all := builtin(t, name).Accounts(&isa.Kernel{Instrs: []isa.Instr{ret}}); all != nil {
			t.Errorf("%s states no basis, and %d numbers have one", name, len(all))
		}
	}
}

// TestAccountsKnowsSections holds the sections that Accounts knows against those that machines have: what it does not know
// always counts, so that a name that is misspelt there would go unnoticed.
func TestAccountsKnowsSections(t *testing.T) {
	known := []string{"clock", "sm", "pipelines", "classes", "operations", "tensor", "stand_ins", "dependences", "shared", "ccache", "memory", "lsu", "carve_outs",
		"l1", "interconnect", "l2", "llc", "regulator", "dram", "cpu"}
	always := []string{"icache", "split"}
	none := &exercised{}
	for _, section := range known {
		if none.includes(section+".x.y") && section != "sm" {
			t.Errorf("[%s] counts for no instruction", section)
		}
	}
	for core, sections := range sectionsOf() {
		for _, section := range sections {
			if !slices.Contains(known, section) && !slices.Contains(always, section) {
				t.Errorf("%s: say which kernels exercise [%s]", core, section)
			}
		}
	}
}

// sectionsOf returns the sections that machines with each core can have.
func sectionsOf() map[Core][]string {
	out := map[Core][]string{}
	for _, core := range []Core{Scoreboard, Barrel, Splitting, Integrated} {
		m := Machine{Core: core}
		for path := range m.fieldsBut(func(string, reflect.Value) bool { return false }) {
			section, _, _ := strings.Cut(path, ".")
			if section != "sources" && !slices.Contains(out[core], section) {
				out[core] = append(out[core], section)
			}
		}
	}
	return out
}

// TestSample has values from all of their ranges and from nowhere else, the same ones for the same seed.
func TestSample(t *testing.T) {
	m := over(t, "fermi-c2050", believed)
	before := m.Format()
	seen := map[string]map[string]bool{}
	for seed := range uint64(50) {
		s, err := m.Sample(rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		again, err := m.Sample(rand.New(rand.NewPCG(seed, 0)))
		if err != nil || string(again.Format()) != string(s.Format()) {
			t.Fatalf("seed %d gives two machines: %v", seed, err)
		}
		if _, err := Parse("m.toml", s.Format()); err != nil {
			t.Fatalf("seed %d gives no machine: %v", seed, err)
		}
		for i, r := range s.Rows() {
			if was := m.Rows()[i]; r.Value != was.Value || r.Range[0] < r.Range[1] {
				if seen[r.Path] == nil {
					seen[r.Path] = map[string]bool{}
				}
				seen[r.Path][r.Value] = true
			}
		}
	}
	for path, n := range map[string]int{"sm.dispatch": 9, "l2.sets": 3, "classes.sfu.latency": 2, "stand_ins.lop3.initiation": 2, "dependences.sp sfu": 3} {
		if len(seen[path]) != n {
			t.Errorf("%s has %d values, want %d", path, len(seen[path]), n)
		}
		delete(seen, path)
	}
	if len(seen) > 0 {
		t.Errorf("numbers without a range have changed: %v", seen)
	}
	if string(m.Format()) != string(before) {
		t.Error("the machine has changed")
	}
}

// TestChosenHasNoBasis: what a caller chooses does not rest on what the description says of its own number.
func TestChosenHasNoBasis(t *testing.T) {
	llc := over(t, "integrated-fermi", `llc.sets = { value = 512, unit = "sets", source = "s", basis = "measured", range = [512, 512] }
regulator.quota = { value = 128, unit = "accesses per interval", source = "s", basis = "published", range = [128, 128] }`)
	kib, quota := int64(64), int64(7)
	m, err := llc.WithLLC(LLCOptions{KiB: &kib, Quota: &quota})
	if err != nil {
		t.Fatal(err)
	}
	split, err := over(t, "gcn3-split", `split.simds = { value = 3, unit = "split SIMDs per SIMD", source = "s", basis = "measured", range = [3, 3] }`).WithSplit(PWS, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []Number{m.LLC.Sets, m.Regulator.Quota, split.Split.SIMDs} {
		if n.Basis != "" || n.Range != (Range{}) || n.Source != chosen || n.Unit == "" {
			t.Errorf("chosen is %+v", n)
		}
	}
}

// TestSampleAgain has ranges of which most values make no machine, and some of which none do.
func TestSampleAgain(t *testing.T) {
	m := over(t, "fermi-c2050", `dram.rc = { value = 100, unit = "DRAM cycles", source = "s", range = [1, 100] }
dram.ras = { value = 2, unit = "DRAM cycles", source = "s", range = [2, 80] }`)
	for seed := range uint64(50) {
		s, err := m.Sample(rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if s.DRAM.RC.Value < s.DRAM.RAS.Value {
			t.Fatalf("a row cycle of %d is shorter than %d", s.DRAM.RC.Value, s.DRAM.RAS.Value)
		}
	}
	m.DRAM.RC.Range = Range{1, 2}
	m.DRAM.RAS.Range = Range{50, 80}
	if s, err := m.Sample(rand.New(rand.NewPCG(1, 0))); s != nil || err == nil ||
		!strings.Contains(err.Error(), "m: none of 1000 samples of its ranges makes a machine; narrow the ranges, since for example m:1:1: a row cycle of") {
		t.Error(err)
	}
}
