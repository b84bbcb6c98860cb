package divergence_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
	"warpbound/internal/test/flowtest"
)

// analyze finds the verdicts of the only kernel of a PTX module.
func analyze(t testing.TB, file, text string, l divergence.Launch) *divergence.Result {
	t.Helper()
	return analyzeGraph(t, flowtest.Graph(t, file, text), l)
}

func analyzeGraph(t testing.TB, g *cfg.Graph, l divergence.Launch) *divergence.Result {
	t.Helper()
	f, err := gated.New(t.Context(), g, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := divergence.Analyze(t.Context(), f, l)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var wants = regexp.MustCompile(`// want (\S+)`)

// expected returns the verdicts that comments in a module want, by line.
func expected(text string) map[int]string {
	want := make(map[int]string)
	for i, line := range strings.Split(text, "\n") {
		if m := wants.FindStringSubmatch(line); m != nil {
			want[i+1] = m[1]
		}
	}
	return want
}

// found returns the verdicts of branches and of results on the lines of want.
func found(r *divergence.Result, want map[int]string) map[int]string {
	got := make(map[int]string)
	g := r.Form.Graph
	for i := range g.Kernel.Instrs {
		in := &g.Kernel.Instrs[i]
		line := int(in.Pos.Line)
		b := g.BlockOf(i)
		if want[line] == "" || !g.Reachable(b) {
			continue
		}
		if writes := r.Form.Writes(i); len(writes) > 0 {
			got[line] = r.Value(writes[0]).String()
		} else if len(g.Succ(b)) > 1 {
			got[line] = r.Branch(b).String()
		}
	}
	return got
}

// modules returns the modules of testdata, each with a job beside it.
func modules(t *testing.T) []string {
	files, err := filepath.Glob("testdata/*.[ps][ti][xm]*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// TestVerdicts finds what the comments in the modules of testdata want of the
// instructions on their lines, whatever the launch.
func TestVerdicts(t *testing.T) {
	for _, file := range modules(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := expected(string(text))
			r := analyze(t, file, string(text), divergence.Launch{})
			if diff := cmp.Diff(want, found(r, want)); diff != "" {
				t.Errorf("verdicts by line (-want +got):\n%s%s", diff, r.Form)
			}
		})
	}
}

// TestLaunches has special registers in launches of known shape.
func TestLaunches(t *testing.T) {
	block := func(x, y, z int) divergence.Launch { return divergence.Launch{Block: [3]int{x, y, z}, Width: 32} }
	grid := func(x, y, z int) divergence.Launch { return divergence.Launch{Grid: [3]int{x, y, z}} }
	for _, c := range []struct {
		register string
		launch   divergence.Launch
		want     divergence.Verdict
	}{
		{"tid.x", divergence.Launch{}, divergence.Divergent},
		{"tid.x", block(64, 2, 1), divergence.Divergent},
		{"tid.x", block(1, 64, 2), divergence.Grid},
		{"tid.y", divergence.Launch{}, divergence.Divergent},
		{"tid.y", block(64, 2, 1), divergence.Warp},
		{"tid.y", block(16, 2, 1), divergence.Divergent},
		{"tid.y", block(48, 2, 1), divergence.Divergent},
		{"tid.y", block(64, 1, 2), divergence.Grid},
		{"tid.y", divergence.Launch{Block: [3]int{64, 2, 1}}, divergence.Divergent},
		{"tid.z", block(16, 2, 2), divergence.Warp},
		{"tid.z", block(8, 2, 2), divergence.Divergent},
		{"ntid.x", divergence.Launch{}, divergence.Grid},
		{"ctaid.x", divergence.Launch{}, divergence.CTA},
		{"ctaid.x", grid(1, 2, 2), divergence.Grid},
		{"ctaid.y", grid(1, 2, 2), divergence.CTA},
		{"warpid", divergence.Launch{}, divergence.Warp},
		{"warpid", block(32, 1, 1), divergence.Grid},
		{"warpid", block(33, 1, 1), divergence.Warp},
		{"laneid", block(32, 1, 1), divergence.Divergent},
		{"laneid", divergence.Launch{Width: 1}, divergence.Grid},
		{"lanemask_lt", block(1, 1, 1), divergence.Grid},
		{"clock", block(1, 1, 1), divergence.Divergent},
		{"smid", block(1, 1, 1), divergence.Divergent},
	} {
		text := fmt.Sprintf(".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k() {\n.reg .b32 %%r;\nmov.u32 %%r, %%%s;\nret;\n}\n", c.register)
		r := analyze(t, "k.ptx", text, c.launch)
		if got := r.Value(r.Form.Writes(0)[0]); got != c.want {
			t.Errorf("%%%s in %+v is %v, want %v", c.register, c.launch, got, c.want)
		}
	}
}

// TestUnmodelled has instructions that are not modelled. What they write is divergent, and they
// may change the memory that their operands and their names tell of.
func TestUnmodelled(t *testing.T) {
	const module = `.version 8.6 .target sm_90 .address_size 64
.visible .entry k(.param .u64 in, .param .u32 n) {
.reg .pred %p, %q; .reg .b32 %r<9>; .reg .b64 %a, %b;
ld.param.u64 %a, [in];
ld.param.u32 %r0, [n];
ld.global.u32 %r1, [%a];
setp.eq.u32 %p, %r1, 0;
@%p bra E; // want VERDICT
INSTR // want RESULT
setp.eq.u32 %q, %r2, 0;
@%q bra E; // want BEHIND
add.u32 %r8, %r0, 1;
E: ret;
}
`
	for _, c := range []struct{ instr, result, behind, before string }{
		{"mov.u32 %r2, %r0;", "grid-uniform", "grid-uniform", "grid-uniform"},
		{"frob.u32 %r2, %r0;", "divergent", "divergent", "grid-uniform"},
		{"@%p frob.u32 %r2, %r0;", "divergent", "divergent", "grid-uniform"},
		{"frob.u32 %r3, %r2;", "divergent", "grid-uniform", "grid-uniform"},
		{"frob.u32 %r3, [%a];", "divergent", "grid-uniform", "warp-uniform"},
		{"frob.u32 %r3, %a;", "divergent", "grid-uniform", "warp-uniform"},
		{"frob.global.u32 %r3, [%a];", "divergent", "grid-uniform", "warp-uniform"},
		{"frob.shared.u32 %r3, [%r0];", "divergent", "grid-uniform", "grid-uniform"},
		{"tex.1d.v2.u32.s32 {%r3, %r2}, [%a, {%r0}];", "divergent", "divergent", "grid-uniform"},
		{"sust.b.1d.b32.clamp [%a, {%r0}], %r1;", "", "grid-uniform", "warp-uniform"},
		{"wgmma.mma_async.x {%r3, %r2}, %a;", "divergent", "divergent", "grid-uniform"},
		{"tcgen05.commit.shared::cluster.b64 [%r0];", "", "grid-uniform", "grid-uniform"},
	} {
		text := strings.NewReplacer("INSTR", c.instr, "RESULT", c.result, "BEHIND", c.behind, "VERDICT", c.before).Replace(module)
		if c.result == "" {
			text = strings.Replace(text, "// want \n", "\n", 1)
		}
		r := analyzeGraph(t, flowtest.Unmodelled(t, "k.ptx", text), divergence.Launch{})
		want := expected(text)
		if diff := cmp.Diff(want, found(r, want)); diff != "" {
			t.Errorf("%s\nverdicts by line (-want +got):\n%s%s", c.instr, diff, r.Form)
		}
	}
}

// TestOrigin follows the divergent branches of the paper's example to what makes them
// divergent.
func TestOrigin(t *testing.T) {
	const file = "testdata/listing1.simt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := analyze(t, file, string(text), divergence.Launch{})
	var got []string
	for b := range r.Form.Graph.Blocks {
		if guard, _ := r.Form.Selectors(b); guard != gated.None && !r.Uniform(b) {
			got = append(got, r.Form.Define(r.Origin(guard)))
		}
	}
	want := []string{"mov.s32 i.0, %tid.x", "add.s32 t2.0, %tid.x, 0x1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("origins (-want +got):\n%s", diff)
	}
}

// TestDivergedOps: lanes that come to a vote apart from others vote together with those that are at another one, so that not all that execute
// one of them together find one result; nor do they where they name other members. Lanes that end come to none.
func TestDivergedOps(t *testing.T) {
	for name, text := range map[string]string{"a vote in one way": `.version 7.0
.target sm_80
.address_size 64

.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .pred %p<9>;
	.reg .b32 %r<9>;

	ld.param.u32 %r0, [n]; // want grid-uniform
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p0, %r1, 16;
	@%p0 bra JOIN; // want divergent
	vote.sync.any.pred %p1, %p0, -1; // want divergent
JOIN:
	vote.sync.all.pred %p2, %p0, -1; // want divergent
	redux.sync.add.u32 %r2, %r1, -1; // want warp-uniform
	and.b32 %r3, %r1, 1;
	match.any.sync.b32 %r4, %r3, -1; // want divergent
	redux.sync.add.u32 %r5, %r1, %r4; // want divergent
	add.u32 %r6, %r0, 7; // want grid-uniform
	redux.sync.add.u32 %r7, %r1, %r6; // want warp-uniform
	ret;
}
`, "the others end": `.version 7.0
.target sm_80
.address_size 64

.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .pred %p<9>;
	.reg .b32 %r<9>;

	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p0, %r1, 16;
	@%p0 bra END; // want divergent
	vote.sync.any.pred %p1, %p0, -1; // want warp-uniform
	ret;
END:
	ret;
}
`} {
		want := expected(text)
		if diff := cmp.Diff(want, found(analyze(t, "k.ptx", text, divergence.Launch{}), want)); diff != "" {
			t.Errorf("%s: verdicts by line (-want +got):\n%s", name, diff)
		}
	}
}
