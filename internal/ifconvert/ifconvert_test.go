package ifconvert_test

import (
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/ifconvert"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
)

// frame is a module with CODE in its kernel. The place to convert is the first instruction with a guard behind "here:".
const frame = `.version 8.0
.target sm_90
.address_size 64
.func (.reg .b32 %result) called(.reg .b32 %argument)
{
	add.u32 %result, %argument, 1;
	ret;
}
.visible .entry k(.param .u64 in)
{
	.reg .pred %p, %q, %s;
	.reg .b16 %h;
	.reg .b32 %r<10>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<6>;
	.reg .v2 .b32 %v;
	.reg .b8 %tiny;
	ld.param.u64 %rd1, [in];
	ld.global.u32 %r1, [%rd1];
	ld.global.f32 %f1, [%rd1+4];
	setp.gt.s32 %p, %r1, 0;
	setp.gt.s32 %q, %r1, 9;
CODE
	st.global.u32 [%rd1+8], %r2;
	st.global.f32 [%rd1+12], %f2;
	@%s st.global.u32 [%rd1+16], %r3;
	ret;
}
`

// convert converts the place in a kernel with some code.
func convert(t *testing.T, code string) (*ifconvert.Result, error) {
	t.Helper()
	text := strings.Replace(frame, "CODE", code, 1)
	m, err := ptx.Parse("k.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	at := diag.Pos{File: "k.ptx"}
	behind := !strings.Contains(code, "here:")
	for i, line := range strings.Split(text, "\n") {
		behind = behind || strings.HasPrefix(line, "here:")
		if behind && strings.HasPrefix(strings.TrimSpace(line), "@") {
			at.Line, at.Col = int32(i+1), int32(strings.IndexByte(line, '@')+1)
			break
		}
	}
	return ifconvert.Convert(m, "k", at)
}

// between returns the instructions of a converted kernel that stand in place of the code.
func between(r *ifconvert.Result) string {
	_, text, _ := strings.Cut(string(r.Text), "setp.gt.s32 %q, %r1, 9;\n")
	text, _, _ = strings.Cut(text, "st.global.u32 [%rd1+8], %r2;")
	return strings.TrimSpace(strings.ReplaceAll(text, "\t", ""))
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		name, code string
		kind       ifconvert.Kind
		added      int
		want       string
	}{
		{"if-then", "@%p bra L;\nadd.s32 %r2, %r2, %r1;\nL:", ifconvert.IfThen, 0, `
add.s32 %sel_b32_0, %r2, %r1;
selp.b32 %r2, %r2, %sel_b32_0, %p;
L:`},
		{"a move is a selection", "@!%p bra L;\nmov.u32 %r2, 7;\nL:", ifconvert.IfThen, -1, `
selp.b32 %r2, 7, %r2, %p;
L:`},
		{"a float", "@%p bra L;\nmov.f32 %f2, 0f3F800000;\nL:", ifconvert.IfThen, -1, `
selp.f32 %f2, %f2, 0f3F800000, %p;
L:`},
		{"what is not read is not selected", "@%p bra L;\nadd.s32 %r4, %r1, 1;\nmul.lo.s32 %r2, %r4, %r4;\nL:", ifconvert.IfThen, 0, `
add.s32 %sel_b32_0, %r1, 1;
mul.lo.s32 %sel_b32_1, %sel_b32_0, %sel_b32_0;
selp.b32 %r2, %r2, %sel_b32_1, %p;
L:`},
		{"if-then-else", "@%p bra A;\nsub.s32 %r2, 0, %r1;\nbra.uni L;\nA:\nadd.s32 %r2, %r1, 3;\nL:", ifconvert.IfThenElse, -1, `
sub.s32 %sel_b32_0, 0, %r1;
add.s32 %sel_b32_1, %r1, 3;
selp.b32 %r2, %sel_b32_1, %sel_b32_0, %p;
A:
L:`},
		{"a load and a store", "@%p bra L;\nld.global.u32 %r4, [%rd1+32];\nst.global.u32 [%rd1+36], %r4;\nL:", ifconvert.IfThen, 1, `
ld.global.u32 %sel_b32_0, [%rd1+32];
ld.global.u32 %sel_b32_1, [%rd1+36];
selp.b32 %sel_b32_2, %sel_b32_1, %sel_b32_0, %p;
st.global.u32 [%rd1+36], %sel_b32_2;
L:`},
		{"what is there is known", "ld.global.u32 %r4, [%rd1+32];\nhere:\n@%p bra L;\nst.global.u32 [%rd1+32], 1;\nst.global.u32 [%rd1+32], 2;\nL:", ifconvert.IfThen, 1, `
ld.global.u32 %r4, [%rd1+32];
here:
selp.b32 %sel_b32_0, %r4, 1, %p;
st.global.u32 [%rd1+32], %sel_b32_0;
selp.b32 %sel_b32_1, %r4, 2, %p;
st.global.u32 [%rd1+32], %sel_b32_1;
L:`},
		{"what is there is not known behind a barrier", "ld.global.u32 %r4, [%rd1+32];\nbar.sync 0;\n@%p bra L;\nst.global.u32 [%rd1+32], 1;\nL:", ifconvert.IfThen, 1, `
ld.global.u32 %r4, [%rd1+32];
bar.sync 0;
ld.global.u32 %sel_b32_0, [%rd1+32];
selp.b32 %sel_b32_1, %sel_b32_0, 1, %p;
st.global.u32 [%rd1+32], %sel_b32_1;
L:`},
		{"both paths store in one place", "ld.global.u32 %r4, [%rd1+32];\nhere:\n@%p bra A;\nst.global.u32 [%rd1+32], 1;\nbra L;\nA:\nst.global.u32 [%rd1+32], 2;\nL:", ifconvert.IfThenElse, 0, `
ld.global.u32 %r4, [%rd1+32];
here:
selp.b32 %sel_b32_0, %r4, 1, %p;
st.global.u32 [%rd1+32], %sel_b32_0;
selp.b32 %sel_b32_1, 2, %sel_b32_0, %p;
st.global.u32 [%rd1+32], %sel_b32_1;
A:
L:`},
		{"what may have been overwritten is not known", "ld.global.u32 %r4, [%rd1+32];\nld.global.u64 %rd2, [%rd1+64];\nhere:\n@%p bra A;\nst.global.u32 [%rd2], 1;\nbra L;\nA:\nst.global.u32 [%rd1+32], 2;\nL:", ifconvert.IfThenElse, 2, `
ld.global.u32 %r4, [%rd1+32];
ld.global.u64 %rd2, [%rd1+64];
here:
ld.global.u32 %sel_b32_0, [%rd2];
selp.b32 %sel_b32_1, %sel_b32_0, 1, %p;
st.global.u32 [%rd2], %sel_b32_1;
ld.global.u32 %sel_b32_2, [%rd1+32];
selp.b32 %sel_b32_3, 2, %sel_b32_2, %p;
st.global.u32 [%rd1+32], %sel_b32_3;
A:
L:`},
		{"bytes and vectors", "@%p bra L;\nst.global.u8 [%rd1+32], %h;\nst.global.v2.f32 [%rd1+40], {%f1, 0f00000000};\nL:", ifconvert.IfThen, 4, `
ld.global.u8 %sel_b16_0, [%rd1+32];
selp.b16 %sel_b16_1, %sel_b16_0, %h, %p;
st.global.u8 [%rd1+32], %sel_b16_1;
ld.global.v2.f32 {%sel_b32_0, %sel_b32_1}, [%rd1+40];
selp.b32 %sel_b32_2, %sel_b32_0, %f1, %p;
selp.f32 %sel_b32_3, %sel_b32_1, 0f00000000, %p;
st.global.v2.f32 [%rd1+40], {%sel_b32_2, %sel_b32_3};
L:`},
		{"atomic operations", "@%p bra L;\natom.global.add.u32 %r4, [%rd1+32], 5;\nred.global.min.s32 [%rd1+36], %r1;\nL:", ifconvert.IfThen, 1, `
selp.b32 %sel_b32_0, 0, 5, %p;
atom.global.add.u32 %sel_b32_1, [%rd1+32], %sel_b32_0;
selp.b32 %sel_b32_2, 0x7fffffff, %r1, %p;
red.global.min.s32 [%rd1+36], %sel_b32_2;
L:`},
		{"a predicate", "@%p bra L;\nsetp.lt.s32 %s, %r1, 5;\nL:", ifconvert.IfThen, 2, `
setp.lt.s32 %sel_pred_0, %r1, 5;
xor.pred %sel_pred_1, %s, %sel_pred_0;
and.pred %sel_pred_2, %sel_pred_1, %p;
xor.pred %s, %sel_pred_2, %sel_pred_0;
L:`},
		{"the predicate is overwritten", "@%s bra L;\nsetp.lt.s32 %s, %r1, 5;\nmov.u32 %r2, 1;\nL:", ifconvert.IfThen, 3, `
setp.lt.s32 %sel_pred_0, %r1, 5;
mov.pred %sel_pred_1, %s;
selp.b32 %r2, %r2, 1, %sel_pred_1;
xor.pred %sel_pred_2, %s, %sel_pred_0;
and.pred %sel_pred_3, %sel_pred_2, %sel_pred_1;
xor.pred %s, %sel_pred_3, %sel_pred_0;
L:`},
		{"both conditions", "@%p bra L;\n@%q bra L;\nmov.u32 %r2, 1;\nL:", ifconvert.Region, 1, `
not.pred %sel_pred_0, %p;
not.pred %sel_pred_1, %q;
and.pred %sel_pred_2, %sel_pred_0, %sel_pred_1;
selp.b32 %r2, 1, %r2, %sel_pred_2;
L:`},
		{"one of two conditions", "@%p bra A;\n@%q bra L;\nA:\nmov.u32 %r2, 1;\nL:", ifconvert.Region, 2, `
not.pred %sel_pred_0, %p;
not.pred %sel_pred_1, %q;
and.pred %sel_pred_2, %sel_pred_0, %sel_pred_1;
or.pred %sel_pred_3, %p, %sel_pred_2;
selp.b32 %r2, 1, %r2, %sel_pred_3;
A:
L:`},
		{"a value of a block for the next", "@%p bra L;\nadd.s64 %rd4, %rd1, 64;\n@%q bra L;\nld.global.u32 %r2, [%rd4];\nL:\nld.global.u32 %r3, [%rd1+4];", ifconvert.Region, 2, `
add.s64 %sel_b64_0, %rd1, 64;
ld.global.u32 %sel_b32_0, [%sel_b64_0];
not.pred %sel_pred_0, %p;
not.pred %sel_pred_1, %q;
and.pred %sel_pred_2, %sel_pred_0, %sel_pred_1;
selp.b32 %r2, %sel_b32_0, %r2, %sel_pred_2;
L:
ld.global.u32 %r3, [%rd1+4];`},
		{"exchanged", "@%p bra L;\nmov.u32 %r4, %r2;\nmov.u32 %r2, %r3;\nmov.u32 %r3, %r4;\nL:\n@%s mov.u32 %r2, 1;", ifconvert.IfThen, 0, `
mov.b32 %sel_b32_0, %r2;
mov.b32 %sel_b32_1, %r3;
selp.b32 %r2, %r2, %sel_b32_1, %p;
selp.b32 %r3, %r3, %sel_b32_0, %p;
L:
@%s mov.u32 %r2, 1;`},
		{"a branch within", "@%p bra L;\n@%q bra A;\nmov.u32 %r2, 1;\nbra B;\nA:\nmov.u32 %r2, 2;\nB:\nadd.s32 %r2, %r2, %r1;\nL:", ifconvert.Region, -3, `
selp.b32 %sel_b32_0, 2, 1, %q;
add.s32 %sel_b32_1, %sel_b32_0, %r1;
selp.b32 %r2, %r2, %sel_b32_1, %p;
A:
B:
L:`},
		{"a guard within", "@%p bra L;\n@%q mov.u32 %r2, 1;\nL:", ifconvert.IfThen, 1, `
mov.b32 %sel_b32_0, %r2;
@%q mov.u32 %sel_b32_0, 1;
selp.b32 %r2, %r2, %sel_b32_0, %p;
L:`},
		{"a guard", "@%p add.s32 %r2, %r1, 1;", ifconvert.Predicated, 1, `
add.s32 %sel_b32_0, %r1, 1;
selp.b32 %r2, %sel_b32_0, %r2, %p;`},
		{"a guard of a store", "@!%p st.global.u32 [%rd1+32], %r1;", ifconvert.Predicated, 2, `
ld.global.u32 %sel_b32_0, [%rd1+32];
selp.b32 %sel_b32_1, %sel_b32_0, %r1, %p;
st.global.u32 [%rd1+32], %sel_b32_1;`},
		{"a path elsewhere in the text", "bra B;\nA:\nmov.u32 %r2, 1;\nbra L;\nB:\n@%p bra A;\nL:\nadd.u32 %r2, %r2, 1;", ifconvert.IfThen, -2, `
bra B;
A:
B:
selp.b32 %r2, 1, %r2, %p;
L:
add.u32 %r2, %r2, 1;`},
		{"a loop is left", "L:\nadd.s32 %r2, %r2, 1;\n@%p bra E;\nst.global.u32 [%rd1+32], %r2;\nsetp.lt.s32 %q, %r2, 5;\n@%q bra L;\nE:", ifconvert.LoopExit, 9, `
L:
add.s32 %r2, %r2, 1;
not.pred %sel_pred_1, %sel_pred_0;
and.pred %sel_pred_2, %p, %sel_pred_1;
selp.b32 %sel_b32_2, %r2, %sel_b32_2, %sel_pred_2;
or.pred %sel_pred_0, %sel_pred_0, %p;
ld.global.u32 %sel_b32_0, [%rd1+32];
selp.b32 %sel_b32_1, %sel_b32_0, %r2, %sel_pred_0;
st.global.u32 [%rd1+32], %sel_b32_1;
setp.lt.s32 %q, %r2, 5;
@%q bra L;
selp.b32 %r2, %sel_b32_2, %r2, %sel_pred_0;
mov.pred %sel_pred_0, 0;
E:`},
		{"a loop is left elsewhere", "L:\nadd.s32 %r2, %r2, 1;\n@!%p bra S;\nmov.u32 %r2, 9;\nbra E;\nS:\nsetp.ge.s32 %q, %r2, 5;\n@%q bra E;\nbra L;\nE:", ifconvert.LoopExit, 8, `
L:
add.s32 %r2, %r2, 1;
not.pred %sel_pred_1, %sel_pred_0;
and.pred %sel_pred_2, %p, %sel_pred_1;
or.pred %sel_pred_0, %sel_pred_0, %p;
bra.uni S;
$sel_L1:
mov.u32 %r2, 9;
bra E;
S:
setp.ge.s32 %q, %r2, 5;
@%q bra $sel_L2;
bra L;
E:`},
		{"a jump to where they reconverge", "bra B;\nL:\nadd.u32 %r2, %r2, 1;\nbra C;\nB:\n@%p bra L;\nmov.u32 %r2, 1;\nbra L;\nC:", ifconvert.IfThen, -1, `
bra B;
L:
add.u32 %r2, %r2, 1;
bra C;
B:
selp.b32 %r2, %r2, 1, %p;
bra.uni L;
C:`},
	} {
		r, err := convert(t, c.code)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := between(r); got != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, strings.TrimSpace(c.want))
		}
		if r.Kind != c.kind || r.Added != c.added {
			t.Errorf("%s: %s with %d instructions more, want %s with %d", c.name, r.Kind, r.Added, c.kind, c.added)
		}
		program, err := ptx.Lower(r.Module)
		if err == nil {
			err = isa.VerifyProgram(program)
		}
		if err != nil || len(program.Warnings) > 0 {
			t.Errorf("%s: %v %v", c.name, err, program.Warnings)
		}
	}
}

// TestPositions has instructions of the source keep their positions there, and their places in the module.
func TestPositions(t *testing.T) {
	r, err := convert(t, ".loc 1 5 1\n@%p bra L;\n.loc 1 6 1\nadd.s32 %r2, %r1, 1;\nL:\n.loc 1 7 1\nadd.s32 %r2, %r2, 1;")
	if err != nil {
		t.Fatal(err)
	}
	want := ".loc 1 6 1\nadd.s32 %sel_b32_0, %r1, 1;\n.loc 1 5 1\nselp.b32 %r2, %r2, %sel_b32_0, %p;\nL:\n.loc 1 7 1\nadd.s32 %r2, %r2, 1;"
	if got := between(r); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	line := func(text string, in string) int32 {
		before, _, _ := strings.Cut(text, in)
		return int32(strings.Count(before, "\n") + 1)
	}
	before := strings.Replace(frame, "CODE", ".loc 1 5 1\n@%p bra L;\n.loc 1 6 1\nadd.s32 %r2, %r1, 1;\nL:\n.loc 1 7 1\nadd.s32 %r2, %r2, 1;", 1)
	for after, from := range map[string]string{
		"add.s32 %sel_b32_0, %r1, 1;": "add.s32 %r2, %r1, 1;", "selp.b32 %r2, %r2, %sel_b32_0, %p;": "@%p bra L;", "add.s32 %r2, %r2, 1;": "add.s32 %r2, %r2, 1;",
	} {
		at := diag.Pos{File: "k.ptx", Line: line(string(r.Text), after), Col: 2}
		if got := r.Origin(at); got.Line != line(before, from) {
			t.Errorf("%s is from line %d, want %d", after, got.Line, line(before, from))
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"a loop goes on", "L:\nadd.s32 %r2, %r2, 1;\n@%p bra L;", "k.ptx:25:1: the branch decides whether a loop goes on, and nothing else ends it"},
		{"threads end in the loop", "L:\nadd.s32 %r2, %r2, 1;\n@%p bra E;\nsetp.lt.s32 %q, %r2, 5;\n@%s ret;\n@%q bra L;\nE:", "k.ptx:27:1: threads end here, in the loop that the branch at k.ptx:25:1 leaves"},
		{"a barrier in the loop", "L:\nbar.sync 0;\n@%p bra E;\nsetp.lt.s32 %q, %r2, 5;\n@%q bra L;\nE:", "cannot execute it without an effect"},
		{"a loop on a path", "@%p bra E;\nL:\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %q, %r2, 5;\n@%q bra L;\nE:", "k.ptx:25:1: a loop is on a path of the branch at k.ptx:23:1"},
		{"threads end", "@%p ret;", "k.ptx:23:1: threads end here, so that there is nothing to select"},
		{"threads end on a path", "@%p bra L;\nret;\nL:", "k.ptx:29:2: threads end here, on a path of the branch at k.ptx:23:1"},
		{"a trap", "@%p bra L;\ntrap;\nL:", "k.ptx:24:1: threads end here, on a path of the branch at k.ptx:23:1"},
		{"another branch leads in", "@%q bra A;\nbra B;\nB:\nhere:\n@%p bra L;\nA:\nmov.u32 %r2, 1;\nL:", "k.ptx:23:1: this branch leads into a path of the branch at k.ptx:27:1"},
		{"a call", "@%p bra L;\n{\n.reg .b32 t;\ncall (t), called, (%r1);\n}\nL:", "a path of the branch at k.ptx:23:1"},
		{"a call without a block", "@%p bra L;\ncall (%r4), called, (%r1);\nL:", "a path of the branch at k.ptx:23:1 calls a function"},
		{"a block", "@%p bra L;\n{\n.reg .b32 t;\nmov.u32 t, 1;\n}\nL:", "k.ptx:26:1: a path of the branch at k.ptx:23:1 leads through a block of the text with names of its own"},
		{"in a block", "{\n@%p bra L;\nmov.u32 %r2, 1;\nL:\n}", "k.ptx:25:1: a path of the branch at k.ptx:24:1 leads through a block of the text with names of its own"},
		{"a barrier", "@%p bra L;\nbar.sync 0;\nL:", "k.ptx:24:1: bar.sync 0x0: lanes that the branch is not for cannot execute it without an effect"},
		{"a vote", "@%p bra L;\nvote.sync.ballot.b32 %r2, %q, 0xffffffff;\nL:", "cannot execute it without an effect"},
		{"a prefetch", "@%p prefetch.global.L1 [%rd1];", "cannot execute it without an effect"},
		{"an exchange", "@%p bra L;\natom.global.exch.b32 %r2, [%rd1], 5;\nL:", "there is no operand with which this atomic operation changes nothing"},
		{"a sum of floats", "@%p red.global.add.f32 [%rd1], %f1;", "there is no operand with which this atomic operation changes nothing"},
		{"a volatile store", "@%p bra L;\nst.volatile.global.u32 [%rd1], 5;\nL:", "a strong store cannot be replaced by one of what was there before"},
		{"a volatile load", "@%p ld.volatile.global.u32 %r2, [%rd1];", "a strong load cannot be executed by lanes that the branch is not for"},
		{"a carry", "@%p bra L;\nadd.cc.u32 %r2, %r1, 1;\naddc.u32 %r3, %r1, 1;\nL:", "there is no selection of the carry flag"},
		{"a vector", "@%p bra L;\nmov.v2.b32 %v, {%r1, %r1};\nL:", "%v is a vector or has 128 bits, of which there is no selection"},
		{"a byte", "@%p bra L;\nld.global.u8 %tiny, [%rd1];\nL:\nst.global.u8 [%rd1], %tiny;", "there is no selection of a .b8 register"},
		{"an indexed branch", "T: .branchtargets A, B;\nhere:\n@%p brx.idx %r1, T;\nA:\nB:", "lanes that the branch is not for cannot execute it without an effect"},
		{"nothing", "add.s32 %r2, %r2, 1;", ""},
	} {
		r, err := convert(t, c.code)
		switch {
		case c.want == "" && err != nil, c.want != "" && err == nil:
			t.Errorf("%s: %v, %v", c.name, r, err)
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestObstacle(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"mov.u32 %r2, %clock;", "depends on when and where threads run"},
		{"mov.u32 %r2, %smid;", "depends on when and where threads run"},
		{"activemask.b32 %r2;", "may depend on when threads run"},
		{"ld.relaxed.gpu.global.u32 %r2, [%rd1];", "a strong access reads"},
		{"atom.global.add.u32 %r2, [%rd1+32], 1;", "the kernel uses what was there before"},
		{"atom.global.exch.b32 %r4, [%rd1+32], 1;", "depends on the order of atomic operations"},
		{"red.global.add.f32 [%rd1+32], %f1;", "depends on the order of atomic operations"},
		{"red.global.add.u32 [%rd1+32], 1;\nred.global.max.u32 [%rd1+32], 1;", "several kinds of atomic operations"},
		{"red.global.add.u32 [%rd1+32], 1;\natom.global.add.u32 %r4, [%rd1+32], 1;\nbar.sync 0;\nmov.u32 %r2, %laneid;", ""},
	} {
		m, err := ptx.Parse("k.ptx", []byte(strings.Replace(frame, "CODE", c.code, 1)))
		if err != nil {
			t.Fatal(err)
		}
		program, err := ptx.Lower(m)
		if err != nil {
			t.Fatal(err)
		}
		k, err := isa.Link(program, "k")
		if err != nil {
			t.Fatal(err)
		}
		switch err := ifconvert.Obstacle(k); {
		case (err == nil) != (c.want == ""), err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %s", c.code, err, c.want)
		}
	}
}
