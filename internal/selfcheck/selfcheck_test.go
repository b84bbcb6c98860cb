package selfcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
)

func builtins(t testing.TB, names ...string) []*machine.Machine {
	t.Helper()
	var list []*machine.Machine
	for _, name := range names {
		m, err := machine.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// config checks some kernels on machines with barrel cores and fails for findings.
func config(t testing.TB, kernels int) Config {
	return Config{
		Seed: 1, Kernels: kernels, Methods: warpbound.Methods(), Machines: builtins(t, "predictable-rr", "mini-simt"),
		Found: func(f Finding) (string, error) {
			t.Errorf("%s\n%s", f.Describe(), show(f.Files))
			return "", nil
		},
	}
}

func show(f Files) string {
	var b strings.Builder
	for _, name := range append([]string{f.module(), jobFile}, f.narrower()...) {
		fmt.Fprintf(&b, "-- %s --\n%s", name, f[name])
	}
	return b.String()
}

func run(t *testing.T, cfg Config) *estimate.Selfcheck {
	t.Helper()
	s, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestKernels checks all methods on random kernels. Few may be refused.
func TestKernels(t *testing.T) {
	kernels, refused := effort.Draw(t, 400), make(map[string]int)
	for _, kernel := range kernels {
		s := checkKernel(t, config(t, 1), kernel)
		if s.Runs != vectors+narrowed {
			t.Errorf("%+v", s)
		}
		for _, m := range s.Methods {
			if strings.HasPrefix(m.Method, "split/") || strings.HasPrefix(m.Method, "static/llc-") || m.Method == "static/greedy" {
				if m.Checked+m.Refused > 0 {
					t.Errorf("%+v", m) // no machine is for it
				}
				continue
			}
			if m.Method != "static/oblivious" { // which is for kernels that do the same whatever their inputs are
				refused[m.Method] += m.Refused
			}
			ascend := 1 <= m.MinRatio && m.MinRatio <= min(m.MeanRatio, m.HighRatio) && max(m.MeanRatio, m.HighRatio) <= m.WorstRatio
			if m.Checked+m.Refused != 1 || m.Checked > 0 && !ascend {
				t.Errorf("kernel %d: %+v", kernel, m)
			}
		}
	}
	refusesFew(t, refused, len(kernels))
}

// checkKernel checks a kernel of a seed.
func checkKernel(t *testing.T, cfg Config, kernel uint64) *estimate.Selfcheck {
	t.Helper()
	cfg.First = int(kernel)
	s := run(t, cfg)
	if s.Violated() || !s.Complete || s.Next != cfg.First+1 {
		t.Errorf("kernel %d: %+v", kernel, s)
	}
	return s
}

// refusesFew checks that methods refuse at most a tenth of all kernels.
func refusesFew(t *testing.T, refused map[string]int, kernels int) {
	t.Helper()
	for method, n := range refused {
		if n > kernels/10 && effort.Many() {
			t.Errorf("%s refuses %d of %d kernels", method, n, kernels)
		}
	}
}

// TestShared checks the bounds of launches on machines whose SMs share a cache.
func TestShared(t *testing.T) {
	cfg := config(t, 1)
	cfg.Machines = builtins(t, "integrated-fermi")
	kernels, checked, refused := effort.Draw(t, 400), make(map[string]int), make(map[string]int)
	for _, kernel := range kernels {
		for _, m := range checkKernel(t, cfg, kernel).Methods {
			if !strings.HasPrefix(m.Method, "static/llc-") {
				continue
			}
			checked[m.Method] += m.Checked
			refused[m.Method] += m.Refused
			if m.Checked > 0 && m.MinRatio < 1 {
				t.Errorf("kernel %d: %+v", kernel, m)
			}
		}
	}
	refusesFew(t, refused, len(kernels))
	boundsHalf(t, checked, len(kernels))
}

// boundsHalf checks that methods have estimates of at least half of all kernels.
func boundsHalf(t *testing.T, checked map[string]int, kernels int) {
	t.Helper()
	for method, n := range checked {
		if n < kernels/2 && effort.Many() {
			t.Errorf("%s is checked on %d of %d kernels", method, n, kernels)
		}
	}
}

func TestScoreboard(t *testing.T) {
	// The seeds give no kernels with several launches, of which hybrid/warp has no estimate.
	for name, seed := range map[string]uint64{"fermi-c2050": 3, "gtx480": 4} {
		cfg := config(t, 6)
		cfg.Seed = seed
		cfg.Machines = builtins(t, name)
		s := run(t, cfg)
		if s.Violated() {
			t.Errorf("%+v", s)
		}
		for _, m := range s.Methods {
			wrong := false
			switch {
			case strings.HasPrefix(m.Method, "hybrid/"):
				wrong = m.Checked < 6
			case m.Method == "static/oblivious":
				wrong = m.Checked+m.Refused != 6
			case m.Method == "static/greedy": // not where the policy rr is sampled
				wrong = m.Checked == 0 || m.MinRatio < 1
			default:
				wrong = m.Checked+m.Refused > 0
			}
			if wrong {
				t.Errorf("%s: %+v", name, m)
			}
		}
	}
}

// TestSplit checks the bounds of all modes of machines whose wavefronts split, each against
// runs in its mode.
func TestSplit(t *testing.T) {
	cfg := config(t, 1)
	cfg.Machines = builtins(t, "gcn3-split")
	kernels, checked, refused, runs := effort.Draw(t, 300), make(map[string]int), make(map[string]int), 0
	for _, kernel := range kernels {
		s := checkKernel(t, cfg, kernel)
		runs += s.Runs
		for _, m := range s.Methods {
			switch {
			case strings.HasPrefix(m.Method, "split/"):
				checked[m.Method] += m.Checked
				refused[m.Method] += m.Refused
				if m.Checked > 0 && m.MinRatio < 1 {
					t.Errorf("kernel %d: %+v", kernel, m)
				}
			case m.Method == "static/cta" && m.Checked+m.Refused > 0:
				t.Errorf("kernel %d: %+v", kernel, m)
			}
		}
	}
	refusesFew(t, refused, len(kernels))
	boundsHalf(t, checked, len(kernels))
	if runs <= len(kernels)*(vectors+narrowed) {
		t.Errorf("%d runs of %d kernels", runs, len(kernels))
	}
}

func TestPercentile(t *testing.T) {
	ascending := func(n int) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = float64(n - i)
		}
		return list
	}
	for n, want := range map[int]float64{0: 0, 1: 1, 2: 2, 19: 19, 20: 19, 21: 20, 100: 95, 101: 96, 1000: 950} {
		if got := percentile(ascending(n), 95); got != want {
			t.Errorf("of 1 to %d: %g, not %g", n, got, want)
		}
	}
}

// TestInvariant checks that among the kernels are some of which one run stands for all.
func TestInvariant(t *testing.T) {
	cfg := config(t, 1)
	cfg.Methods = nil
	cfg.Machines = builtins(t, "predictable-rr", "mini-simt", "gcn3-split", "integrated-fermi", "fermi-c2050", "gtx480", "t4", "orin-nano", "h100")
	kernels, stands := effort.Draw(t, 600), 0
	for _, kernel := range kernels {
		stands += checkKernel(t, cfg, kernel).Invariant
	}
	if effort.Many() && stands < len(kernels)/12 {
		t.Errorf("one run stands for all of %d of %d kernels", stands, len(kernels))
	}
}

// TestConcurrentKernels checks that the report is the same with one processor and with two, and
// that a run in two parts covers the same kernels.
func TestConcurrentKernels(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	cfg := config(t, 6)
	var reports []string
	var whole *estimate.Selfcheck
	for n := range 2 {
		runtime.GOMAXPROCS(n + 1)
		whole = run(t, cfg)
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, string(text))
	}
	if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
		t.Error(diff)
	}
	cfg.Kernels = 2
	part := run(t, cfg)
	cfg.First, cfg.Kernels = part.Next, 4
	rest := run(t, cfg)
	for i, m := range whole.Methods {
		if m.Checked != part.Methods[i].Checked+rest.Methods[i].Checked || m.WorstRatio != max(part.Methods[i].WorstRatio, rest.Methods[i].WorstRatio) {
			t.Errorf("%+v is not %+v and %+v", m, part.Methods[i], rest.Methods[i])
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cfg := config(t, 3*batch)
	cfg.Methods = []string{"static/cta"}
	cfg.Progress = func(done, total int) {
		if total != 3*batch || done%batch != 0 {
			t.Errorf("%d of %d", done, total)
		}
		if done == batch {
			cancel()
		}
	}
	s, err := Run(ctx, cfg)
	if !errors.Is(err, context.Canceled) || s.Complete || s.Next != batch || s.Methods[0].Checked+s.Methods[0].Refused != s.Next {
		t.Errorf("%v, %+v", err, s)
	}
}

// wrong makes static/cta wrong by a tenth for jobs.
func wrong(forJob func(*platform.Job) bool) Analyze {
	return func(ctx context.Context, j *platform.Job, req analysis.Request) (*estimate.Analysis, error) {
		a, err := analyze(ctx, j, req)
		if err != nil || !forJob(j) {
			return a, err
		}
		for i := range a.Estimates {
			if e := &a.Estimates[i]; e.Evidence != estimate.Observed {
				e.Cycles = e.Cycles * 9 / 10
			}
		}
		return a, nil
	}
}

// TestFindsWrongMethods checks that a bound that is too low is found, and reduced to a small
// kernel of the kind for which it is.
func TestFindsWrongMethods(t *testing.T) {
	counts := func(name string) func(*platform.Job) bool {
		return func(j *platform.Job) bool {
			r, err := analysis.Simulate(context.Background(), j.Platform, j.Workload, analysis.SimulateRequest{MaxCycles: maxCycles})
			return err == nil && r.Counters[name] > 0
		}
	}
	type wrongMethod struct {
		name    string
		wrong   func(*platform.Job) bool
		maximum int // lines of the module
		has     *regexp.Regexp
	}
	for _, test := range effort.Some(t, []wrongMethod{
		{"everywhere", func(*platform.Job) bool { return true }, 15, regexp.MustCompile("entry|kernel")},
		{"where branches diverge", counts("divergent_branches"), 30, regexp.MustCompile("bra|bn?z")},
	}, 1) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var found *Finding
			cfg := config(t, 4)
			cfg.Seed = 4
			cfg.Methods = []string{"static/cta"}
			cfg.Analyze = wrong(test.wrong)
			ctx, cancel := context.WithCancel(context.Background())
			cfg.Found = func(f Finding) (string, error) {
				found = &f
				cancel() // one is enough
				return "saved", nil
			}
			s, err := Run(ctx, cfg)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if found == nil || !s.Violated() || s.Findings[0].Path != "saved" {
				t.Fatalf("nothing found: %+v", s)
			}
			module := found.Files[found.Files.module()]
			if found.Lines > test.maximum || !test.has.MatchString(module) || found.Cycles <= found.Bound || len(found.Files.narrower()) > 1 {
				t.Errorf("%s\n%s", found.Describe(), show(found.Files))
			}
			// The files show it again, and only by the wrong method.
			c := checker{methods: cfg.Methods, analyze: cfg.Analyze}
			out, err := c.check(context.Background(), found.Files, found.Files.narrower())
			if err != nil || out.Violation == nil || out.Violation.Cycles != found.Cycles {
				t.Errorf("again: %v, %+v", err, out)
			}
			if v, err := Replay(context.Background(), found.Files, found.Files.narrower(), cfg.Methods); err != nil || v != nil {
				t.Errorf("by the right method: %v, %+v", err, v)
			}
		})
	}
}

// TestVary checks that machines of all kinds are in order, those that are drawn to be like a drawn one, too, and that
// they do differ.
func TestVary(t *testing.T) {
	for _, m := range builtins(t, machine.Names()...) {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			hashes := map[string]bool{}
			seeds := effort.Draw(t, 1000) // of machines of each kind, and of as many that are like those
			for _, seed := range seeds {
				src := rand.New(rand.NewPCG(seed, 0))
				v := vary(m, src)
				for range 2 {
					again, err := machine.Parse(machineFile, v.Format())
					if err != nil {
						t.Fatalf("%v\n%s", err, v.Format())
					}
					hashes[again.Hash()] = true
					v.Name = m.Name
					v = vary(v, src)
				}
			}
			if effort.Many() && len(hashes) < len(seeds)/4 {
				t.Errorf("only %d of %d machines differ", len(hashes), 2*len(seeds))
			}
			same := vary(m, &recorder{})
			same.Name, same.SM.Registers, same.SM.Barrier = m.Name, m.SM.Registers, m.SM.Barrier
			if same.Hash() != m.Hash() {
				t.Errorf("zeros give another machine\n%s", same.Format())
			}
		})
	}
}

// TestVaryRanged samples numbers beyond the ranges that the machine states for its own.
func TestVaryRanged(t *testing.T) {
	m, err := machine.Parse("m.toml", []byte("name = \"m\"\nbase = \"fermi-c2050\"\nsm.count = { value = 4, unit = \"SMs\", source = \"s\", basis = \"measured\", range = [4, 4] }"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		v := vary(m, rand.New(rand.NewPCG(seed, 0)))
		if _, err := machine.Parse(machineFile, v.Format()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestExtremes checks that among the machines are those on which pools hold one entry, caches one line and warps one
// thread, and that hold their kernels still.
func TestExtremes(t *testing.T) {
	found := map[string]int{}
	machines := builtins(t, "fermi-c2050", "integrated-fermi", "predictable-rr", "gcn3-split", "integrated-fermi")
	for seed := range uint64(100) {
		for i, m := range machines {
			v := vary(m, rand.New(rand.NewPCG(seed, uint64(i))))
			for what, is := range map[string]bool{
				"one credit":           v.Core == machine.Integrated && v.Interconnect.Credits.Value == 1,
				"one MSHR":             v.Core == machine.Scoreboard && v.L1.MSHRs.Value == 1,
				"one MSHR of the L2":   v.Core == machine.Scoreboard && v.L2.MSHRs.Value == 1,
				"a cache of one line":  v.Core == machine.Integrated && v.LLC.Sets.Value*v.LLC.Ways.Value == 1,
				"one bank":             v.Shared.Banks.Value == 1,
				"one SM for one CTA":   v.SM.Count.Value == 1 && v.SM.CTAs.Value == 1,
				"warps of one thread":  v.SM.WarpSize.Value == 1,
				"warps of 64 threads":  m.SM.WarpSize.Value != 64 && v.SM.WarpSize.Value == 64,
				"a quota of one":       v.Core == machine.Integrated && v.Regulator.Quota.Value == 1,
				"a latency of one":     v.Core == machine.Barrel && v.Timing(isa.MemGlobal).Latency == 1,
				"a long time to split": v.Core == machine.Splitting && v.Split.Split.Value == 1000,
			} {
				if is {
					found[what]++
				}
				if found[what] == 0 {
					found[what] = 0
				}
			}
		}
	}
	for what, n := range found {
		if n == 0 {
			t.Errorf("%s: no machine of %d", what, 100*len(machines))
		}
	}
}

// TestSample: a core that many machines have is drawn as often as one that a single machine has.
func TestSample(t *testing.T) {
	machines := builtins(t, "predictable-rr", "fermi-c2050", "gtx480", "h100")
	src := rand.New(rand.NewPCG(1, 1))
	names := make(map[string]int)
	for range 480 {
		names[sample(src, machines).Name]++
	}
	for name, want := range map[string]int{"predictable-rr": 240, "fermi-c2050": 80, "gtx480": 80, "h100": 80} {
		if got := names[name]; got < want-16 || got > want+16 {
			t.Errorf("%s is drawn %d times of 480, want about %d", name, got, want)
		}
	}
}
