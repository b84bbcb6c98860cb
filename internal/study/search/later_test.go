package search

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"warpbound/estimate"
	"warpbound/internal/method/search/guided"
	"warpbound/internal/platform"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
)

// keyed is two kernels. The second takes long where a key, which it alone reads, is a number that is hardly ever sampled, if the first
// one has left its mark.
const keyed = `.version 6.3
.target sm_70
.address_size 64
.visible .entry mark(.param .u64 v, .param .u64 key, .param .u64 marks)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [v];
	ld.param.u64 %rd2, [marks];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd4, %rd1, %rd3;
	add.u64 %rd5, %rd2, %rd3;
	ld.global.u32 %r2, [%rd4];
	or.b32 %r3, %r2, 1;
	st.global.u32 [%rd5], %r3;
	ret;
}
.visible .entry match(.param .u64 v, .param .u64 key, .param .u64 marks)
{
	.reg .pred %p<4>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [key];
	ld.param.u64 %rd2, [marks];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd4, %rd1, %rd3;
	add.u64 %rd5, %rd2, %rd3;
	ld.global.u32 %r2, [%rd5];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra $END;
	ld.global.u32 %r3, [%rd4];
	setp.ne.u32 %p2, %r3, 0x5eed1234;
	@%p2 bra $END;
	mov.u32 %r4, 0;
$LOOP:
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p3, %r4, 1000;
	@%p3 bra $LOOP;
$END:
	ret;
}
`

const keyedJob = `module = "match.ptx"
grid = [1]
block = [8]
param = [
	{name = "v", type = "u32", count = 8, init = "uniform(0, 1000000)"},
	{name = "key", type = "u32", count = 8, init = "uniform(0, 4294967295)"},
	{name = "marks", type = "u32", count = 8},
]
`

// TestLater: what makes a later launch take long is found, whether it follows as [repeat] or as [[launch]] says, and in the second
// execution of a launch; without atoms of later launches it is not. A search that is resumed, or that knows the paths of one with another
// seed, finds the same.
func TestLater(t *testing.T) {
	needSolvers(t)
	const long = 20_000 // cycles, which only the loop takes
	for name, launches := range map[string]string{
		"repeat": "kernel = \"mark\"\n" + keyedJob + "[repeat]\nthen = [\"match\"]\n",
		"launch": keyedJob + "[[launch]]\nkernel = \"mark\"\n[[launch]]\nkernel = \"match\"\n",
		"again":  keyedJob + "[[launch]]\nrepeat = 2\n[[launch.launch]]\nkernel = \"match\"\n[[launch.launch]]\nkernel = \"mark\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := jobtest.Text(t, launches, keyed)
			opts := searchOptions(60, "guided")
			want, saved := saving(t, j, opts)
			if got := want.Search.Strategies[0].Cycles; got < long {
				t.Errorf("the longest time is %d cycles", got)
			}
			if key := want.Best.Inputs.Buffers[1]; !slices.Contains(words(key), 0x5eed1234) {
				t.Errorf("keys %x", words(key))
			}
			if notes := want.Search.Explored.Notes; !slices.ContainsFunc(notes, func(n string) bool {
				return strings.HasPrefix(n, "match in execution ") && strings.HasSuffix(n, "has 6 paths; inputs of 2 are kept")
			}) {
				t.Errorf("notes %q", notes)
			}
			for _, s := range saved {
				opts.Resume = s
				if diff := cmp.Diff(want.Search, mustSearch(t, j, opts).Search); diff != "" {
					t.Errorf("resumed after %d runs: %s", s.Guided.Runs, diff)
				}
			}
			opts.Resume, opts.Without = nil, guided.Ingredients{Later: true}
			if got := mustSearch(t, j, opts).Search.Strategies[0].Cycles; got >= long {
				t.Errorf("without atoms of later launches %d cycles are found", got)
			}
			opts.Without = guided.Ingredients{}
			j.Workload.Spec.Seed = 2
			other := mustSearch(t, j, opts)
			opts.Before = saved[len(saved)-1]
			paths := 0
			opts.Progress = func(p Progress) { paths = p.Paths }
			if diff := cmp.Diff(other.Search, mustSearch(t, j, opts).Search); diff != "" || paths > 0 {
				t.Errorf("%d paths found anew, %s", paths, diff)
			}
		})
	}
}

// saving searches, and returns the states that were saved, as they are read again.
func saving(t *testing.T, j *platform.Job, opts Options) (*Found, []*State) {
	var saved []*State
	opts.Save = func(s *State, _ *workload.SavedInputs) error {
		var text bytes.Buffer
		if err := s.Write(&text); err != nil {
			return err
		}
		read, err := ReadState(&text)
		saved = append(saved, read)
		return err
	}
	return mustSearch(t, j, opts), saved
}

// TestLaterIsOfGuided: gdivan explores the first launch alone, and finds the same beside guided. Guided does not take its paths.
func TestLaterIsOfGuided(t *testing.T) {
	needSolvers(t)
	j := jobtest.Text(t, "kernel = \"mark\"\n"+keyedJob+"[repeat]\nthen = [\"match\"]\n", keyed)
	alone, saved := saving(t, j, searchOptions(30, "gdivan"))
	if notes := alone.Search.Explored.Notes; !strings.HasSuffix(notes[0], "; what else [repeat] launches is run and not explored") {
		t.Errorf("notes %q", notes)
	}
	both := mustSearch(t, j, searchOptions(30, "gdivan", "guided"))
	if diff := cmp.Diff(alone.Search.Strategies[0], both.Search.Strategies[0]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(alone.Search.Explored, both.Search.Explored, cmpopts.IgnoreFields(estimate.Exploration{}, "Notes")); diff != "" {
		t.Error(diff)
	}
	opts := searchOptions(30, "guided")
	opts.Resume = saved[len(saved)-1]
	if _, err := runOn(t.Context(), j, opts); err == nil || !strings.Contains(err.Error(), "guided needs a search of its own") {
		t.Error(err)
	}
	paths := 0
	opts.Resume, opts.Before = nil, opts.Resume
	opts.Progress = func(p Progress) { paths = p.Paths }
	if f := mustSearch(t, j, opts); paths <= len(f.Search.Explored.Paths) {
		t.Errorf("%d paths are found", paths)
	}
}

// TestLaterEnds: no more launches are explored behind one that fails, nor after the time for all of them.
func TestLaterEnds(t *testing.T) {
	needSolvers(t)
	opts := searchOptions(30, "guided")
	for parity := range 2 { // of a number of the run that leads to later launches: all are to be even, or odd
		const mark = "or.b32 %r3, %r2, 1;"
		module := strings.Replace(keyed, mark, fmt.Sprintf(`
	ld.global.u32 %%r2, [%%rd1];
	xor.b32 %%r2, %%r2, %d;
	and.b32 %%r2, %%r2, 1;
	mul.wide.u32 %%rd3, %%r2, 0x1000000;
	add.u64 %%rd5, %%rd5, %%rd3;
	mov.u32 %%r3, 1;`, parity), 1)
		j := jobtest.Text(t, "kernel = \"mark\"\n"+keyedJob+"[repeat]\nthen = [\"match\"]\n", module)
		s, err := newSearching(j.Platform, j.Workload, opts)
		if err != nil {
			t.Fatal(err)
		}
		fails := int(s.space.Sample(laterSeed)[0][0]&1) != parity
		if err := s.fitness.close(); err != nil {
			t.Error(err)
		}
		f := mustSearch(t, j, opts)
		if d := f.Search; d.Strategies[0].Faults == 0 || d.Explored.Stopped || strings.HasPrefix(d.Explored.Notes[1], "what a run launches behind an error is not explored: kernel mark: ") != fails {
			t.Errorf("parity %d: %d runs failed, notes %q", parity, d.Strategies[0].Faults, d.Explored.Notes)
		}
	}
	j := jobtest.Text(t, "kernel = \"mark\"\n"+keyedJob+"[repeat]\nthen = [\"match\"]\n", keyed)
	opts.ExploreLimit = time.Nanosecond
	f, saved := saving(t, j, opts)
	if s := saved[len(saved)-1]; !f.Search.Explored.Stopped || s.Later == nil || len(s.Later) > 0 {
		t.Errorf("stopped %t, later plans %v", f.Search.Explored.Stopped, s.Later)
	}
}

// words returns little-endian words.
func words(data []byte) []uint32 {
	var all []uint32
	for ; len(data) > 0; data = data[4:] {
		all = append(all, binary.LittleEndian.Uint32(data))
	}
	return all
}
