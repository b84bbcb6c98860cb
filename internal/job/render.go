package job

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/jobs"
)

// Render makes the file of a job in Go, and files for the texts and bytes that it holds. The
// error names what no file can say; what it can say may still be wrong.
func Render(g *jobs.Job) (*Written, error) {
	stem, _ := strings.CutSuffix(path.Base(filepath.ToSlash(nameOf(g))), ".toml")
	r := &renderer{job: g, writer: writer{stem: stem, data: make(map[string][]byte)}}
	r.reserve()
	f := r.file()
	if err := r.errs.Err(); err != nil {
		return nil, err
	}
	return r.written(nameOf(g), f)
}

// renderer turns a job in Go into the entries of a job file.
type renderer struct {
	writer
	job  *jobs.Job
	errs diag.List
}

func (r *renderer) errorf(field, format string, args ...any) {
	if r.errs.Len() < maxErrors {
		r.errs.Add(diag.Errorf(diag.Pos{File: nameOf(r.job) + ": " + field}, format, args...))
	}
}

// reserve keeps the names of files that the job reads from those of new data files.
func (r *renderer) reserve() {
	for _, s := range []jobs.Source{r.job.Module, r.job.CPU.Program, r.job.CPU.Trace, {Name: r.job.Machine}} {
		r.names = append(r.names, s.Name)
	}
	r.reserveOf(r.job.Params)
	r.reserveOf(r.job.Buffers)
	for _, s := range r.job.Symbols {
		r.names = append(r.names, s.Content.File)
	}
}

func (r *renderer) reserveOf(params []jobs.Param) {
	for i := range params {
		r.names = append(r.names, params[i].Content.File)
		r.reserveOf(params[i].Fields)
	}
}

func (r *renderer) file() *jobFile {
	g := r.job
	f := &jobFile{
		Module: r.source("Module", g.Module), Kernel: r.text("Kernel", g.Kernel), Machine: r.machine(), Target: r.text("Target", g.Target), Accept: r.textList("Accept", g.Accept),
		Grid: r.size(g.Grid), Block: r.size(g.Block), Vectors: cmp.Or(g.Vectors, DefaultVectors), Seed: DefaultSeed,
		Budget: r.text("Budget", g.Budget), Registers: g.Registers, Shared: g.Shared, Loop: r.places("Loops", g.Loops),
		Caches: cachesOf(g.Warm), Threads: r.text("Threads", g.Threads), Launch: r.launches("Launches", g.Launches), Split: r.split(), LLC: llcOf(&LLC{KiB: g.LLC.KiB, Quota: g.LLC.Quota, Regulated: g.LLC.Regulated}), CPU: r.cpu(), Background: r.background(), Repeat: r.repeat(), Source: r.compiled(),
	}
	if g.Seed != nil {
		f.Seed = *g.Seed
	}
	for i := range g.Params {
		f.Param = append(f.Param, r.param(element(g, "Params", i), &g.Params[i]))
	}
	for i := range g.Buffers {
		f.Buffer = append(f.Buffer, r.memory(element(g, "Buffers", i), &g.Buffers[i]))
	}
	for i, s := range g.Symbols {
		f.Symbol = append(f.Symbol, r.symbol(element(g, "Symbols", i), &s))
	}
	for i, fact := range g.Facts {
		sum := r.places(element(g, "Facts", i)+".Sum", fact.Sum)
		f.Fact = append(f.Fact, factEntry{Sum: sum, Min: fact.Min, Max: fact.Max})
	}
	for i, a := range g.Assumes {
		field := element(g, "Assumes", i)
		f.Assume = append(f.Assume, assumeEntry{
			Expr: r.text(field+".Expr", a.Expr), Sorted: r.text(field+".Sorted", a.Sorted), Monotone: r.text(field+".Monotone", a.Monotone), Step: a.Step,
		})
	}
	return f
}

// compiled makes the entry of [source].
func (r *renderer) compiled() *sourceEntry {
	c := &r.job.Compiled
	if c.File == "" && c.Command == nil && c.SHA256 == "" {
		return nil
	}
	e := &sourceEntry{File: r.text("Compiled.File", c.File), SHA256: r.text("Compiled.SHA256", c.SHA256)}
	for _, word := range c.Command {
		e.Command = append(e.Command, r.text("Compiled.Command", word))
	}
	return e
}

// text checks that a string can stand in a job file.
func (r *renderer) text(field, s string) string {
	if !utf8.ValidString(s) {
		r.errorf(field, "%.40q is not UTF-8", s)
	}
	return s
}

// textList is text for each of a list.
func (r *renderer) textList(field string, list []string) []string {
	for _, s := range list {
		r.text(field, s)
	}
	return list
}

// source returns the name of a source, and keeps its text.
func (r *renderer) source(field string, s jobs.Source) string {
	if s.Text == nil {
		return r.text(field, s.Name)
	}
	if _, again := r.data[s.Name]; again {
		r.errorf(field, "there is another text named %.40q; names must differ", s.Name)
	}
	r.data[s.Name] = s.Text
	return r.text(field, s.Name)
}

func (r *renderer) machine() string {
	if r.job.MachineText == nil {
		return r.text("Machine", r.job.Machine)
	}
	if !strings.ContainsAny(r.job.Machine, `/\.`) {
		r.errorf("Machine", "%.40q does not name a file; a machine of its own text needs a name such as %q", r.job.Machine, "machine.toml")
	}
	return r.source("Machine", jobs.Source{Name: r.job.Machine, Text: r.job.MachineText})
}

// places checks the places that are the keys of a table.
func (r *renderer) places(field string, of map[string]int64) map[string]int64 {
	for place := range of {
		r.text(fmt.Sprintf("%s[%q]", field, place), place)
	}
	return of
}

func (r *renderer) split() *splitTable {
	s := &r.job.Split
	t := &splitTable{SIMDs: s.SIMDs, Mode: r.text("Split.Mode", s.Mode)}
	switch {
	case s.All && s.Branches != nil:
		r.errorf("Split.Branches", "All and Branches exclude each other; leave one out")
	case s.All:
		t.Branches = everyBranch
	case s.Branches != nil:
		for _, place := range s.Branches {
			r.text("Split.Branches", place)
		}
		t.Branches = s.Branches
	case s.SIMDs == nil && s.Mode == "":
		return nil
	}
	return t
}

func (r *renderer) cpu() *cpuTable {
	t := &cpuTable{}
	if s := r.job.CPU.Program; s.Name != "" || s.Text != nil {
		t.Program = new(r.source("CPU.Program", s))
	}
	if s := r.job.CPU.Trace; s.Name != "" || s.Text != nil {
		t.Trace = new(r.source("CPU.Trace", s))
	}
	if t.Program == nil && t.Trace == nil {
		return nil
	}
	return t
}

func (r *renderer) repeat() *repeatTable {
	s := &r.job.Repeat
	if len(s.Then) == 0 && s.While == "" && s.Limit == 0 {
		return nil
	}
	for _, name := range s.Then {
		r.text("Repeat.Then", name)
	}
	return &repeatTable{Then: s.Then, While: r.text("Repeat.While", s.While), Limit: s.Limit}
}

// size returns the numbers of the job's grid or block, nil where launches have their own.
func (r *renderer) size(d []int) *[]int {
	if d == nil && r.job.Launches != nil {
		return nil
	}
	return new(append([]int{}, d...))
}

// launches makes the entries of launches.
func (r *renderer) launches(field string, of []jobs.Launch) []launchEntry {
	var entries []launchEntry
	for i := range of {
		l := &of[i]
		field := fmt.Sprintf("%s[%d]", field, i)
		e := launchEntry{
			Kernel: r.text(field+".Kernel", l.Kernel), Grid: l.Grid, Block: l.Block, Registers: l.Registers, Shared: l.Shared,
			Repeat: l.Repeat, While: r.text(field+".While", l.While), Limit: l.Limit, Launch: r.launches(field+".Launches", l.Launches),
		}
		if l.Arguments != nil {
			args := make([]any, len(l.Arguments))
			for i, a := range l.Arguments {
				args[i] = r.argument(fmt.Sprintf("%s.Arguments[%d]", field, i), a)
			}
			e.Arguments = args
		}
		entries = append(entries, e)
	}
	return entries
}

// argument returns what a job file writes for an argument of a launch.
func (r *renderer) argument(field string, a jobs.Argument) any {
	if a.Number == "" {
		return r.text(field, a.Param)
	}
	if a.Param != "" {
		r.errorf(field, "Param and Number exclude each other; leave one out")
	}
	n, err := parseNumber(string(a.Number))
	if err != nil {
		r.errorf(field, "Number %w", err)
		return nil
	}
	v, ok := n.toml(isa.U64)
	if !ok {
		r.errorf(field, "the number %v is above 2^63 - 1; give a param", n)
	}
	return v
}

// goContents say what each kind of content is called in messages.
var goContents = [...]string{
	jobs.ContentNone: "nothing", jobs.ContentZeros: "Zeros", jobs.ContentIota: "Iota", jobs.ContentUniform: "Uniform",
	jobs.ContentValues: "Values", jobs.ContentBytes: "Bytes", jobs.ContentFile: "DataFile", jobs.ContentUnset: "Unset",
}

// holds checks the kind of a content against those that what can hold.
func (r *renderer) holds(field, what string, c *jobs.Content, kinds ...jobs.ContentKind) bool {
	if slices.Contains(kinds, c.Kind) {
		return true
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = goContents[k]
	}
	got := fmt.Sprintf("content of kind %d", c.Kind)
	if c.Kind >= 0 && int(c.Kind) < len(goContents) {
		got = goContents[c.Kind]
	}
	r.errorf(field+".Content", "%s cannot hold %s; give %s", what, got, strings.Join(names, " or "))
	return false
}

// param makes the entry of a parameter. Fields that its kind does not have must be zero.
func (r *renderer) param(field string, p *jobs.Param) paramEntry {
	e := paramEntry{
		Name: r.text(field+".Name", p.Name), Type: r.text(field+".Type", string(p.Type)), Count: &p.Count,
		Access: r.text(field+".Access", string(p.Access)), Offset: p.Offset,
	}
	switch p.Type {
	case sharedType:
		r.errorf(field+".Type", "shared memory is a kind of parameters, not a type")
	case structType:
		r.errorf(field+".Type", "a struct is a kind of parameters, not a type")
	}
	r.others(field, p)
	switch p.Kind {
	case jobs.KindScalar:
		e.Count = nil
		if p.Count != 0 {
			r.errorf(field+".Count", "a number has no count")
		}
		r.number(field, p, &e)
	case jobs.KindBuffer:
		r.buffer(field, p, &e)
	case jobs.KindArray:
		e.Array, e.Count = e.Count, nil
		r.buffer(field, p, &e)
	case jobs.KindFields, jobs.KindView:
		r.compound(field, p, &e)
	case jobs.KindShared:
		if p.Type != "" {
			r.errorf(field+".Type", "shared memory has no type")
		}
		e.Type = sharedType
		r.holds(field, "a pointer to shared memory", &p.Content, jobs.ContentNone)
	case jobs.KindStruct:
		e.Type, e.Bytes, e.Count = cmp.Or(e.Type, isa.U8.String()), &p.Count, nil
		if r.holds(field, "a struct", &p.Content, jobs.ContentBytes, jobs.ContentFile) {
			r.fixed(field, "", jobs.Type(e.Type), int64(p.Count), &p.Content, &e.contentKeys)
			r.pointers(field, &p.Content, &e)
		}
	default:
		r.errorf(field+".Kind", "there is no kind %d of parameters", p.Kind)
	}
	return e
}

// number enters what a number holds: one value, or two limits.
func (r *renderer) number(field string, p *jobs.Param, e *paramEntry) {
	if !r.holds(field, "a number", &p.Content, jobs.ContentValues, jobs.ContentUniform) {
		return
	}
	field += ".Content"
	if p.Content.Kind == jobs.ContentUniform {
		e.Range = r.limits(field, typeOf(p.Type), p.Content.Numbers)
		return
	}
	numbers, ok := r.numbers(field, "value", p.Content.Numbers)
	if ok && len(numbers) != 1 {
		r.errorf(field, "a number has one value, not %d", len(numbers))
	}
	if !ok || len(numbers) != 1 {
		return
	}
	typ := typeOf(p.Type)
	if e.Value, ok = numbers[0].toml(typ); ok {
		return
	}
	bits, err := encodeNumber(typ, numbers[0])
	if err != nil {
		r.errorf(field, "value %w", err)
		return
	}
	e.Type, e.Value = numberEntry(typ, littleEndian(bits, typ.Bytes()))
}

// limits returns the limits of a number that is sampled.
func (r *renderer) limits(field string, typ isa.Type, of []jobs.Number) []any {
	numbers, ok := r.numbers(field, "range", of)
	if !ok {
		return nil
	}
	limits := make([]any, len(numbers))
	for i, n := range numbers {
		if limits[i], ok = n.toml(typ); !ok {
			r.errorf(field, "range has %v; limits of integers are from -2^63 to 2^63 - 1", n)
		}
	}
	return limits
}

// numbers parses numbers.
func (r *renderer) numbers(field, what string, of []jobs.Number) ([]number, bool) {
	numbers := make([]number, len(of))
	for i, text := range of {
		n, err := parseNumber(string(text))
		if err != nil {
			r.errorf(field, "%s %w", what, err)
			return nil, false
		}
		numbers[i] = n
	}
	return numbers, true
}

// toml returns what a job file writes for a number of the type, or false for an integer that it
// cannot write. For no type it is anything, since the type is what is wrong then.
func (n number) toml(typ isa.Type) (any, bool) {
	switch {
	case n.int == nil || !n.int.IsInt64() && (typ == isa.Invalid || typ.IsFloat()):
		return n.float, true
	case n.int.IsInt64():
		return n.int.Int64(), true
	}
	return nil, false
}

// typeOf returns a type of numbers, Invalid if there is none of that name.
func typeOf(name jobs.Type) isa.Type {
	typ, ok := isa.TypeByName(string(name))
	if !ok || !slices.Contains(valueTypes[:], typ) {
		return isa.Invalid
	}
	return typ
}

// buffer enters what a buffer holds.
func (r *renderer) buffer(field string, p *jobs.Param, e *paramEntry) {
	c := &p.Content
	r.pointers(field, c, e)
	switch c.Kind {
	case jobs.ContentNone:
	case jobs.ContentZeros:
		e.Init = "zeros"
	case jobs.ContentIota:
		e.Init = "iota"
	case jobs.ContentUnset:
		e.Init = "unset"
	case jobs.ContentUniform:
		if _, ok := r.numbers(field+".Content", "Uniform", c.Numbers); ok && len(c.Numbers) != 2 {
			r.errorf(field+".Content", "Uniform has %d limits; it must have 2", len(c.Numbers))
		} else if ok {
			e.Init = fmt.Sprintf("uniform(%s, %s)", c.Numbers[0], c.Numbers[1])
		}
	default:
		kinds := []jobs.ContentKind{jobs.ContentZeros, jobs.ContentIota, jobs.ContentUniform, jobs.ContentValues, jobs.ContentBytes, jobs.ContentFile, jobs.ContentUnset}
		if r.holds(field, "a buffer", c, kinds...) {
			size := int64(anySize) // of a count that is wrong itself
			if typ := typeOf(p.Type); typ != isa.Invalid && p.Count > 0 && p.Count <= MaxBytes {
				size = int64(p.Count) * int64(typ.Bytes())
			}
			r.fixed(field, cmp.Or(p.Name, "param"), p.Type, size, c, &e.contentKeys)
		}
	}
}

func (r *renderer) symbol(field string, s *jobs.Symbol) symbolEntry {
	e := symbolEntry{Name: r.text(field+".Name", s.Name), Type: r.text(field+".Type", string(s.Type))}
	if r.holds(field, "a symbol", &s.Content, jobs.ContentValues, jobs.ContentBytes, jobs.ContentFile) {
		r.fixed(field, cmp.Or(s.Name, "symbol"), s.Type, anySize, &s.Content, &e.contentKeys)
	}
	return e
}

// fixed enters what elements of size bytes, or anySize, hold. Bytes get a file if they have a name.
func (r *renderer) fixed(field, name string, typ jobs.Type, size int64, c *jobs.Content, e *contentKeys) {
	field += ".Content"
	switch c.Kind {
	case jobs.ContentFile:
		e.File = new(r.text(field, c.File))
	case jobs.ContentBytes:
		r.bytes(field, name, typ, size, c.Bytes, e)
	case jobs.ContentValues:
		r.values(field, typeOf(typ), c.Numbers, e)
	}
}

func (r *renderer) bytes(field, name string, typ jobs.Type, size int64, data []byte, e *contentKeys) {
	if t := typeOf(typ); t != isa.Invalid {
		if err := checkSize(t, int64(len(data)), size); err != nil {
			r.errorf(field, "Bytes %w", err)
		}
	}
	if name == "" {
		e.Hex = new(hex.EncodeToString(data))
		return
	}
	e.File = new(r.add(name, data))
}

// values enters numbers one by one, as bytes if a job file cannot write one of them.
func (r *renderer) values(field string, typ isa.Type, of []jobs.Number, e *contentKeys) {
	numbers, ok := r.numbers(field, "values", of)
	if !ok {
		return
	}
	values := make([]any, len(numbers))
	for i, n := range numbers {
		var written bool
		values[i], written = n.toml(typ)
		ok = ok && written
	}
	if ok {
		e.Values = values
		return
	}
	var data []byte
	for i, n := range numbers {
		bits, err := encodeNumber(typ, n)
		if err != nil {
			r.errorf(field, "values element %d %w", i+1, err)
			return
		}
		data = append(data, littleEndian(bits, typ.Bytes())...)
	}
	e.Hex = new(hex.EncodeToString(data))
}
