package interleavings

import (
	"fmt"
	"strings"
)

// texts are the operations in PTX. d, p, a, b, m and n stand for the fields of Instr, w for an
// address of a shared word and s for that of an mbarrier; %q is a predicate that is free, %t has
// the state of the last arrival.
var texts = map[Op]string{
	Move:  "mov.u32 {d}, {a};",
	Add:   "add.u32 {d}, {a}, {b};",
	And:   "and.b32 {d}, {a}, {b};",
	Xor:   "xor.b32 {d}, {a}, {b};",
	Less:  "setp.lt.u32 %q, {a}, {b}; selp.u32 {d}, 1, 0, %q;",
	Equal: "setp.eq.u32 %q, {a}, {b}; selp.u32 {d}, 1, 0, %q;",

	Branch: "bra {t};",
	Exit:   "exit;",
	Output: "st.global.u32 [%out+{o}], {a};",

	Load:      "ld.volatile.shared.u32 {d}, [{w}];",
	Store:     "st.volatile.shared.u32 [{w}], {a};",
	AtomicAdd: "atom.shared.add.u32 {d}, [{w}], {a};",

	ShflIdx:    "shfl.sync.idx.b32 {d}|%q, {a}, {b}, 31, {m}; selp.u32 {p}, 1, 0, %q;",
	ShflUp:     "shfl.sync.up.b32 {d}|%q, {a}, {b}, 0, {m}; selp.u32 {p}, 1, 0, %q;",
	ShflDown:   "shfl.sync.down.b32 {d}|%q, {a}, {b}, 31, {m}; selp.u32 {p}, 1, 0, %q;",
	ShflBfly:   "shfl.sync.bfly.b32 {d}|%q, {a}, {b}, 31, {m}; selp.u32 {p}, 1, 0, %q;",
	VoteAll:    "setp.ne.u32 %q, {a}, 0; vote.sync.all.pred %q, %q, {m}; selp.u32 {d}, 1, 0, %q;",
	VoteAny:    "setp.ne.u32 %q, {a}, 0; vote.sync.any.pred %q, %q, {m}; selp.u32 {d}, 1, 0, %q;",
	VoteUni:    "setp.ne.u32 %q, {a}, 0; vote.sync.uni.pred %q, %q, {m}; selp.u32 {d}, 1, 0, %q;",
	VoteBallot: "setp.ne.u32 %q, {a}, 0; vote.sync.ballot.b32 {d}, %q, {m};",
	MatchAny:   "match.any.sync.b32 {d}, {a}, {m};",
	MatchAll:   "match.all.sync.b32 {d}|%q, {a}, {m}; selp.u32 {p}, 1, 0, %q;",
	ReduxAdd:   "redux.sync.add.u32 {d}, {a}, {m};",
	ReduxMin:   "redux.sync.min.u32 {d}, {a}, {m};",
	ReduxMax:   "redux.sync.max.u32 {d}, {a}, {m};",
	ReduxAnd:   "redux.sync.and.b32 {d}, {a}, {m};",
	ReduxOr:    "redux.sync.or.b32 {d}, {a}, {m};",
	ReduxXor:   "redux.sync.xor.b32 {d}, {a}, {m};",
	Elect:      "elect.sync {d}|%q, {m}; selp.u32 {p}, 1, 0, %q;",
	WarpSync:   "bar.warp.sync {m};",

	BarrierSync:   "barrier.sync{aligned} {n};",
	BarrierArrive: "barrier.arrive{aligned} {n};",
	BarrierPopc:   "setp.ne.u32 %q, {a}, 0; barrier.red.popc{aligned}.u32 {d}, {n}, %q;",
	BarrierAnd:    "setp.ne.u32 %q, {a}, 0; barrier.red.and{aligned}.pred %q, {n}, %q; selp.u32 {d}, 1, 0, %q;",
	BarrierOr:     "setp.ne.u32 %q, {a}, 0; barrier.red.or{aligned}.pred %q, {n}, %q; selp.u32 {d}, 1, 0, %q;",

	Init:       "mbarrier.init.shared.b64 [{s}], {c};",
	Arrive:     "mbarrier.arrive.shared.b64 %t, [{s}];",
	TestState:  "mbarrier.test_wait.shared.b64 %q, [{s}], %t; selp.u32 {d}, 1, 0, %q;",
	TestParity: "mbarrier.test_wait.parity.shared.b64 %q, [{s}], {a}; selp.u32 {d}, 1, 0, %q;",
	TryState:   "mbarrier.try_wait.shared.b64 %q, [{s}], %t; selp.u32 {d}, 1, 0, %q;",
	TryParity:  "mbarrier.try_wait.parity.shared.b64 %q, [{s}], {a}; selp.u32 {d}, 1, 0, %q;",
}

// PTX returns the program as a module with the kernel k(out), for one CTA of Warps times Lanes
// threads in warps of Lanes lanes. out is the address of Outputs words for each thread in turn.
func (p *Program) PTX() string {
	var b strings.Builder
	fmt.Fprintf(&b, `.version 8.6
.target sm_90
.address_size 64
.shared .align 8 .b8 objects[%d];
.shared .align 4 .b8 words[%d];
.visible .entry k(.param .u64 buffer) {
.reg .b32 %%r<%d>; .reg .b32 %%lane, %%warp; .reg .b64 %%out, %%t; .reg .pred %%q, %%g;
ld.param.u64 %%out, [buffer];
mov.u32 %%r0, %%tid.x;
mad.wide.u32 %%out, %%r0, %d, %%out;
div.u32 %%warp, %%r0, %d;
rem.u32 %%lane, %%r0, %d;
mov.u64 %%t, 0;
`, 8*Mbarriers, 4*Words, Registers, 4*Outputs, p.Lanes, p.Lanes)
	for r := range Registers {
		fmt.Fprintf(&b, "mov.u32 %%r%d, 0;\n", r)
	}
	for i := range p.Instrs {
		fmt.Fprintf(&b, "L%d: %s\n", i, p.textOf(&p.Instrs[i]))
	}
	b.WriteString("}\n")
	return b.String()
}

// textOf returns an instruction in PTX.
func (p *Program) textOf(in *Instr) string {
	aligned, barrier := "", fmt.Sprint(in.Object)
	if in.Aligned {
		aligned = ".aligned"
	}
	if in.Count > 0 {
		barrier += fmt.Sprintf(", %d", in.Count*p.Lanes)
	}
	text := strings.NewReplacer(
		"{d}", fmt.Sprintf("%%r%d", in.D), "{p}", fmt.Sprintf("%%r%d", in.P),
		"{a}", in.A.String(), "{b}", in.B.String(), "{m}", in.Members.String(),
		"{t}", fmt.Sprintf("L%d", in.Target), "{o}", fmt.Sprint(4*in.Object), "{c}", fmt.Sprint(in.Count),
		"{w}", fmt.Sprintf("words+%d", 4*in.Object), "{s}", fmt.Sprintf("objects+%d", 8*in.Object),
		"{aligned}", aligned, "{n}", barrier,
	).Replace(texts[in.Op])
	if !in.Guard.Set {
		return text
	}
	guard := "@%g "
	if in.Guard.Not {
		guard = "@!%g "
	}
	return fmt.Sprintf("setp.ne.u32 %%g, %%r%d, 0; ", in.Guard.Reg) + guard + strings.ReplaceAll(text, "; ", "; "+guard)
}

// String returns the operand in PTX.
func (o Operand) String() string {
	switch o.Kind {
	case Register:
		return fmt.Sprintf("%%r%d", o.Value)
	case Lane:
		return "%lane"
	case Warp:
		return "%warp"
	}
	return fmt.Sprint(o.Value)
}
