package warpbound_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"warpbound"
)

// searchJob returns the files of a breadth-first search of two kernels.
func searchJob(t *testing.T) fstest.MapFS {
	t.Helper()
	archive, err := txtar.ParseFile("internal/cli/testdata/script/repeat.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, f := range archive.Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return files
}

func simulateFS(t *testing.T, files fs.FS, name, machine string) (*warpbound.Job, *warpbound.Run) {
	t.Helper()
	j, err := warpbound.LoadFS(files, name, warpbound.LoadOptions{Machine: machine})
	if err != nil {
		t.Fatal(err)
	}
	run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return j, run
}

var contents = regexp.MustCompile(`(?m)^(values|init|hex) = .*$`)

// TestRounds makes the launches of a run one by one, with jobs that hand on what is in the
// buffers, and adds them up.
func TestRounds(t *testing.T) {
	for _, machine := range []string{"fermi-c2050", "predictable-rr", "integrated-fermi", "gcn3-split"} {
		files := searchJob(t)
		j, whole := simulateFS(t, files, "job.toml", machine)
		cycles, counters := int64(0), map[string]int64{}
		kernels := map[string]int64{}
		buffers := j.Inputs(0)
		for round := range whole.Rounds {
			clear(buffers["over"])
			for _, kernel := range []string{"visit", "update"} {
				text := strings.Replace(string(files["one.toml"].Data), `"visit"`, fmt.Sprintf("%q", kernel), 1)
				names := j.Buffers()
				text = contents.ReplaceAllStringFunc(text, func(string) string {
					name := names[0]
					names = names[1:]
					return fmt.Sprintf("hex = %q", hex.EncodeToString(buffers[name]))
				})
				files["step.toml"] = &fstest.MapFile{Data: []byte(text)}
				_, run := simulateFS(t, files, "step.toml", machine)
				cycles += run.Cycles
				kernels[kernel] += run.Cycles
				for name, n := range run.Counters {
					counters[name] += n
				}
				for name := range buffers {
					if j.HasBuffer(name) {
						buffers[name] = run.Buffer(name)
					}
				}
			}
			if done := buffers["over"][0] == 0; done != (round == whole.Rounds-1) {
				t.Errorf("%s: after round %d of %d there is another: %t", machine, round+1, whole.Rounds, !done)
			}
		}
		if cycles != whole.Cycles {
			t.Errorf("%s: %d cycles, the launches one by one take %d", machine, whole.Cycles, cycles)
		}
		for _, k := range whole.Kernels {
			if kernels[k.Kernel] != k.Cycles {
				t.Errorf("%s: %d cycles of %s, one by one %d", machine, k.Cycles, k.Kernel, kernels[k.Kernel])
			}
		}
		for name, n := range counters {
			if whole.Counters[name] != n {
				t.Errorf("%s: %s is %d, one by one %d", machine, name, whole.Counters[name], n)
			}
		}
		for _, name := range j.Buffers() {
			if !bytes.Equal(buffers[name], whole.Buffer(name)) {
				t.Errorf("%s: %s is %x, one by one %x", machine, name, whole.Buffer(name), buffers[name])
			}
		}
		if got, want := hex.EncodeToString(whole.Buffer("cost")), "00000000"+"01000000"+"02000000"+"03000000"+"01000000"+"02000000"+"ffffffffffffffff"; got != want {
			t.Errorf("%s: costs %s, want %s", machine, got, want)
		}
	}
}

// keeper counts its launches in a variable, and has the third one stop. What the first one puts on
// the heap, the others read, and the second kernel reads the variable.
const keeper = `.version 6.0
.target sm_60
.address_size 64
.global .u32 launches = 2;
.global .u64 object;
.extern .func (.param .b64 r) malloc (.param .b64 n);
.visible .entry count(.param .u64 over, .param .u64 out)
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<5>;
	ld.global.u32 %r1, [launches];
	add.u32 %r1, %r1, 1;
	st.global.u32 [launches], %r1;
	setp.ne.u32 %p1, %r1, 3;
	@%p1 bra $LATER;
	{
		.param .b64 n;
		.param .b64 r;
		st.param.b64 [n], 16;
		call (r), malloc, (n);
		ld.param.b64 %rd1, [r];
	}
	st.global.u64 [object], %rd1;
	st.u32 [%rd1], 70;
$LATER:
	ld.global.u64 %rd1, [object];
	ld.u32 %r2, [%rd1];
	add.u32 %r2, %r2, %r1;
	st.u32 [%rd1], %r2;
	ld.param.u64 %rd2, [over];
	setp.lt.u32 %p2, %r1, 5;
	selp.u32 %r3, 1, 0, %p2;
	st.global.u32 [%rd2], %r3;
	ret;
}
.visible .entry read(.param .u64 over, .param .u64 out)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<5>;
	ld.global.u32 %r1, [launches];
	ld.global.u64 %rd1, [object];
	ld.u32 %r2, [%rd1];
	ld.u32 %r3, [%rd1+8]; // nothing has written there
	ld.param.u64 %rd2, [out];
	st.global.u32 [%rd2], %r1;
	st.global.u32 [%rd2+4], %r2;
	ret;
}
`

const keeperJob = `module = "keeper.ptx"
target = "sm_60"
kernel = "count"
grid = [1]
block = [1]
param = [{name = "over", type = "u32", count = 1}, {name = "out", type = "u32", count = 2}]
[repeat]
then = ["read"]
while = "over"
`

// TestRoundsKeepVariables checks that variables and the heap last for a run, and no longer.
func TestRoundsKeepVariables(t *testing.T) {
	files := fstest.MapFS{
		"keeper.ptx": {Data: []byte(keeper)}, "job.toml": {Data: []byte(keeperJob)},
	}
	j, first := simulateFS(t, files, "job.toml", "")
	second, err := j.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []*warpbound.Run{first, second} {
		// 3, 4 and 5 launches with what the variable begins with; 70 + 3 + 4 + 5 on the heap.
		if got, want := hex.EncodeToString(run.Buffer("out")), "0500000052000000"; got != want || run.Rounds != 3 {
			t.Errorf("%d rounds, out is %s, want %s", run.Rounds, got, want)
		}
		if w := run.Warnings; len(w) != 1 || !strings.Contains(w[0].Text, "the first of 3 such reads") {
			t.Errorf("warnings %+v, want one of three reads of what nothing has written", w)
		}
	}
}
