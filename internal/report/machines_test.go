package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"warpbound/estimate"
)

// suitings are machines of which some run a module for sm_87.
func suitings(running, others int) []estimate.Suiting {
	all := []estimate.Suiting{
		{
			Machine: "orin", Architecture: "sm_87", Match: "runs", Runs: true, Reasons: []string{"what the module targets"},
			Methods: []estimate.OfferedMethod{{Method: "hybrid/waves", Evidence: estimate.Observed}},
		},
		{
			Machine: "old", Architecture: "sm_20", Match: "differs", Runs: true,
			Reasons: []string{"a GPU of sm_20 does not run code for sm_87: times are its own", "lacks lop3 (sm_50), which stand-ins time"},
			Methods: []estimate.OfferedMethod{{Method: "hybrid/waves", Evidence: estimate.Observed}},
		},
		{
			Machine: "mine", Match: "unsaid", Runs: true,
			Reasons: []string{"its file does not say what architecture it describes"},
		},
		{
			Machine: "predictable", Architecture: "none", Match: "unlike", Runs: true,
			Reasons: []string{"like no GPU: made to be bounded, without caches"},
			Methods: []estimate.OfferedMethod{
				{Method: "hybrid/waves", Evidence: estimate.Observed}, {Method: "static/cta", Evidence: estimate.Proven},
			},
		},
	}
	for i := len(all); i < running; i++ {
		all = append(all, estimate.Suiting{
			Machine: fmt.Sprintf("gpu-%d", i), Architecture: "sm_90", Match: "runs", Runs: true,
			Reasons: []string{"sm_90 runs code for sm_87"},
			Methods: []estimate.OfferedMethod{{Method: "static/greedy", Evidence: estimate.Proven}},
		})
	}
	all = all[:running]
	for i := range others {
		all = append(all, estimate.Suiting{
			Machine: fmt.Sprintf("small-%d", i), Architecture: "none", Match: "unlike",
			Reasons: []string{
				"kernel first: a CTA of [64 1 1] threads has more than the 16 that small allows, which is far too much",
				"kernel second: 50048 bytes of shared memory, but an SM has 49152",
			},
		})
	}
	return all
}

// TestMachines lays out answers for a wide and for a narrow terminal.
func TestMachines(t *testing.T) {
	for _, c := range []struct {
		name            string
		running, others int
		columns         int
		kernels         []string
		want            string
	}{
		{"few", 4, 2, 80, []string{"k"}, `k.ptx targets sm_87. Machines for kernel k, best first:
  machine      describes  bounds    why
  orin         sm_87      observed  what the module targets
  old          sm_20      observed  as if sm_20 ran code for sm_87; lacks ...
  mine         unsaid     none      its file does not say what architecture ...
  predictable  no GPU     proven    like no GPU: made to be bounded, without ...
  proven at best: loops need bounds, from the launch or in the job
`},
		{"as many as there is room for", 9, 2, 80, []string{"_Z5scaleIfEvPfi"}, `k.ptx targets sm_87. Machines for kernel scale<float>, best first:
  machine      describes  bounds    why
  orin         sm_87      observed  what the module targets
  old          sm_20      observed  as if sm_20 ran code for sm_87; lacks ...
  mine         unsaid     none      its file does not say what architecture ...
  predictable  no GPU     proven    like no GPU: made to be bounded, without ...
  gpu-4        sm_90      proven    sm_90 runs code for sm_87
  gpu-5        sm_90      proven    sm_90 runs code for sm_87
  gpu-6        sm_90      proven    sm_90 runs code for sm_87
  gpu-7        sm_90      proven    sm_90 runs code for sm_87
  gpu-8        sm_90      proven    sm_90 runs code for sm_87
  proven at best: loops need bounds, from the launch or in the job
`},
		{"one more", 10, 2, 80, []string{"first", "second"}, `k.ptx targets sm_87. Machines for its kernels, best first:
  machine      describes  bounds    why
  orin         sm_87      observed  what the module targets
  old          sm_20      observed  as if sm_20 ran code for sm_87; lacks ...
  mine         unsaid     none      its file does not say what architecture ...
  predictable  no GPU     proven    like no GPU: made to be bounded, without ...
  gpu-4        sm_90      proven    sm_90 runs code for sm_87
  gpu-5        sm_90      proven    sm_90 runs code for sm_87
  gpu-6        sm_90      proven    sm_90 runs code for sm_87
  gpu-7        sm_90      proven    sm_90 runs code for sm_87
  and 2 more that run it: gpu-8, gpu-9
  proven at best: loops need bounds, from the launch or in the job
`},
		{"narrow", 30, 0, 40, []string{"a_name_that_is_much_too_long_for_a_line_of_text"}, `k.ptx targets sm_87. Machines for kernel
a_name_that_is_much_too_long_for_a_li...,
best first:
  machine      describes  bounds    why
  orin         sm_87      observed ...
  old          sm_20      observed ...
  mine         unsaid     none ...
  predictable  no GPU     proven ...
  gpu-4        sm_90      proven ...
  and 25 more that run it: gpu-5, ...
  proven at best: loops need bounds,
  from the launch or in the job
`},
		{"none", 0, 2, 80, []string{"first", "second"}, `k.ptx targets sm_87. No machine runs its kernels. The best, small-0:
  kernel first: a CTA of [64 1 1] threads has more than the 16 that small
  allows, which is far too much
  kernel second: 50048 bytes of shared memory, but an SM has 49152
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := machinesText(t, c.columns, &estimate.Machines{
				File: "k.ptx", Target: "sm_87", Kernels: c.kernels, Machines: suitings(c.running, c.others),
			})
			if got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestNamesInMachines writes names of as many characters as there is room for, and of one more.
func TestNamesInMachines(t *testing.T) {
	name := strings.Repeat("ü", 40)
	for kernel, want := range map[string]string{name: name, name + "ü": strings.Repeat("ü", 37) + "..."} {
		got := machinesText(t, 80, &estimate.Machines{File: "k.ptx", Target: "sm_87", Kernels: []string{kernel}, Machines: suitings(1, 0)})
		if !strings.Contains(got, "\n"+want+",\n") {
			t.Errorf("kernel %s:\n%s", kernel, got)
		}
	}
}

// TestMachinesWithoutRoom lists machines where no line has room: there is one, and the number of the others.
func TestMachinesWithoutRoom(t *testing.T) {
	for _, columns := range []int{1, 12} {
		var b strings.Builder
		err := Machines(&b, &estimate.Machines{File: "k.ptx", Target: "sm_87", Kernels: []string{"k"}, Machines: suitings(9, 1)}, columns)
		if err != nil || columns == 12 && !strings.Contains(b.String(), "\n  orin ...\n  and 8 ...\n") {
			t.Errorf("%d columns: %v\n%s", columns, err, &b)
		}
	}
}

// TestMachinesAreFewLines lists any number of machines and of reasons, for kernels with short and long names.
func TestMachinesAreFewLines(t *testing.T) {
	long := "über" + strings.Repeat("_long", 60)
	for n := range 40 {
		for _, kernels := range [][]string{{"k"}, {long}, {"first", "second"}} {
			machinesText(t, 80, &estimate.Machines{
				File: "kernel.ptx", Target: "sm_100f", Kernels: kernels, Machines: suitings(n, 1),
			})
		}
		reasons := strings.Split(strings.Repeat("a reason for which it does not run|", n+1), "|")
		m := &estimate.Machines{File: "k.ptx", Target: "sm_87", Kernels: []string{"k"}}
		m.Machines = []estimate.Suiting{{Machine: "small", Reasons: reasons}}
		if text := machinesText(t, 80, m); strings.HasSuffix(text, "  ...\n") != (len(reasons) > 11) {
			t.Errorf("%d reasons:\n%s", len(reasons), text)
		}
	}
}

// machinesText returns what is written of machines. It tests that it has 12 lines at most, none of them too
// long, and that they list or count each machine that runs the module.
func machinesText(t *testing.T, columns int, m *estimate.Machines) string {
	t.Helper()
	var b strings.Builder
	if err := Machines(&b, m, columns); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, "\n"); n > 12 {
		t.Errorf("%d lines:\n%s", n, text)
	}
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(line) > columns+2 { // the end of the line, and a mark behind a word as long
			t.Errorf("%d columns: %q", columns, line)
		}
	}
	rows, more, run := 0, 0, 0
	_, after, _ := strings.Cut(text, "  and ")
	_, _ = fmt.Sscanf(after, "%d more", &more)
	for _, s := range m.Machines {
		if strings.Contains(text, "\n  "+s.Machine+" ") {
			rows++
		}
		if s.Runs {
			run++
		}
	}
	if rows+more != run {
		t.Errorf("%d machines in lines and %d more, of %d:\n%s", rows, more, run, text)
	}
	return text
}
