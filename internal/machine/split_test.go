package machine

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// cacheOfSegments is the L1 that tests give gcn3-split, which has none.
const cacheOfSegments = `[l1]
sets = { value = 64, unit = "sets per SM", source = "s" }
ways = { value = 4, unit = "lines per set", source = "s" }
hit = { value = 100, unit = "core cycles", source = "s" }

`

// TestSplitCache parses gcn3-split with an L1, and what is wrong with others.
func TestSplitCache(t *testing.T) {
	plain := builtin(t, "gcn3-split")
	with := strings.Replace(source(t, "gcn3-split"), "[memory]\n", cacheOfSegments+"[memory]\n", 1)
	m, err := Parse("m.toml", []byte(with))
	if err != nil {
		t.Fatal(err)
	}
	if !m.Cached() || plain.Cached() || m.L1.Sets.Value*m.L1.Ways.Value*m.Memory.Segment.Value != 16<<10 || m.L1.Hit.Value != 100 {
		t.Errorf("the L1 is %+v", m.L1)
	}
	if m.Hash() == plain.Hash() || len(m.Rows()) != len(plain.Rows())+3 {
		t.Error("an L1 is not part of the description")
	}
	if again, err := Parse("m.toml", m.Format()); err != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("the text of the machine gives another one, %v", err)
	}
	if m, err := Parse("m.toml", []byte("base = \"gcn3-split\"\nname = \"cached\"\nabout = \"with an L1\"\n"+cacheOfSegments)); err != nil || !m.Cached() {
		t.Errorf("gcn3-split as a base: %v", err)
	}
	for _, c := range []struct{ name, from, to, want string }{
		{"empty", cacheOfSegments, "[l1]\n", "missing key l1.sets"},
		{"no hit", `hit = {`, "# {", "missing key l1.hit"},
		{"line", "[l1]\n", "[l1]\nline = { value = 64 }\n", "a split core has no l1.line"},
		{"index", "[l1]\n", "[l1]\nindex = { value = \"linear\" }\n", "a split core has no l1.index"},
		{"misses under way", "[l1]\n", "[l1]\nmshrs = { value = 8 }\n", "a split core has no l1.mshrs"},
		{"sets", "sets = { value = 64", "sets = { value = 63", "l1.sets = 63 must be a power of two"},
		{"ways", "ways = { value = 4", "ways = { value = 0", "l1.ways = 0 is not between 1 and 64 lines per set"},
		{"slow", "hit = { value = 100", "hit = { value = 151", "151 cycles are more than the latency of 150 of mem-global"},
		{"requests", `{ value = "segment"`, `{ value = "access"`, `the lines of an L1 are segments, which "access" does not count`},
		{"lines", "", "", "the caches together have 1310720 lines, more than 1048576"},
		{"core", `core  = "split"`, `core  = "barrel"`, "a barrel core has no l1"},
	} {
		src := strings.Replace(with, c.from, c.to, 1)
		if c.name == "lines" { // 5 CUs with 2^18 each
			src = strings.NewReplacer("sets = { value = 64", "sets = { value = 4096", "ways = { value = 4", "ways = { value = 64", "count         = { value = 4,", "count         = { value = 5,").Replace(src)
		}
		_, err := Parse("m.toml", []byte(src))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestSplitErrors damages what only split cores have or must obey.
func TestSplitErrors(t *testing.T) {
	checkDamages(t, "gcn3-split", []damage{
		{"caches", "[memory]", "[l2]\n[memory]", "l2]", "a split core has no l2"},
		{"pipeline", "sfu         = { ", `sfu         = { pipeline = "sfu", `, `pipeline = "sfu"`, "a split core has no pipelines"},
		{"unit", `"SIMDs per SM"`, `"schedulers per SM"`, `unit = "schedulers per SM"`, `the unit of sm.schedulers must be "SIMDs per SM"`},
		{"greedy", `"lrr"`, `"gto"`, "policy        =", "a split core schedules by lrr, not by gto"},
		{"warps", "value = 40,", "value = 41,", "warps         =", "41 warps cannot be distributed evenly to 4 SIMDs"},
		{"registers", "value = 65536, unit = \"registers per SM\"", "value = 65537, unit = \"registers per SM\"", "registers     =", "65537 registers cannot be distributed evenly to 4 SIMDs"},
		{"warp unit", "warp_unit     = { value = 1,", "warp_unit     = { value = 2,", "warp_unit     =", "a split core allocates registers for each warp by itself, not for 2"},
		{"latency", "latency = 128,", "latency = 127,", "latency = 127", "a latency of 127 is shorter than the initiation of 128"},
		{"passes", "initiation = 56", "initiation = 55", "initiation = 55", "55 cycles are no whole number of passes of 4"},
		{"passes of control", "latency = 8, initiation = 4,", "latency = 8, initiation = 8,", "initiation = 8, unit = \"core cycles\", source = \"choice: a pass, and", "control takes one pass of 4 cycles, not 8"},
		{"address", "address = { value = 4,", "address = { value = 6,", "address =", "6 cycles are no whole number of passes of 4"},
		{"barrier", "barrier       = { value = 4,", "barrier       = { value = 3,", "barrier       =", "3 cycles are less than a pass of 4"},
		{"too many", "simds   = { value = 3,", "simds   = { value = 8,", "value = 8, unit = \"split", "split.simds = 8 is not between 0 and 7 split SIMDs per SIMD"},
		{"mode", `"pws"`, `"psw"`, `value = "psw"`, `split.mode = "psw" is none of none, dws, dws-idle, pws`},
	})
	checkDamages(t, "predictable-rr", []damage{
		{"split", "[memory]", "[split]\n[memory]", "split]", "a barrel core has no split"},
	})
}

func TestWithSplit(t *testing.T) {
	m := builtin(t, "gcn3-split")
	other, err := m.WithSplit(DWS, 7)
	if err != nil || other.Split.Mode.Value != DWS || other.Split.SIMDs.Value != 7 || other.Hash() == m.Hash() {
		t.Errorf("got mode %v, %v split SIMDs and %v", other.Split.Mode, other.Split.SIMDs, err)
	}
	if m.Split.Mode.Value != PWS || m.Split.SIMDs.Value != 3 {
		t.Error("the machine itself was changed")
	}
	for _, c := range []struct {
		m     *Machine
		mode  SplitMode
		simds int
		want  string
	}{
		{fermi(t), PWS, 1, "fermi-c2050 has a scoreboard core, which does not split wavefronts"},
		{m, "swp", 1, `no mode "swp" of splitting; there are none, dws, dws-idle and pws`},
		{m, PWS, 8, "8 split SIMDs for each SIMD are not between 0 and 7"},
		{m, PWS, -1, "-1 split SIMDs for each SIMD are not between 0 and 7"},
	} {
		if _, err := c.m.WithSplit(c.mode, c.simds); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	for path, f := range m.fields() {
		if path == "split.simds" && f.tag.Get("max") != strconv.Itoa(MaxSplitSIMDs) {
			t.Errorf("a file may state %s split SIMDs, a caller %d", f.tag.Get("max"), MaxSplitSIMDs)
		}
	}
}

// TestReuse checks Eq. 2: the paper's example, S = 3 with one in use, gives 8 SIMDs.
func TestReuse(t *testing.T) {
	m := builtin(t, "gcn3-split")
	for _, c := range []struct{ have, used, simds int64 }{
		{3, 1, 8}, {3, 3, 4}, {3, 2, 5}, {3, 0, 16}, {0, 0, 4}, {7, 0, 32}, {7, 1, 16}, {7, 2, 10}, {7, 6, 4},
	} {
		wide, err := m.WithSplit(PWS, int(c.have))
		if err != nil {
			t.Fatal(err)
		}
		got, err := wide.Reuse(int(c.used))
		if err != nil {
			t.Fatal(err)
		}
		if got.SM.Schedulers.Value != c.simds || got.Split.SIMDs.Value != c.used || got.Contexts() != 10 ||
			got.SM.Registers.Value != c.simds*16384 || got.SM.Threads.Value != c.simds*640 {
			t.Errorf("%d of %d in use: got %+v and %+v", c.used, c.have, got.SM, got.Split)
		}
	}
	none, err := m.WithSplit(SplitNone, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		func() error { _, err := m.Reuse(4); return err }(),
		func() error { _, err := m.Reuse(-1); return err }(),
		func() error { _, err := none.Reuse(0); return err }(),
		func() error { _, err := fermi(t).Reuse(0); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "split") {
			t.Errorf("got %v", err)
		}
	}
}
