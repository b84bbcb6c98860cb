package reproduce

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"warpbound/estimate"
	"warpbound/kernels"
)

// program is a benchmark as one job: a launch of each of its kernels.
type program struct {
	module string // among figures; if it is empty, all kernels of the benchmark's jobs
	job    string // format of n; n * n; n / 16; n / 16 - 1; n / 64
}

// programs are the benchmarks of Table II that have several kernels, by what it calls them.
var programs = map[string]program{
	"gaussian": {"gaussian.ptx", `param = [
	{name = "a", type = "f32", count = %[2]d, init = "uniform(1, 2)"},
	{name = "rhs", type = "f32", count = %[1]d, init = "uniform(1, 2)"},
	{name = "factors", type = "f32", count = %[2]d, init = "zeros"},
]
launch = [
	{kernel = "factor", grid = [%[5]d], block = [64], arguments = ["a", "factors", %[1]d, 0]},
	{kernel = "update", grid = [%[3]d, %[3]d], block = [16, 16], arguments = ["a", "rhs", "factors", %[1]d, 0]},
]
`},
	"lud": {"", `param = [{name = "a", type = "f32", count = %[2]d, init = "uniform(0.5, 1)"}]
launch = [
	{kernel = "ludDiagonal", grid = [1], block = [16], arguments = ["a", %[1]d, 0]},
	{kernel = "ludPerimeter", grid = [%[4]d], block = [32], arguments = ["a", %[1]d, 0]},
	{kernel = "ludInternal", grid = [%[4]d, %[4]d], block = [16, 16], arguments = ["a", %[1]d, 0]},
]
`},
	"srad": {"", `param = [
	{name = "image", type = "f32", count = %[2]d, init = "uniform(1, 2.7)"},
	{name = "north", type = "f32", count = %[2]d, init = "zeros"},
	{name = "south", type = "f32", count = %[2]d, init = "zeros"},
	{name = "west", type = "f32", count = %[2]d, init = "zeros"},
	{name = "east", type = "f32", count = %[2]d, init = "zeros"},
	{name = "coefficient", type = "f32", count = %[2]d, init = "zeros"},
]
grid = [%[3]d, %[3]d]
block = [16, 16]
launch = [
	{kernel = "sradSelect", arguments = ["image", "north", "south", "west", "east", "coefficient", %[1]d, %[1]d, 0.07]},
	{kernel = "sradUpdate", arguments = ["image", "north", "south", "west", "east", "coefficient", %[1]d, %[1]d, 0.5]},
]
`},
}

// programOf returns the job file of the program of a benchmark whose launches find caches warm or cold, with the module and
// what the CPU does beside it.
func (s *sharer) programOf(b kernels.Benchmark, caches string) (job string, err error) {
	p := programs[b.Program]
	dir := path.Join("programs", b.Program)
	var module []byte
	if p.module != "" {
		module, err = figures.ReadFile(path.Join("figures", p.module))
	} else {
		module, err = linked(s.suite, b.Jobs)
	}
	if err != nil {
		return "", err
	}
	stream := s.cpu + ".stream"
	s.suite.files[path.Join(dir, "program.ptx")] = module
	if s.suite.files[path.Join(dir, stream)], err = figures.ReadFile(path.Join("figures", stream)); err != nil {
		return "", err
	}
	job = path.Join(dir, fmt.Sprintf("%s%d.toml", caches, b.Size))
	text := fmt.Appendf(nil, "module = \"program.ptx\"\ncaches = %q\n", caches)
	text = fmt.Appendf(text, p.job, b.Size, b.Size*b.Size, b.Size/16, b.Size/16-1, b.Size/64)
	s.suite.files[job] = fmt.Appendf(text, "\n[cpu]\nprogram = %q\n", stream)
	return job, nil
}

// linked makes a module of the kernels of jobs, without what compilers say of their sources.
func linked(files fs.ReadFileFS, jobs []string) ([]byte, error) {
	var module strings.Builder
	for i, job := range jobs {
		kernel := path.Dir(job)
		text, err := files.ReadFile(path.Join(kernel, kernel+".ptx"))
		if err != nil {
			return nil, err
		}
		entry := false
		for line := range strings.Lines(string(text)) {
			entry = entry || strings.HasPrefix(line, ".visible .entry")
			switch {
			case entry && strings.HasPrefix(strings.TrimSpace(line), ".loc"), !entry && i > 0:
			default:
				module.WriteString(line)
			}
			if line == "}\n" {
				break
			}
		}
	}
	return []byte(module.String()), nil
}

// findPrograms runs and bounds the benchmarks of Table II, each as one program whose launches find caches warm, and cold.
func (s *sharer) findPrograms(ctx context.Context) error {
	type trial struct {
		benchmark, file string
		to              map[string]shared
	}
	var list []trial
	s.warm, s.cold = make(map[string]shared), make(map[string]shared)
	for _, b := range kernels.LLCBenchmarks() {
		if _, in := paperTableII[b.Name]; !in {
			continue
		}
		if _, several := programs[b.Program]; !several {
			s.warm[b.Name] = s.of(b, paperSize, s.quota())
			s.cold[b.Name] = s.warm[b.Name]
			continue
		}
		for caches, to := range map[string]map[string]shared{"warm": s.warm, "cold": s.cold} {
			file, err := s.programOf(b, caches)
			if err != nil {
				return err
			}
			list = append(list, trial{b.Name, file, to})
		}
	}
	results := make([]shared, len(list))
	err := s.each(ctx, len(list), func(i int) (err error) {
		results[i], err = s.tryFile(ctx, list[i].file, sharing{kib: paperSize, quota: s.quota()})
		return err
	})
	for i, t := range list {
		t.to[t.benchmark] = results[i]
	}
	return err
}

// branches sets the first kernel of srad with the branches of its source beside the one with selections. Where data decide branches,
// it is not known in which order SMs issue and access memory, so that bounds are sums.
func (s *sharer) branches(ctx context.Context) error {
	t := estimate.Table{
		Name:    fmt.Sprintf("The first kernel of srad with selections, and with the branches of its source, 512 KiB, quota %d. Of the latter the bound of times is a sum: in which order SMs issue depends on data", s.quota()),
		Columns: []string{"", "misses", "Interval", "above", "cycles", "Interval", "above"},
	}
	for _, size := range []string{"job.toml", "large.toml"} {
		for _, kernel := range []string{"sradSelect", "sradCoefficient"} {
			how := sharing{path.Join(kernel, size), s.cpu, paperSize, s.quota()}
			r, known := s.found[how]
			if !known {
				if err := s.add(how.job, s.cpu); err != nil {
					return err
				}
				var err error
				if r, err = s.try(ctx, how); err != nil {
					return err
				}
				s.found[how] = r
			}
			t.Rows = append(t.Rows, cells(how.job, r.misses, r.interval.misses, tenths(above(r.interval.misses, r.misses)), r.cycles, r.interval.cycles, tenths(above(r.interval.cycles, r.cycles))))
		}
	}
	s.out.Tables = append(s.out.Tables, t)
	return nil
}
