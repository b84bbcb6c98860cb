package analysis

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/sim"
	"warpbound/internal/test/fuzzsource"
	"warpbound/kernels"
)

// seedBytes gives a fuzz target some inputs to begin with.
func seedBytes(f *testing.F) {
	for seed := range byte(8) {
		f.Add([]byte{seed, 0, seed})
	}
}

// FuzzKernels checks the random kernels that bytes give: the same results
// thread by thread, without time and simulated under every policy.
func FuzzKernels(f *testing.F) {
	seedBytes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		src := fuzzsource.New(data)
		c := kernelgen.New(src, kernelgen.Options{
			Statements: 1 + src.IntN(60), Depth: 1 + src.IntN(4), Trips: 1 + src.IntN(8),
			Threads: 1 + src.IntN(100), CTAs: 1 + src.IntN(8), Irreducible: src.IntN(2) == 0,
		})
		j, err := randomJob(c, "")
		if err == nil {
			_, err = checkResults(j)
		}
		if err != nil {
			t.Errorf("%v\n%s\n%s", err, c.Job, c.Module)
		}
	})
}

// FuzzMachines runs a random kernel on the machine that bytes give: whatever its
// numbers are, the results are the same.
func FuzzMachines(f *testing.F) {
	seedBytes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		src := fuzzsource.New(data)
		m := randomMachine(t, src)
		c := kernelgen.New(src, kernelgen.Options{
			Statements: 1 + src.IntN(30), Depth: 2, Trips: 3,
			Threads: int(min(m.SM.CTAThreads.Value, 70)), CTAs: 1 + src.IntN(20), Irreducible: src.IntN(2) == 0,
		})
		files := fstest.MapFS{
			"job.toml":           {Data: []byte(strings.Replace(c.Job, "fermi-c2050", "machine.toml", 1))},
			"machine.toml":       {Data: m.Format()},
			kernelgen.ModuleFile: {Data: []byte(c.Module)},
		}
		j, err := platform.LoadFS(files, "job.toml", "")
		if err == nil {
			_, err = checkResults(j)
		}
		if err != nil && !errors.Is(err, sim.ErrCycleLimit) { // memory may be as slow as it likes
			t.Errorf("%v\n%s\n%s\n%s", err, m.Format(), c.Job, c.Module)
		}
	})
}

// randomMachine draws a machine that is in order and holds any random kernel.
func randomMachine(t *testing.T, src kernelgen.Source) *machine.Machine {
	m, err := machine.Builtin([]string{"fermi-c2050", "gtx480"}[src.IntN(2)])
	if err != nil {
		t.Fatal(err)
	}
	sections := reflect.ValueOf(m).Elem()
	for i := range sections.NumField() {
		section := sections.Field(i)
		if section.Kind() != reflect.Struct || section.IsZero() {
			continue // or it is left out
		}
		for j := range section.NumField() {
			if n, ok := section.Field(j).Addr().Interface().(*machine.Number); ok && n.Unit != "" && src.IntN(3) == 0 { // it is not left out
				n.Value = randomNumber(src, section.Type().Field(j).Tag, n.Value)
			}
		}
	}
	for name, timing := range m.Classes {
		if src.IntN(3) == 0 {
			timing.Latency, timing.Initiation = 1+int64(src.IntN(200)), 1+int64(src.IntN(20))
			m.Classes[name] = timing
		}
	}
	if m.Pipelines["sp"].Value > 0 && src.IntN(2) == 0 {
		n := m.Pipelines["sp"]
		n.Value = int64(1 + src.IntN(16))
		m.Pipelines["sp"] = n
	}
	for name, timing := range m.StandIns { // those of memory are no quicker than other accesses
		timing.Latency = max(timing.Latency, m.Classes["mem-global"].Latency)
		m.StandIns[name] = timing
	}
	m.L1.Index.Value = machine.Linear
	m.Clock.Core.Value = 575_000_000
	m.Clock.DRAM.Value = m.Clock.Core.Value * int64(1+src.IntN(40)) / 10
	// What several numbers must obey together.
	sm, l2, dram := &m.SM, &m.L2, &m.DRAM
	m.L1.Line.Value = l2.Line.Value
	l2.Interleave.Value = max(l2.Interleave.Value, l2.Line.Value)
	dram.Row.Value = max(dram.Row.Value, l2.Line.Value)
	dram.Burst.Value = min(dram.Burst.Value, l2.Line.Value)
	dram.RC.Value = max(dram.RC.Value, dram.RAS.Value)
	sm.Count.Value = min(sm.Count.Value, 64)
	sm.Warps.Value = min(sm.Warps.Value, 1<<14/sm.Count.Value)
	m.L1.Ways.Value, l2.Ways.Value = min(m.L1.Ways.Value, 16), min(l2.Ways.Value, 16)
	m.ICache.Sets.Value, m.ICache.Ways.Value = min(m.ICache.Sets.Value, 64), min(m.ICache.Ways.Value, 4)
	m.CCache.Sets.Value, m.CCache.Ways.Value = min(m.CCache.Sets.Value, 64), min(m.CCache.Ways.Value, 4)
	sm.Schedulers.Value = min(sm.Schedulers.Value, sm.Warps.Value)
	sm.Threads.Value = min(sm.Threads.Value, sm.Warps.Value*sm.WarpSize.Value)
	sm.CTAThreads.Value = min(sm.CTAThreads.Value, sm.Threads.Value, 64*sm.WarpSize.Value)
	// What a launch needs at least.
	sm.WarpUnit.Value = min(sm.WarpUnit.Value, sm.Warps.Value)
	sm.Registers.Value, sm.RegisterUnit.Value = 1<<20, min(sm.RegisterUnit.Value, 1<<13)
	sm.Shared.Value, sm.SharedUnit.Value = 1<<20, min(sm.SharedUnit.Value, 1<<13)
	return m
}

// randomNumber draws a number near another one or anywhere up to 300, such as its
// tag allows, and now and then the least or the largest.
func randomNumber(src kernelgen.Source, tag reflect.StructTag, near int64) int64 {
	low, _ := strconv.ParseInt(tag.Get("min"), 10, 64)
	high, _ := strconv.ParseInt(tag.Get("max"), 10, 64)
	v := near
	switch src.IntN(8) {
	case 0, 1:
		v = low
	case 2:
		v = near / 2
	case 3:
		v = 2*near + 1
	default:
		v = low + int64(src.IntN(300))
	}
	v = min(max(v, low), high)
	if tag.Get("shape") == "" {
		return v
	}
	power := int64(1)
	for power < low || 2*power <= v {
		power *= 2
	}
	return power
}

// FuzzModules changes the modules of the suite by what bytes say, inspects them
// and simulates their jobs for some cycles. What comes out is a result or an error
// that names a place.
func FuzzModules(f *testing.F) {
	for i := range kernels.Names() {
		f.Add(byte(i), []byte(nil))
		f.Add(byte(i), []byte{3, byte(i), 7, 1})
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		names := kernels.Names()
		name := names[int(which)%len(names)]
		dir, err := fs.Sub(kernels.Suite(), name)
		if err != nil {
			t.Fatal(err)
		}
		src, err := fs.ReadFile(dir, name+".ptx")
		if err != nil {
			t.Fatal(err)
		}
		module := changed(fuzzsource.New(data), string(src), len(data)/4)
		if err := runChanged(changedModule{dir, name + ".ptx", module}); err != nil && !named.MatchString(err.Error()) {
			t.Errorf("an error without place: %v\n%s", err, module)
		}
	})
}

// named is how an error names one.
var named = regexp.MustCompile(`\.(ptx|toml):\d+:\d+`)

func runChanged(m changedModule) error {
	if _, err := Inspect(context.Background(), m.name, []byte(m.text), InspectRequest{}); err != nil {
		return err
	}
	j, err := platform.LoadFS(m, "job.toml", "")
	if err != nil {
		return err
	}
	_, err = Simulate(context.Background(), j.Platform, j.Workload, SimulateRequest{MaxCycles: 3000})
	return err
}

// changedModule is a directory of which one file has another text.
type changedModule struct {
	fs.FS
	name, text string
}

func (m changedModule) ReadFile(name string) ([]byte, error) {
	if path.Base(name) == m.name {
		return []byte(m.text), nil
	}
	return fs.ReadFile(m.FS, name)
}

// token is a word, a number or a sign of PTX.
var token = regexp.MustCompile(`[\w.%$:]+|\s+|.`)

// changed returns a text with so many tokens replaced, removed, repeated or
// exchanged, or single bytes changed.
func changed(src kernelgen.Source, text string, changes int) string {
	for range min(changes, 40) {
		if len(text) > 1<<17 { // repeated too often
			break
		}
		words := token.FindAllString(text, -1)
		at, other := src.IntN(len(words)), src.IntN(len(words))
		switch src.IntN(8) {
		case 0:
			words[at] = ""
		case 1:
			words[at] += " " + words[at]
		case 2:
			words[at], words[other] = words[other], words[at]
		case 3:
			numbers := []string{"0", "1", "-1", "16", "4294967295", "99999999999999999999", "0f7FC00000", "[", "{", "}", ";", "_"}
			words[at] = numbers[src.IntN(len(numbers))]
		case 4:
			if b := []byte(words[at]); len(b) > 0 {
				b[src.IntN(len(b))] = byte(src.IntN(256))
				words[at] = string(b)
			}
		case 5:
			lines := strings.SplitAfter(text, "\n")
			from, to := src.IntN(len(lines)), src.IntN(len(lines))
			lines[to] += lines[from]
			words = lines
		default:
			words[at] = words[other]
		}
		text = strings.Join(words, "")
	}
	return text
}
