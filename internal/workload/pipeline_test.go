package workload_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/runner/simulated"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// source reads a job of the suite.
func source(t *testing.T, name string) *workload.Source {
	t.Helper()
	src, err := workload.ReadFS(kernels.Suite(), name)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func builtin(t *testing.T, name string) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestDumpsShowStages finds in each stage's dump what it is for, and the times of the stages up to there.
func TestDumpsShowStages(t *testing.T) {
	src := source(t, "reduction/job.toml")
	want := map[string]string{
		"parse":      ".visible .entry reduction",
		"adapt":      ".visible .entry reduction",
		"lower":      "ld.param.u32 %r8, [reduction_param_3]",
		"link":       "reduction/reduction.ptx:26:2",
		"bind":       "reduction_param_3 = n, 4 bytes",
		"graph":      "$L__BB0_2  instructions 14 to 20, successors [$L__BB0_2 $L__BB0_3]",
		"liveness":   "reduction.cl:11:12: $L__BB0_2  {%r15 ",
		"promotion":  "kernel reduction",
		"divergence": "branch of $L__BB0_2  uniform -> divergent",
		"values":     "reduction.cl:11:12: %r15 at $L__BB0_2  [0, 49151] = %r15 -> [0, 60006] = %r15",
		"registers":  "14 registers of a thread",
		"decode":     "54 instructions, 0 bytes of shared memory of a CTA",
		"decisive":   "mul.wide.u32 %rd12, %r7, 0x4  {} -> {%r7}",
		"split":      "kernel reduction",
	}
	aside := []string{"liveness", "promotion", "divergence", "values", "decisive"} // run if asked for alone
	target := simulated.New(builtin(t, src.Spec.Machine))
	var needed []string
	for _, stage := range workload.Stages() {
		passed := append(slices.Clone(needed), stage.Name)
		if !slices.Contains(aside, stage.Name) {
			needed = passed
		}
		var out bytes.Buffer
		var timed []string
		err := workload.Dump(&out, src.Spec.Resolve(src.Spec.Module), src.Module, workload.DumpOptions{
			Stage: stage.Name, Job: src.Spec, Target: target,
			Took: func(name string, _ time.Duration) { timed = append(timed, name) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if want[stage.Name] == "" || !strings.Contains(out.String(), want[stage.Name]) {
			t.Errorf("stage %s does not show %q:\n%s", stage.Name, want[stage.Name], &out)
		}
		if !slices.Equal(timed, passed) {
			t.Errorf("the stages timed up to %s are %v", stage.Name, timed)
		}
	}
}

// TestDumpsOfModules shows stages of every module of the suite without a job, and the stage that inserts splits with
// one.
func TestDumpsOfModules(t *testing.T) {
	for _, name := range kernels.Names() {
		src := source(t, name+"/job.toml")
		for _, stage := range []string{
			"parse", "lower", "link", "graph", "liveness", "promotion", "divergence", "values", "registers",
			"decode", "decisive",
		} {
			var out bytes.Buffer
			if err := workload.Dump(&out, src.Spec.Resolve(src.Spec.Module), src.Module, workload.DumpOptions{Stage: stage}); err != nil {
				t.Errorf("%s, stage %s: %v", name, stage, err)
			}
			if out.Len() == 0 {
				t.Errorf("%s, stage %s: nothing to show", name, stage)
			}
		}
	}
}

// TestDumpShowsSplits finds the instructions that split wavefronts where the stage inserted them.
func TestDumpShowsSplits(t *testing.T) {
	src := source(t, "ludPerimeter/job.toml")
	src.Spec.Split.All = true
	var out bytes.Buffer
	err := workload.Dump(&out, "k.ptx", src.Module, workload.DumpOptions{
		Stage: "split", Job: src.Spec, Target: simulated.New(builtin(t, "gcn3-split")),
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "merge"); n == 0 {
		t.Errorf("no merge in\n%s", &out)
	}
}

// TestDumpErrors asks for stages that there are not.
func TestDumpErrors(t *testing.T) {
	src := source(t, "reduction/job.toml")
	for name, c := range map[string]struct {
		opts workload.DumpOptions
		want string
	}{
		"unknown":      {workload.DumpOptions{Stage: "assemble"}, `there is no stage "assemble"`},
		"needs a job":  {workload.DumpOptions{Stage: "bind"}, "stage bind needs a job"},
		"other kernel": {workload.DumpOptions{Stage: "link", Kernel: "other"}, `has no kernel "other"`},
	} {
		err := workload.Dump(&bytes.Buffer{}, "reduction.ptx", src.Module, c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := workload.Dump(&bytes.Buffer{}, "bad.ptx", []byte(".version x"), workload.DumpOptions{Stage: "parse"})
	if err == nil || !strings.HasPrefix(fmt.Sprint(err), "bad.ptx:1:") {
		t.Errorf("a module that does not parse: %v", err)
	}
}

// broken is a target that lowers every module to a kernel with a register that it does not declare.
type broken struct{ *simulated.Platform }

func (broken) Adapt(*job.Job, workload.Parsed) (workload.Parsed, error) { return broken{}, nil }

func (broken) Print(io.Writer) error { return nil }

func (broken) Lower() (*isa.Program, error) {
	return &isa.Program{File: "k.ptx", AddressBits: 64, Funcs: []*isa.Func{{
		Name: "reduction", Entry: true,
		Instrs: []isa.Instr{{Op: isa.Mov, Type: isa.U32, Dst: []isa.Operand{isa.RegOperand(7)}, Src: []isa.Operand{isa.ImmOperand(1)}}, {Op: isa.Exit}},
	}}}, nil
}

// TestStagesVerify finds an invariant that a stage breaks behind that stage, and not where it does harm.
func TestStagesVerify(t *testing.T) {
	src := source(t, "reduction/job.toml")
	_, err := workload.Prepare(src, broken{simulated.New(builtin(t, src.Spec.Machine))}, "")
	if invariant, ok := errors.AsType[*isa.InvariantError](err); !ok || !strings.Contains(err.Error(), "behind stage lower") {
		t.Errorf("%v (%v)", err, invariant)
	}
}
