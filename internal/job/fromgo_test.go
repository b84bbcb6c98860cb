package job

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"warpbound/internal/isa"
	"warpbound/jobs"
)

// noFile is the file system of a job that holds all that it names.
func noFile(string) ([]byte, error) { return nil, fs.ErrNotExist }

// sameBytes compares bytes at once.
var sameBytes = gocmp.Comparer(bytes.Equal)

// contents compares inputs that hold all their buffers, without what else would make these.
var contents = cmpopts.IgnoreUnexported(Inputs{})

// inAnyOrder are jobs without the order of what stands in tables, which Go does not have.
var inAnyOrder = gocmp.Options{
	gocmp.Transformer("loops", func(loops []Loop) map[Place]int64 {
		bounds := make(map[Place]int64)
		for _, l := range loops {
			bounds[l.Place] = l.Bound
		}
		return bounds
	}),
	sameBytes,
	gocmp.Transformer("terms", func(terms []Term) map[Place]int64 {
		coefficients := make(map[Place]int64)
		for _, t := range terms {
			coefficients[t.Place] = t.Coef
		}
		return coefficients
	}),
}

// TestFromGoSuite builds the jobs of the suite again in Go, from the values of their files.
func TestFromGoSuite(t *testing.T) {
	names, err := filepath.Glob("../../kernels/*/*.toml")
	if err != nil || len(names) < 50 {
		t.Fatalf("found %v: %v", names, err)
	}
	for _, name := range names {
		want, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		src, err := ReadFile(name, MaxText)
		if err != nil {
			t.Fatal(err)
		}
		again := inGoAgain(t, name, src)
		sameAsFile(t, want, again, nil)
	}
}

// TestFromGo builds jobs in Go from the values of files that use every key.
func TestFromGo(t *testing.T) {
	read := func(path string) ([]byte, error) {
		name := filepath.Base(path)
		return files(map[string]string{"z.bin": "abcd", "p.stream": "for i < 3 { load b[i]; }", "t.csv": "gap,op,address\n0,load,b+1\n"})(name)
	}
	buffer := "[[param]]\nname = 'b'\ntype = 'u8'\ncount = 4\n"
	hash := SourceHash(nil)
	for _, src := range []string{
		whole, varied(), fitting, head,
		head + "seed = 0\n[split]\nbranches = 'all'\n", head + "[split]\nbranches = []\n", head + "[split]\nbranches = ['all']\n",
		head + "[llc]\nregulated = true\n[loop]\n'x:7' = 1\n7 = 4\n'' = 5\n",
		head + "[[fact]]\nsum = {'' = -1, 'a \"b' = 2}\nmin = -9223372036854775808\n",
		head + buffer + "[cpu]\nprogram = 'p.stream'\n", head + buffer + "[cpu]\ntrace = 't.csv'\n",
		head + "threads = 'lockstep'\n", head + "[repeat]\nthen = ['a', 'b']\n", head + buffer + "[repeat]\nthen = ['a']\nwhile = 'b'\n",
		head + buffer + "[repeat]\nwhile = 'b'\nlimit = 7\n",
		head + "[source]\nfile = 'k.cu'\nsha256 = '" + hash + "'\n",
		head + "[source]\nfile = 'k.cu'\nsha256 = '" + hash + "'\ncommand = ['cc', '', 'k.cu', '-o', '{module}']\n",
	} {
		want, err := Parse("dir/j.toml", []byte(src), func(name string) ([]byte, error) { return read(name) })
		if err != nil {
			t.Fatal(err)
		}
		sameAsFile(t, want, inGoAgain(t, "dir/j.toml", []byte(src)), read)
	}
}

// sameAsFile checks that a job in Go is the one of a file but for positions, and has its inputs.
func sameAsFile(t *testing.T, want *Job, g *jobs.Job, read func(string) ([]byte, error)) {
	t.Helper()
	got, _, err := FromGo(g, read)
	if err != nil {
		t.Errorf("%s: %v", want.File, err)
		return
	}
	hash := got.Hash
	got.Hash = want.Hash // of another text
	if diff := gocmp.Diff(want, got, everywhere, streams, inAnyOrder); diff != "" {
		t.Errorf("%s: (-file +Go)\n%s", want.File, diff)
	}
	for _, vector := range []int{0, 7} {
		if !gocmp.Equal((&Bound{Job: want}).Inputs(vector), (&Bound{Job: got}).Inputs(vector), sameBytes, contents) {
			t.Errorf("%s: inputs of vector %d differ", want.File, vector)
		}
	}
	again, _, err := FromGo(g, read)
	if err != nil || again.Hash != hash {
		t.Errorf("%s: hash %s, then %s, %v", want.File, hash, again.Hash, err)
	}
}

// inGoAgain writes the values of a job file as a program would.
func inGoAgain(t *testing.T, name string, src []byte) *jobs.Job {
	t.Helper()
	var f map[string]any
	if err := toml.Unmarshal(src, &f); err != nil {
		t.Fatal(err)
	}
	accept, _ := f["accept"].([]any)
	g := &jobs.Job{
		Name: name, Module: jobs.File(f["module"].(string)), Kernel: textOf(f["kernel"]), Machine: textOf(f["machine"]), Target: textOf(f["target"]), Accept: textsOf(accept),
		Vectors: intOf(f["vectors"]), Budget: textOf(f["budget"]), Registers: intOf(f["registers"]), Shared: intOf(f["shared"]), Loops: weightsOf(f["loop"]),
	}
	if f["launch"] == nil {
		g.Grid, g.Block = jobs.Dim(intsOf(f["grid"])...), jobs.Dim(intsOf(f["block"])...)
	}
	if seed, ok := f["seed"].(int64); ok {
		g.Seed = &seed
	}
	for _, v := range tablesOf(f["param"]) {
		g.Params = append(g.Params, paramAgain(t, v))
	}
	for _, v := range tablesOf(f["symbol"]) {
		g.Symbols = append(g.Symbols, jobs.Symbol{Name: textOf(v["name"]), Type: jobs.Type(textOf(v["type"])), Content: contentAgain(t, v)})
	}
	for _, v := range tablesOf(f["fact"]) {
		g.Facts = append(g.Facts, jobs.Fact{Sum: weightsOf(v["sum"]), Min: pointerOf(v["min"]), Max: pointerOf(v["max"])})
	}
	split, llc, cpu, repeat := tableOf(f["split"]), tableOf(f["llc"]), tableOf(f["cpu"]), tableOf(f["repeat"])
	g.Split = jobs.Split{All: split["branches"] == "all", Mode: textOf(split["mode"])}
	if list, ok := split["branches"].([]any); ok {
		g.Split.Branches = textsOf(list)
	}
	if n, ok := split["simds"]; ok {
		g.Split.SIMDs = new(intOf(n))
	}
	for _, v := range tablesOf(f["buffer"]) {
		g.Buffers = append(g.Buffers, paramAgain(t, v))
	}
	g.LLC = jobs.LLC{KiB: pointerOf(llc["size_kb"]), Quota: pointerOf(llc["quota"])}
	if on, ok := llc["regulated"].(bool); ok {
		g.LLC.Regulated = &on
	}
	g.CPU = jobs.CPU{Program: jobs.File(textOf(cpu["program"])), Trace: jobs.File(textOf(cpu["trace"]))}
	g.Repeat = jobs.Repeat{While: textOf(repeat["while"]), Limit: intOf(repeat["limit"])}
	if list, ok := repeat["then"].([]any); ok {
		g.Repeat.Then = textsOf(list)
	}
	g.Warm, g.Threads = f["caches"] == "warm", textOf(f["threads"])
	if source := tableOf(f["source"]); source != nil {
		g.Compiled = jobs.Compiled{File: textOf(source["file"]), SHA256: textOf(source["sha256"])}
		if list, ok := source["command"].([]any); ok {
			g.Compiled.Command = textsOf(list)
		}
	}
	g.Launches = launchesAgain(tablesOf(f["launch"]))
	return g
}

func launchesAgain(entries []map[string]any) []jobs.Launch {
	var launches []jobs.Launch
	for _, v := range entries {
		l := jobs.Launch{
			Kernel: textOf(v["kernel"]), Registers: intOf(v["registers"]), Repeat: intOf(v["repeat"]),
			While: textOf(v["while"]), Limit: intOf(v["limit"]), Launches: launchesAgain(tablesOf(v["launch"])),
		}
		for key, to := range map[string]*[]int{"grid": &l.Grid, "block": &l.Block} {
			if v[key] != nil {
				*to = intsOf(v[key])
			}
		}
		if n, ok := v["shared"]; ok {
			l.Shared = new(intOf(n))
		}
		if list, ok := v["arguments"].([]any); ok {
			l.Arguments = []jobs.Argument{}
			for _, a := range list {
				if name, ok := a.(string); ok {
					l.Arguments = append(l.Arguments, jobs.Argument{Param: name})
				} else {
					l.Arguments = append(l.Arguments, jobs.Argument{Number: numbersOf([]any{a})[0]})
				}
			}
		}
		launches = append(launches, l)
	}
	return launches
}

func paramAgain(t *testing.T, v map[string]any) jobs.Param {
	p := kindAgain(t, v)
	p.Access = jobs.Access(textOf(v["access"]))
	if v["offset"] != nil {
		p.Offset = new(intOf(v["offset"]))
	}
	return p
}

func kindAgain(t *testing.T, v map[string]any) jobs.Param {
	name, typ := textOf(v["name"]), jobs.Type(textOf(v["type"]))
	switch {
	case typ == "struct":
		var fields []jobs.Param
		for _, f := range tablesOf(v["field"]) {
			fields = append(fields, paramAgain(t, f))
		}
		p := jobs.Fields(name, fields...)
		p.Count = intOf(v["bytes"])
		return p
	case v["same"] != nil:
		return jobs.View(name, textOf(v["same"]))
	case v["array"] != nil:
		return jobs.Array(name, typ, intOf(v["array"]), contentAgain(t, v))
	case typ == "shared":
		return jobs.Shared(name, intOf(v["count"]))
	case v["bytes"] != nil:
		p := jobs.Struct(name, intOf(v["bytes"]), contentAgain(t, v))
		p.Type = typ
		return p
	case v["count"] != nil:
		return jobs.Buffer(name, typ, intOf(v["count"]), contentAgain(t, v))
	}
	switch value := v["value"].(type) {
	case int64:
		return jobs.Scalar(name, typ, value)
	case float64:
		return jobs.Scalar(name, typ, value)
	}
	p := jobs.Sampled(name, typ, 0, 0)
	p.Content.Numbers = numbersOf(v["range"].([]any))
	return p
}

func contentAgain(t *testing.T, v map[string]any) jobs.Content {
	init := textOf(v["init"])
	switch {
	case init == "zeros":
		return jobs.Zeros()
	case init == "unset":
		return jobs.Unset()
	case init == "iota":
		return jobs.Iota()
	case init != "":
		m := uniformPattern.FindStringSubmatch(init)
		c := jobs.Uniform(0, 0)
		c.Numbers = []jobs.Number{jobs.Number(m[1]), jobs.Number(m[2])}
		return c
	case v["values"] != nil:
		c := jobs.Values[int]()
		c.Numbers = numbersOf(v["values"].([]any))
		for i, to := range v["values"].([]any) {
			if name, ok := to.(string); ok {
				c.Pointers = append(c.Pointers, jobs.Pointer{At: 8 * i, To: name})
			}
		}
		return c
	case v["hex"] != nil:
		data, err := fromHex(isa.U8, v["hex"].(string), anySize)
		if err != nil {
			t.Fatal(err)
		}
		return jobs.Bytes(data)
	case v["file"] != nil:
		return jobs.DataFile(v["file"].(string))
	}
	return jobs.Content{}
}

func numbersOf(list []any) []jobs.Number {
	var numbers []jobs.Number
	for _, v := range list {
		switch v := v.(type) {
		case int64:
			numbers = append(numbers, jobs.Num(v))
		case float64:
			numbers = append(numbers, jobs.Num(v))
		case string: // the address of a buffer
			numbers = append(numbers, jobs.Num(0))
		}
	}
	return numbers
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

func textsOf(list []any) []string {
	texts := []string{}
	for _, v := range list {
		texts = append(texts, v.(string))
	}
	return texts
}

func intOf(v any) int {
	n, _ := v.(int64)
	return int(n)
}

func intsOf(v any) []int {
	var n []int
	for _, i := range v.([]any) {
		n = append(n, intOf(i))
	}
	return n
}

func pointerOf(v any) *int64 {
	if n, ok := v.(int64); ok {
		return &n
	}
	return nil
}

func tableOf(v any) map[string]any {
	t, _ := v.(map[string]any)
	return t
}

func tablesOf(v any) []map[string]any {
	var tables []map[string]any
	list, _ := v.([]any)
	for _, t := range list {
		tables = append(tables, tableOf(t))
	}
	return tables
}

func weightsOf(v any) map[string]int64 {
	var weights map[string]int64
	for key, n := range tableOf(v) {
		if weights == nil {
			weights = make(map[string]int64)
		}
		weights[key] = n.(int64)
	}
	return weights
}

// TestFromGoAny builds any jobs in Go, with their inputs found without the package's help. What
// Render writes of them is read as the same job with the same hash, and so is what Write writes.
func TestFromGoAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &jobs.Job{
			Name:   rapid.SampledFrom([]string{"", "j", "dir/j.toml"}).Draw(t, "name"),
			Module: jobs.Text("m.ptx", "module"), Kernel: rapid.SampledFrom([]string{"", "k"}).Draw(t, "kernel"),
			Target: rapid.SampledFrom([]string{"", "sm_70"}).Draw(t, "target"),
			Accept: rapid.SampledFrom([][]string{nil, {"a.b", "%c"}}).Draw(t, "accept"),
			Grid:   rapid.SliceOfN(rapid.IntRange(1, 9), 1, 3).Draw(t, "grid"), Block: jobs.Dim(32), Vectors: rapid.IntRange(0, 9).Draw(t, "vectors"),
			Budget:    rapid.SampledFrom([]string{"", "2ms", "1.5us", "7", "8 cycles"}).Draw(t, "budget"),
			Registers: rapid.IntRange(0, 9).Draw(t, "registers"), Shared: rapid.IntRange(0, 9).Draw(t, "shared"),
			Seed: rapid.Ptr(rapid.Int64(), true).Draw(t, "seed"),
		}
		if rapid.Bool().Draw(t, "compiled") {
			g.Compiled = jobs.Compiled{File: "k.cu", SHA256: SourceHash(nil)}
			if words := rapid.SliceOf(rapid.StringMatching(`[a-z"\\é {}]{0,4}`)).Draw(t, "command"); len(words) > 0 {
				g.Compiled.Command = append(words, "{module}")
			}
		}
		if rapid.Bool().Draw(t, "own machine") {
			g.Machine, g.MachineText = "mine.toml", []byte("text")
		}
		places := rapid.MapOfN(rapid.StringMatching(`[$a-zA-Z".@+ é\\]{0,5}`), rapid.Int64Min(0), 1, 3)
		if rapid.Bool().Draw(t, "annotated") {
			g.Loops = places.Draw(t, "loops")
			g.Facts = []jobs.Fact{{Sum: places.Draw(t, "sum"), Max: rapid.Ptr(rapid.Int64(), false).Draw(t, "max")}}
			g.Split = jobs.Split{Branches: []string{"b"}, SIMDs: new(3), Mode: "dws"}
			g.LLC = jobs.LLC{KiB: new(int64(64)), Regulated: new(true)}
		}
		var want [][]byte // inputs; nil for what is sampled
		for i := range rapid.IntRange(0, 6).Draw(t, "params") {
			p, data := anyParam(t, rapid.StringMatching(`[aA_./"é]{0,2}`).Draw(t, "name")+fmt.Sprint(i))
			g.Params, want = append(g.Params, p), append(want, data)
		}
		if rapid.Bool().Draw(t, "cpu") {
			g.Params, want = append(g.Params, jobs.Buffer("b", jobs.U8, 4, jobs.Zeros())), append(want, make([]byte, 4))
			g.CPU.Program = jobs.Text("p.stream", "for i < 3 { load b[i]; }")
			g.Repeat = jobs.Repeat{Then: []string{"k"}, While: "b", Limit: 7}
			if rapid.Bool().Draw(t, "launches") {
				g.Repeat, g.Grid, g.Warm = jobs.Repeat{}, nil, true
				g.Launches = []jobs.Launch{{Grid: jobs.Dim(3), Kernel: "l", Shared: new(5), Arguments: []jobs.Argument{{Param: "b"}, {Number: jobs.Num(1.5)}, {Number: jobs.Num(-2)}}},
					{While: "b", Limit: 3, Launches: []jobs.Launch{{Grid: jobs.Dim(1), Block: jobs.Dim(2), Registers: 9, Repeat: 4}}}}
			}
		}
		j, read, err := FromGo(g, noFile)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := read(j.Resolve(j.Module)); err != nil || string(text) != "module" {
			t.Errorf("module %q, %v", text, err)
		}
		if text, err := read(j.Resolve(j.Machine)); g.MachineText != nil && (err != nil || string(text) != "text") {
			t.Errorf("machine %q, %v", text, err)
		}
		in := (&Bound{Job: j}).Inputs(3)
		for i, data := range want {
			if got := append(slices.Clip(in.Scalars[i]), in.Buffers[i]...); data != nil && !bytes.Equal(got, data) {
				t.Errorf("%+v holds %x, not %x", g.Params[i], got, data)
			}
		}
		w, err := Render(g)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(j.File, w.Text, func(name string) ([]byte, error) {
			if data, ok := w.Data[name]; ok {
				return data, nil
			}
			return nil, fs.ErrNotExist
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, w.Text)
		}
		if diff := gocmp.Diff(j, again, everywhere, streams); diff != "" {
			t.Errorf("(-Go +file)\n%s\n%s", diff, w.Text)
		}
		if !gocmp.Equal(in, (&Bound{Job: again}).Inputs(3), contents) {
			t.Error("inputs differ")
		}
		sameJob(t, j, in, map[string]string{"p.stream": "for i < 3 { load b[i]; }"})
	})
}

// anyParam returns a parameter, and what it holds if that is fixed.
func anyParam(t *rapid.T, name string) (jobs.Param, []byte) {
	typ := rapid.SampledFrom(valueTypes[:]).Draw(t, "type")
	is, size := jobs.Type(typ.String()), typ.Bytes()
	count := rapid.IntRange(1, 3).Draw(t, "count")
	values := func(n int) (jobs.Content, []byte) {
		c, data := jobs.Values[int](), []byte{}
		for range n {
			number, word := anyNumber(t, typ)
			c.Numbers, data = append(c.Numbers, number), append(data, word...)
		}
		return c, data
	}
	limits := func() (int, int) {
		low := rapid.IntRange(0, 100).Draw(t, "low")
		return low, rapid.IntRange(low, 120).Draw(t, "high")
	}
	raw := rapid.SliceOfN(rapid.Byte(), count*size, count*size).Draw(t, "data")
	switch rapid.IntRange(0, 8).Draw(t, "kind") {
	case 0:
		p := jobs.Scalar(name, is, 0)
		c, data := values(1)
		p.Content = c
		return p, data
	case 1:
		low, high := limits()
		return jobs.Sampled(name, is, low, high), nil
	case 2:
		low, high := limits()
		return jobs.Buffer(name, is, count, jobs.Uniform(low, high)), nil
	case 3:
		return jobs.Buffer(name, is, count, jobs.Content{}), make([]byte, count*size)
	case 4:
		c, data := values(count)
		return jobs.Buffer(name, is, count, c), data
	case 5:
		return jobs.Buffer(name, is, count, jobs.Bytes(raw)), raw
	case 6:
		return jobs.Shared(name, count), []byte{}
	case 7:
		return jobs.Struct(name, len(raw), jobs.Bytes(raw)), raw
	}
	return jobs.Buffer(name, is, count, jobs.Iota()), nil
}

// anyNumber returns a number of a type and its bits, among them those that TOML cannot write.
func anyNumber(t *rapid.T, typ isa.Type) (jobs.Number, []byte) {
	word := rapid.Uint64().Draw(t, "bits")
	switch {
	case typ == isa.F64:
		return jobs.Num(math.Float64frombits(word)), canonical(math.Float64frombits(word))
	case typ.IsFloat(): // small integers are exact in all of them
		n := rapid.IntRange(-128, 128).Draw(t, "whole")
		return jobs.Num(n), littleEndian(floatBits(typ, float64(n)), typ.Bytes())
	}
	data := binary.LittleEndian.AppendUint64(nil, word)[:typ.Bytes()]
	unread := 64 - typ.Bits()
	if typ.IsSigned() {
		return jobs.Number(strconv.FormatInt(int64(word<<unread)>>unread, 10)), data
	}
	return jobs.Num(word << unread >> unread), data
}

// canonical returns the bytes of a float, of which there is one NaN.
func canonical(f float64) []byte {
	if f != f {
		return littleEndian(0x7ff8_0000_0000_0000, 8)
	}
	return littleEndian(math.Float64bits(f), 8)
}

// TestFromGoErrors compares what is said of wrong jobs.
func TestFromGoErrors(t *testing.T) {
	with := func(p ...jobs.Param) func(*jobs.Job) { return func(g *jobs.Job) { g.Params = p } }
	content := func(kind jobs.ParamKind, c jobs.Content) func(*jobs.Job) {
		return with(jobs.Param{Name: "p", Kind: kind, Type: jobs.U8, Count: map[bool]int{true: 0, false: 2}[kind == jobs.KindScalar], Content: c})
	}
	for _, c := range []struct {
		change func(*jobs.Job)
		want   string
	}{
		{func(g *jobs.Job) { *g = jobs.Job{} }, `job: Block: block has 0 numbers; it must have x, y and z
job: Grid: grid has 0 numbers; it must have x, y and z
job: Module: module is empty`},
		{func(g *jobs.Job) { g.Grid = jobs.Dim(1, 2, 3, 4) }, "saxpy: Grid: grid has 4 numbers; it must have x, y and z"},
		{func(g *jobs.Job) { g.Block = jobs.Dim(32, 0) }, "saxpy: Block: block has 0 in y; each number must be from 1 to 2147483647"},
		{func(g *jobs.Job) { g.Budget = "0ms" }, `saxpy: Budget: budget is "0ms"; want a positive time such as 2ms, or a number of cycles such as 120000`},
		{func(g *jobs.Job) { g.Vectors = -1 }, "saxpy: Vectors: vectors is -1; it must be from 1 to 2147483647"},
		{func(g *jobs.Job) { g.Registers = -1 }, "saxpy: Registers: registers is -1; it must be from 1 to 65536"},
		{func(g *jobs.Job) { g.Shared = 2 << 30 }, "saxpy: Shared: shared is 2147483648; it must be from 0 to 1073741824"},
		{func(g *jobs.Job) { g.Kernel = "\xff" }, `saxpy: Kernel: "\xff" is not UTF-8`},
		{func(g *jobs.Job) { g.Machine, g.MachineText = "mine", []byte{} }, `saxpy: Machine: "mine" does not name a file; a machine of its own text needs a name such as "machine.toml"`},
		{func(g *jobs.Job) { g.CPU.Program = jobs.Text("m.ptx", "") }, `saxpy: CPU.Program: there is another text named "m.ptx"; names must differ`},
		{func(g *jobs.Job) { g.CPU = jobs.CPU{Program: jobs.File("a"), Trace: jobs.File("b")} }, `saxpy: CPU: give either program or trace; for example: program = "copy.stream"`},
		{func(g *jobs.Job) { g.CPU.Program = jobs.File("a") }, `saxpy: CPU.Program: file does not exist`},
		{func(g *jobs.Job) { g.CPU.Program = jobs.Text("a", "load b[0];") }, `a:1:6: the job has no buffer "b"`},
		{func(g *jobs.Job) { g.Split = jobs.Split{All: true, Branches: []string{"a"}} }, "saxpy: Split.Branches: All and Branches exclude each other; leave one out"},
		{func(g *jobs.Job) { g.Split.Branches = []string{"0"} }, `saxpy: Split.Branches: "0" names no line; lines count from 1`},
		{func(g *jobs.Job) { g.Split.Mode = "x" }, `saxpy: Split.Mode: mode is "x"; it must be none, dws, dws-idle or pws`},
		{func(g *jobs.Job) { g.Split.SIMDs = new(8) }, `saxpy: Split.SIMDs: simds is 8; it must be from 0 to 7`},
		{func(g *jobs.Job) { g.LLC.Quota = new(int64(0)) }, `saxpy: LLC.Quota: quota is 0; it must be from 1 to 1048576`},
		{func(g *jobs.Job) { g.Repeat.Limit = 3 }, `saxpy: Repeat: the table repeats nothing; for example: then = ["update"], while = "changed" or both
saxpy: Repeat.Limit: limit is about rounds, of which there is only one without while`},
		{func(g *jobs.Job) { g.Launches = []jobs.Launch{{While: "x"}} }, `saxpy: Launches[0].While: while needs a limit of rounds, which a run must not exceed; for example: limit = 100`},
		{func(g *jobs.Job) { g.Launches = []jobs.Launch{{Launches: []jobs.Launch{{Limit: 3}}}} }, "saxpy: Launches[0].Launches[0].Limit: limit is about the rounds of while, which is not there"},
		{func(g *jobs.Job) {
			g.Launches = []jobs.Launch{{Arguments: []jobs.Argument{{Param: "x", Number: "1"}, {Number: "z"}, {Number: "18446744073709551615"}}}}
		}, `saxpy: Launches[0].Arguments[0]: Param and Number exclude each other; leave one out
saxpy: Launches[0].Arguments[1]: Number has "z" where it must have a number
saxpy: Launches[0].Arguments[2]: the number 18446744073709551615 is above 2^63 - 1; give a param`},
		{func(g *jobs.Job) { g.Repeat.While = "x" }, `saxpy: Repeat.While: the job has no buffer "x"`},
		{func(g *jobs.Job) { g.Compiled.SHA256 = SourceHash(nil) }, "saxpy: Compiled.File: file is empty"},
		{func(g *jobs.Job) { g.Compiled = jobs.Compiled{File: "k.cu", SHA256: "1"} }, "saxpy: Compiled.SHA256: sha256 must be 64 hexadecimal digits"},
		{func(g *jobs.Job) { g.Loops = map[string]int64{"L.2": -1} }, `saxpy: Loops["L.2"]: L.2 is -1; it must be from 0 to 9223372036854775807`},
		{func(g *jobs.Job) { g.Facts = []jobs.Fact{{Sum: map[string]int64{"0": 1}}} }, `saxpy: Facts[0]: the fact states nothing; give max, min or both
saxpy: Facts[0].Sum["0"]: "0" names no line; lines count from 1`},
		{func(g *jobs.Job) { g.Symbols = []jobs.Symbol{{Name: "s", Type: "x", Content: jobs.Values(1)}} }, `saxpy: Symbols[0] (s).Type: unknown type "x"; the types are u8, u16, u32, u64, s8, s16, s32, s64, b8, b16, b32, b64, f16, bf16, f32, f64 and, for parameters, shared and struct`},
		{func(g *jobs.Job) { g.Symbols = []jobs.Symbol{{Name: "s", Type: jobs.F32, Content: jobs.Zeros()}} }, `saxpy: Symbols[0] (s).Content: a symbol cannot hold Zeros; give Values or Bytes or DataFile`},
		{func(g *jobs.Job) {
			g.Symbols = []jobs.Symbol{{Name: "s", Type: jobs.F32, Content: jobs.Bytes([]byte{1})}}
		}, `saxpy: Symbols[0] (s).Content: Bytes has 1 bytes; f32 needs a multiple of 4`},
		{with(jobs.Scalar("n", jobs.U32, -1)), "saxpy: Params[0] (n).Content: value is -1; u32 holds 0 to 4294967295"},
		{with(jobs.Scalar("n", jobs.U32, 1.0)), "saxpy: Params[0] (n).Content: value is 1; u32 needs an integer"},
		{with(jobs.Scalar("n", jobs.U32, uint64(math.MaxUint64))), "saxpy: Params[0] (n).Content: value is 18446744073709551615; u32 holds 0 to 4294967295"},
		{with(jobs.Scalar("n", "u31", uint64(math.MaxUint64))), `saxpy: Params[0] (n).Type: unknown type "u31"; did you mean "u32"?`},
		{with(jobs.Scalar("", jobs.U32, 1)), "saxpy: Params[0].Name: name is empty"},
		{with(jobs.Scalar("n", jobs.U32, 1), jobs.Scalar("n", jobs.U32, 1)), `saxpy: Params[1] (n).Name: there is another param "n" at saxpy: Params[0] (n); names must differ`},
		{with(jobs.Sampled("n", jobs.U64, 0, uint64(math.MaxUint64))), "saxpy: Params[0] (n).Content: range has 18446744073709551615; limits of integers are from -2^63 to 2^63 - 1"},
		{with(jobs.Sampled("n", jobs.U8, 3, 2)), "saxpy: Params[0] (n).Content: range from 3 to 2 is empty; the lower end comes first"},
		{with(jobs.Buffer("x", jobs.F32, 0, jobs.Zeros())), "saxpy: Params[0] (x).Count: count is 0; it must be from 1 to 268435456"},
		{with(jobs.Buffer("x", "shared", 4, jobs.Content{})), "saxpy: Params[0] (x).Type: shared memory is a kind of parameters, not a type"},
		{with(jobs.Buffer("x", jobs.F32, 4, jobs.Values(1, 2))), "saxpy: Params[0] (x).Content: values has 2 elements; it must have 4"},
		{with(jobs.Buffer("x", jobs.U64, 2, jobs.Values(-1.5, 1<<63))), "saxpy: Params[0] (x).Content: values element 1 is -1.5; u64 needs an integer"},
		{with(jobs.Buffer("x", jobs.U32, 2, jobs.Bytes([]byte{1}))), "saxpy: Params[0] (x).Content: Bytes has 1 bytes; 2 of u32 need 8"},
		{with(jobs.Buffer("x", jobs.U32, 2, jobs.DataFile(""))), "saxpy: Params[0] (x).Content: file is empty"},
		{with(jobs.Buffer("x", jobs.U32, 2, jobs.DataFile("none.npy"))), "saxpy: Params[0] (x).Content: file cannot be read: file does not exist"},
		{with(jobs.Buffer("x", jobs.U32, 2, jobs.Uniform(1, 0))), "saxpy: Params[0] (x).Content: init from 1 to 0 is empty; the lower end comes first"},
		{content(jobs.KindBuffer, jobs.Content{Kind: jobs.ContentUniform, Numbers: []jobs.Number{"1, 2)"}}), `saxpy: Params[0] (p).Content: Uniform has "1, 2)" where it must have a number`},
		{content(jobs.KindBuffer, jobs.Content{Kind: jobs.ContentUniform}), `saxpy: Params[0] (p).Content: Uniform has 0 limits; it must have 2`},
		{content(jobs.KindBuffer, jobs.Content{Kind: 9}), `saxpy: Params[0] (p).Content: a buffer cannot hold content of kind 9; give Zeros or Iota or Uniform or Values or Bytes or DataFile or Unset`},
		{content(jobs.KindScalar, jobs.Iota()), `saxpy: Params[0] (p).Content: a number cannot hold Iota; give Values or Uniform`},
		{content(jobs.KindScalar, jobs.Values(1, 2)), `saxpy: Params[0] (p).Content: a number has one value, not 2`},
		{content(jobs.KindStruct, jobs.Content{}), `saxpy: Params[0] (p).Content: a struct cannot hold nothing; give Bytes or DataFile`},
		{content(jobs.KindShared, jobs.Zeros()), `saxpy: Params[0] (p).Content: a pointer to shared memory cannot hold Zeros; give nothing
saxpy: Params[0] (p).Type: shared memory has no type`},
		{content(7, jobs.Zeros()), "saxpy: Params[0] (p).Kind: there is no kind 7 of parameters"},
		{with(jobs.Struct("s", 3, jobs.Bytes([]byte{1}))), "saxpy: Params[0] (s).Content: Bytes has 1 bytes; 3 of u8 need 3"},
		{with(jobs.Buffer("x", jobs.U8, 1<<30, jobs.Zeros()), jobs.Buffer("y", jobs.U8, 1, jobs.Zeros())), "saxpy: Params[1] (y).Count: the job asks for more than 1073741824 bytes of memory in all"},
		{func(g *jobs.Job) {
			g.Loops = make(map[string]int64)
			for i := range maxKeys {
				g.Loops[fmt.Sprint("L", i)] = 1
			}
		}, "saxpy: job has more than 20000 keys"},
	} {
		g := &jobs.Job{Name: "saxpy", Module: jobs.Text("m.ptx", ""), Grid: jobs.Dim(1), Block: jobs.Dim(32)}
		c.change(g)
		j, read, err := FromGo(g, noFile)
		if got := fmt.Sprint(err); got != c.want || j != nil || read != nil {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestRender compares the file that a job in Go is written as.
func TestRender(t *testing.T) {
	w, err := Render(&jobs.Job{
		Name: "dir/saxpy.toml", Module: jobs.Text("saxpy.ptx", "text"), Kernel: "saxpy", Grid: jobs.Dim(64), Block: jobs.Dim(256),
		Params: []jobs.Param{
			jobs.Scalar("n", jobs.U32, 16384), jobs.Scalar("big", jobs.U64, uint64(math.MaxUint64)), jobs.Sampled("a", jobs.F32, -1, 0.5),
			jobs.Buffer("x", jobs.F32, 16384, jobs.Uniform(-1, 1)), jobs.Buffer("y", jobs.U8, 2, jobs.Bytes([]byte{1, 2})),
			jobs.Buffer("z", jobs.U8, 2, jobs.DataFile("saxpy.Y.bin")), jobs.Shared("s", 16), jobs.Struct("t", 2, jobs.Bytes([]byte{1, 255})),
		},
		Symbols: []jobs.Symbol{{Name: "w", Type: jobs.F64, Content: jobs.Values(0.5, math.Inf(1))}},
		Loops:   map[string]int64{"$L2": 64},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `module = 'saxpy.ptx'
kernel = 'saxpy'
grid = [64]
block = [256]
vectors = 100
seed = 1

[[param]]
name = 'n'
type = 'u32'
value = 16384

[[param]]
name = 'big'
type = 'b64'
value = -1

[[param]]
name = 'a'
type = 'f32'
range = [-1.0, 0.5]

[[param]]
name = 'x'
type = 'f32'
count = 16384
init = 'uniform(-1, 1)'

[[param]]
name = 'y'
type = 'u8'
count = 2
file = 'saxpy.y_.bin'

[[param]]
name = 'z'
type = 'u8'
count = 2
file = 'saxpy.Y.bin'

[[param]]
name = 's'
type = 'shared'
count = 16

[[param]]
name = 't'
type = 'u8'
bytes = 2
hex = '01ff'

[[symbol]]
name = 'w'
type = 'f64'
values = [0.5, inf]

[loop]
'$L2' = 64
`
	if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(string(w.Text), "\n")); diff != "" {
		t.Error(diff)
	}
	if got := slices.Sorted(maps.Keys(w.Data)); !slices.Equal(got, []string{"saxpy.ptx", "saxpy.y_.bin"}) {
		t.Errorf("files %q", got)
	}
}

// TestGoFields finds a field for each key that a message can be about.
func TestGoFields(t *testing.T) {
	for _, src := range []string{whole, varied(), fitting} {
		d, err := parseDocument("j", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for path := range d.root.mark.Paths() {
			key, _, _ := strings.Cut(path, ".")
			if goField(key) == key {
				t.Errorf("key %s has no field", key)
			}
		}
	}
}

// TestFromGoFiles reads what a job in Go does not hold beside where its name is.
func TestFromGoFiles(t *testing.T) {
	j, read, err := FromGo(&jobs.Job{
		Name: "../../kernels/histogram64/mine.toml", Module: jobs.File("histogram64.ptx"), Grid: jobs.Dim(1), Block: jobs.Dim(64),
		Params: []jobs.Param{jobs.Struct("text", 1, jobs.Bytes([]byte{1}))},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := read(j.Resolve(j.Module)); err != nil || len(text) == 0 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
