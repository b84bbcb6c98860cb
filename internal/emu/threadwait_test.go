package emu

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"testing"
)

// halves is a kernel of one or more warps whose lower half, of lanes 0 to 15, goes another way than the upper one.
func halves(lower, upper, after string) string {
	return `
and.b32 %r9, %r0, 16;
setp.eq.u32 %p0, %r9, 0;
mov.u32 %r5, %r0;
setp.eq.u32 %p1, %r0, 3;
@%p0 bra lower;
` + upper + `
bra join;
lower: ` + lower + `
join: ` + after + `
st.volatile.global.u32 [%rd1], %r5;
ret;`
}

// everyTurns are ways in which paths may take turns.
var everyTurns = []Turns{DefaultTurns, {Path: 1, Wait: 1}, {Path: 3, Wait: 2}, {Path: 1, Wait: 100, Swap: true}}

// TestOperationsOfSeparateThreads: threads of a warp execute operations together that they come to at different places and times,
// as they have the same operation and members (PTX ISA, the sections of the operations, on machines from sm_70 on).
func TestOperationsOfSeparateThreads(t *testing.T) {
	long := func(label string) string { // lanes 0 to 15 go round i+1 thousand times
		return `mad.lo.u32 %r1, %r0, 1000, 1000; ` + label + `: sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra ` + label + `;`
	}
	for _, c := range []struct {
		name, body string
		block      int
		want       func(tid uint32) uint32
	}{
		{"shfl at two instructions", halves("shfl.sync.bfly.b32 %r5, %r0, 16, 31, -1;",
			"add.u32 %r4, %r0, 100; shfl.sync.bfly.b32 %r5, %r4, 16, 31, -1;", ""), 32,
			func(tid uint32) uint32 {
				if tid < 16 {
					return tid + 116
				}
				return tid - 16
			}},
		{"shfl of constants, with other lanes at each instruction", halves("shfl.sync.idx.b32 %r5, 7, 20, 31, -1;",
			"shfl.sync.idx.b32 %r5, 9, 2, 31, -1;", ""), 32,
			func(tid uint32) uint32 {
				if tid < 16 {
					return 9
				}
				return 7
			}},
		{"shfl behind a loop that takes long", halves(long("round"), "", "shfl.sync.bfly.b32 %r5, %r0, 16, 31, -1;"), 32,
			func(tid uint32) uint32 { return tid ^ 16 }},
		{"shfl behind a loop in two warps", halves(long("round"), "", "shfl.sync.down.b32 %r5, %r0, 1, 31, -1;"), 64,
			func(tid uint32) uint32 {
				if tid%32 == 31 {
					return tid
				}
				return tid + 1
			}},
		{"a ballot at two instructions", halves("setp.eq.u32 %p3, %r0, 3; vote.sync.ballot.b32 %r5, %p3, -1;",
			"setp.eq.u32 %p3, %r0, 30; vote.sync.ballot.b32 %r5, !%p3, -1;", ""), 32,
			func(uint32) uint32 { return 0xbfff0008 }},
		{"a vote of which one half knows nothing", halves("vote.sync.any.pred %p3, %p1, -1; selp.u32 %r5, 1, 2, %p3;",
			"setp.ne.u32 %p3, %r0, %r0; vote.sync.any.pred %p3, %p3, -1; selp.u32 %r5, 3, 4, %p3;", ""), 32,
			func(tid uint32) uint32 {
				if tid < 16 {
					return 1
				}
				return 3
			}},
		{"redux at two instructions", halves("redux.sync.add.u32 %r5, %r0, -1;", "redux.sync.add.u32 %r5, 1000, -1; add.u32 %r5, %r5, 1;", ""), 32,
			func(tid uint32) uint32 { return 120 + 16000 + tid/16 }},
		{"match.any at two instructions", halves("and.b32 %r4, %r0, 3; match.any.sync.b32 %r5, %r4, -1;",
			"and.b32 %r4, %r0, 1; match.any.sync.b32 %r5, %r4, -1;", ""), 32,
			func(tid uint32) uint32 {
				key := func(lane uint32) uint32 {
					if lane < 16 {
						return lane & 3
					}
					return lane & 1
				}
				same := uint32(0)
				for lane := range uint32(32) {
					if key(lane) == key(tid) {
						same |= 1 << lane
					}
				}
				return same
			}},
		{"match.all at two instructions, of equal values", halves("match.all.sync.b32 %r5|%p3, 5, -1;", "mov.u32 %r4, 5; match.all.sync.b32 %r5|%p3, %r4, -1;", ""), 32,
			func(uint32) uint32 { return 1<<32 - 1 }},
		{"match.all at two instructions, of others", halves("match.all.sync.b32 %r5|%p3, 5, -1;", "match.all.sync.b32 %r5|%p3, 6, -1;", ""), 32,
			func(uint32) uint32 { return 0 }},
		{"elect at two instructions", halves("elect.sync %r5|%p3, -1;", "elect.sync %r5|%p3, -1; selp.u32 %r5, 77, %r5, %p3;", ""), 32,
			func(uint32) uint32 { return 0 }},
		{"bar.warp.sync at two instructions", halves("st.volatile.global.u32 [%rd0+80], 9; bar.warp.sync -1;",
			"bar.warp.sync -1; ld.volatile.global.u32 %r5, [%rd0+80];", "bar.warp.sync -1;"), 32,
			func(tid uint32) uint32 {
				if tid < 16 {
					return tid
				}
				return 9
			}},
		{"members of one half in that half", halves("shfl.sync.bfly.b32 %r5, %r0, 8, 31, 0xffff;", long("round"), ""), 32,
			func(tid uint32) uint32 {
				if tid < 16 {
					return tid ^ 8
				}
				return tid
			}},
		{"each group of lanes with its members, at one instruction", `
and.b32 %r4, %r0, 1;
match.any.sync.b32 %r3, %r4, -1;
shfl.sync.bfly.b32 %r5, %r0, 2, 31, %r3;
vote.sync.ballot.b32 %r6, 1, %r3;
add.u32 %r5, %r5, %r6;
st.volatile.global.u32 [%rd1], %r5;
ret;`, 32, func(tid uint32) uint32 { return tid ^ 2 + 0x55555555<<(tid&1) }},
		{"half of the members exit", halves("exit;", "shfl.sync.bfly.b32 %r5, %r0, 1, 31, -1;", ""), 32,
			func(tid uint32) uint32 {
				if tid < 16 {
					return 0
				}
				return tid ^ 1
			}},
		{"half of the members exit while others wait", halves(long("round")+" exit;", "vote.sync.ballot.b32 %r5, 1, -1;", ""), 32,
			func(tid uint32) uint32 {
				if tid < 16 {
					return 0
				}
				return 0xffff0000
			}},
		{"lanes of a guard", `
setp.lt.u32 %p0, %r0, 5;
mov.u32 %r5, %r0;
@%p0 shfl.sync.idx.b32 %r5, %r0, 30, 31, -1;
@!%p0 shfl.sync.idx.b32 %r5, %r0, 2, 31, -1;
st.volatile.global.u32 [%rd1], %r5;
ret;`, 32, func(tid uint32) uint32 {
			if tid < 5 {
				return 30
			}
			return 2
		}},
		{"a second time while others are on their way to the first", halves(long("round")+" shfl.sync.bfly.b32 %r5, %r0, 16, 31, -1;",
			"shfl.sync.bfly.b32 %r4, %r0, 16, 31, -1; mov.u32 %r5, %r4;", "shfl.sync.bfly.b32 %r5, %r5, 16, 31, -1;"), 32,
			func(tid uint32) uint32 { return tid }},
		{"a barrier that reduces, at two instructions", halves("barrier.red.popc.u32 %r5, 0, %p1;", "setp.lt.u32 %p3, %r0, 20; barrier.red.popc.u32 %r5, 0, %p3; add.u32 %r5, %r5, 1000;", ""), 64,
			func(tid uint32) uint32 { return 1 + 4 + 1000*(tid/16%2) }},
		{"a barrier with a count, at two instructions", halves("barrier.sync 3, 64;", "barrier.sync 3, 64; add.u32 %r5, %r5, 1;", ""), 64,
			func(tid uint32) uint32 { return tid + tid/16%2 }},
		{"arrivals at two instructions, for which another warp waits", `
setp.ge.u32 %p3, %r0, 32;
mov.u32 %r5, 1;
@%p3 bra waits;
and.b32 %r9, %r0, 1;
setp.eq.u32 %p0, %r9, 0;
@%p0 bra even;
barrier.arrive 1, 64;
bra end;
even: barrier.arrive 1, 64;
bra end;
waits: barrier.sync 1, 64;
end: st.volatile.global.u32 [%rd1], %r5;
ret;`, 64, func(uint32) uint32 { return 1 }},
		{"a barrier for all, while half of each warp exits", halves("exit;", "barrier.sync 0;", ""), 64,
			func(tid uint32) uint32 { return tid * (tid / 16 % 2) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &scenario{body: c.body, block: c.block}
			for _, turns := range everyTurns {
				words, err := s.threads(t, turns)
				if err != nil {
					t.Fatalf("%+v: %v", turns, err)
				}
				for tid, x := range words[:c.block] {
					if want := c.want(uint32(tid)); x != want {
						t.Errorf("%+v: thread %d has %#x, want %#x", turns, tid, x, want)
					}
				}
			}
		})
	}
}

// TestDeadlocksOfSeparateThreads: threads of a warp wait for each other that do not execute the same operation, with the same
// members. The error names who waits where for whom.
func TestDeadlocksOfSeparateThreads(t *testing.T) {
	for _, c := range []struct{ name, lower, upper, wants string }{
		{"other members", "vote.sync.any.pred %p3, %p1, 0x1ffff;", "vote.sync.any.pred %p3, %p1, -1;",
			"thread (0,0,0) and 15 others (lanes 0xffff) at vote.any.pred %p3, %p1, 0x1ffff (k.ptx:"},
		{"shuffles of other modes", "shfl.sync.up.b32 %r5, %r0, 1, 0, -1;", "shfl.sync.down.b32 %r5, %r0, 1, 31, -1;",
			"whose member mask 0xffffffff names thread (16,0,0)"},
		{"other operations", "shfl.sync.idx.b32 %r5, %r0, 1, 31, -1;", "bar.warp.sync -1;", "whose member mask 0xffffffff names thread (0,0,0)"},
		{"reductions of other types", "redux.sync.add.s32 %r5, %r0, -1;", "redux.sync.add.u32 %r5, %r0, -1;", "redux"},
		{"a barrier and an operation", "barrier.sync 0;", "bar.warp.sync -1;", "at barrier.sync 0x0 (k.ptx:"},
		{"barriers of other numbers", "barrier.sync 0;", "barrier.sync 1;", "for all of the warp, such as thread (16,0,0)"},
		{"barriers of other counts", "barrier.sync 0;", "barrier.sync 0, 32;", "barrier.sync 0x0, 0x20"},
		{"aligned barriers of other numbers", "bar.sync 0;", "bar.sync 1;", "at bar.sync 0x1"},
		{"one arrives and the other waits", "barrier.arrive 0, 32;", "barrier.sync 0, 32;", "barrier.arrive 0x0, 0x20"},
		{"other reductions", "barrier.red.and.pred %p3, 0, %p1;", "barrier.red.or.pred %p3, 0, %p1;", "barrier.red.or"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, turns := range everyTurns {
				_, err := (&scenario{body: halves(c.lower, c.upper, ""), block: 32}).threads(t, turns)
				if !errors.Is(err, ErrDeadlock) || !strings.Contains(err.Error(), c.wants) {
					t.Errorf("%+v: %v", turns, err)
				}
			}
		})
	}
	for name, body := range map[string]string{
		"numbers of a barrier by lane": "and.b32 %r3, %r0, 1; barrier.sync %r3; ret;",
		"members that others do not name": `and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 0; selp.u32 %r4, -1, 0xfffffffe, %p0;
vote.sync.ballot.b32 %r5, 1, %r4; ret;`,
	} {
		if _, err := (&scenario{body: body, block: 32}).threads(t, DefaultTurns); !errors.Is(err, ErrDeadlock) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestThreadOutsideOfItsMembers: a thread that its own member mask does not name is a fault, however the lanes come to it.
func TestThreadOutsideOfItsMembers(t *testing.T) {
	for _, body := range []string{
		"shfl.sync.idx.b32 %r5, %r0, 1, 31, 0x7fffffff; ret;",
		"and.b32 %r3, %r0, 1; add.u32 %r3, %r3, 0xffff; vote.sync.ballot.b32 %r5, 1, %r3; ret;",
		halves("bar.warp.sync 0xffff0000;", "bar.warp.sync 0xffff0000;", ""),
	} {
		if _, err := (&scenario{body: body, block: 32}).threads(t, DefaultTurns); err == nil || !strings.Contains(err.Error(), "is not named in the member mask") {
			t.Errorf("%v", err)
		}
	}
}

// TestGatherAndDeliver: where all lanes are at one instruction, what they give and get one after the other is what
// the operation does at once.
func TestGatherAndDeliver(t *testing.T) {
	for _, instr := range []string{
		"shfl.sync.up.b32 %r5|%p3, %r4, 3, 0, -1", "shfl.sync.down.b32 %r5|%p3, %r4, 5, 0x0f1f, -1", "shfl.sync.bfly.b32 %r5|%p3, %r4, 9, 31, -1",
		"shfl.sync.idx.b32 %r5|%p3, %r4, %r0, 7, -1", "vote.sync.ballot.b32 %r5, %p1, -1", "vote.sync.uni.pred %p3, %p1, -1",
		"vote.sync.all.pred %p3, !%p1, -1", "match.any.sync.b32 %r5, %r4, -1", "match.any.sync.b64 %r5, %rd3, -1", "match.all.sync.b64 %r5|%p3, %rd3, -1",
		"redux.sync.xor.b32 %r5, %r4, -1", "redux.sync.min.s32 %r5, %r4, -1", "elect.sync %r5|%p3, -1",
	} {
		begin := `mov.u32 %r5, 0; setp.ne.u32 %p3, %r0, %r0; mul.lo.u32 %r4, %r0, 0x9e3779b9; shr.u32 %r4, %r4, 30; cvt.u64.u32 %rd3, %r4; setp.gt.u32 %p1, %r4, 1;`
		end := ` selp.u32 %r3, 100, 0, %p3; add.u32 %r5, %r5, %r3; st.volatile.global.u32 [%rd1], %r5; ret;`
		together := begin + instr + ";" + end
		// The halves come to copies of the instruction.
		parted := begin + "setp.lt.u32 %p0, %r0, 16; @%p0 bra lower; " + instr + "; bra join; lower: " + instr + "; join:" + end
		want, err := (&scenario{body: together, block: 32}).threads(t, DefaultTurns)
		if err != nil {
			t.Fatalf("%s: %v", instr, err)
		}
		got, err := (&scenario{body: parted, block: 32}).threads(t, DefaultTurns)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, %v, want %v", instr, got, err, want)
		}
	}
}

// TestSeparateIsTold: a Step tells where lanes wait for others of the warp.
func TestSeparateIsTold(t *testing.T) {
	for _, c := range []struct {
		name, body string
		separate   int
	}{
		{"together", "bar.sync 0; shfl.sync.idx.b32 %r5, %r0, 1, 31, -1; barrier.sync 0; ret;", 0},
		{"members of a half", halves("shfl.sync.idx.b32 %r5, %r0, 1, 31, 0xffff;", "", ""), 0},
		{"at two places", halves("bar.warp.sync -1;", "bar.warp.sync -1;", ""), 2},
		{"at two barriers", halves("barrier.sync 0;", "barrier.sync 0;", ""), 2},
	} {
		separate := 0
		err := (&scenario{body: c.body, block: 32}).steps(t, DefaultTurns, func(eff *Effect) {
			if eff.Separate {
				separate += bits.OnesCount64(eff.Mask) / 16
			}
		})
		if err != nil || separate != c.separate {
			t.Errorf("%s: %v, %d apart", c.name, err, separate)
		}
	}
}

// TestUndefined: what the manual leaves undefined, and lets a run go on, is listed with its place.
func TestUndefined(t *testing.T) {
	const object = ".shared .align 8 .b64 object;\n"
	for _, c := range []struct {
		name, body string
		block      int
		wants      []string // parts of the reasons, in the order of the kernel
	}{
		{"aligned barriers in both paths", halves("bar.sync 0;", "bar.sync 0;", ""), 32, []string{"at this aligned barrier and at another one", "at this aligned barrier and at another one"}},
		{"the longer word", halves("barrier.sync.aligned 0;", "barrier.sync 0;", ""), 32, []string{"at this aligned barrier and at another one"}},
		{"one aligned barrier, at other times", halves("mov.u32 %r1, 500; round: sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra round;", "", "bar.sync 0;"), 32, nil},
		{"unaligned barriers", halves("barrier.sync 0;", "barrier.sync 0;", ""), 32, nil},
		{"aligned barriers of whole warps", "shr.u32 %r3, %r0, 5; setp.eq.u32 %p0, %r3, 0; @%p0 bra other; bar.sync 0; ret; other: bar.sync 0; ret;", 64, nil},
		{"two arrivals of a warp", "setp.ge.u32 %p0, %r0, 32; @%p0 bar.sync 1, 96; @%p0 exit; bar.arrive 1, 96; bar.arrive 1, 96; ret;", 64,
			[]string{"a warp arrives twice at barrier 1"}},
		{"two arrivals of a warp, late", "setp.ge.u32 %p0, %r0, 32; @%p0 bar.sync 1, 64; @%p0 bar.sync 1, 64; @%p0 exit; bar.arrive 1, 64; bar.arrive 1, 64; ret;", 64,
			[]string{"a warp arrives again at barrier 1 and has waited for nothing"}},
		{"an arrival and a wait of a warp, late", "setp.ge.u32 %p0, %r0, 32; @%p0 bar.sync 1, 64; @%p0 bar.sync 1, 64; @%p0 exit; bar.arrive 1, 64; bar.sync 1, 64; ret;", 64,
			[]string{"a warp arrives again at barrier 1 and has waited for nothing"}},
		{"a wait, and an arrival", "setp.ge.u32 %p0, %r0, 32; @%p0 bar.sync 1, 64; @%p0 bar.sync 1, 64; @%p0 exit; bar.sync 1, 64; bar.arrive 1, 64; ret;", 64, nil},
		{"arrivals at two barriers", "setp.ge.u32 %p0, %r0, 32; @%p0 bar.sync 1, 64; @%p0 bar.sync 2, 64; @%p0 exit; bar.arrive 1, 64; bar.arrive 2, 64; ret;", 64, nil},
		{"an arrival behind a flag", "setp.ge.u32 %p0, %r0, 32; @%p0 bar.sync 1, 64; @%p0 bar.sync 1, 64; @%p0 exit; bar.arrive 1, 64; ld.volatile.shared.u32 %r5, [object]; bar.arrive 1, 64; ret;", 64, nil},
		{"an arrival each", "bar.arrive 1, 64; bar.sync 2; bar.arrive 1, 64; ret;", 64, nil},
		{"a reduction and none", "setp.ge.u32 %p0, %r0, 32; @%p0 bar.sync 0; @%p0 exit; bar.red.popc.u32 %r5, 0, %p0; ret;", 64, []string{"only one of them and this one reduces"}},
		{"an mbarrier that is there", "setp.ne.u32 %p0, %r0, 0; @%p0 exit; mbarrier.init.shared.b64 [object], 1; mbarrier.init.shared.b64 [object], 2; ret;", 32,
			[]string{"mbarrier.inval has to come first"}},
		{"an mbarrier after another", "setp.ne.u32 %p0, %r0, 0; @%p0 exit; mbarrier.init.shared.b64 [object], 1; mbarrier.inval.shared.b64 [object]; mbarrier.init.shared.b64 [object], 2; ret;", 32, nil},
	} {
		var found []Undefined
		err := (&scenario{vars: object, body: c.body, block: c.block}).steps(t, Turns{Path: 5, Wait: 50}, func(*Effect) {}, func(g *Grid) { found = g.Undefined() })
		if err != nil || len(found) != len(c.wants) {
			t.Errorf("%s: %v, %v", c.name, err, found)
			continue
		}
		for i, u := range found {
			if !strings.Contains(u.Why, c.wants[i]) || u.Count < 1 || !u.Instr.Pos.Known() {
				t.Errorf("%s: %+v, want %q", c.name, u, c.wants[i])
			}
		}
	}
}

// TestWithThreadsAgain: code whose threads are independent already gets other turns and nothing else.
func TestWithThreadsAgain(t *testing.T) {
	code := decode(t, (&scenario{body: halves("bar.warp.sync -1;", "bar.warp.sync -1;", "barrier.sync 0;")}).kernel(t)).WithThreads(DefaultTurns)
	again := code.WithThreads(Turns{Path: 1, Wait: 2})
	if again.turns != (Turns{Path: 1, Wait: 2}) || &again.instrs[0] != &code.instrs[0] {
		t.Errorf("%+v, %v", again.turns, again.instrs)
	}
}
