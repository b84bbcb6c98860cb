package job

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/isa"
	"warpbound/jobs"
)

// structs has a struct with fields of every kind, and buffers that only pointers reach. The expected
// layout is that of C on x86-64, of
//
//	struct { char c; struct { short s; float *x; } in; float w[3]; void *y, *rows[2]; char raw[3]; double d; };
const structs = head + `
[[param]]
name = "n"
type = "u32"
value = 7
[[param]]
name = "on"
type = "struct"
[[param.field]]
name = "c"
type = "u8"
value = 1
[[param.field]]
name = "in"
type = "struct"
[[param.field.field]]
name = "s"
type = "s16"
value = -2
[[param.field.field]]
name = "x"
type = "f32"
count = 4
access = "read"
[[param.field]]
name = "w"
type = "f32"
array = 3
values = [1, 2, 4]
[[param.field]]
name = "y"
same = "on.in.x+8"
[[param.field]]
name = "rows"
type = "u64"
array = 2
values = ["on.in.x", "node + 0x10"]
[[param.field]]
name = "raw"
type = "u8"
bytes = 3
hex = "aabbcc"
[[param.field]]
name = "d"
type = "f64"
range = [1, 1]
[[param]]
name = "z"
same = "node"
offset = 24
[[buffer]]
name = "node"
type = "s64"
count = 4
values = [5, "node+24", -1, "on.in.x+16"]
[[buffer]]
name = "other"
type = "b8"
count = 12
init = "iota"
access = "write"
pointers = [{at = 3, to = "node"}]
[[buffer]]
name = "rest"
type = "u32"
count = 3
init = "unset"
`

func structKernel(bytes int) *isa.Kernel {
	return &isa.Kernel{Name: "k", File: "m", AddressBits: 64, Params: []isa.Var{
		{Name: "k_0", Type: isa.U32, Bytes: 4},
		{Name: "k_1", Type: isa.B8, Bytes: bytes, Offset: 8},
		{Name: "k_2", Type: isa.U64, Bytes: 8, Offset: 8 + bytes},
	}}
}

func TestStructs(t *testing.T) {
	b, err := bind(t, structs, structKernel(80))
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]string{}
	for i := range b.Job.Params {
		offset, size, ok := b.Slot(i)
		if ok {
			place[b.Job.Params[i].Name] = fmt.Sprint(offset-8, " ", size)
		}
	}
	want := map[string]string{
		"n": "-8 4", "on.c": "0 1", "on.in.s": "8 2", "on.in.x": "16 8", "on.w": "24 12", "on.y": "40 8",
		"on.rows": "48 16", "on.raw": "64 3", "on.d": "72 8", "z": "80 8",
	}
	if diff := gocmp.Diff(want, place); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	in := b.Inputs(0)
	address := func(param int) uint64 { return 0x1000 * uint64(1+param) }
	at := func(name string) uint64 {
		for i := range b.Job.Params {
			if b.Job.Params[i].Name == name {
				return address(i)
			}
		}
		t.Fatal(name)
		return 0
	}
	word := func(x uint64) string { return hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, x)) }
	block := "0700000000000000" + "0100000000000000" + "feff000000000000" + word(at("on.in.x")) +
		"0000803f" + "00000040" + "00008040" + "00000000" + word(at("on.in.x")+8) + word(at("on.in.x")) + word(at("node")+16) +
		"aabbcc0000000000" + "000000000000f03f" + word(at("node")+24)
	if got := hex.EncodeToString(b.ParamBlock(nil, in, address)); got != block {
		t.Errorf("parameter block\n got %s\nwant %s", got, block)
	}
	for name, want := range map[string]string{
		"node":  word(5) + word(at("node")+24) + word(1<<64-1) + word(at("on.in.x")+16),
		"other": "000102" + word(at("node")) + "0b",
		"rest":  "000000000000000000000000",
	} {
		for i := range b.Job.Params {
			if b.Job.Params[i].Name == name {
				b.Job.Relocate(i, in.Buffers[i], address)
				if got := hex.EncodeToString(in.Buffers[i]); got != want {
					t.Errorf("%s holds %s, want %s", name, got, want)
				}
			}
		}
	}
	if strings.Join(bufferNames(b.Job), " ") != "on.in.x node other rest" {
		t.Errorf("buffers %v", bufferNames(b.Job))
	}
}

func bufferNames(j *Job) []string {
	var names []string
	for i := range j.Params {
		if j.Params[i].Kind == Buffer {
			names = append(names, j.Params[i].Name)
		}
	}
	return names
}

func TestStructsAreWritten(t *testing.T) {
	j, err := Parse("j", []byte(structs), files(nil))
	if err != nil {
		t.Fatal(err)
	}
	w := sameJob(t, j, (&Bound{Job: j}).Inputs(0), nil)
	again, err := Parse("j", w.Text, files(textsByName(w.Data)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range j.Params {
		if p, q := &j.Params[i], &again.Params[i]; !p.Like(q) {
			t.Errorf("%+v is written as %+v:\n%s", p, q, w.Text)
		}
	}
}

func textsByName(data map[string][]byte) map[string]string {
	texts := make(map[string]string)
	for name, d := range data {
		texts[name] = string(d)
	}
	return texts
}

func TestStructSizes(t *testing.T) {
	field := func(text string) string { return "[[param.field]]\n" + text + "\n" }
	c, p := field("name = 'c'\ntype = 'u8'\nvalue = 1"), field("name = 'p'\ntype = 'f32'\ncount = 1")
	for _, test := range []struct {
		name, keys, fields string
		bytes              int
	}{
		{"one", "", c, 1},
		{"padded to the widest", "", p + c, 16},
		{"said", "bytes = 40\n", p + c, 40},
		{"packed", "bytes = 9\n", c + field("name = 'p'\ntype = 'f32'\ncount = 1\noffset = 1"), 9},
		{"out of order", "", field("name = 'p'\ntype = 'u16'\nvalue = 1\noffset = 6") + field("name = 'c'\ntype = 'u32'\nvalue = 1\noffset = 0"), 8},
		{"behind the last", "", field("name = 'p'\ntype = 'u16'\nvalue = 1\noffset = 6") + c, 10},
		{"nested", "", c + field("name = 'i'\ntype = 'struct'") + "[[param.field.field]]\nname = 'a'\ntype = 'u32'\nvalue = 1\n[[param.field.field]]\nname = 'b'\ntype = 'u8'\nvalue = 1\n", 12},
	} {
		t.Run(test.name, func(t *testing.T) {
			j, err := Parse("j", []byte(head+"[[param]]\nname = 's'\ntype = 'struct'\n"+test.keys+test.fields), files(nil))
			if err != nil {
				t.Fatal(err)
			}
			if a := j.Args[0]; a.Bytes != test.bytes || !a.Struct {
				t.Errorf("%+v, want %d bytes", a, test.bytes)
			}
		})
	}
}

func TestArgumentErrors(t *testing.T) {
	const buffer = "[[buffer]]\nname = 'b'\ntype = 'u64'\ncount = 2\n"
	const scalar = "[[param]]\nname = 'n'\ntype = 'u32'\nvalue = 1\n"
	const s = "[[param]]\nname = 's'\ntype = 'struct'\n"
	field := func(text string) string { return s + "[[param.field]]\nname = 'x'\n" + text }
	for _, c := range []struct{ text, want string }{
		{s, `the struct "s" has no fields; give each as [[param.field]]`},
		{s + "value = 1\n[[param.field]]\nname = 'x'\ntype = 'u8'\nvalue = 1\n", `unknown key "value"; a struct has name, type, bytes, field`},
		{s + "bytes = 3\n[[param.field]]\nname = 'x'\ntype = 'u32'\nvalue = 1\n", `j:7:1: bytes is 3; the fields of "s" need 4`},
		{field("type = 'u32'\nvalue = 1\noffset = 32764\n"), "the field ends at byte 32768; a struct has 32764 at most"},
		{field("type = 'u32'\nvalue = 1\n[[param.field]]\nname = 'y'\ntype = 'u8'\nvalue = 1\noffset = 3\n"), `the field has bytes 3 to 3 of "s", of which another one (j:7:9) has 0 to 3`},
		{field("type = 'u32'\nvalue = 1\n[[param.field]]\nname = 'x'\ntype = 'u8'\nvalue = 1\n"), `there is another param "s.x" at j:7:9; names must differ`},
		{scalar + "[[buffer]]\nname = 'n'\ntype = 'u8'\ncount = 1\n", `there is another param "n" at j:4:3; names must differ`},
		{field("type = 'shared'\ncount = 4\n"), `the field "s.x" cannot point to shared memory; give it a param of its own`},
		{field("type = 'u32'\narray = 0\n"), "array is 0; it must be from 1 to 8191"},
		{field("type = 'u32'\narray = 2\nvalues = ['b', 1]\n"), "values element 1 must be a number, not the string \"b\""},
		{field("type = 'u32'\narray = 2\ninit = 'unset'\n"), "only a buffer can be unset"},
		{"[[param]]\nname = 'n'\ntype = 'u32'\narray = 2\n", `unknown key "array"`},
		{"[[param]]\nname = 'n'\nsame = 'b'\n", `j:6:1: same is "b"; it must be a buffer of the job, as in "x", or bytes behind its start, as in "x+16"`},
		{"[[param]]\nname = 'n'\nsame = 'b+x'\n" + buffer, `same is "b+x"`},
		{"[[param]]\nname = 'n'\nsame = 'b'\noffset = 17\n" + buffer, `same lies 17 bytes behind the start of "b" (j:8:3), which has 16`},
		{"[[param]]\nname = 'v'\nsame = 'n'\n" + scalar, `same names "n" (j:7:3), which is a number of type u32 and no buffer`},
		{"[[param]]\nname = 'v'\nsame = 'v'\n", `same names "v" (j:4:3), which views another buffer; name that`},
		{"[[param]]\nname = 'v'\nsame = 'b'\ncount = 3\n" + buffer, `unknown key "count"; a view of a buffer has name, same, offset`},
		{buffer + "values = [1, 'c']\n", `j:8:1: values element 2 is "c"`},
		{buffer + "access = 'both'\n", `access is "both"; it must be "read" or "write", or be left out for both`},
		{buffer + "access = 'read'\ninit = 'unset'\n", `a buffer with init = "unset" has nothing to read`},
		{scalar + "access = 'read'\n", `unknown key "access"`},
		{buffer + "init = 'uniform(0, 1)'\npointers = [{at = 0, to = 'b'}]\n", "pointers need contents that are fixed"},
		{buffer + "pointers = [{at = 9, to = 'b'}]\n", "at is 9; it must be from 0 to 8"},
		{buffer + "pointers = [{to = 'b'}]\n", "at is missing"},
		{buffer + "pointers = [{at = 8, to = 'b'}, {at = 1, to = 'b'}]\n", "the pointer at byte 8 overlaps that at byte 1"},
		{"[[buffer]]\nname = 'b'\ntype = 'u8'\ncount = 7\npointers = [{at = 0, to = 'b'}]\n", "a pointer has 8 bytes, and there are 7"},
		{"[[buffer]]\nname = 'b'\ntype = 'u32'\nvalue = 7\n", "count is missing"},
	} {
		_, err := Parse("j", []byte(head+c.text), files(nil))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestBindStructErrors(t *testing.T) {
	narrow := structKernel(80)
	narrow.AddressBits = 32
	for _, c := range []struct {
		k    *isa.Kernel
		want string
	}{
		{structKernel(72), `param "on" is a struct of 80 bytes, but parameter k_1 () of kernel k needs a struct: type = "u8", bytes = 72, or type = "struct" with fields of as many`},
		{narrow, `param "on.in.x" has pointers of 64 bits, and the module of kernel k addresses of 32`},
	} {
		if _, err := bind(t, structs, c.k); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

// goStructs is structs in Go.
func goStructs() *jobs.Job {
	return &jobs.Job{
		Name: "j", Module: jobs.File("m"), Grid: jobs.Dim(1), Block: jobs.Dim(1),
		Params: []jobs.Param{
			jobs.Scalar("n", jobs.U32, 7),
			jobs.Fields("on",
				jobs.Scalar("c", jobs.U8, 1),
				jobs.Fields("in",
					jobs.Scalar("s", jobs.S16, -2),
					jobs.Param{Name: "x", Kind: jobs.KindBuffer, Type: jobs.F32, Count: 4, Access: jobs.ReadOnly},
				),
				jobs.Array("w", jobs.F32, 3, jobs.Values(1, 2, 4)),
				jobs.View("y", "on.in.x+8"),
				jobs.Array("rows", jobs.U64, 2, jobs.Addresses("on.in.x", "node+16")),
				jobs.Struct("raw", 3, jobs.Bytes([]byte{0xaa, 0xbb, 0xcc})),
				jobs.Sampled("d", jobs.F64, 1, 1),
			),
			jobs.View("z", "node+24"),
		},
		Buffers: []jobs.Param{
			jobs.Buffer("node", jobs.S64, 4, jobs.Values(5, 0, -1, 0).WithPointers(jobs.Pointer{At: 8, To: "node+24"}, jobs.Pointer{At: 24, To: "on.in.x+16"})),
			{Name: "other", Kind: jobs.KindBuffer, Type: jobs.B8, Count: 12, Access: jobs.WriteOnly, Content: jobs.Iota().WithPointers(jobs.Pointer{At: 3, To: "node"})},
			jobs.Buffer("rest", jobs.U32, 3, jobs.Unset()),
		},
	}
}

func TestStructsFromGo(t *testing.T) {
	g := goStructs()
	got, _, err := FromGo(g, noFile)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Parse("j", []byte(structs), files(nil))
	if err != nil {
		t.Fatal(err)
	}
	got.Hash, want.Hash = "", ""
	if diff := gocmp.Diff(want, got, everywhere); diff != "" {
		t.Errorf("(-file +Go)\n%s", diff)
	}
	w, err := Render(g)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("j", w.Text, files(textsByName(w.Data)))
	if err != nil {
		t.Fatal(err)
	}
	again.Hash = ""
	if diff := gocmp.Diff(want, again, everywhere); diff != "" {
		t.Errorf("(-file +rendered)\n%s", diff)
	}
}

func TestStructErrorsFromGo(t *testing.T) {
	for _, c := range []struct {
		change func(*jobs.Job)
		want   string
	}{
		{func(g *jobs.Job) { g.Params[1].Fields[1].Fields[1].Count = 0 }, "j: Params[1] (on).Fields[1].Fields[1].Count: count is 0"},
		{func(g *jobs.Job) { g.Params[1].Fields[3].Same = "q" }, `j: Params[1] (on).Fields[3].Same: same is "q"`},
		{func(g *jobs.Job) { g.Params[1].Fields[3].Same = "" }, "j: Params[1] (on).Fields[3].Same: the view has no buffer"},
		{func(g *jobs.Job) { g.Params[1].Fields[2].Offset = new(2) }, "j: Params[1] (on).Fields[2]: the field has bytes 2 to 13"},
		{func(g *jobs.Job) { g.Params[0].Access = jobs.ReadOnly }, "j: Params[0] (n).Access: access is that of buffers"},
		{func(g *jobs.Job) { g.Params[0].Same = "x" }, "j: Params[0] (n).Same: only a view is the same as another"},
		{func(g *jobs.Job) { g.Params[0].Fields = g.Params[1].Fields }, "j: Params[0] (n).Fields: only a struct has fields"},
		{func(g *jobs.Job) { g.Params[0].Type = "struct" }, "j: Params[0] (n).Type: a struct is a kind of parameters, not a type"},
		{func(g *jobs.Job) { g.Params[2].Count = 1 }, "j: Params[2] (z).Count: a view has no count"},
		{func(g *jobs.Job) { g.Params[1].Type = jobs.U8 }, "j: Params[1] (on).Type: a struct with fields has no type"},
		{func(g *jobs.Job) { g.Buffers[0] = jobs.Scalar("b", jobs.U8, 1) }, "j: Buffers[0] (b).Kind: only a buffer can be without an argument"},
		{func(g *jobs.Job) { g.Buffers[1].Content.Pointers[0].To = "" }, "j: Buffers[1] (other).Content.Pointers[0].To: to is empty"},
	} {
		g := goStructs()
		c.change(g)
		if _, _, err := FromGo(g, noFile); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

// TestStructsAny lays out structs of any nesting as C does by a rule of its own: by counting bytes.
func TestStructsAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []byte // 1 where a field is, by byte
		number, depth := 0, 0
		var fields func() ([]jobs.Param, int)
		fields = func() (list []jobs.Param, widest int) {
			depth++
			defer func() { depth-- }()
			widest = 1
			pad := func(align int) {
				for len(want)%align != 0 {
					want = append(want, 0)
				}
				widest = max(widest, align)
			}
			for range rapid.IntRange(1, 4).Draw(t, "fields") {
				number++
				name := fmt.Sprint("f", number)
				typ := rapid.SampledFrom(valueTypes[:]).Draw(t, "type")
				put := func(bytes int) {
					for range bytes {
						want = append(want, byte(number))
					}
				}
				switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
				case kind == 0 && depth < 4:
					whole := want
					want = nil
					inner, align := fields()
					own := want
					want = whole
					pad(align)
					want = append(want, own...)
					list = append(list, jobs.Fields(name, inner...))
				case kind == 1:
					pad(8)
					put(8)
					list = append(list, jobs.Buffer(name, jobs.Type(typ.String()), 1, jobs.Zeros()))
				case kind == 2:
					pad(typ.Bytes())
					put(3 * typ.Bytes())
					list = append(list, jobs.Array(name, jobs.Type(typ.String()), 3, jobs.Zeros()))
				case kind == 3:
					put(5)
					list = append(list, jobs.Struct(name, 5, jobs.Bytes(make([]byte, 5))))
				default:
					pad(typ.Bytes())
					put(typ.Bytes())
					list = append(list, jobs.Scalar(name, jobs.Type(typ.String()), 0))
				}
			}
			pad(widest)
			return list, widest
		}
		list, _ := fields()
		j, _, err := FromGo(&jobs.Job{Module: jobs.File("m"), Grid: jobs.Dim(1), Block: jobs.Dim(1), Params: []jobs.Param{jobs.Fields("s", list...)}}, noFile)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, j.Args[0].Bytes)
		b := &Bound{Job: j, Kernel: &isa.Kernel{Params: []isa.Var{{Bytes: len(got)}}}}
		for i := range j.Params {
			offset, size, _ := b.Slot(i)
			name := j.Params[i].Name
			var n int
			if _, err := fmt.Sscanf(name[strings.LastIndexByte(name, 'f'):], "f%d", &n); err != nil {
				t.Fatal(err)
			}
			for k := range size {
				got[offset+k] = byte(n)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		sameJob(t, j, b.Inputs(0), nil)
	})
}

// A name may look like a place in another buffer.
func TestNamesWithPlus(t *testing.T) {
	const buffer = "[[buffer]]\nname = '%s'\ntype = 'u64'\ncount = 4\nvalues = ['b+8', 'b+8+8', 'b+ 8', 'c +8']\n"
	text := head
	for _, name := range []string{"b", "b+8", "c", "c "} {
		text += fmt.Sprintf(buffer, name)
	}
	j, err := Parse("j", []byte(text), files(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := []Pointer{{0, Address{1, 0}}, {8, Address{1, 8}}, {16, Address{0, 8}}, {24, Address{3, 8}}}
	if diff := gocmp.Diff(want, j.Params[0].Content.Pointers); diff != "" {
		t.Error(diff)
	}
	w := sameJob(t, j, (&Bound{Job: j}).Inputs(0), nil)
	again, err := Parse("j", w.Text, files(textsByName(w.Data)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, again.Params[0].Content.Pointers); diff != "" {
		t.Errorf("%s\n%s", diff, w.Text)
	}
}

// TestLaunchesOfStructs gives launches a struct, a field of it, and a buffer that is no argument of the job.
func TestLaunchesOfStructs(t *testing.T) {
	j, err := Parse("j", []byte(strings.Replace(structs, head, "module = 'm'\nblock = [1]\ngrid = [1]\n", 1)+`[[launch]]
kernel = 'k'
arguments = [3, 'on', 'node']
[[launch]]
kernel = 'l'
arguments = ['on.in.x', 'z', 'on.in.x', 'node']
`), files(nil))
	if err != nil {
		t.Fatal(err)
	}
	l := &isa.Kernel{Name: "l", File: "m", AddressBits: 64}
	for i := range 4 {
		l.Params = append(l.Params, isa.Var{Name: fmt.Sprint("l_", i), Type: isa.U64, Bytes: 8, Offset: 8 * i})
	}
	b, err := j.Bind(structKernel(80), l)
	if err != nil {
		t.Fatal(err)
	}
	address := func(param int) uint64 { return 0x1000 * uint64(1+param) }
	in := b.Inputs(0)
	index := func(name string) int {
		return slices.IndexFunc(j.Params, func(p Param) bool { return p.Name == name })
	}
	words := func(block []byte) (words []uint64) {
		for ; len(block) > 0; block = block[8:] {
			words = append(words, binary.LittleEndian.Uint64(block))
		}
		return words
	}
	x, node := address(index("on.in.x")), address(index("node"))
	first := words(b.ParamBlock(nil, in, address))
	if first[0] != 3 || first[3] != x || first[6] != x+8 || first[7] != x || first[8] != node+16 || first[11] != node {
		t.Errorf("the first launch has %#x", first)
	}
	if second := words(b.Then[0].ParamBlock(nil, in, address)); !slices.Equal(second, []uint64{x, node + 24, x, node}) {
		t.Errorf("the second launch has %#x", second)
	}
	sameJob(t, j, in, nil)
}
