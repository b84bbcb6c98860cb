package symexec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/kernelgen"
	"warpbound/internal/symexec"
	"warpbound/internal/test/effort"
)

// TestRandomWarps replays paths of random kernels whose lanes exchange what they have, or tell how
// many they are.
func TestRandomWarps(t *testing.T) {
	paths, talk := 0, 0
	for _, seed := range effort.Draw(t, 120) {
		c := kernelgen.New(rand.New(rand.NewPCG(seed, 21)), kernelgen.Options{
			Statements: 10, Depth: 2, Trips: 3, Threads: 32, CTAs: 1, Warp: 32, Features: kernelgen.CrossLane,
		})
		s := cta(t, c.Job, c.Module).concrete().limited(t, 20_000)
		s.options.MaxPaths, s.options.MaxSteps, s.options.MaxQueries = 4, 40_000, 6
		res := s.explore(t)
		s.replayIn(t, 32, res)
		s.partitionIn(t, 32, rand.New(rand.NewPCG(seed, 1)), res)
		for _, p := range res.Paths {
			if paths++; p.Communicates {
				talk++
			}
			if p.Unfollowed != nil {
				t.Errorf("seed %d: %v", seed, p.Unfollowed)
			}
		}
	}
	if effort.Many() && talk == 0 {
		t.Errorf("lanes exchange on none of %d paths", paths)
	}
	t.Logf("%d paths, on %d lanes exchange", paths, talk)
}

// warps makes a subject of all threads of a CTA, of which each has a word of a buffer in %x. Lanes
// are in %lane.
func warps(t testing.TB, threads int, target, body string) *subject {
	t.Helper()
	version := map[string]string{"sm_60": "6.3", "sm_90": "8.6", "sm_100a": "8.6"}[target]
	return cta(t, fmt.Sprintf(`module = "k.ptx"
grid = [1, 1, 1]
block = [%d, 1, 1]
[[param]]
name = "data"
type = "u32"
count = %[1]d
init = "zeros"
`, threads), ".version "+version+"\n.target "+target+`
.address_size 64
.visible .entry k(.param .u64 data)
{
	.reg .pred %p<9>, %q; .reg .b32 %r<9>, %x, %y, %lane, %tid; .reg .b64 %rd<9>;
	.shared .align 4 .b8 s[64];
	ld.param.u64 %rd1, [data];
	mov.u32 %tid, %tid.x;
	mov.u32 %lane, %laneid;
	mul.wide.u32 %rd2, %tid, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.u32 %x, [%rd3];
`+body+`
	bra E;
S:	st.global.u32 [%rd3], %x;
E:	ret;
}
`)
}

// sumOfLanes adds up %x of all lanes of a warp, for lane 0 at least.
func sumOfLanes(how string) string {
	var text strings.Builder
	for _, by := range []int{16, 8, 4, 2, 1} {
		fmt.Fprintf(&text, "\tshfl.sync.%s.b32 %%y|%%q, %%x, %d, 31, -1; add.u32 %%x, %%x, %%y;\n", how, by)
	}
	return text.String()
}

// twoLanes lets the first two lanes go on if they have few numbers.
const twoLanes = `
	setp.ne.u32 %p1, %x, 0x5555555;
	setp.ne.and.u32 %p1, %x, 0x5556556, %p1;
	setp.gt.or.u32 %p1, %lane, 1, %p1;
	@%p1 bra E;`

// TestWarps explores warps in which lanes exchange what they have. Random inputs take hardly ever
// what leads to S.
func TestWarps(t *testing.T) {
	const only0 = "\tsetp.ne.u32 %p1, %lane, 0;\n\t@%p1 bra E;\n"
	for name, c := range map[string]struct {
		threads      int
		target, body string
	}{
		"a sum by shfl.down": {32, "sm_90", sumOfLanes("down") + only0 + `
	setp.eq.u32 %p2, %x, 0x1234567;
	@%p2 bra S;`},
		"a sum by shfl.bfly": {32, "sm_90", sumOfLanes("bfly") + `
	setp.eq.u32 %p2, %x, 0x1234567;
	@%p2 bra S;`},
		"a prefix by shfl.up": {32, "sm_90", `
	shfl.sync.up.b32 %y|%q, %x, 1, 0, -1;
	@%q add.u32 %x, %x, %y;
	shfl.sync.up.b32 %y|%q, %x, 2, 0, -1;
	@%q add.u32 %x, %x, %y;
	setp.ne.u32 %p1, %lane, 9;
	@%p1 bra E;
	setp.eq.u32 %p2, %x, 0x7654321;
	@%p2 bra S;`},
		"the lane that an input names": {32, "sm_90", `
	and.b32 %r1, %x, 31;
	shfl.sync.idx.b32 %y, %x, %r1, 31, -1;
	setp.eq.u32 %p1, %r1, %lane;
	@%p1 bra E;
	sub.u32 %y, %y, %x;
	setp.eq.u32 %p2, %y, 0x700;
	@%p2 bra S;`},
		"a ballot": {32, "sm_90", `
	setp.gt.u32 %p1, %x, 0xfffffff0;
	vote.sync.ballot.b32 %y, %p1, -1;
	setp.eq.u32 %p2, %y, 0x80f01234;
	@%p2 bra S;`},
		"votes of some lanes": {32, "sm_90", `
	setp.eq.u32 %p1, %x, 0xabcdef;
	setp.ge.u32 %p2, %lane, 16;
	@%p2 bra H;
	vote.sync.all.pred %p3, %p1, 0xffff;
	@%p3 bra S;
	bra E;
H:	vote.sync.uni.pred %p3, %p1, 0xffff0000;
	vote.sync.any.pred %p4, %p1, 0xffff0000;
	@!%p3 bra E;
	@%p4 bra S;`},
		"lanes that match": {32, "sm_90", `
	match.any.sync.b32 %y, %x, -1;
	setp.eq.u32 %p2, %y, 0x00101010;
	@%p2 bra S;`},
		"lanes that are active": {32, "sm_90", twoLanes + `
	activemask.b32 %r1;
	setp.ne.u32 %p1, %r1, 3;
	@%p1 bra E;
	match.all.sync.b32 %y|%p2, %x, %r1;
	@%p2 bra S;`},
		"a reduction and a leader": {32, "sm_90", `
	redux.sync.max.u32 %r1, %x, -1;
	redux.sync.xor.b32 %r2, %x, -1;
	setp.lt.u32 %p1, %lane, 8;
	@%p1 bra E;
	elect.sync %r3|%p1, 0xffffff00;
	add.u32 %r1, %r1, %r2;
	@!%p1 bra E;
	setp.eq.u32 %p2, %r1, 0xfffffffe;
	@%p2 bra S;`},
		"a loop until lanes agree": {32, "sm_90", `
	mov.u32 %r1, 0;
L:	add.u32 %r1, %r1, 1;
	shfl.sync.idx.b32 %y, %x, %r1, 31, -1;
	bar.warp.sync -1;
	setp.eq.u32 %p1, %y, 0x999999;
	vote.sync.any.pred %p2, %p1, -1;
	@%p2 bra S;
	setp.lt.u32 %p3, %r1, 3;
	@%p3 bra L;`},
		"lanes that have ended": {32, "sm_90", `
	setp.gt.u32 %p1, %x, 0xfffffff0;
	setp.eq.and.u32 %p1, %lane, 3, %p1;
	@%p1 exit;
	vote.sync.ballot.b32 %y, 1, -1;
	setp.eq.u32 %p2, %y, 0xfffffff7;
	@%p2 bra S;`},
		"without masks": {32, "sm_60", twoLanes + `
	vote.any.pred %p1, 1;
	shfl.down.b32 %y|%q, %x, 1, 31;
	sub.u32 %y, %y, %x;
	vote.ballot.b32 %r2, 1;
	add.u32 %y, %y, %r2;
	setp.eq.u32 %p2, %y, 0x1004;
	@%p2 bra S;`},
		"without masks in a loop": {32, "sm_60", `
	mov.u32 %r1, 0;
L:	vote.ballot.b32 %y, 1;
	add.u32 %r1, %r1, 1;
	setp.eq.u32 %p2, %y, 0xa0000000;
	setp.eq.and.u32 %p2, %r1, 3, %p2;
	@%p2 bra S;
	setp.eq.u32 %p3, %r1, %x;
	setp.lt.or.u32 %p3, %lane, 29, %p3;
	setp.eq.or.u32 %p3, %r1, 4, %p3;
	@!%p3 bra L;`},
		"a sum of a warp and a quarter": {40, "sm_90", sumOfLanes("bfly") + `
	mov.u32 %r1, s;
	shr.u32 %r2, %tid, 5;
	shl.b32 %r2, %r2, 2;
	add.u32 %r1, %r1, %r2;
	setp.eq.u32 %p1, %lane, 0;
	@%p1 st.shared.u32 [%r1], %x;
	bar.sync 0;
	ld.shared.u32 %r3, [s];
	ld.shared.u32 %r4, [s+4];
	add.u32 %r3, %r3, %r4;
	setp.eq.u32 %p2, %r3, 0x1234567;
	@%p2 bra S;`},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			s := warps(t, c.threads, c.target, c.body)
			s.options.MaxPaths, s.options.MaxSteps, s.options.MaxQueries = 12, 40_000, 300
			res := s.explore(t)
			for outcome, v := range res.Outcomes {
				if v != symexec.Covered {
					t.Errorf("%v is %v", outcome, v)
				}
			}
			talks := false
			for i, p := range res.Paths {
				talks = talks || p.Communicates
				if p.Unfollowed != nil || p.Fault != nil {
					t.Errorf("path %d ends with fault %v, unfollowed %v", i, p.Fault, p.Unfollowed)
				}
			}
			if !talks {
				t.Error("lanes exchange nothing")
			}
			s.replayIn(t, 32, res)
			s.partitionIn(t, 32, rand.New(rand.NewPCG(3, 5)), res)
		})
	}
}

// TestUnfollowed explores threads that meet others which do not run, or of which it depends on more
// than inputs with whom.
func TestUnfollowed(t *testing.T) {
	late := `
	setp.eq.u32 %p1, %x, 5;
	@%p1 bra A;
	vote.ballot.b32 %y, 1;
	bra E;
A:	vote.ballot.b32 %y, 1;`
	for name, c := range map[string]struct {
		body    string
		threads []int // of the launch
		index   bool
		want    string
	}{
		"a lane that is not explored": {"vote.sync.ballot.b32 %y, 1, 7;", []int{0, 1}, false,
			"k.ptx:14:1: vote.ballot.b32 %y, 0x1, 0x7 takes lanes together, and lane 2 of warp 0 is not explored"},
		"one of the warp": {"shfl.down.b32 %y, %x, 1, 31;", []int{0, 1, 2}, false, "lane 3 of warp 0 is not explored"},
		"any thread": {"mov.u32 %r1, %lanemask_eq; bar.warp.sync %r1;", []int{0}, true,
			"one thread is explored that may be any one"},
		"diverged lanes": {late, []int{0, 1, 2, 3}, false,
			"and those of the warp have diverged and come to several such instructions"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			s := warps(t, 4, "sm_60", c.body)
			s.options.Threads, s.options.MaxPaths = nil, 12
			for _, lane := range c.threads {
				s.options.Threads = append(s.options.Threads, symexec.Thread{Lane: lane})
			}
			if c.index {
				s.options.Indices = symexec.AllIndices([3]int{1, 1, 1}, [3]int{4, 1, 1})
			}
			res := s.explore(t)
			unfollowed := 0
			for _, p := range res.Paths {
				if p.Unfollowed == nil {
					continue
				}
				if unfollowed++; !strings.Contains(p.Unfollowed.Error(), c.want) {
					t.Errorf("a path is not followed: %v", p.Unfollowed)
				}
			}
			if unfollowed == 0 || res.CutOff != unfollowed || res.Complete {
				t.Errorf("%d of %d paths are not followed, %d cut off, complete %v",
					unfollowed, len(res.Paths), res.CutOff, res.Complete)
			}
			p, err := symexec.Follow(context.Background(), s.options, res.Paths[0].Model)
			if err != nil || (p.Unfollowed == nil) != (res.Paths[0].Unfollowed == nil) {
				t.Errorf("the path is followed alone: %v", err)
			}
		})
	}
}

// TestLanesThatFail has lanes that are not named.
func TestLanesThatFail(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"not named": {"vote.sync.ballot.b32 %y, 1, 0xfffffffe;",
			"lane 0 takes part and is not named in the member mask 0xfffffffe"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			s := warps(t, 32, "sm_90", c.body)
			s.options.MaxPaths, s.options.MaxQueries = 8, 40
			res := s.explore(t)
			faults := 0
			for _, p := range res.Paths {
				if p.Fault != nil {
					if faults++; !strings.Contains(p.Fault.Error(), c.want) {
						t.Error(p.Fault)
					}
				}
			}
			if faults == 0 {
				t.Errorf("none of %d paths fails", len(res.Paths))
			}
			s.replayIn(t, 32, res)
		})
	}
}

// TestDivergedLanes has lanes that wait for others which are elsewhere: the machine decides whether they can take part there.
func TestDivergedLanes(t *testing.T) {
	for name, body := range map[string]string{
		"elsewhere": `
	setp.eq.u32 %p1, %x, 5;
	@%p1 bra A;
	bar.warp.sync -1;
	bra E;
A:	bar.warp.sync -1;`,
		"in another iteration": `
	mov.u32 %r1, 0;
	and.b32 %r2, %lane, 1;
L:	setp.eq.u32 %p1, %r2, %r1;
	add.u32 %r1, %r1, 1;
	@!%p1 bra A;
	bar.warp.sync -1;
A:	setp.lt.u32 %p2, %r1, 3;
	@%p2 bra L;`,
		"before a barrier": `
	setp.eq.u32 %p1, %x, 5;
	@%p1 bra A;
	bar.warp.sync -1;
A:	bar.sync 0;`,
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			s := warps(t, 32, "sm_90", body)
			s.options.MaxPaths, s.options.MaxQueries = 8, 40
			res := s.explore(t)
			unfollowed := 0
			for _, p := range res.Paths {
				if p.Fault != nil {
					t.Error(p.Fault)
				}
				if p.Unfollowed != nil && strings.Contains(p.Unfollowed.Error(), "waits for lanes that have diverged") {
					unfollowed++
				}
			}
			if unfollowed == 0 || res.Complete {
				t.Errorf("of %d paths %d are not followed, complete %v", len(res.Paths), unfollowed, res.Complete)
			}
		})
	}
}

// TestSumsOfMany has a solver that gives up on sums of all lanes, which are found by raising
// elements.
func TestSumsOfMany(t *testing.T) {
	for name, c := range map[string]struct {
		element symexec.Element
		sum     string
	}{
		"natural numbers": {symexec.Element{Bytes: 4, Low: 3, High: 1000}, "12345"},
		"integers":        {symexec.Element{Bytes: 4, Signed: true, Low: 1<<32 - 500, High: 1000}, "-1234"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			s := warps(t, 32, "sm_90", sumOfLanes("bfly")+`
	setp.eq.u32 %p2, %x, `+c.sum+`;
	@%p2 bra S;`).limited(t, 1000)
			s.options.Buffers[0].Element = c.element
			s.options.MaxPaths, s.options.MaxSteps = 4, 10_000
			res := s.explore(t)
			for outcome, v := range res.Outcomes {
				if v != symexec.Covered {
					t.Errorf("%v is %v", outcome, v)
				}
			}
			s.replayIn(t, 32, res)
		})
	}
}
