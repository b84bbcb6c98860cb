package warpbound_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/internal/cuda"
	"warpbound/internal/platform"
)

var silicon = flag.String("silicon", "", "write what this device gives, for example cuda:0, to "+siliconFile)

const siliconFile = "testdata/silicon.txt"

// The launch of an operation: so many threads, each with operands and results of its own.
const (
	siliconThreads = 2048
	siliconBlock   = 128
	operandSlots   = 6 // of 8 bytes, of a thread
	resultSlots    = 4
)

// classes of registers are what the first letter of their names says in operations.
type registerClass struct {
	declare string // type of the register
	store   string // type of a store of it
	bytes   int
	nan     func(bits uint64) uint64 // the same for all NaN; nil if none are in it
}

// sameNaN returns a function that makes all NaN of a format the same, in each of so many parts of a
// register.
func sameNaN(bits int, mantissa, parts int) func(uint64) uint64 {
	part := uint64(1)<<bits - 1
	infinity := part >> 1 >> mantissa << mantissa
	return func(x uint64) uint64 {
		for i := range parts {
			at := i * bits
			if x>>at&(part>>1) > infinity {
				x |= (part >> 1) << at
				x &^= (part &^ (part >> 1)) << at
			}
		}
		return x
	}
}

var registerClasses = map[byte]registerClass{
	'f': {"f32", "b32", 4, sameNaN(32, 23, 1)},
	'd': {"f64", "b64", 8, sameNaN(64, 52, 1)},
	'h': {"b16", "b16", 2, sameNaN(16, 10, 1)},
	'b': {"b16", "b16", 2, sameNaN(16, 7, 1)},
	'x': {"b32", "b32", 4, sameNaN(16, 10, 2)},
	'y': {"b32", "b32", 4, sameNaN(16, 7, 2)},
	's': {"b16", "b16", 2, nil},
	'r': {"b32", "b32", 4, nil},
	'l': {"b64", "b64", 8, nil},
	'p': {"pred", "u32", 4, nil},
}

// remarkable are values of a class at which operations have corners.
func remarkable(class byte) []uint64 {
	var list []uint64
	switch class {
	case 'f':
		for _, v := range []float64{
			0, 1, 0.5, 1.5, 2.5, 3, 126, 127, 127.5, 128, 149, 255.5, 32767.5, 65535.5, 1 << 31, 1 << 32, 1e10,
			1 << 63, 1 << 64, 1e38, 1e-40, math.Inf(1),
		} {
			list = append(list, uint64(math.Float32bits(float32(v))), uint64(math.Float32bits(float32(-v))))
		}
		return append(list, 0x7fc00000, 0xffc00001, 0x7f800001, 0x00800000, 0x7f7fffff, 0xff7fffff, 1, 0x807fffff)
	case 'd':
		for _, v := range []float64{
			0, 1, 0.5, 1.5, 2.5, 127.5, 128.5, 65520, 65535.5, 1 << 31, 1<<31 + 1, 4294967295.5, 1 << 32, 1e10,
			1 << 63, 1 << 64, 1e-40, 1e-310, 1e39, 1e300, math.Inf(1),
		} {
			list = append(list, math.Float64bits(v), math.Float64bits(-v))
		}
		return append(list, 0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0x0010000000000000, 1, 0x7fefffffffffffff)
	case 'h', 'x':
		list = []uint64{
			0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x3e00, 0x4100, 0xc100, 0x57f8, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
			0xfe01, 0x7c01, 1, 0x8001, 0x3ff, 0x400, 0x63ff, 0x7800,
		}
	case 'b', 'y':
		list = []uint64{
			0, 0x8000, 0x3f80, 0xbf80, 0x3f00, 0x3fc0, 0x4020, 0xc020, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1,
			0x7f81, 1, 0x8001, 0x7f, 0x80, 0x4f00, 0x5f00,
		}
	default:
		return []uint64{
			0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
			0x7fffffff, 0x80000000, 0xffffffff,
			1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64,
		}
	}
	if class == 'x' || class == 'y' { // two in each
		low := slices.Clone(list)
		for i := range list {
			list[i] |= low[(5*i+3)%len(low)] << 16
		}
	}
	return list
}

// operandOf is the value of a source register for a thread: pairs of remarkable values first, then
// random ones.
func operandOf(register string, thread int, remarkable []uint64, rng *rand.Rand) uint64 {
	n := len(remarkable)
	switch {
	case thread >= n*n:
	case register[1] == '1':
		return remarkable[thread%n]
	case register[1] == '2':
		return remarkable[thread/n]
	default:
		return remarkable[(7*thread+3*(thread/n))%n]
	}
	switch register[0] {
	case 'f':
		if thread%2 == 0 {
			return uint64(math.Float32bits(float32(rng.NormFloat64() * 100)))
		}
	case 'd':
		if thread%2 == 0 {
			return math.Float64bits(rng.NormFloat64() * 1e6)
		}
	case 'r', 's', 'l':
		if thread%2 == 0 {
			return uint64(rng.IntN(2000) - 1000)
		}
	}
	return rng.Uint64()
}

// leftOpen are operations whose results a GPU and the emulator, which follows the manual, may give
// differently: why, by what the text begins with.
var leftOpen = []struct{ prefix, why string }{
	{"rcp.approx", approximates}, {"sqrt.approx", approximates}, {"rsqrt.approx", approximates},
	{"lg2.approx", approximates},
	{"ex2.approx", approximates}, {"sin.approx", approximates}, {"cos.approx", approximates},
	{"tanh.approx", approximates},
	{"div.approx", approximates}, {"div.full", approximates},
	{"cvt.rna.tf32", "the bits of a NaN are not specified"},
	{"vadd.s32.u32.s32.max", video}, {"vsub.s32.u32.s32.max", video}, {"vabsdiff.s32.u32.s32.max", video},
	{"vset.s32.u32.ne.min", video},
	{"vadd.u32.s32.s32.sat %r0.h1", video}, {"vsub.u32.s32.s32.sat %r0.h1", video},
	{"vabsdiff.u32.s32.s32.sat %r0.h1", video},
	{"vmin.u32.s32.s32.sat %r0.h1", video}, {"vmax.u32.s32.s32.sat %r0.h1", video},
	{"vshl.u32.u32.u32.sat.clamp", video}, {"vshl.s32.s32.u32.wrap.max", video}, {"vmad.u32.u32.u32.sat.shr15", video},
	{"mma.sync.aligned.m16n8k16.row.col.f", sums}, {"mma.sync.aligned.m16n8k8.row.col.f32", sums},
	{"mma.sync.aligned.m16n8k4.row.col.f32", sums},
	{"mma.sync.aligned.m16n8k32.row.col.f32", sums},
}

const (
	approximates = "an approximation"
	video        = "the manual computes on 33 bits, and not what a secondary operation takes a value beyond 32 bits for"
	sums         = "in which order and how exactly products are added up is not specified"
)

// whyOpen returns why results of an operation are not compared, "" if they are.
func whyOpen(text string) string {
	for _, o := range leftOpen {
		if strings.HasPrefix(text, o.prefix) {
			return o.why
		}
	}
	return ""
}

// siliconOperations are the operations that are executed on a GPU: those of BenchmarkOperations
// that need no memory, and more.
func siliconOperations() []string {
	var list []string
	add := func(texts ...string) {
		for _, text := range texts {
			if !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	for _, op := range operations() {
		if !strings.ContainsAny(op.text, "[") && !strings.HasPrefix(op.text, "movmatrix") && !strings.HasPrefix(op.text, "mma") {
			add(strings.ReplaceAll(op.text, "%f4", "%f1")) // where it is a source
		}
	}
	for _, from := range []string{"f16 h", "f32 f", "f64 d"} {
		f := strings.Fields(from)
		for _, to := range []string{"u8 s", "s8 s", "u16 s", "s16 s", "u32 r", "s32 r", "u64 l", "s64 l"} {
			t := strings.Fields(to)
			for _, round := range []string{"rni", "rzi", "rmi", "rpi", "rzi.sat"} {
				add(fmt.Sprintf("cvt.%s.%s.%s %%%s0, %%%s1", round, t[0], f[0], t[1], f[1]))
			}
			if f[0] == "f32" {
				add(fmt.Sprintf("cvt.rpi.ftz.%s.f32 %%%s0, %%f1", t[0], t[1]))
			}
			if t[1] == "s" { // into a wider register
				add(fmt.Sprintf("cvt.rzi.%s.%s %%r0, %%%s1", t[0], f[0], f[1]))
			}
		}
	}
	for _, t := range []string{"u32 b32 r", "s32 b32 r", "u64 b64 l", "s64 b64 l", "u16 b16 s", "s16 b16 s"} {
		f := strings.Fields(t)
		add(fmt.Sprintf("shl.%s %%%[2]s0, %%%[2]s1, %%r2", f[1], f[2]), fmt.Sprintf("shr.%s %%%[2]s0, %%%[2]s1, %%r2", f[0], f[2]))
		if f[2] != "s" {
			add(fmt.Sprintf("bfe.%s %%%[2]s0, %%%[2]s1, %%r2, %%r3", f[0], f[2]))
		}
	}
	add("bfi.b32 %r0, %r1, %x2, %r2, %r3", "bfi.b64 %l0, %l1, %l2, %r2, %r3", "fns.b32 %r0, %r1, %r2, %r3",
		"lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x96, %p2",
		"shf.l.wrap.b32 %r0, %r1, %r2, %r3", "shf.l.clamp.b32 %r0, %r1, %r2, %r3",
		"shf.r.wrap.b32 %r0, %r1, %r2, %r3", "shf.r.clamp.b32 %r0, %r1, %r2, %r3",
		"bmsk.wrap.b32 %r0, %r1, %r2", "bmsk.clamp.b32 %r0, %r1, %r2", "szext.clamp.u32 %r0, %r1, %r2",
		"szext.wrap.s32 %r0, %r1, %r2", "szext.clamp.s32 %r0, %r1, %r2",
		"shfl.sync.up.b32 %r0|%p0, %r1, 5, 0x0800, -1", "shfl.sync.down.b32 %r0|%p0, %r1, 3, 0x181f, -1",
		"shfl.sync.idx.b32 %r0|%p0, %r1, %n, 0x101f, -1",
		"shfl.sync.bfly.b32 %r0|%p0, %r1, 9, 0x1c1f, -1", "vote.sync.all.pred %p0, %p1, -1",
		"vote.sync.uni.pred %p0, %p1, -1", "redux.sync.and.b32 %r0, %r1, -1",
		"redux.sync.or.b32 %r0, %r1, -1", "redux.sync.min.u32 %r0, %r1, -1", "redux.sync.min.s32 %r0, %r1, -1",
		"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%r0, %r4, %r5, %r6}, {%r1, %r2, %r3, %r1}, {%r2, %r3}, {%r1, %r2, %r3, %r1}",
		"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%r0, %r4}, {%r1}, {%r2}, {%r1, %r2}",
		"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r0, %r4, %r5, %r6}, {%r1, %r2, %r3, %r1}, {%r2, %r3}, {%r1, %r2, %r3, %r1}",
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d4}, {%d1}, {%d2}, {%d1, %d2}",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f4, %f5, %f6}, {%x1, %x2, %x3, %x1}, {%x2, %x3}, {%f1, %f2, %f3, %f1}",
		"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f4, %f5, %f6}, {%y1, %y2, %y3, %y1}, {%y2, %y3}, {%f1, %f2, %f3, %f1}")
	return list
}

var registerUse = regexp.MustCompile(`%([fdhbsrxylp])(\d)`)

// A siliconKernel executes an operation once in each thread.
type siliconKernel struct {
	text             string // of the operation
	name             string
	sources, results []string
	narrow           string // sources of which only the low byte counts: beyond it GPUs do not what the manual says
}

func newSiliconKernel(text, name string) *siliconKernel {
	k := &siliconKernel{text: text, name: name}
	for _, use := range registerUse.FindAllStringSubmatch(text, -1) {
		r := use[1] + use[2]
		switch {
		case slices.Contains(k.sources, r) || slices.Contains(k.results, r):
		case strings.Contains("123", use[2]) && !strings.Contains(text, "|%"+r): // the second of two results may be any
			k.sources = append(k.sources, r)
		default:
			k.results = append(k.results, r)
		}
	}
	if strings.HasPrefix(text, "bfe") || strings.HasPrefix(text, "bfi") || strings.HasPrefix(text, "fns") {
		k.narrow = "r2 r3"
	}
	return k
}

// module writes the kernel.
func (k *siliconKernel) module() string {
	var b strings.Builder
	fmt.Fprintf(&b, `.visible .entry %s(.param .u64 in, .param .u64 out) {
	.reg .f32 %%f<7>; .reg .f64 %%d<7>; .reg .b16 %%h<7>, %%b<7>, %%s<7>; .reg .b32 %%r<7>, %%x<7>, %%y<7>; .reg .b64 %%l<7>; .reg .pred %%p<5>;
	.reg .u32 %%n, %%thread, %%word; .reg .u64 %%from, %%to;
	mov.u32 %%n, %%tid.x; mov.u32 %%thread, %%ctaid.x; mad.lo.u32 %%thread, %%thread, %d, %%n; and.b32 %%n, %%n, 63;
	ld.param.u64 %%from, [in]; mad.wide.u32 %%from, %%thread, %d, %%from;
	ld.param.u64 %%to, [out]; mad.wide.u32 %%to, %%thread, %d, %%to;
`, k.name, siliconBlock, 8*operandSlots, 8*resultSlots)
	for i, r := range k.sources {
		if r[0] == 'p' {
			fmt.Fprintf(&b, "\tld.global.u32 %%word, [%%from+%d]; and.b32 %%word, %%word, 1; setp.ne.u32 %%%s, %%word, 0;\n", 8*i, r)
			continue
		}
		fmt.Fprintf(&b, "\tld.global.%s %%%s, [%%from+%d];\n", registerClasses[r[0]].store, r, 8*i)
	}
	if strings.Contains(k.text, "addc") || strings.Contains(k.text, "subc") || strings.Contains(k.text, "madc") {
		b.WriteString("\tld.global.u32 %word, [%from]; add.cc.u32 %word, %word, %word;\n") // a carry
	}
	fmt.Fprintf(&b, "\t%s;\n", k.text)
	for i, r := range k.results {
		if r[0] == 'p' {
			fmt.Fprintf(&b, "\tselp.u32 %%word, 1, 0, %%%s; st.global.u32 [%%to+%d], %%word;\n", r, 8*i)
			continue
		}
		fmt.Fprintf(&b, "\tst.global.%s [%%to+%d], %%%s;\n", registerClasses[r[0]].store, 8*i, r)
	}
	return b.String() + "\tret;\n}\n"
}

// operands are those of all threads.
func (k *siliconKernel) operands() []byte {
	rng := rand.New(rand.NewPCG(7, uint64(len(k.text))))
	raw := make([]byte, 8*operandSlots*siliconThreads)
	for i, r := range k.sources {
		values := remarkable(r[0])
		for thread := range siliconThreads {
			v := operandOf(r, thread, values, rng)
			if strings.Contains(k.narrow, r) {
				v &= 0xff
			}
			binary.LittleEndian.PutUint64(raw[8*(operandSlots*thread+i):], v)
		}
	}
	return raw
}

// hash tells results apart, all NaN being the same.
func (k *siliconKernel) hash(raw []byte) string {
	for thread := range siliconThreads {
		for i, r := range k.results {
			if same := registerClasses[r[0]].nan; same != nil {
				at := raw[8*(resultSlots*thread+i):]
				binary.LittleEndian.PutUint64(at, same(binary.LittleEndian.Uint64(at)))
			}
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256(raw))[:16]
}

const siliconHeader = ".version 8.8\n.target sm_90\n.address_size 64\n"

// emulate returns the results of a kernel in the emulator.
func (k *siliconKernel) emulate(t *testing.T) []byte {
	t.Helper()
	files := fstest.MapFS{"k.ptx": {Data: []byte(siliconHeader + k.module())}, "job.toml": {Data: fmt.Appendf(nil, `module = "k.ptx"
grid = [%d]
block = [%d]
param = [{name = "in", type = "u64", count = %d, init = "zeros"}, {name = "out", type = "u64", count = %d, init = "zeros"}]
`, siliconThreads/siliconBlock, siliconBlock, operandSlots*siliconThreads, resultSlots*siliconThreads)}}
	j, err := platform.LoadFS(files, "job.toml", "h200")
	if err != nil {
		t.Fatalf("%s: %v", k.text, err)
	}
	e, in := j.First().NewEmulator(), j.First().Bound.Inputs(0)
	copy(in.Buffers[0], k.operands())
	if _, err := e.Run(context.Background(), in); err != nil {
		t.Fatalf("%s: %v", k.text, err)
	}
	return e.Buffers()[1]
}

// execute returns the results of a kernel on a device.
func (k *siliconKernel) execute(t *testing.T, dev cuda.Device) ([]byte, error) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Fatalf("%s: %v", k.text, err)
		}
	}
	mod, err := dev.Load([]byte(siliconHeader + k.module()))
	if err != nil {
		return nil, err
	}
	fn, err := mod.Function(k.name)
	check(err)
	in, err := dev.Alloc(8 * operandSlots * siliconThreads)
	check(err)
	raw := make([]byte, 8*resultSlots*siliconThreads)
	out, err := dev.Alloc(len(raw))
	check(err)
	check(dev.Write(in, k.operands()))
	check(dev.Write(out, raw))
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(in)), uint64(out))
	_, err = fn.Launch(context.Background(), cuda.Launch{Grid: [3]int{siliconThreads / siliconBlock, 1, 1}, Block: [3]int{siliconBlock, 1, 1}, Params: params})
	check(err)
	check(dev.Read(out, raw))
	check(dev.Free(in))
	check(dev.Free(out))
	check(mod.Unload())
	return raw, nil
}

// TestOperationsAsOnSilicon compares what operations give with what they gave on a GPU, which
// testdata/silicon.txt holds: for each a hash of its results, or why an assembler for the GPU does
// not take it. It is written by
//
//	go test . -run TestOperationsAsOnSilicon -silicon cuda:0
func TestOperationsAsOnSilicon(t *testing.T) {
	if *silicon != "" {
		writeSilicon(t)
	}
	text, err := os.ReadFile(siliconFile)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for line := range strings.Lines(string(text)) {
		hash, operation, _ := strings.Cut(strings.TrimSpace(line), " ")
		if hash == "#" || hash == "refused" || whyOpen(operation) != "" {
			continue
		}
		k := newSiliconKernel(operation, "k")
		if got := k.hash(k.emulate(t)); got != hash {
			t.Errorf("%s: other results than on a GPU", operation)
		}
		compared++
	}
	if compared < 700 {
		t.Errorf("only %d operations are compared", compared)
	}
}

func writeSilicon(t *testing.T) {
	t.Helper()
	on, err := platform.Device(*silicon)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := on.OpenDevice(0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	var b bytes.Buffer
	a, c := dev.Attributes(), dev.Conditions()
	fmt.Fprintf(&b, "# %s, compute capability %d.%d, driver %s\n", a.Name, a.Capability.Major, a.Capability.Minor, c.DriverVersion)
	for i, operation := range siliconOperations() {
		k := newSiliconKernel(operation, fmt.Sprintf("k%d", i))
		hash := "refused"
		if raw, err := k.execute(t, dev); err == nil {
			hash = k.hash(raw)
		}
		fmt.Fprintf(&b, "%s %s\n", hash, operation)
	}
	if err := os.WriteFile(siliconFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
