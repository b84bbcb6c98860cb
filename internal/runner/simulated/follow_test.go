package simulated_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/estimate"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// followed is a kernel with BODY in it. What is sampled is v, a word of the buffer in for each thread, and the number
// n; c is a word that is fixed. p tells of v, and q of c.
const followed = `.version 8.0
.target sm_90
.address_size 64
.visible .entry followed(.param .u64 in, .param .u64 table, .param .u64 out, .param .u32 n)
{
	.reg .pred %p, %q, %s;
	.reg .b32 %v, %c, %n, %tid, %x, %y, %sm;
	.reg .b64 %in, %table, %out, %o, %a, %z;
	.shared .align 16 .b8 words[1024];
	.local .align 8 .b8 own[16];
	ld.param.u64 %in, [in];
	ld.param.u64 %table, [table];
	ld.param.u64 %out, [out];
	ld.param.u32 %n, [n];
	mov.u32 %tid, %tid.x;
	mul.wide.u32 %z, %tid, 4;
	add.u64 %a, %in, %z;
	ld.global.u32 %v, [%a];
	add.u64 %a, %table, %z;
	ld.global.u32 %c, [%a];
	mul.wide.u32 %z, %tid, 16;
	add.u64 %o, %out, %z;
	mov.u32 %sm, words;
	mad.lo.u32 %sm, %tid, 16, %sm;
	setp.gt.u32 %p, %v, 500;
	setp.gt.u32 %q, %c, 20;
	mov.u32 %x, 0;
BODY
	st.global.u32 [%o], %x;
END:
	ret;
}
`

const followedJob = `module = "match.ptx"
grid = [2]
block = [64]
param = [
	{name = "in", type = "u32", count = 64, init = "uniform(0, 1000)"},
	{name = "table", type = "u32", count = 64, init = "iota"},
	{name = "out", type = "u32", count = 256},
	{name = "n", type = "u32", range = [0, 7]},
]
`

// branch is code that goes to the end where x is odd.
const branch = "and.b32 %y, %x, 1;\nsetp.eq.u32 %s, %y, 0;\n@%s bra END;\n"

// bulkIn has one thread copy 64 bytes of the buffer in to shared memory, and wait until they are there.
const bulkIn = `setp.ne.u32 %s, %tid, 0;
@%s bra END;
mbarrier.init.shared.b64 [words+512], 1;
mbarrier.arrive.expect_tx.shared.b64 %z, [words+512], 64;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [words], [%in], 64, [words+512];
WAIT:
mbarrier.test_wait.parity.shared.b64 %q, [words+512], 0;
@!%q bra WAIT;
ld.shared.u32 %x, [words];
`

// bulkOut has one thread copy the words of four threads to the buffer out.
const bulkOut = `st.shared.v4.u32 [%sm], {%v, %c, %c, %c};
bar.sync 0;
setp.ne.u32 %s, %tid, 0;
@%s bra END;
cp.async.bulk.global.shared::cta.bulk_group [%out], [words], 64;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
`

// onFirst makes all bodies of a test runs of one kernel on the machines of all cores.
var onFirst = []string{"fermi-c2050", "predictable-rr", "integrated-fermi", "gcn3-split"}

// TestFollow has sampled inputs reach each of the sinks, and registers and memory of all kinds without reaching any.
func TestFollow(t *testing.T) {
	const guard, address, operand = "whether threads execute an instruction", "an address", "who waits for whom, or how much is copied"
	for _, c := range []struct {
		name, body string
		want       string // the sink; empty for none
		narrow     bool   // it is for warps of 32 lanes
	}{
		{name: "data", body: "add.u32 %x, %v, %n;"},
		{name: "selection", body: "selp.b32 %x, %v, %c, %p;"},
		{name: "branch", body: "@%p bra END;", want: guard},
		{name: "fixed branch", body: "@%q bra END;"},
		{name: "guard", body: "@%p add.u32 %x, %c, 1;", want: guard},
		{name: "guard that holds nowhere", body: "setp.gt.u32 %p, %v, 5000;\n@%p add.u32 %x, %c, 1;", want: guard},
		{name: "number", body: "mov.u32 %x, %n;\n" + branch, want: guard},
		{name: "indexed branch", body: "and.b32 %x, %n, 0;\nTS: .branchtargets L0, END;\nbrx.idx %x, TS;\nL0:", want: "where threads go on"},
		{name: "load", body: "and.b32 %x, %v, 60;\ncvt.u64.u32 %z, %x;\nadd.u64 %a, %table, %z;\nld.global.u32 %x, [%a];", want: address},
		{name: "store", body: "and.b32 %x, %v, 60;\ncvt.u64.u32 %z, %x;\nadd.u64 %a, %out, %z;\nst.global.u32 [%a], %c;", want: address},
		{name: "shared address", body: "and.b32 %x, %v, 60;\nmov.u32 %y, words;\nadd.u32 %x, %x, %y;\nst.shared.u32 [%x], %c;", want: address},
		{name: "atomic address", body: "and.b32 %x, %v, 60;\ncvt.u64.u32 %z, %x;\nadd.u64 %a, %out, %z;\nred.global.add.u32 [%a], 1;", want: address},
		{name: "prefetch", body: "and.b32 %x, %v, 60;\ncvt.u64.u32 %z, %x;\nadd.u64 %a, %out, %z;\nprefetch.global.L2 [%a];", want: address},
		{name: "through global memory", body: "st.global.u32 [%o], %v;\nld.global.u32 %x, [%o];\n" + branch, want: guard},
		{name: "beside", body: "st.global.u32 [%o], %v;\nld.global.u32 %x, [%o+4];\n" + branch},
		{name: "overwritten", body: "st.global.u32 [%o], %v;\nst.global.u32 [%o], %c;\nld.global.u32 %x, [%o];\n" + branch},
		{name: "part overwritten", body: "st.global.u32 [%o], %v;\nst.global.u8 [%o], %c;\nld.global.u32 %x, [%o];\n" + branch, want: guard},
		{name: "register overwritten", body: "mov.u32 %x, %v;\nmov.u32 %x, %c;\n" + branch},
		{name: "of another lane", body: "st.shared.u32 [%sm], %v;\nbar.sync 0;\nxor.b32 %y, %sm, 16;\nld.shared.u32 %x, [%y];\n" + branch, want: guard},
		{name: "first element", body: "st.global.v2.u32 [%o], {%v, %c};\nld.global.v2.u32 {%x, %y}, [%o];\n" + branch, want: guard},
		{name: "second element", body: "st.global.v2.u32 [%o], {%v, %c};\nld.global.v2.u32 {%y, %x}, [%o];\n" + branch},
		{name: "local", body: "st.local.u32 [own], %v;\nst.local.u32 [own+4], %c;\nld.local.u32 %x, [own];\n" + branch, want: guard},
		{name: "local beside", body: "st.local.u32 [own], %v;\nst.local.u32 [own+4], %c;\nld.local.u32 %x, [own+4];\n" + branch},
		{name: "atomic", body: "atom.global.add.u32 %x, [%out], 1;\n" + branch},
		{name: "sum", body: "atom.global.add.u32 %x, [%out], %v;\n" + branch, want: guard},
		{name: "reduction", body: "red.shared.add.u32 [words], %v;\nld.shared.u32 %x, [words];\n" + branch, want: guard},
		{name: "swap", body: "atom.shared.cas.b32 %x, [words], %v, 1;\natom.shared.exch.b32 %x, [words], 2;\n" + branch, want: guard},
		{name: "other lanes", body: "setp.lt.u32 %s, %tid, 16;\n@%s mov.u32 %x, %v;\n@!%s mov.u32 %x, %c;\n@%s bra END;\n" + branch},
		{name: "these lanes", body: "setp.lt.u32 %s, %tid, 16;\n@%s mov.u32 %x, %v;\n@!%s mov.u32 %x, %c;\n@!%s bra END;\n" + branch, want: guard},
		{name: "clock", body: "mov.u32 %x, %clock;\n" + branch},
		{name: "barrier", body: "barrier.red.or.pred %s, 0, %p;\nselp.u32 %x, 1, 0, %s;", want: operand},
		{name: "fixed barrier", body: "barrier.red.or.pred %s, 0, %q;\n@%s bra END;"},
		{name: "shuffle", body: "shfl.sync.bfly.b32 %x, %v, 1, 31, -1;\n" + branch, want: guard, narrow: true},
		{name: "shuffle of one", body: "setp.eq.u32 %s, %tid, 3;\n@%s mov.u32 %x, %v;\nshfl.sync.idx.b32 %x, %x, 3, 31, -1;\n@%s bra END;\n" + branch, want: guard, narrow: true},
		{name: "fixed shuffle", body: "shfl.sync.bfly.b32 %x, %c, 1, 31, -1;\n" + branch, narrow: true},
		{name: "shuffled lane", body: "shfl.sync.idx.b32 %x, %c, %v, 31, -1;", want: operand, narrow: true},
		{name: "vote", body: "vote.sync.any.pred %s, %p, -1;\n@%s bra END;", want: guard, narrow: true},
		{name: "fixed vote", body: "vote.sync.any.pred %s, %q, -1;\n@%s bra END;", narrow: true},
		{name: "members", body: "or.b32 %x, %v, -1;\nvote.sync.any.pred %s, %q, %x;", want: operand, narrow: true},
		{name: "match", body: "match.any.sync.b32 %x, %v, -1;\n" + branch, want: guard, narrow: true},
		{name: "lanes of a barrier", body: "or.b32 %x, %v, -1;\nbar.warp.sync %x;", want: operand, narrow: true},
		{name: "copy", body: "cp.async.ca.shared.global [%sm], [%in], 4;\ncp.async.wait_all;\nld.shared.u32 %x, [%sm];\n" + branch, want: guard},
		{name: "fixed copy", body: "cp.async.ca.shared.global [%sm], [%table], 4;\ncp.async.wait_all;\nld.shared.u32 %x, [%sm];\n" + branch},
		{name: "copied bytes", body: "and.b32 %x, %v, 4;\ncp.async.ca.shared.global [%sm], [%table], 4, %x;\ncp.async.wait_all;", want: operand},
		{name: "copy beside", body: "cp.async.ca.shared.global [%sm], [%in], 4;\ncp.async.wait_all;\nst.shared.u32 [%sm+8], %c;\nld.shared.u32 %x, [%sm+8];\n" + branch},
		{name: "copied over", body: "st.shared.u32 [%sm], %v;\ncp.async.ca.shared.global [%sm], [%table], 4;\ncp.async.wait_all;\nld.shared.u32 %x, [%sm];\n" + branch},
		{name: "copied over in part", body: "st.shared.u64 [%sm], %in;\nst.shared.u32 [%sm+4], %v;\ncp.async.ca.shared.global [%sm], [%table], 4;\ncp.async.wait_all;\nld.shared.u32 %x, [%sm+4];\n" + branch, want: guard},
		{name: "copy of no bytes", body: "st.shared.u32 [%sm], %v;\nmov.u32 %y, 0;\ncp.async.ca.shared.global [%sm], [%in], 4, %y;\ncp.async.wait_all;\nld.shared.u32 %x, [%sm];\n" + branch},
		{name: "bulk copy", body: bulkIn + branch, want: guard},
		{name: "bulk copy of data", body: bulkIn},
		{name: "bulk copy beside", body: bulkIn + "st.shared.u32 [words+64], %c;\nld.shared.u32 %x, [words+64];\n" + branch},
		{name: "bulk copy back", body: bulkOut + "ld.global.u32 %x, [%out];\n" + branch, want: guard},
		{name: "bulk copy back of data", body: bulkOut + "ld.global.u32 %x, [%out];\n"},
		{name: "overwritten behind a bulk copy", body: bulkOut + "st.global.u32 [%out], %c;\nld.global.u32 %x, [%out];\n" + branch},
		{name: "generic store", body: "cvta.shared.u64 %z, words;\nst.u32 [%z], %v;\nld.shared.u32 %x, [words];\n" + branch, want: guard},
		{name: "matrix", body: "st.shared.u32 [%sm], %v;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [words];\n" + branch, want: guard, narrow: true},
		{name: "fixed matrix", body: "st.shared.u32 [%sm], %c;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [words];\n" + branch, narrow: true},
		{name: "stored matrix", body: "stmatrix.sync.aligned.m8n8.x1.shared.b16 [words], {%v};\nld.shared.u32 %x, [words];\n" + branch, want: guard, narrow: true},
		{name: "moved matrix", body: "movmatrix.sync.aligned.m8n8.trans.b16 %y, %v;\nst.shared.u32 [words], %y;\nld.shared.u32 %x, [words];\n" + branch, want: guard, narrow: true},
		{name: "mbarrier", body: "setp.ne.u32 %s, %tid, 0;\n@%s bra END;\nand.b32 %y, %v, 1;\nadd.u32 %y, %y, 1;\nmbarrier.init.shared.b64 [words], %y;", want: operand},
		{name: "fixed mbarrier", body: "setp.ne.u32 %s, %tid, 0;\n@%s bra END;\nmbarrier.init.shared.b64 [words], 1;"},
	} {
		module := strings.Replace(followed, "BODY", c.body, 1)
		for _, machine := range onFirst {
			if machine == "gcn3-split" && c.narrow {
				continue
			}
			j := jobtest.Text(t, fmt.Sprintf("machine = %q\n", machine)+followedJob, module)
			got, err := compare(j, 3)
			if err != nil {
				t.Fatalf("%s on %s: %v", c.name, machine, err)
			}
			if (got == nil) != (c.want == "") || got != nil && (got.What != c.want || got.Pos.File != jobtest.MatchFile || !got.Pos.Known()) {
				t.Errorf("%s on %s: inputs reach %+v, want %q", c.name, machine, got, c.want)
			}
			if got != nil && (len(got.Chain) < 2 || !strings.HasSuffix(got.Chain[len(got.Chain)-1].Text, " sampled")) {
				t.Errorf("%s on %s: by way of %+v, which is from no input", c.name, machine, got.Chain)
			}
		}
	}
}

// TestFollowNaN has NaN become integers, which is where devices differ: what they are reaches a
// branch, or does not.
func TestFollowNaN(t *testing.T) {
	const guard = "whether threads execute an instruction"
	for _, c := range []struct{ name, body, want string }{
		{"double", "mov.b64 %z, 0x7ff8000000000000;\ncvt.rzi.u32.f64 %x, %z;\n" + branch, guard},
		{"to zero", "mov.b32 %y, 0x7fc00000;\ncvt.rzi.u32.f32 %x, %y;\n" + branch, guard},
		{"constant", "cvt.rpi.s32.f32 %x, 0f7FC00000;\n" + branch, guard},
		{"data", "mov.b64 %z, 0x7ff8000000000000;\ncvt.rzi.u32.f64 %x, %z;\n", ""},
		{"a number", "mov.b64 %z, 0x4008000000000000;\ncvt.rzi.u32.f64 %x, %z;\n" + branch, ""},
		{"in no lane", "setp.gt.u32 %s, %tid, 999;\n@%s cvt.rzi.u32.f32 %x, 0f7FC00000;\n" + branch, ""},
	} {
		module := strings.Replace(followed, "BODY", c.body, 1)
		for _, machine := range onFirst {
			got, err := compare(jobtest.Text(t, fmt.Sprintf("machine = %q\n", machine)+followedJob, module), 3)
			if err != nil {
				t.Fatalf("%s on %s: %v", c.name, machine, err)
			}
			if (got == nil) != (c.want == "") || got != nil && got.What != c.want {
				t.Errorf("%s on %s: %+v is reached, want %q", c.name, machine, got, c.want)
			}
			const origin = "a value that the manual leaves open, and a device may choose otherwise"
			if got != nil && (len(got.Chain) < 2 || got.Chain[len(got.Chain)-1].Text != origin) {
				t.Errorf("%s on %s: by way of %+v, which is from no NaN", c.name, machine, got.Chain)
			}
		}
	}
}

// TestFollowSeparate: where threads are scheduled independently and wait for others of their warp, what they get is not followed.
func TestFollowSeparate(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"at two instructions", "and.b32 %y, %tid, 16;\nsetp.eq.u32 %s, %y, 0;\n@%s bra LOW;\nshfl.sync.bfly.b32 %x, %c, 16, 31, -1;\nbra JOIN;\n" +
			"LOW:\nshfl.sync.bfly.b32 %x, %v, 16, 31, -1;\nJOIN:\n" + branch, "who waits for whom, or how much is copied"},
		{"together", "shfl.sync.bfly.b32 %x, %c, 16, 31, -1;\n" + branch, ""},
	} {
		got, err := compare(jobtest.Text(t, "machine = \"orin-nano\"\n"+followedJob, strings.Replace(followed, "BODY", c.body, 1)), 3)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if (got == nil) != (c.want == "") || got != nil && got.What != c.want {
			t.Errorf("%s: %+v is reached, want %q", c.name, got, c.want)
		}
	}
}

// TestFollowSpin: where threads are scheduled independently, whether a warp spins is told from the registers that decide where it goes.
func TestFollowSpin(t *testing.T) {
	const loop = "and.b32 %y, %tid, 31;\nsetp.ne.u32 %s, %y, 3;\n@%s bra BEHIND;\nmov.u32 %y, 0;\nAGAIN:\nadd.u32 %y, %y, 1;\nsetp.lt.u32 %s, %y, 1000;\n@%s bra AGAIN;\nBEHIND:"
	const decided = "\nsetp.gt.u32 %s, %v, 2000;\n@%s bra END;\n"
	for _, c := range []struct{ name, machine, body, want string }{
		{"on a stack", "fermi-c2050", loop + decided, "whether threads execute an instruction"},
		{"independent", "orin-nano", loop + decided, "whether lanes that wait go on without those that spin"},
		{"of what decides nothing", "orin-nano", loop, ""},
		{"of local memory", "orin-nano", "st.local.u32 [own], %v;\n" + loop, "whether lanes that wait go on without those that spin"},
		{"of local memory that is fixed", "orin-nano", "st.local.u32 [own], %c;\n" + loop, ""},
		{"of what is fixed", "orin-nano", "mov.u32 %v, %c;\n" + loop + decided, ""},
	} {
		j := jobtest.Text(t, fmt.Sprintf("machine = %q\n", c.machine)+followedJob, strings.Replace(followed, "BODY", c.body, 1))
		got, err := compare(j, 3)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if (got == nil) != (c.want == "") || got != nil && got.What != c.want {
			t.Errorf("%s: inputs reach %+v, want %q", c.name, got, c.want)
		}
	}
}

// compare follows the first vector of a job, and says what its inputs reach. If it is nothing, it is an error if a run of
// the first vectors, so many, takes another time, or if their records are others.
func compare(j *platform.Job, vectors int) (*runner.Reached, error) {
	return compareWith(runner.Options{Follow: true}, j, vectors)
}

// compareWith does so with options.
func compareWith(opts runner.Options, j *platform.Job, vectors int) (*runner.Reached, error) {
	for _, k := range j.Kernels {
		points := make([]trace.Ipoint, len(k.Graph.Blocks))
		for b := range points {
			points[b] = trace.Ipoint(b)
		}
		opts.Record = append(opts.Record, &runner.Record{Points: workload.AtBlocks(k, points)})
	}
	cycles, first, followed, err := record(j, opts, 0)
	if err != nil || !followed.Invariant {
		return followed.Reached, err
	}
	opts.Follow = false
	for vector := range vectors {
		again, records, _, err := record(j, opts, vector)
		if err != nil {
			return nil, err
		}
		if again != cycles || !slices.Equal(records, first) {
			return nil, fmt.Errorf("vector %d takes %d cycles with %d records, not %d with the same %d", vector, again, len(records), cycles, len(first))
		}
	}
	return nil, nil
}

// record runs a vector.
func record(j *platform.Job, opts runner.Options, vector int) (cycles int64, records []trace.Record, out runner.Outcome, err error) {
	r, err := j.Platform.Open(j.Workload, opts)
	if err != nil {
		return 0, nil, out, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	rec := &runner.Recorder{Take: func(_ int, run *trace.Run) error {
		records = append(records, run.Records...)
		return nil
	}}
	o, err := r.Run(context.Background(), j.First().Bound.Inputs(vector), rec)
	if err != nil {
		return 0, nil, out, err
	}
	return o.Cycles, records, *o, nil
}

// TestFollowLaunches has a launch branch on what the one before it stored, and a host look at what a launch stored.
func TestFollowLaunches(t *testing.T) {
	const load = "ld.global.u32 %x, [%o];\nsetp.eq.u32 %s, %x, 7;\n@%s bra END;\n"
	for _, c := range []struct{ name, body, launches, want string }{
		{"one", load + "mov.u32 %x, %v;", "", ""},
		{"two", load + "mov.u32 %x, %v;", "[[launch]]\n[[launch]]\n", "whether threads execute an instruction"},
		{"fixed", load + "mov.u32 %x, %c;", "[[launch]]\n[[launch]]\n", ""},
		{"host", "min.u32 %x, %v, 0;", "[repeat]\nwhile = \"out\"\nlimit = 3\n", "whether there is another round"},
		{"fixed host", "mov.u32 %x, 0;", "[repeat]\nwhile = \"out\"\nlimit = 3\n", ""},
	} {
		j := jobtest.Text(t, followedJob+c.launches, strings.Replace(followed, "BODY", c.body, 1))
		got, err := compare(j, 3)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if (got == nil) != (c.want == "") || got != nil && got.What != c.want {
			t.Errorf("%s: inputs reach %+v, want %q", c.name, got, c.want)
		}
		if c.name == "host" && got.Pos.String() != "job.toml:11:1" {
			t.Errorf("the host looks at %v", got.Pos)
		}
	}
}

// TestFollowOrders follows what the order of threads decides, too: within a launch and into the next
// one, and to the host. A run is made twice where somebody writes behind a read.
func TestFollowOrders(t *testing.T) {
	const thread, host = "whether threads execute an instruction", "whether there is another round"
	const load = "ld.global.u32 %x, [%out];\nsetp.eq.u32 %s, %x, 77;\n@%s bra END;\n"
	const first = "setp.ne.u32 %s, %tid, 0;\n@%s bra NEXT;\n"
	const second = "[[launch]]\n[[launch]]\n"
	const repeat = "[repeat]\nwhile = \"out\"\nlimit = 3\n"
	for _, c := range []struct{ name, body, launches, want string }{
		{"data", "add.u32 %x, %c, 1;", "", ""},
		{"a queue", first + "atom.global.add.u32 %x, [%out], 1;\nNEXT:\n" + branch, "", thread},
		{"a counter", first + "red.global.add.u32 [%out], 1;\nNEXT:\n", "", ""},
		{"what another CTA writes behind the read", load + first + "st.global.u32 [%out], 5;\nNEXT:\n", "", thread},
		{"what another CTA writes behind a read that decides nothing", "ld.global.u32 %x, [%out];\n" + first + "st.global.u32 [%out], 5;\nNEXT:\nmov.u32 %x, 0;", "", ""},
		{"a sum that a launch reads", "mov.u32 %y, %ctaid.x;\nsetp.ne.u32 %s, %y, 0;\n@%s bra NEXT;\n" + load + "NEXT:\nred.global.add.u32 [%out+800], 1;\nbra.uni END;", second, ""},
		{"a number that the next launch reads", "ld.global.u32 %x, [%out+900];\nsetp.eq.u32 %s, %x, 77;\n@%s bra END;\nmov.u32 %x, %ctaid.x;\nst.global.u32 [%out+900], %x;\nbra.uni END;", second, thread},
		{"a sum that the next launch reads", "atom.global.exch.b32 %x, [%out+900], 1;\nbra.uni END;", second, ""},
		{"a flag", "st.global.u32 [%out], 0;\nbra.uni END;", repeat, ""},
		{"a flag of some CTA", "mov.u32 %x, %ctaid.x;\nst.global.u32 [%out], %x;\nst.global.u32 [%out], 0;\nbra.uni END;", repeat, host},
	} {
		for _, machine := range onFirst {
			by := estimate.ByOrder
			if c.launches != "" {
				by = estimate.ByLaunch
			}
			j := jobtest.Text(t, fmt.Sprintf("machine = %q\n", machine)+followedJob+c.launches, strings.Replace(followed, "BODY", c.body, 1))
			got, err := compareWith(runner.Options{Follow: true, Orders: true}, j, 3)
			if err != nil {
				t.Fatalf("%s on %s: %v", c.name, machine, err)
			}
			if (got == nil) != (c.want == "") || got != nil && (got.What != c.want || got.By != by) {
				t.Errorf("%s on %s: %+v is reached, want %q", c.name, machine, got, c.want)
			}
		}
	}
}

// TestFollowSuite compares runs of the kernels of the suite whose inputs reach nothing.
func TestFollowSuite(t *testing.T) {
	files, err := fs.Glob(kernels.Suite(), "*/job.toml")
	if err != nil {
		t.Fatal(err)
	}
	invariant := 0
	for _, name := range files {
		j := jobtest.Load(t, kernels.Suite(), name, "")
		reached, err := compare(j, 2)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if reached == nil {
			invariant++
		}
	}
	if invariant < 15 || invariant == len(files) {
		t.Errorf("inputs reach nothing in %d of %d kernels", invariant, len(files))
	}
}

// TestFollowRandom compares runs of random bodies, and of random kernels, whose inputs reach nothing.
func TestFollowRandom(t *testing.T) {
	invariant, varying := 0, 0
	count := func(rt *rapid.T, j *platform.Job) {
		reached, err := compare(j, 3)
		if err != nil {
			rt.Error(err)
		}
		if reached == nil {
			invariant++
		} else {
			varying++
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		machine := rapid.SampledFrom(onFirst).Draw(rt, "machine")
		if rapid.IntRange(0, 3).Draw(rt, "kernel") == 0 {
			seed := rapid.Uint64Range(0, 1<<20).Draw(rt, "seed")
			count(rt, jobtest.Load(t, jobtest.Case(jobtest.Random(seed, jobtest.RandomOptions(seed))), "job.toml", machine))
			return
		}
		count(rt, jobtest.Text(t, fmt.Sprintf("machine = %q\n", machine)+followedJob, strings.Replace(followed, "BODY", drawBody(rt), 1)))
	})
	if invariant == 0 || varying == 0 {
		t.Errorf("inputs reach nothing in %d kernels, and something in %d", invariant, varying)
	}
}

// drawBody draws code in which what is sampled goes through registers and memory.
func drawBody(t *rapid.T) string {
	pieces := []string{
		"add.u32 %x, %x, %v;", "add.u32 %x, %x, %c;", "mov.u32 %x, %tid;", "xor.b32 %y, %x, %c;", "mov.u32 %y, %x;", "mov.u32 %c, %y;", "mov.u32 %v, %c;",
		"setp.gt.u32 %p, %x, 30;", "setp.gt.u32 %q, %y, 30;", "selp.b32 %x, %y, %c, %p;", "@%q add.u32 %x, %x, 3;", "@%p mov.u32 %x, %c;",
		"st.global.u32 [%o], %x;", "st.global.u32 [%o+4], %y;", "ld.global.u32 %x, [%o+4];", "ld.global.u32 %y, [%o];", "st.global.v2.u32 [%o+8], {%x, %c};",
		"ld.global.u16 %y, [%o+10];", "ld.global.v2.u32 {%y, %x}, [%o+8];", "st.shared.u32 [%sm], %x;", "st.shared.u8 [%sm+5], %c;", "ld.shared.u32 %x, [%sm+4];",
		"xor.b32 %sm, %sm, 16;", "bar.sync 0;", "ld.shared.u32 %y, [%sm];", "st.local.u32 [own+8], %y;", "ld.local.u32 %x, [own+8];", "st.local.u32 [own+4], %c;",
		"ld.local.u64 %z, [own+8];\ncvt.u32.u64 %x, %z;", "atom.global.add.u32 %y, [%out+16], %x;", "atom.shared.max.u32 %x, [%sm], %y;", "red.shared.add.u32 [words+32], 1;",
		"and.b32 %y, %x, 48;\ncvt.u64.u32 %z, %y;\nadd.u64 %o, %out, %z;", "mov.u32 %y, %clock;", "cp.async.ca.shared.global [%sm], [%out], 8;",
	}
	var text strings.Builder
	for i := range rapid.IntRange(1, 14).Draw(t, "length") {
		piece := rapid.SampledFrom(pieces).Draw(t, "piece")
		if piece != "bar.sync 0;" && rapid.IntRange(0, 9).Draw(t, "skip") == 0 {
			fmt.Fprintf(&text, "@%s bra L%d;\n%s\nL%d:\n", rapid.SampledFrom([]string{"%p", "%q"}).Draw(t, "predicate"), i, piece, i)
			continue
		}
		fmt.Fprintf(&text, "%s\n", piece)
	}
	return text.String()
}
