package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/symexec"
)

// TestScaled scales paths of one thread: all threads take them.
func TestScaled(t *testing.T) {
	for name, c := range map[string]struct {
		body     string
		elements []symexec.Element
		atoms    int
		open     []int // parameters of which no atom says anything
	}{
		"Listing 1": {`
	ld.global.u32 %r6, [%rd4];
	setp.ne.u32 %p1, %r6, 1234567;
	@%p1 bra A;
	atom.global.add.u32 %r7, [%rd2], %r6;
	atom.global.add.u32 %r7, [%rd2], %r6;
	ret;
A:	red.global.add.u32 [%rd5], 10;
	ret;`, []symexec.Element{words(1<<32 - 1)}, 2, nil},
		"two inputs of a thread, one that matters": {`
	ld.global.u32 %r6, [%rd4];
	ld.global.u32 %r7, [%rd5];
	add.u32 %r8, %r6, %r7;
	setp.gt.u32 %p1, %r7, 9000;
	@%p1 bra A;
	add.u32 %r8, %r8, 1;
A:	st.shared.u32 [s], %r8;
	ret;`, []symexec.Element{words(10), words(10000)}, 2, []int{0}},
		"a neighbour": {`
	ld.global.u32 %r6, [%rd4];
	ld.global.u32 %r7, [%rd4+4];
	setp.gt.u32 %p1, %r6, %r7;
	@%p1 bra A;
	setp.eq.u32 %p1, %r6, 5;
	@%p1 bra A;
	ret;
A:	st.global.u32 [%rd5], %r6;
	ret;`, []symexec.Element{words(10)}, 3, nil},
		"a number": {`
	ld.global.u32 %r6, [%rd4];
	setp.gt.u32 %p1, %r6, %r1;
	@%p1 bra A;
	st.global.u32 [%rd5], %r6;
A:	ret;`, []symexec.Element{words(10), {}, words(7)}, 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, "[4, 1, 1]", "[40, 1, 1]", c.body, c.elements...)
			res := s.trim(t)
			plan := res.Plan
			if len(plan.Atoms) != c.atoms || plan.Group != 1 || len(res.Explorations) != 2 || !res.Explorations[0].Complete {
				t.Fatalf("%d atoms in groups of %d after %+v", len(plan.Atoms), plan.Group, res.Explorations)
			}
			if covered, _ := res.coverage(); covered != 100 {
				t.Errorf("%g %% of the outcomes are covered: %v", covered, res.Outcomes)
			}
			for _, p := range res.Paths {
				a := plan.Atoms[p.Atom]
				for _, v := range a.Values {
					if slices.Contains(c.open, plan.Views[v.View].Param) {
						t.Errorf("atom %+v says something of parameter %d", a, plan.Views[v.View].Param)
					}
				}
				if name == "a neighbour" { // their atoms may contradict each other
					continue
				}
				if p.Scales != p.Tried || p.Tried != samples {
					t.Errorf("path %+v", p)
				}
				for thread, n := range s.instructions(t, all(plan, int32(p.Atom))) {
					if n != p.Instructions {
						t.Errorf("thread %d executes %d instructions on the inputs of a path of %d", thread, n, p.Instructions)
					}
				}
			}
			for _, p := range res.Pairs {
				x, y := res.Paths[p.Paths[0]], res.Paths[p.Paths[1]]
				if p.Instructions != x.Instructions+y.Instructions || (p.Divergence == 100) != (p.Paths[0] != p.Paths[1]) {
					t.Errorf("pair %+v is of %+v and %+v", p, x, y)
				}
			}
			if len(res.Pairs) < 3 || len(plan.Pairs) != len(res.Pairs) || res.Pairs[0].Divergence != 100 {
				t.Errorf("pairs %v", res.Pairs)
			}
			if name != "a neighbour" && len(res.Notes) > 0 {
				t.Errorf("notes %q", res.Notes)
			}
		})
	}
}

func TestViews(t *testing.T) {
	s := load(t, "[2, 1, 1]", "[40, 1, 1]", `
	ld.global.u32 %r6, [%rd4];
	ld.global.u32 %r7, [%rd4+4];
	ld.global.u32 %r8, [%rd1+1000];
	rem.u32 %r9, %r5, 10;
	mul.wide.u32 %rd6, %r9, 4;
	add.u64 %rd7, %rd2, %rd6;
	ld.global.u32 %r10, [%rd7];
	and.b32 %r11, %r10, 15;
	mul.wide.u32 %rd8, %r11, 4;
	add.u64 %rd9, %rd2, %rd8;
	ld.global.u32 %r12, [%rd9];
	add.u32 %r13, %r6, %r7; add.u32 %r13, %r13, %r8; add.u32 %r13, %r13, %r10; add.u32 %r13, %r13, %r12;
	setp.eq.u32 %p1, %r13, 77;
	@%p1 bra A;
	st.shared.u32 [s], %r13;
A:	ret;`, words(1000), words(1000))
	res := s.trim(t)
	var views []string
	for _, v := range res.Plan.Views {
		views = append(views, fmt.Sprint(v.Param, v.Elements[:2], v.Elements[79], v.Own))
	}
	want := []string{"0 [0 1] 79 true", "0 [1 2] 80 false", "1 [0 1] 9 false"}
	if !slices.Equal(views, want) {
		t.Errorf("the views are %q, want %q", views, want)
	}
	if len(res.Notes) == 0 || !strings.Contains(res.Notes[0], "more") {
		t.Errorf("the notes %q do not tell of indices that depend on data", res.Notes)
	}
	var fixed bool
	for _, a := range res.Plan.Atoms {
		for _, f := range a.Fixed {
			fixed = fixed || f.Param == 0 && f.Element == 250
		}
	}
	if !fixed {
		t.Errorf("no atom fixes the element that all threads read: %+v", res.Plan.Atoms)
	}
}

// TestLoosened follows data to elements that hardly matter: only what decides is fixed.
func TestLoosened(t *testing.T) {
	s := load(t, "[2, 1, 1]", "[40, 1, 1]", `
	ld.global.u32 %r6, [%rd4];
	mul.wide.u32 %rd6, %r6, 4;
	add.u64 %rd7, %rd2, %rd6;
	ld.global.u32 %r7, [%rd7+512];
	setp.eq.u32 %p1, %r7, 0;
	@%p1 bra A;
	ld.global.u32 %r8, [%rd5];
	setp.ne.u32 %p1, %r8, 5;
	@%p1 bra A;
	st.shared.u32 [s], %r7;
	st.shared.u32 [s], %r7;
A:	ret;`, words(100), words(100000))
	res := s.trim(t)
	longest := 0
	for i, p := range res.Paths {
		if p.Instructions > res.Paths[longest].Instructions {
			longest = i
		}
	}
	p := res.Paths[longest]
	a := res.Plan.Atoms[p.Atom]
	if len(a.Fixed) != 0 || len(a.Values) != 1 || a.Values[0].Bits != 5 || res.Plan.Views[a.Values[0].View].Param != 1 || p.Scales != p.Tried {
		t.Errorf("the atom of path %+v is %+v", p, a)
	}
	taken := 0
	for _, n := range s.instructions(t, all(res.Plan, int32(p.Atom))) {
		if n == p.Instructions {
			taken++
		}
	}
	if taken < 78 {
		t.Errorf("%d of 80 threads take the path of %+v", taken, a)
	}
	for _, other := range res.Paths { // the one that needs what data lead to
		if len(other.ways[0].Outcomes) == 1 && len(res.Plan.Atoms[other.Atom].Fixed) != 1 {
			t.Errorf("the atom of path %+v is %+v", other, res.Plan.Atoms[other.Atom])
		}
	}
}

// TestNotLoosened has a path that thread 60 takes on any input, and the others only on small ones: the input has to stay in the atom.
func TestNotLoosened(t *testing.T) {
	s := load(t, "[2, 1, 1]", "[40, 1, 1]", `
	ld.global.u32 %r6, [%rd4];
	sub.s32 %r8, %r5, 60;
	mul.lo.u32 %r8, %r8, %r8;
	mad.lo.u32 %r7, %r8, 2, %r6;
	setp.gt.u32 %p1, %r7, 10000;
	@%p1 bra A;
	setp.eq.u32 %p1, %r6, 77;
	@%p1 bra A;
	st.shared.u32 [s], %r7;
A:	ret;`, words(10000))
	res := s.trim(t)
	long := slices.MaxFunc(res.Paths, func(x, y Path) int { return cmp.Compare(x.Instructions, y.Instructions) })
	if a := res.Plan.Atoms[long.Atom]; long.Threads[0] != 60 || len(a.Values) != 1 || long.Scales != long.Tried {
		t.Errorf("%d of %d threads take the path of threads %v with %+v", long.Scales, long.Tried, long.Threads, a)
	}
}

// TestIndices explores a kernel whose paths depend on who takes them.
func TestIndices(t *testing.T) {
	s := load(t, "[4, 1, 1]", "[40, 1, 1]", `
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 exit;
	setp.ne.u32 %p1, %r5, 0;
	@%p1 bra A;
	ld.global.u32 %r6, [%rd4];
	setp.eq.u32 %p1, %r6, 7;
	@%p1 bra A;
	st.global.u32 [%rd5], %r6;
A:	ret;`, words(1000))
	res := s.trim(t)
	if covered, _ := res.coverage(); covered != 100 {
		t.Errorf("%g %% of the outcomes are covered: %v", covered, res.Outcomes)
	}
	for _, p := range res.Paths {
		if p.Atom >= 0 && (p.Threads[0] != 0 || p.Scales != 1) {
			t.Errorf("path %+v", p)
		}
	}
	if len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "depend on which thread") {
		t.Errorf("the notes are %q", res.Notes)
	}
}

// TestDistinguishedThreads explores kernels whose threads are told apart by more than %tid and %ctaid.
func TestDistinguishedThreads(t *testing.T) {
	const body = `
	setp.eq.u32 %p1, %r6, 3;
	@%p1 bra A;
	ld.global.u32 %r7, [%rd4];
	setp.eq.u32 %p1, %r7, 3;
	@%p1 bra A;
	st.global.u32 [%rd5], %r6;
A:	ret;`
	for register, explorations := range map[string]int{"laneid": 2, "clusterid.x": 1} {
		s := load(t, "[4, 1, 1]", "[40, 1, 1]", "mov.u32 %r6, %"+register+";"+body, words(1000))
		s.config.MaxThreads = 1
		res := s.trim(t)
		one := len(res.Notes) > 0 && strings.Contains(res.Notes[0], "%"+register)
		if len(res.Explorations) != explorations || one != (explorations == 1) || one != (len(res.Plan.Views) == 0) {
			t.Errorf("%s: %d views after %+v with notes %q", register, len(res.Plan.Views), res.Explorations, res.Notes)
		}
	}
}

// TestInfeasible has outcomes that no thread takes: more of them do not help.
func TestInfeasible(t *testing.T) {
	s := load(t, "[4, 1, 1]", "[40, 1, 1]", `
	setp.gt.u32 %p1, %r5, 5000;
	@%p1 bra A;
	ld.global.u32 %r6, [%rd4];
	setp.gt.u32 %p1, %r6, 500;
	@%p1 bra A;
	setp.gt.u32 %p1, %r6, 100;
	@%p1 bra A;
	st.global.u32 [%rd5], %r6;
A:	ret;`, words(200))
	res := s.trim(t)
	covered, feasible := res.coverage()
	if covered != 200/3.0 || feasible != 100 || len(res.Explorations) != 2 {
		t.Errorf("%g %% of the outcomes and %g %% of those that are possible are covered after %+v", covered, feasible, res.Explorations)
	}
	for i, outcome := range res.Outcomes {
		if (outcome.Verdict == symexec.Infeasible) != (outcome.Taken && i < 4) || outcome.Text != "@%p1 bra A" || !outcome.Branch.Known() || !outcome.Target.Known() {
			t.Errorf("outcome %d is %+v", i, outcome)
		}
	}
}

// TestIndependent has an outcome that is infeasible because all paths were found and threads
// use nothing that others write. Where one of the two does not hold it is open.
func TestIndependent(t *testing.T) {
	for name, c := range map[string]struct {
		paths        int    // found at most
		writes       string // the address
		feasible     float64
		explorations int
	}{
		"all paths":               {50, "%rd5", 100, 2},
		"some paths":              {3, "%rd5", 75, 2},
		"threads may communicate": {50, "%rd4", 75, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, "[4, 1, 1]", "[40, 1, 1]", `
	mov.u32 %r7, 0;
	ld.global.u32 %r6, [%rd4];
B:	add.u32 %r7, %r7, 2;
	setp.lt.u32 %p1, %r7, %r6;
	@%p1 bra B;
	and.b32 %r8, %r7, 1;
	setp.eq.u32 %p1, %r8, 1;
	@%p1 bra A;
	st.global.u32 [`+c.writes+`], %r6;
A:	ret;`, words(8))
			s.config.MaxPaths = c.paths
			res := s.trim(t)
			if covered, feasible := res.coverage(); covered != 75 || feasible != c.feasible || len(res.Explorations) != c.explorations {
				t.Errorf("%g %% of the outcomes and %g %% of those that are possible are covered after %+v", covered, feasible, res.Explorations)
			}
			if res.Plan.Group != 1 {
				t.Errorf("groups have %d threads", res.Plan.Group)
			}
		})
	}
}

// TestTogether needs two threads to take one outcome, and scales their paths to pairs.
func TestTogether(t *testing.T) {
	s := load(t, "[4, 1, 1]", "[2, 1, 1]", `
	mov.u32 %r9, s;
	shl.b32 %r10, %r2, 2;
	add.u32 %r11, %r9, %r10;
	ld.global.u32 %r6, [%rd4];
	st.shared.u32 [%r11], %r6;
	bar.sync 0;
	xor.b32 %r10, %r10, 4;
	add.u32 %r11, %r9, %r10;
	ld.shared.u32 %r7, [%r11];
	setp.lt.u32 %p1, %r7, 900;
	@%p1 bra A;
	add.u32 %r7, %r7, 1;
	add.u32 %r7, %r7, 1;
A:	ret;`, words(1000))
	res := s.trim(t)
	if covered, _ := res.coverage(); covered != 100 || len(res.Explorations) != 3 || res.Plan.Group != 2 {
		t.Fatalf("%g %% of the outcomes are covered after %+v", covered, res.Explorations)
	}
	pairs := 0
	for _, p := range res.Paths {
		if len(p.Threads) != 2 {
			continue
		}
		pairs++
		counts := s.instructions(t, all(res.Plan, int32(p.Atom)))
		for i := 0; i < len(counts); i += 2 {
			if counts[i]+counts[i+1] != p.Instructions {
				t.Errorf("threads %d and %d execute %d and %d instructions on the inputs of a path of %d", i, i+1, counts[i], counts[i+1], p.Instructions)
			}
		}
		if diverges := counts[0] != counts[1]; p.Intervals[0] != 0 || diverges != (p.Intervals[1] == 100) || diverges != (p.Divergence == 50) {
			t.Errorf("brdiv is %v, %g of threads with %d and %d instructions", p.Intervals, p.Divergence, counts[0], counts[1])
		}
	}
	if !slices.ContainsFunc(res.Notes, func(n string) bool { return strings.HasPrefix(n, "threads may use what others write") }) {
		t.Errorf("the notes %q do not tell that threads communicate", res.Notes)
	}
	if len(res.Pairs) > 0 {
		t.Errorf("paths of threads that communicate are combined: %v", res.Pairs)
	}
	if pairs != 4 {
		t.Errorf("there are %d paths of two threads", pairs)
	}
}

// TestLongPaths has more paths than are explored. The longest, on which all branches fall through, is among those that are found.
func TestLongPaths(t *testing.T) {
	const branches = 6
	var body strings.Builder
	body.WriteString("ld.global.u32 %r6, [%rd4];\n")
	for i := range branches {
		fmt.Fprintf(&body, "and.b32 %%r7, %%r6, %d; setp.eq.u32 %%p1, %%r7, 0; @%%p1 bra L%d; add.u32 %%r8, %%r8, 1; add.u32 %%r8, %%r8, 1; L%d:\n", 1<<i, i, i)
	}
	s := load(t, "[1, 1, 1]", "[40, 1, 1]", body.String()+"ret;", words(1<<branches-1))
	s.config.MaxPaths = 8
	res := s.trim(t)
	longest := 0
	for _, p := range res.Paths {
		longest = max(longest, p.Instructions)
	}
	ones := slices.Repeat([]byte{1<<branches - 1, 0, 0, 0}, 40)
	if want := s.instructions(t, Inputs{ones})[0]; longest != want {
		t.Errorf("of %d paths the longest has %d instructions, want %d", len(res.Paths), longest, want)
	}
}

func TestTrimIsReproduced(t *testing.T) {
	var first []byte
	for range 2 {
		s := load(t, "[4, 1, 1]", "[40, 1, 1]", `
	ld.global.u32 %r6, [%rd4];
	setp.gt.u32 %p1, %r6, 9;
	@%p1 bra A;
	ld.global.u32 %r7, [%rd5];
	setp.gt.u32 %p1, %r7, %r6;
	@%p1 bra A;
	st.global.u32 [%rd5], %r6;
A:	ret;`, words(1000), words(5))
		res := s.trim(t)
		text, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = text
		} else if string(first) != string(text) {
			t.Errorf("%s\nand then %s", first, text)
		}
		plan, err := json.Marshal(res.Plan)
		if err != nil {
			t.Fatal(err)
		}
		var back Plan
		if err := json.Unmarshal(plan, &back); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(back); err != nil || string(again) != string(plan) {
			t.Errorf("written again the plan is %s, %v", again, err)
		}
	}
}

// TestTrimEnds has instructions without a meaning, to which all threads come, or few.
func TestTrimEnds(t *testing.T) {
	const unknown = "isspacep.shared %p1, %rd4; selp.u32 %r6, 3, 4, %p1;"
	for name, c := range map[string]struct {
		body                  string
		explorations, covered int
	}{
		"at once": {unknown + `
	setp.eq.u32 %p1, %r6, 3;
	@%p1 bra A;
	st.global.u32 [%rd5], %r6;
A:	ret;`, 0, 0},
		"for any thread": {`
	ld.global.u32 %r6, [%rd4];
	setp.lt.u32 %p1, %r5, 2;
	@%p1 bra A;
	setp.eq.u32 %p1, %r6, 3;
	@%p1 bra B;
	ret;
A:	` + unknown + `
B:	ret;`, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, "[1, 1, 1]", "[40, 1, 1]", c.body, words(5))
			res := s.trim(t)
			covered := 0
			for _, outcome := range res.Outcomes {
				if outcome.Verdict == symexec.Covered {
					covered++
				}
			}
			told := slices.ContainsFunc(res.Notes, func(n string) bool { return strings.Contains(n, "isspacep") && strings.Contains(n, "k.ptx:") })
			if len(res.Explorations) != c.explorations || covered != c.covered || len(res.Outcomes) == covered || len(res.Plan.Atoms) > 0 || !told {
				t.Errorf("%d atoms, outcomes %v after %+v with notes %q", len(res.Plan.Atoms), res.Outcomes, res.Explorations, res.Notes)
			}
			if len(res.Plan.Genome()) != 1 {
				t.Errorf("the genome is %v", res.Plan.Genome())
			}
		})
	}
	s := load(t, "[1, 1, 1]", "[40, 1, 1]", "ret;", words(1))
	s.config.Space.Params[0].Count = 0
	if res, err := Trim(context.Background(), s.config); err == nil {
		t.Errorf("%v", res)
	}
}

func TestDivergence(t *testing.T) {
	outcome := func(b int) symexec.BranchOutcome { return symexec.BranchOutcome{Branch: b} }
	path := func(barriers []int, outcomes ...int) symexec.ThreadPath {
		p := symexec.ThreadPath{Barriers: barriers}
		for _, s := range outcomes {
			p.Outcomes = append(p.Outcomes, outcome(s))
		}
		return p
	}
	for name, c := range map[string]struct {
		threads   []symexec.ThreadPath
		total     float64
		intervals []float64
	}{
		"one thread":       {[]symexec.ThreadPath{path([]int{1}, 1, 2)}, 0, []float64{0, 0}},
		"the same":         {[]symexec.ThreadPath{path(nil, 1), path(nil, 1)}, 0, []float64{0}},
		"two ways":         {[]symexec.ThreadPath{path(nil, 1), path(nil, 2)}, 100, []float64{100}},
		"two of three":     {[]symexec.ThreadPath{path([]int{1}, 1, 2), path([]int{1}, 1, 3), path([]int{1}, 1, 2)}, 25, []float64{0, 50}},
		"one ends early":   {[]symexec.ThreadPath{path(nil), path([]int{1}, 1)}, 50, []float64{100, 0}},
		"barriers between": {[]symexec.ThreadPath{path([]int{0, 2}, 1, 2), path([]int{1, 2}, 1, 2)}, 200 / 3.0, []float64{100, 100, 0}},
	} {
		total, intervals := divergence(c.threads)
		if total != c.total || !reflect.DeepEqual(intervals, c.intervals) {
			t.Errorf("%s: %g, %v", name, total, intervals)
		}
	}
}
