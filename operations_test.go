package warpbound_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"warpbound/internal/platform"
)

// reference is the instruction that operations are measured against: it computes eight
// vector registers of results, as fma.rn.f32 did when the limits were set, in the same time.
const reference = "fma.rn.f64 %d0, %d1, %d2, %d3"

// How many times as long as the reference an instruction may take for 32 lanes; for
// accesses to memory, for each transaction of 128 bytes.
const (
	word           = 8   // operations on at most 32 bits, on integers, conversions, accesses
	transcendental = 20  // the approximations, and division
	double         = 40  // division and roots in double precision
	serial         = 20  // atomics, which are executed one lane after another
	matrix         = 400 // products of matrices: 2048 products and sums of two numbers, or more
)

// An operation is an instruction that BenchmarkOperations measures. Registers that a prologue
// fills are %f1 to %f3 (numbers about one), %d1 to %d3, %h1 to %h3 (f16), %b1 to %b3 (bf16),
// %x1 to %x3 (pairs of f16), %y1 to %y3 (of bf16), %z1 to %z3 (of f32), %r1 to %r3, %s1 to %s3 (16 bits), %l1 to %l3 (64
// bits), %p1, %p2, %n (the lane), and the addresses %g (16 bytes times the lane in global
// memory), %v (16 bytes times the lane in shared memory) and %u (the same for all lanes).
type operation struct {
	limit float64
	text  string
}

func operations() []operation {
	var list []operation
	each := func(limit float64, texts ...string) {
		for _, text := range texts {
			list = append(list, operation{limit, text})
		}
	}

	each(word, "fma.rn.f32 %f0, %f1, %f2, %f3")
	for _, form := range []string{"rn.ftz", "rz", "rm", "rp", "rz.ftz", "rn.sat", "rn.ftz.sat"} {
		each(word,
			fmt.Sprintf("add.%s.f32 %%f0, %%f1, %%f2", form),
			fmt.Sprintf("sub.%s.f32 %%f0, %%f1, %%f2", form),
			fmt.Sprintf("mul.%s.f32 %%f0, %%f1, %%f2", form),
			fmt.Sprintf("fma.%s.f32 %%f0, %%f1, %%f2, %%f3", form))
	}
	for _, form := range []string{"rn", "rz", "rn.ftz", "rp.ftz"} {
		each(word,
			fmt.Sprintf("div.%s.f32 %%f0, %%f1, %%f2", form),
			fmt.Sprintf("sqrt.%s.f32 %%f0, %%f1", form),
			fmt.Sprintf("rcp.%s.f32 %%f0, %%f1", form))
	}
	for _, form := range []string{"rn", "rz", "rm", "rp"} {
		each(word,
			fmt.Sprintf("add.%s.f64 %%d0, %%d1, %%d2", form),
			fmt.Sprintf("mul.%s.f64 %%d0, %%d1, %%d2", form),
			fmt.Sprintf("fma.%s.f64 %%d0, %%d1, %%d2, %%d3", form))
		each(double,
			fmt.Sprintf("div.%s.f64 %%d0, %%d1, %%d2", form),
			fmt.Sprintf("sqrt.%s.f64 %%d0, %%d1", form),
			fmt.Sprintf("rcp.%s.f64 %%d0, %%d1", form))
	}
	each(word, "min.f64 %d0, %d1, %d2", "max.f64 %d0, %d1, %d2", "abs.f64 %d0, %d1", "neg.f64 %d0, %d1",
		"setp.lt.f64 %p0, %d1, %d2", "setp.neu.f64 %p0, %d1, %d2", "setp.num.f64 %p0, %d1, %d2", "copysign.f64 %d0, %d1, %d2")
	each(word, "min.f32 %f0, %f1, %f2", "max.f32 %f0, %f1, %f2", "min.ftz.f32 %f0, %f1, %f2", "max.NaN.f32 %f0, %f1, %f2",
		"max.ftz.NaN.xorsign.abs.f32 %f0, %f1, %f2", "abs.f32 %f0, %f1", "abs.ftz.f32 %f0, %f1", "neg.f32 %f0, %f1", "neg.ftz.f32 %f0, %f1",
		"copysign.f32 %f0, %f1, %f2", "testp.finite.f32 %p0, %f1", "testp.subnormal.f32 %p0, %f1")
	for _, cmp := range []string{"eq", "ne", "lt", "geu", "num"} {
		each(word,
			fmt.Sprintf("setp.%s.f32 %%p0, %%f1, %%f2", cmp),
			fmt.Sprintf("setp.%s.ftz.f32 %%p0, %%f1, %%f2", cmp),
			fmt.Sprintf("setp.%s.f16 %%p0, %%h1, %%h2", cmp))
	}
	each(word, "setp.lt.and.f32 %p0|%p3, %f1, %f2, %p1", "setp.lt.f16x2 %p0|%p3, %x1, %x2", "setp.lt.bf16 %p0, %b1, %b2",
		"set.lt.u32.f32 %r0, %f1, %f2", "set.lt.f32.f32 %f0, %f1, %f2", "set.lt.ftz.u32.f32 %r0, %f1, %f2", "set.lt.f32.u32 %f0, %r1, %r2", "set.gt.f16x2.f16x2 %x0, %x1, %x2")

	for _, op := range []string{"rcp.approx", "rcp.approx.ftz", "sqrt.approx", "sqrt.approx.ftz", "rsqrt.approx", "rsqrt.approx.ftz",
		"lg2.approx", "lg2.approx.ftz", "ex2.approx", "ex2.approx.ftz", "sin.approx", "sin.approx.ftz", "cos.approx", "cos.approx.ftz", "tanh.approx"} {
		each(transcendental, fmt.Sprintf("%s.f32 %%f0, %%f1", op))
	}
	each(transcendental, "div.approx.f32 %f0, %f1, %f2", "div.approx.ftz.f32 %f0, %f1, %f2", "div.full.f32 %f0, %f1, %f2", "div.full.ftz.f32 %f0, %f1, %f2",
		"ex2.approx.f16 %h0, %h1", "ex2.approx.f16x2 %x0, %x1", "tanh.approx.f16 %h0, %h1", "tanh.approx.f16x2 %x0, %x1",
		"ex2.approx.ftz.bf16 %b0, %b1", "tanh.approx.bf16 %b0, %b1", "sin.approx.f32 %f0, %f4", "cos.approx.ftz.f32 %f0, %f4")
	each(double, "rcp.approx.ftz.f64 %d0, %d1", "rsqrt.approx.f64 %d0, %d1")

	for _, half := range []struct{ t, r string }{{"f16", "h"}, {"f16x2", "x"}, {"bf16", "b"}, {"bf16x2", "y"}} {
		op2 := func(op string) { each(word, fmt.Sprintf("%s.%s %%%[3]s0, %%%[3]s1, %%%[3]s2", op, half.t, half.r)) }
		op3 := func(op string) {
			each(word, fmt.Sprintf("%s.%s %%%[3]s0, %%%[3]s1, %%%[3]s2, %%%[3]s3", op, half.t, half.r))
		}
		for _, op := range []string{"add.rn", "sub.rn", "mul.rn", "min", "max", "min.NaN"} {
			op2(op)
		}
		op3("fma.rn")
		op3("fma.rn.relu")
		if half.t[0] == 'f' {
			for _, op := range []string{"add.rn.ftz", "mul.rn.sat", "mul.rn.ftz.sat", "max.ftz"} {
				op2(op)
			}
			op3("fma.rn.ftz")
			op3("fma.rn.sat")
		}
		each(word, fmt.Sprintf("neg.%s %%%[2]s0, %%%[2]s1", half.t, half.r), fmt.Sprintf("abs.%s %%%[2]s0, %%%[2]s1", half.t, half.r))
	}

	registers := []struct{ t, r string }{
		{"u8", "s"}, {"s8", "s"}, {"u16", "s"}, {"s16", "s"}, {"u32", "r"}, {"s32", "r"}, {"u64", "l"}, {"s64", "l"},
		{"f16", "h"}, {"bf16", "b"}, {"f32", "f"}, {"f64", "d"},
	}
	isFloat := func(t string) bool { return strings.Contains(t, "f") }
	mantissa := map[string]int{"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
	for _, to := range registers {
		for _, from := range registers {
			switch {
			case to.t == from.t:
			case to.t == "bf16" && from.t != "f32" || from.t == "bf16" && to.t != "f32":
			case isFloat(to.t) && isFloat(from.t) && mantissa[to.t] > mantissa[from.t]:
				each(word, fmt.Sprintf("cvt.%s.%s %%%s0, %%%s1", to.t, from.t, to.r, from.r))
			case isFloat(to.t):
				for _, round := range []string{"rn", "rz", "rp"} {
					if to.t != "bf16" || round != "rp" {
						each(word, fmt.Sprintf("cvt.%s.%s.%s %%%s0, %%%s1", round, to.t, from.t, to.r, from.r))
					}
				}
			case isFloat(from.t):
				for _, round := range []string{"rni", "rzi", "rmi"} {
					each(word, fmt.Sprintf("cvt.%s.%s.%s %%%s0, %%%s1", round, to.t, from.t, to.r, from.r))
				}
			default:
				each(word, fmt.Sprintf("cvt.%s.%s %%%s0, %%%s1", to.t, from.t, to.r, from.r))
			}
		}
	}
	each(word, "cvt.rzi.ftz.s32.f32 %r0, %f1", "cvt.rn.ftz.f16.f32 %h0, %f1", "cvt.ftz.f32.f16 %f0, %h1", "cvt.rn.sat.f32.f64 %f0, %d1",
		"cvt.ftz.f64.f32 %d0, %f1", "cvt.rn.f16x2.f32 %x0, %f1, %f2", "cvt.rn.bf16x2.f32 %y0, %f1, %f2", "cvt.rn.relu.f16x2.f32 %x0, %f1, %f2",
		"cvt.rni.f32.f32 %f0, %f1", "cvt.rmi.ftz.f32.f32 %f0, %f1", "cvt.rzi.f64.f64 %d0, %d1", "cvt.rni.f16.f16 %h0, %h1", "cvt.sat.f32.f32 %f0, %f1",
		"cvt.sat.u8.s32 %s0, %r1", "cvt.sat.s16.s32 %s0, %r1", "cvt.sat.u32.s64 %r0, %l1", "cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3")
	for _, form := range []string{"rn.satfinite", "rz.satfinite", "rn.relu.satfinite", "rz.relu"} {
		each(word, fmt.Sprintf("cvt.%s.f16x2.f32 %%x0, %%f1, %%f2", form), fmt.Sprintf("cvt.%s.bf16x2.f32 %%y0, %%f1, %%f2", form),
			fmt.Sprintf("cvt.%s.f16.f32 %%h0, %%f1", form), fmt.Sprintf("cvt.%s.bf16.f32 %%b0, %%f1", form))
	}
	for _, form := range []string{"e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2"} {
		each(word, fmt.Sprintf("cvt.rn.satfinite.%s.f32 %%s0, %%f1, %%f2", form), fmt.Sprintf("cvt.rn.satfinite.relu.%s.f32 %%s0, %%f1, %%f2", form),
			fmt.Sprintf("cvt.rn.f16x2.%s %%x0, %%s1", form))
	}
	each(word, "cvt.rn.satfinite.e4m3x2.f16x2 %s0, %x1", "cvt.rn.satfinite.relu.e5m2x2.f16x2 %s0, %x1", "cvt.rna.tf32.f32 %r0, %f1", "cvt.rn.satfinite.relu.tf32.f32 %r0, %f1",
		"cvt.rp.satfinite.ue8m0x2.f32 %s0, %f1, %f2", "cvt.rz.ue8m0x2.bf16x2 %s0, %y1", "cvt.rn.bf16x2.ue8m0x2 %y0, %s1",
		"cvt.rpi.sat.f64.f64 %d0, %d1", "cvt.ftz.sat.f64.f32 %d0, %f1", "cvt.sat.f64.f16 %d0, %h1", "cvt.rz.sat.f64.s16 %d0, %s1",
		"cvt.rp.bf16.f32 %b0, %f1", "cvt.rm.ftz.bf16.f32 %b0, %f1",
		"cvt.rm.bf16.f16 %b0, %h1", "cvt.rp.bf16.s32 %b0, %r1")
	each(word, "add.rn.f32x2 %l0, %z1, %z2", "sub.rz.ftz.f32x2 %l0, %z1, %z2", "mul.rp.f32x2 %l0, %z1, %z2", "fma.rn.ftz.f32x2 %l0, %z1, %z2, %z3",
		"add.rn.f32.f16 %f0, %h1, %f2", "sub.rp.sat.f32.bf16 %f0, %b1, %f2", "fma.rz.f32.f16 %f0, %h1, %h2, %f3", "fma.rn.sat.f32.bf16 %f0, %b1, %b2, %f3",
		"testp.normal.f32 %p0, %f1", "testp.normal.f64 %p0, %d1", "testp.notanumber.f64 %p0, %d1", "set.num.or.u32.f64 %r0, %d1, %d2, %p3")
	for _, op := range []string{"vadd", "vsub", "vabsdiff", "vmin", "vmax"} {
		each(word, op+".s32.s32.s32.sat %r0, %r1, %r2", op+".u32.u32.u32 %r0, %r1.b0, %r2.h1", op+".s32.u32.s32.max %r0, %r1, %r2.b3, %r3",
			op+".u32.s32.s32.sat %r0.h1, %r1, %r2, %r3")
	}
	for _, op := range []string{"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"} {
		for _, parts := range []string{"2", "4"} {
			each(word, op+parts+".u32.u32.u32 %r0, %r1, %r2, %r3", op+parts+".s32.u32.s32.sat %r0, %r1, %r2, %r3", op+parts+".s32.s32.u32.add %r0, %r1, %r2, %r3")
		}
	}
	each(word, "vset.u32.u32.lt %r0, %r1, %r2", "vset.s32.u32.ne.min %r0, %r1, %r2, %r3", "vset2.s32.s32.ge %r0, %r1, %r2, %r3", "vset4.u32.u32.eq.add %r0, %r1, %r2, %r3",
		"vshl.u32.u32.u32.sat.clamp %r0, %r1, %n", "vshl.s32.s32.u32.wrap.max %r0, %r1, %n, %r3", "vshr.s32.s32.u32.sat.clamp.add %r0, %r1, %n, %r3", "vshr.u32.u32.u32.wrap %r0, %r1, %n",
		"vmad.s32.s32.s32 %r0, %r1.h0, %r2.h1, %r3", "vmad.u32.u32.u32.sat.shr15 %r0, %r1, %r2, %r3", "vmad.s32.s32.s32.sat.shr7 %r0, %r1, -%r2, %r3")

	for _, t := range []struct{ t, r string }{{"u16", "s"}, {"s16", "s"}, {"u32", "r"}, {"s32", "r"}, {"u64", "l"}, {"s64", "l"}} {
		for _, op := range []string{"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"} {
			each(word, fmt.Sprintf("%s.%s %%%[3]s0, %%%[3]s1, %%%[3]s2", op, t.t, t.r))
		}
		for _, op := range []string{"mad.lo", "mad.hi", "sad"} {
			each(word, fmt.Sprintf("%s.%s %%%[3]s0, %%%[3]s1, %%%[3]s2, %%%[3]s3", op, t.t, t.r))
		}
		each(word, fmt.Sprintf("setp.lt.%s %%p0, %%%[2]s1, %%%[2]s2", t.t, t.r), fmt.Sprintf("setp.ne.%s %%p0, %%%[2]s1, %%%[2]s2", t.t, t.r),
			fmt.Sprintf("selp.%s %%%[2]s0, %%%[2]s1, %%%[2]s2, %%p1", t.t, t.r), fmt.Sprintf("slct.%s.s32 %%%[2]s0, %%%[2]s1, %%%[2]s2, %%r3", t.t, t.r),
			fmt.Sprintf("shr.%s %%%[2]s0, %%%[2]s1, %%n", t.t, t.r), fmt.Sprintf("mov.%s %%%[2]s0, %%%[2]s1", t.t, t.r))
		if t.t[0] == 's' {
			each(word, fmt.Sprintf("neg.%s %%%[2]s0, %%%[2]s1", t.t, t.r), fmt.Sprintf("abs.%s %%%[2]s0, %%%[2]s1", t.t, t.r))
		}
	}
	for _, t := range []struct{ n, r string }{{"32", "r"}, {"64", "l"}} {
		for _, op := range []string{"bfe.u", "bfe.s"} {
			each(word, fmt.Sprintf("%s%s %%%[3]s0, %%%[3]s1, 3, 7", op, t.n, t.r))
		}
		for _, op := range []string{"bfind.u", "bfind.s", "bfind.shiftamt.u", "popc.b", "clz.b"} {
			each(word, fmt.Sprintf("%s%s %%r0, %%%s1", op, t.n, t.r))
		}
		each(word, fmt.Sprintf("brev.b%s %%%[2]s0, %%%[2]s1", t.n, t.r), fmt.Sprintf("bfi.b%s %%%[2]s0, %%%[2]s1, %%%[2]s2, 5, 9", t.n, t.r),
			fmt.Sprintf("not.b%s %%%[2]s0, %%%[2]s1", t.n, t.r), fmt.Sprintf("cnot.b%s %%%[2]s0, %%%[2]s1", t.n, t.r),
			fmt.Sprintf("and.b%s %%%[2]s0, %%%[2]s1, %%%[2]s2", t.n, t.r), fmt.Sprintf("shl.b%s %%%[2]s0, %%%[2]s1, %%n", t.n, t.r),
			fmt.Sprintf("add.cc.u%s %%%[2]s0, %%%[2]s1, %%%[2]s2", t.n, t.r), fmt.Sprintf("subc.cc.u%s %%%[2]s0, %%%[2]s1, %%%[2]s2", t.n, t.r),
			fmt.Sprintf("mad.lo.cc.u%s %%%[2]s0, %%%[2]s1, %%%[2]s2, %%%[2]s3", t.n, t.r),
			fmt.Sprintf("madc.hi.u%s %%%[2]s0, %%%[2]s1, %%%[2]s2, %%%[2]s3", t.n, t.r))
	}
	each(word, "mul.wide.u16 %r0, %s1, %s2", "mad.wide.s16 %r0, %s1, %s2, %r3", "mul.wide.s32 %l0, %r1, %r2", "mad.wide.u32 %l0, %r1, %r2, %l3",
		"mul24.lo.u32 %r0, %r1, %r2", "mad24.hi.s32 %r0, %r1, %r2, %r3",
		"prmt.b32 %r0, %r1, %r2, %r3", "prmt.b32 %r0, %r1, %r2, 0x5410", "prmt.b32.f4e %r0, %r1, %r2, %r3", "lop3.b32 %r0, %r1, %r2, %r3, 0xe8",
		"shf.l.wrap.b32 %r0, %r1, %r2, %n", "shf.r.clamp.b32 %r0, %r1, %r2, %n", "dp4a.u32.u32 %r0, %r1, %r2, %r3", "dp4a.s32.s32 %r0, %r1, %r2, %r3",
		"dp2a.lo.s32.u32 %r0, %r1, %r2, %r3", "add.sat.s32 %r0, %r1, %r2", "bmsk.clamp.b32 %r0, %n, %n", "szext.wrap.s32 %r0, %r1, %n",
		"fns.b32 %r0, %r1, 3, 2", "slct.f32.f32 %f0, %f1, %f2, %f3", "selp.f32 %f0, %f1, %f2, %p1", "selp.f64 %d0, %d1, %d2, %p1",
		"add.u16x2 %r0, %r1, %r2", "min.s16x2 %r0, %r1, %r2", "max.s16x2.relu %r0, %r1, %r2", "min.relu.s32 %r0, %r1, %r2",
		"mov.b32 {%s0, %s4}, %r1", "mov.b32 %r0, {%s1, %s2}", "mov.b64 %l0, {%r1, %r2}", "mov.b64 {%r0, %r4}, %l1",
		"and.pred %p0, %p1, %p2")

	each(word, "shfl.sync.idx.b32 %r0, %r1, %n, 31, -1", "shfl.sync.up.b32 %r0|%p0, %r1, 3, 0, -1", "shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1",
		"shfl.sync.down.b32 %r0, %r1, 8, 31, -1", "vote.sync.ballot.b32 %r0, %p1, -1", "vote.sync.any.pred %p0, %p1, -1", "activemask.b32 %r0",
		"match.any.sync.b32 %r0, %r1, -1", "match.any.sync.b64 %r0, %l1, -1", "match.all.sync.b32 %r0|%p0, %r1, -1", "redux.sync.add.u32 %r0, %r1, -1", "redux.sync.max.s32 %r0, %r1, -1",
		"redux.sync.xor.b32 %r0, %r1, -1", "redux.sync.min.f32 %f0, %f1, -1", "elect.sync %r0|%p0, -1")
	each(matrix, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, _, _, _}, {%x1, %x2, %x3, %x1}, {%x2, %x3}, {%f1, %f2, %f3, %f1}",
		"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%x0, _}, {%x1, %x2, %x3, %x1}, {%x2, %x3}, {%x1, %x2}",
		"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%r0, _, _, _}, {%r1, %r2, %r3, %r1}, {%r2, %r3}, {%r1, %r2, %r3, %r1}",
		"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r0, _, _, _}, {%r1, %r2, %r3, %r1}, {%r2, %r3}, {%r1, %r2, %r3, %r1}",
		"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%d0, _, _, _}, {%d1, %d2, %d3, %d1}, {%d2, %d3}, {%d1, %d2, %d3, %d1}")
	each(transcendental, "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%v16]")
	each(4*transcendental, // four transactions
		"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0, _, _, _}, [%v16]", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%v16], {%r1, %r2, %r3, %r1}")
	return append(list, accesses()...)
}

// accesses returns those to memory, with one limit for each transaction.
func accesses() []operation {
	var list []operation
	for _, space := range []string{"shared", "global"} {
		linear, one := "%v", "%u"
		if space == "global" {
			linear, one = "%g", "%w"
		}
		for _, t := range []struct {
			t, r  string
			bytes int
		}{{"u8", "s", 1}, {"s8", "r", 1}, {"u16", "s", 2}, {"s16", "r", 2}, {"f32", "f", 4}, {"u64", "l", 8}} {
			at := fmt.Sprintf("%s%d", linear, t.bytes)
			list = append(list,
				operation{word * math.Ceil(float64(t.bytes)/4), fmt.Sprintf("ld.%s.%s %%%s0, [%s]", space, t.t, t.r, at)},
				operation{word, fmt.Sprintf("ld.%s.%s %%%s0, [%s+%d]", space, t.t, t.r, one, 3*t.bytes)},
				operation{word * math.Ceil(float64(t.bytes)/4), fmt.Sprintf("st.%s.%s [%s], %%%s1", space, t.t, at, t.r)})
		}
		for _, v := range []struct {
			text  string
			dst   string
			src   string
			bytes int
		}{
			{"v2.f32", "{%f0, %f4}", "{%f1, %f2}", 8}, {"v4.f32", "{%f0, %f4, %f5, %f6}", "{%f1, %f2, %f3, %f1}", 16},
			{"v2.f64", "{%d0, %d4}", "{%d1, %d2}", 16}, {"v4.u8", "{%s0, %s4, %s5, %s6}", "{%s1, %s2, %s3, %s1}", 4},
			{"v2.u16", "{%s0, %s4}", "{%s1, %s2}", 4},
		} {
			at := fmt.Sprintf("%s%d", linear, v.bytes)
			transactions := float64(v.bytes) / 4
			list = append(list,
				operation{word * transactions, fmt.Sprintf("ld.%s.%s %s, [%s]", space, v.text, v.dst, at)},
				operation{word, fmt.Sprintf("ld.%s.%s %s, [%s]", space, v.text, v.dst, one)},
				operation{word * transactions, fmt.Sprintf("st.%s.%s [%s], %s", space, v.text, at, v.src)})
		}
	}
	for _, space := range []string{"shared", "global"} {
		at := "[%" + space[:1] + "4]"
		if space == "shared" {
			at = "[%v4]"
		}
		for _, op := range []string{"add.u32 %r0", "min.s32 %r0", "inc.u32 %r0", "xor.b32 %r0", "exch.b32 %r0", "add.f32 %f0"} {
			source := strings.ReplaceAll(op[strings.Index(op, "%"):], "0", "1")
			list = append(list, operation{serial, fmt.Sprintf("atom.%s.%s, %s, %s", space, op, at, source)})
		}
	}
	return append(list, operation{word, "ld.const.f32 %f0, [table]"}, operation{word, "ld.const.v4.f32 {%f0, %f4, %f5, %f6}, [table]"},
		operation{word, "ld.param.u32 %r0, [n]"}, operation{word, "ld.local.f32 %f0, [own]"}, operation{word, "st.local.f32 [own], %f1"})
}

// The kernel of an operation: a loop of copies of it.
const (
	prologue = `.version 8.8
.target sm_100a
.address_size 64
.const .align 16 .f32 table[4] = {1.0, 2.0, 3.0, 4.0};
.visible .entry k(.param .u64 buffer, .param .u32 n) {
	.shared .align 16 .b8 tile[512];
	.local .align 16 .b8 own[16];
	.reg .f32 %f<7>; .reg .f64 %d<7>; .reg .b16 %h<7>; .reg .b16 %b<7>; .reg .b16 %s<7>;
	.reg .b32 %r<7>; .reg .b32 %x<7>; .reg .b32 %y<7>; .reg .b64 %l<7>; .reg .b64 %z<4>; .reg .pred %p<5>;
	.reg .u32 %n; .reg .u32 %i; .reg .pred %again; .reg .u64 %u; .reg .u64 %w; .reg .u64 %wide;
	.reg .u64 %v1; .reg .u64 %v2; .reg .u64 %v4; .reg .u64 %v8; .reg .u64 %v16;
	.reg .u64 %g1; .reg .u64 %g2; .reg .u64 %g4; .reg .u64 %g8; .reg .u64 %g16;
	mov.u32 %n, %tid.x;
	mul.lo.u32 %r1, %n, 2654435761; xor.b32 %r2, %r1, 0x9e3779b9; mad.lo.u32 %r3, %r2, 0x85ebca6b, %r1;
	cvt.u16.u32 %s1, %r1; cvt.u16.u32 %s2, %r2; cvt.u16.u32 %s3, %r3;
	mov.b64 %l1, {%r1, %r2}; mov.b64 %l2, {%r2, %n}; mov.b64 %l3, {%r3, %r1};
	cvt.rn.f32.u32 %f1, %n; fma.rn.f32 %f1, %f1, 0.1171875, 0.1; fma.rn.f32 %f2, %f1, 0.7, 0.03; neg.f32 %f3, %f2;
	mul.rn.f32 %f4, %f1, 1000000.0; st.local.f32 [own], %f1;
	cvt.f64.f32 %d1, %f1; cvt.f64.f32 %d2, %f2; cvt.f64.f32 %d3, %f3;
	cvt.rn.f16.f32 %h1, %f1; cvt.rn.f16.f32 %h2, %f2; cvt.rn.f16.f32 %h3, %f3;
	cvt.rn.bf16.f32 %b1, %f1; cvt.rn.bf16.f32 %b2, %f2; cvt.rn.bf16.f32 %b3, %f3;
	mov.b32 %x1, {%h1, %h2}; mov.b32 %x2, {%h2, %h3}; mov.b32 %x3, {%h3, %h1};
	mov.b32 %y1, {%b1, %b2}; mov.b32 %y2, {%b2, %b3}; mov.b32 %y3, {%b3, %b1};
	mov.b64 %z1, {%f1, %f2}; mov.b64 %z2, {%f2, %f3}; mov.b64 %z3, {%f3, %f1};
	setp.lt.u32 %p1, %r1, %r2; setp.lt.u32 %p2, %r2, %r3;
	mov.u64 %u, tile; ld.param.u64 %w, [buffer]; cvt.u64.u32 %wide, %n;
	add.u64 %v1, %u, %wide; mad.lo.u64 %v2, %wide, 2, %u; mad.lo.u64 %v4, %wide, 4, %u; mad.lo.u64 %v8, %wide, 8, %u; mad.lo.u64 %v16, %wide, 16, %u;
	add.u64 %g1, %w, %wide; mad.lo.u64 %g2, %wide, 2, %w; mad.lo.u64 %g4, %wide, 4, %w; mad.lo.u64 %g8, %wide, 8, %w; mad.lo.u64 %g16, %wide, 16, %w;
	add.cc.u32 %r4, %r1, %r2;
	mov.u32 %i, 0;
again:
`
	epilogue = `	add.u32 %%i, %%i, 1; setp.lt.u32 %%again, %%i, %d; @%%again bra again;
	ret;
}
`
)

// loopOf returns a function that executes copies of an instruction in a loop, in one warp, and tells how long that took.
func loopOf(tb testing.TB, text string, copies, repetitions int) func() time.Duration {
	module := prologue + strings.Repeat("\t"+text+";\n", copies) + fmt.Sprintf(epilogue, repetitions)
	files := fstest.MapFS{"k.ptx": {Data: []byte(module)}, "job.toml": {Data: []byte(`module = "k.ptx"
grid = [1]
block = [32]
param = [{name = "buffer", type = "u32", count = 128, init = "zeros"}, {name = "n", type = "u32", value = 32}]
`)}}
	j, err := platform.LoadFS(files, "job.toml", "fermi-c2050")
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	e, in := j.First().NewEmulator(), j.First().Bound.Inputs(0)
	return func() time.Duration {
		start := time.Now()
		if _, err := e.Run(context.Background(), in); err != nil {
			tb.Fatalf("%s: %v", text, err)
		}
		return time.Since(start)
	}
}

// BenchmarkOperations measures instructions of a warp in the emulator against the reference, each
// the least of b.N runs in alternation, and fails if one takes longer than its limit allows.
func BenchmarkOperations(b *testing.B) {
	var cliffs []string
	for _, op := range operations() {
		b.Run(strings.ReplaceAll(op.text, " ", "_"), func(b *testing.B) {
			run, compared := loopOf(b, op.text, 64, 64), loopOf(b, reference, 64, 64)
			fastest, unit := run(), compared()
			for b.Loop() {
				fastest, unit = min(fastest, run()), min(unit, compared())
			}
			ratio := float64(fastest) / float64(unit)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ratio, "times-reference")
			b.ReportMetric(op.limit, "limit")
			if ratio > op.limit {
				cliffs = append(cliffs, fmt.Sprintf("%s takes %.1f times as long as the reference, more than %v", op.text, ratio, op.limit))
			}
		})
	}
	if cliffs != nil {
		b.Errorf("%d cliffs:\n%s", len(cliffs), strings.Join(cliffs, "\n"))
	}
}

// TestOperationsAllocateNothing runs each of them after a run that makes what later ones use.
func TestOperationsAllocateNothing(t *testing.T) {
	for _, op := range operations() {
		run := loopOf(t, op.text, 1, 1)
		allocations := testing.AllocsPerRun(1, func() { run() })
		for again := 0; allocations != 0 && again < 3; again++ { // what the runtime allocates meanwhile counts, too
			allocations = min(allocations, testing.AllocsPerRun(1, func() { run() }))
		}
		if allocations != 0 {
			t.Errorf("%s: %v allocations", op.text, allocations)
		}
	}
}
