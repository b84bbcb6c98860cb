package value

import (
	"encoding/binary"
	"strings"
	"testing"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/test/flowtest"
)

// TestLoaded bounds loops by what is loaded.
func TestLoaded(t *testing.T) {
	const unknown = -1
	count := "\nmov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1; @%p1 bra L;"
	rows := launchfacts.Contents{Each: 4, Set: strided.Between(32, 1, 64)}
	listed := launchfacts.Contents{Each: 4, Data: binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 7|9<<32), 5|70<<32)}
	fields := launchfacts.Contents{Each: 2, Set: strided.Between(16, 3, 4)}
	for _, c := range []struct {
		name     string
		contents launchfacts.Contents
		body     string
		n        int64
	}{
		{"an element", rows, "ld.global.u32 %r1, [%buf+4];" + count, 63},
		{"any element", rows, "and.b32 %r2, %tid, 3; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %buf, %d1; ld.global.u32 %r1, [%d1];" + count, 63},
		{"that of a thread", rows, "setp.ge.u32 %p2, %tid, 4; @%p2 bra E; mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %buf, %d1; ld.global.u32 %r1, [%d1];" + count + " E:", 63},
		{"by a guard", rows, "setp.lt.u32 %p2, %tid, 4; mov.u32 %r1, 5; mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %buf, %d1; @%p2 ld.global.u32 %r1, [%d1];" + count, 63},
		{"at an index that is loaded, by a guard", rows, "ld.global.u32 %r2, [other]; setp.lt.u32 %p2, %r2, 4; mov.u32 %r1, 5; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %buf, %d1; @%p2 ld.global.u32 %r1, [%d1];" + count, 63},
		{"behind a store by a guard", listed, "and.b32 %r2, %tid, 3; setp.eq.u32 %p2, %r2, 0; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %buf, %d1; @%p2 st.global.u32 [other], 5; ld.global.u32 %r1, [%d1];" + count, 69},
		{"by an index of the grid", rows, "mad.lo.u32 %r3, %cta, %ntid, %tid; setp.ge.u32 %p2, %r3, 4; @%p2 bra E; mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %buf, %d1; ld.global.u32 %r1, [%d1];" + count + " E:", 63},
		{"in a loop", rows, "mov.u32 %r8, 4; mov.u64 %d1, %buf; K: ld.global.u32 %r1, [%d1];" + count + " add.u64 %d1, %d1, 4; add.u32 %r8, %r8, -1; setp.ne.u32 %p2, %r8, 0; @%p2 bra K;", 63},
		{"a generic address", rows, "ld.u32 %r1, [%buf];" + count, 63},
		{"a byte of an element", launchfacts.Contents{Each: 4, Set: strided.Between(32, 1, 200)}, "ld.global.u8 %r1, [%buf];" + count, 199},
		{"a byte that is zero", launchfacts.Contents{Each: 4, Set: strided.Between(32, 1, 200)}, "ld.global.u8 %r1, [%buf+1]; add.u32 %r1, %r1, 8;" + count, 7},
		{"two elements", fields, "ld.global.u32 %r1, [%buf];" + count, 4<<16 + 3},
		{"elements of a vector", rows, "ld.global.v2.u32 {%r2, %r1}, [%buf+8];" + count, 63},
		{"one that is listed", listed, "ld.global.u32 %r1, [%buf+8];" + count, 4},
		{"some that are listed", listed, "and.b32 %r2, %tid, 1; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %buf, %d1; ld.global.u32 %r1, [%d1];" + count, 8},
		{"one that leads to another", launchfacts.Contents{Each: 4, Set: strided.Between(32, 0, 3)},
			"ld.global.u32 %r2, [%buf]; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %buf, %d1; ld.global.u32 %r1, [%d1]; add.u32 %r1, %r1, 1;" + count, 3},
		{"an address that may be one", launchfacts.Contents{Each: 4, Data: listed.Data, Open: []launchfacts.Extent{{Offset: 8, Bytes: 8}}}, "ld.global.u32 %r1, [%buf+8];" + count, unknown},
		{"between two elements", rows, "ld.global.u32 %r1, [%buf+2];" + count, unknown},
		{"behind the last", rows, "ld.global.u32 %r1, [%buf+16];" + count, unknown},
		{"perhaps behind the last", rows, "mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %buf, %d1; ld.global.u32 %r1, [%d1];" + count, unknown},
		{"before the first", rows, "ld.global.u32 %r1, [%buf-4];" + count, unknown},
		{"written", rows, "ld.global.u32 %r1, [%buf+4]; st.global.u32 [%buf+8], 1000;" + count, unknown},
		{"written behind", rows, "ld.global.u32 %r1, [%buf+4];" + count + " red.global.add.u32 [%buf+8], 1000;", unknown},
		{"written by a guess", rows, "ld.global.u32 %r1, [%buf+4]; ld.global.u64 %d2, [other]; st.global.u32 [%d2], 1000;" + count, unknown},
		{"written by a generic address", rows, "ld.global.u32 %r1, [%buf+4]; ld.global.u64 %d2, [other]; st.u32 [%d2], 1000;" + count, unknown},
		{"written beside", rows, "ld.global.u32 %r1, [%buf+4]; st.global.u32 [other], 1000; st.shared.u32 [tile+4], %r1;" + count, 63},
		{"written perhaps behind what is beside", rows, "ld.global.u32 %r1, [%buf+4]; mul.wide.u32 %d1, %tid, 4; mov.u64 %d2, other; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], 1000;" + count, unknown},
		{"written where none is loaded", rows, "ld.global.u32 %r1, [%buf+4]; setp.gt.u32 %p2, %r1, 64; @%p2 st.global.u32 [%buf+8], 1000;" + count, 63},
		{"written at an index that is loaded", rows, "ld.global.u32 %r1, [%buf+4]; mul.wide.u32 %d1, %r1, 4; mov.u64 %d2, other; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], 1000;" + count, 63},
		{"neighbours", launchfacts.Contents{Each: 4, Set: strided.Between(32, 0, 1000), Ascends: &launchfacts.Rise{Min: 2, Max: 30}},
			"ld.global.u32 %r2, [%buf+4]; ld.global.s32 %r3, [%buf+8]; sub.u32 %r1, %r3, %r2;" + count, 29},
		{"neighbours of a thread", launchfacts.Contents{Each: 4, Set: strided.Between(32, 0, 1000), Ascends: &launchfacts.Rise{Min: 0, Max: 30}},
			"setp.ge.u32 %p2, %tid, 3; @%p2 bra E; mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %buf, %d1; ld.global.u32 %r2, [%d1]; ld.global.u32 %r3, [%d1+4]; M: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r3; @%p1 bra M; E:", 29},
		{"limits that are loaded again", launchfacts.Contents{Each: 4, Set: strided.Between(32, 0, 1000), Ascends: &launchfacts.Rise{Min: 0, Max: 30}},
			"ld.global.u32 %r2, [%buf]; M: ld.global.u32 %r3, [%buf+8]; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r3; @%p1 bra M;", 59},
		{"neighbours the other way round", launchfacts.Contents{Each: 4, Set: strided.Between(32, 0, 1000), Ascends: &launchfacts.Rise{Min: 0, Max: 30}},
			"ld.global.u32 %r2, [%buf+4]; ld.global.u32 %r3, [%buf+8]; sub.u32 %r1, %r2, %r3; add.u32 %r1, %r1, 40;" + count, 39},
		{"that are not equal", launchfacts.Contents{Each: 4, Set: strided.Between(32, 0, 1000), Ascends: &launchfacts.Rise{Min: 0, Max: 30}},
			"ld.global.u32 %r2, [%buf+4]; ld.global.u32 %r3, [%buf+8]; setp.le.s32 %p2, %r3, %r2; @%p2 bra E; sub.u32 %r1, %r3, %r2; L: add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; E:", 29},
		{"that may be equal", launchfacts.Contents{Each: 4, Set: strided.Between(32, 0, 1000), Ascends: &launchfacts.Rise{Min: 0, Max: 30}},
			"ld.global.u32 %r2, [%buf+4]; ld.global.u32 %r3, [%buf+8]; setp.lt.s32 %p2, %r3, %r2; @%p2 bra E; sub.u32 %r1, %r3, %r2; L: add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; E:", unknown},
		{"parts of neighbours", launchfacts.Contents{Each: 4, Set: strided.Between(32, 0, 1000), Ascends: &launchfacts.Rise{Min: 0, Max: 30}},
			"ld.global.u8 %r2, [%buf+4]; ld.global.u8 %r3, [%buf+8]; sub.u32 %r1, %r3, %r2; max.s32 %r1, %r1, 0;" + count, 254},
		{"a table of the module", launchfacts.Contents{}, "and.b32 %r2, %tid, 3; mul.wide.u32 %d1, %r2, 4; mov.u64 %d2, table; add.u64 %d1, %d1, %d2; ld.const.u32 %r1, [%d1];" + count, 20},
		{"a table by its name", launchfacts.Contents{}, "ld.const.u32 %r1, [table+8];" + count, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(flowtest.BodyModule(c.body), ".visible", ".const .align 4 .u32 table[4] = {1, 2, 3, 21};\n.global .align 8 .b8 other[264];\n.visible", 1)
			g := flowtest.Graph(t, "k.ptx", text)
			var table []byte
			for _, v := range g.Kernel.Vars {
				if v.Name == "table" {
					table = v.Init
				}
			}
			r := flowtest.Must(Analyze(t.Context(), g, launchfacts.Launch{
				Grid: [3]int{3, 1, 1}, Block: [3]int{96, 1, 1},
				Buffers: []launchfacts.Buffer{
					{Name: "p", Bytes: 16, Contents: c.contents}, {Name: "other", Variable: "other", Bytes: 264},
					{Name: "table", Variable: "table", Bytes: 16, Contents: launchfacts.Contents{Each: 1, Data: table}},
				},
				Pointers: map[int]launchfacts.Pointer{g.Kernel.Params[0].Offset: {Buffer: 0}},
			}))
			bounds := r.Loops()
			b := bounds[len(bounds)-1]
			if known := b.Known && b.Iterations < 1<<30; !known && c.n != unknown || known && b.Iterations != c.n {
				t.Errorf("%d (known: %v) iterations, want %d: %s", b.Iterations, b.Known, c.n, b.Reason)
			}
		})
	}
}

// TestSums bounds loops by what is known of parameters together.
func TestSums(t *testing.T) {
	const unknown = -1
	between := "mov.u32 %r1, %n; L: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, %m; @%p1 bra L;"
	double := "shl.b32 %r2, %n, 1; sub.u32 %r3, %m, %r2; mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L;"
	sum := "add.u32 %r3, %m, %n; mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L;"
	for _, c := range []struct {
		name, body string
		n, m       int64 // coefficients
		max        int64
		iterations int64
	}{
		{"from one to the other", between, 1, -1, -1, 99},
		{"that may be equal", between, 1, -1, 0, unknown},
		{"twice", double, 2, -1, 0, 99},
		{"together", sum, 1, 1, 120, 119},
		{"together in other shares", sum, 2, 1, 120, 119},
		{"of nothing", sum, 1, -1, 0, 159},
	} {
		g := flowtest.BodyGraph(t, c.body)
		n, m := g.Kernel.Params[1].Offset, g.Kernel.Params[2].Offset
		b := flowtest.Must(Analyze(t.Context(), g, launchfacts.Launch{
			Params: []launchfacts.Word{{Offset: n, Interval: strided.Between(32, 0, 60)}, {Offset: m, Interval: strided.Between(32, 0, 100)}},
			Sums:   []launchfacts.Sum{{Terms: []launchfacts.SumTerm{{Offset: n, Bits: 32, Coef: c.n}, {Offset: m, Bits: 32, Coef: c.m}}, Max: c.max}},
		})).Loops()[0]
		if known := b.Known && b.Iterations < 1<<30; !known && c.iterations != unknown || known && b.Iterations != c.iterations {
			t.Errorf("%s: %d (known: %v) iterations, want %d: %s", c.name, b.Iterations, b.Known, c.iterations, b.Reason)
		}
	}
}
