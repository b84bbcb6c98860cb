package job

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"

	"warpbound/internal/isa"
)

// Written is a job as files.
type Written struct {
	Text []byte
	Data map[string][]byte // data files by name, which are to be beside the job file
}

// Write makes the file of a job whose inputs are in instead of being sampled. Reading it gives
// a job that is otherwise the same, and its only inputs are these. What buffers and
// symbols hold is in data files whose names begin with stem and a point, but for buffers
// of zeros or of counted numbers. Module, machine and the CPU's stream have the names that j
// gives them.
//
// A number that TOML cannot write in its type, such as one above 2^63 - 1, is written as plain bits
// of the same size.
func (j *Job) Write(stem string, in *Inputs) (*Written, error) {
	w := writer{stem: stem, data: make(map[string][]byte)}
	machine := j.Machine
	if j.Unnamed {
		machine = ""
	}
	f := jobFile{
		Module: j.Module, Kernel: j.Kernel, Machine: machine, Target: j.Target, Accept: j.Accepted(), Grid: sizeOf(j.Grid), Block: sizeOf(j.Block),
		Vectors: j.Vectors, Seed: j.Seed, Budget: j.Budget.Text, Registers: j.Registers, Shared: j.Shared,
		Loop: make(map[string]int64), Split: splitOf(&j.Split), LLC: llcOf(&j.LLC), CPU: cpuOf(&j.CPU), Background: backgroundOf(j.Background.DRAM),
		Repeat: j.repeatTable(),
	}
	f.Launch, f.Caches, f.Threads = j.launchEntries(j.Steps), cachesOf(j.Caches.Warm), j.Threads.Way
	f.Source = sourceTable(j.Source)
	w.arguments(j, in, &f)
	for _, s := range j.Symbols {
		f.Symbol = append(f.Symbol, symbolEntry{Name: s.Name, Type: s.Type.String(), contentKeys: contentKeys{File: new(w.add(s.Name, s.Data))}})
	}
	for _, l := range j.Loops {
		f.Loop[unused(f.Loop, l.Place)] = l.Bound
	}
	for _, fact := range j.Facts {
		sum := make(map[string]int64)
		for _, t := range fact.Sum {
			sum[unused(sum, t.Place)] = t.Coef
		}
		f.Fact = append(f.Fact, factEntry{Sum: sum, Min: fact.Min, Max: fact.Max})
	}
	for i := range j.Assumes {
		f.Assume = append(f.Assume, j.assumeEntry(&j.Assumes[i]))
	}
	return w.written(j.File, &f)
}

// written makes the files of the job of that name.
func (w *writer) written(name string, f *jobFile) (*Written, error) {
	text, err := toml.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("writing job %s: %w", name, err)
	}
	return &Written{Text: text, Data: w.data}, nil
}

// jobFile is a job in the order in which its file has it.
type jobFile struct {
	Module     string           `toml:"module"`
	Kernel     string           `toml:"kernel,omitempty"`
	Machine    string           `toml:"machine,omitempty"`
	Target     string           `toml:"target,omitempty"`
	Accept     []string         `toml:"accept,omitempty"`
	Grid       *[]int           `toml:"grid,omitempty"`
	Block      *[]int           `toml:"block,omitempty"`
	Vectors    int              `toml:"vectors"`
	Seed       int64            `toml:"seed"`
	Budget     string           `toml:"budget,omitempty"`
	Registers  int              `toml:"registers,omitempty"`
	Shared     int              `toml:"shared,omitempty"`
	Caches     string           `toml:"caches,omitempty"`
	Threads    string           `toml:"threads,omitempty"`
	Param      []paramEntry     `toml:"param,omitempty"`
	Buffer     []paramEntry     `toml:"buffer,omitempty"`
	Symbol     []symbolEntry    `toml:"symbol,omitempty"`
	Loop       map[string]int64 `toml:"loop,omitempty"`
	Fact       []factEntry      `toml:"fact,omitempty"`
	Assume     []assumeEntry    `toml:"assume,omitempty"`
	Split      *splitTable      `toml:"split,omitempty"`
	LLC        *llcTable        `toml:"llc,omitempty"`
	CPU        *cpuTable        `toml:"cpu,omitempty"`
	Background *backgroundTable `toml:"background,omitempty"`
	Repeat     *repeatTable     `toml:"repeat,omitempty"`
	Launch     []launchEntry    `toml:"launch,omitempty"`
	Source     *sourceEntry     `toml:"source,omitempty"`
}

type paramEntry struct {
	Name   string `toml:"name"`
	Type   string `toml:"type,omitempty"`
	Same   string `toml:"same,omitempty"`
	Offset *int   `toml:"offset,omitempty"`
	Value  any    `toml:"value,omitempty"`
	Range  []any  `toml:"range,omitempty"`
	Count  *int   `toml:"count,omitempty"`
	Bytes  *int   `toml:"bytes,omitempty"`
	Array  *int   `toml:"array,omitempty"`
	Access string `toml:"access,omitempty"`
	Init   string `toml:"init,omitempty"`
	contentKeys
	Pointers []pointerEntry `toml:"pointers,inline,omitempty"`
	Field    []paramEntry   `toml:"field,omitempty"`
}

type pointerEntry struct {
	At int    `toml:"at"`
	To string `toml:"to"`
}

type symbolEntry struct {
	Name string `toml:"name"`
	Type string `toml:"type"`
	contentKeys
}

// contentKeys say what elements hold, one by one.
type contentKeys struct {
	Values any     `toml:"values,omitempty"` // []any, or nil
	Hex    *string `toml:"hex,omitempty"`
	File   *string `toml:"file,omitempty"`
}

type factEntry struct {
	Sum map[string]int64 `toml:"sum,inline"`
	Min *int64           `toml:"min,omitempty"`
	Max *int64           `toml:"max,omitempty"`
}

type assumeEntry struct {
	Expr     string  `toml:"expr,omitempty"`
	Sorted   string  `toml:"sorted,omitempty"`
	Monotone string  `toml:"monotone,omitempty"`
	Step     []int64 `toml:"step,omitempty"`
}

type splitTable struct {
	Branches any    `toml:"branches,omitempty"`
	SIMDs    *int   `toml:"simds,omitempty"`
	Mode     string `toml:"mode,omitempty"`
}

type llcTable struct {
	KiB       *int64 `toml:"size_kb,omitempty"`
	Quota     *int64 `toml:"quota,omitempty"`
	Regulated *bool  `toml:"regulated,omitempty"`
}

type cpuTable struct {
	Program *string `toml:"program,omitempty"`
	Trace   *string `toml:"trace,omitempty"`
}

type repeatTable struct {
	Then  []string `toml:"then,omitempty"`
	While string   `toml:"while,omitempty"`
	Limit int      `toml:"limit,omitempty"`
}

// launchEntry is an entry of [[launch]]. What is nil or 0 is left out.
type launchEntry struct {
	Kernel    string        `toml:"kernel,omitempty"`
	Grid      []int         `toml:"grid,omitempty"`
	Block     []int         `toml:"block,omitempty"`
	Registers int           `toml:"registers,omitempty"`
	Shared    *int          `toml:"shared,omitempty"`
	Arguments any           `toml:"arguments,omitempty"` // []any, or nil
	Repeat    int           `toml:"repeat,omitempty"`
	While     string        `toml:"while,omitempty"`
	Limit     int           `toml:"limit,omitempty"`
	Launch    []launchEntry `toml:"launch,omitempty"`
}

type sourceEntry struct {
	File    string   `toml:"file"`
	Command []string `toml:"command,omitempty"`
	SHA256  string   `toml:"sha256"`
}

// writer gathers the data files.
type writer struct {
	stem  string
	names []string // that no data file must have
	data  map[string][]byte
}

// add makes a data file for what has a name in the job. Names of files differ in more than
// case.
func (w *writer) add(name string, data []byte) string {
	part := strings.Map(func(c rune) rune {
		if c <= unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c) || c == '-') {
			return c
		}
		return '_'
	}, name)
	for w.taken(part) {
		part += "_"
	}
	file := w.file(part)
	w.data[file] = data
	return file
}

func (w *writer) file(part string) string { return w.stem + "." + part + ".bin" }

func (w *writer) taken(part string) bool {
	same := func(other string) bool { return strings.EqualFold(other, w.file(part)) }
	if slices.ContainsFunc(w.names, same) {
		return true
	}
	for other := range w.data {
		if same(other) {
			return true
		}
	}
	return false
}

// arguments makes the entries of the arguments and of the buffers that only pointers reach.
func (w *writer) arguments(j *Job, in *Inputs, f *jobFile) {
	for i := range j.Args {
		if a := &j.Args[i]; a.Struct {
			f.Param = append(f.Param, paramEntry{Name: a.Name, Type: structType, Bytes: &a.Bytes})
		} else {
			f.Param = append(f.Param, paramEntry{}) // as follows
		}
	}
	for i := range j.Params {
		p, e := &j.Params[i], w.param(j, in, i)
		switch {
		case p.Arg == NoArg:
			f.Buffer = append(f.Buffer, e)
		case j.Args[p.Arg].Struct:
			e.Name, e.Offset = strings.TrimPrefix(e.Name, j.Args[p.Arg].Name+"."), &p.Offset
			f.Param[p.Arg].Field = append(f.Param[p.Arg].Field, e)
		default:
			f.Param[p.Arg] = e
		}
	}
}

// param makes the entry of parameter i.
func (w *writer) param(j *Job, in *Inputs, i int) paramEntry {
	p := &j.Params[i]
	e := paramEntry{Name: p.Name, Type: p.Type.String(), Access: accessNames[p.Access]}
	for _, at := range p.Content.Pointers {
		e.Pointers = append(e.Pointers, pointerEntry{at.At, at.To.text(j.Params)})
	}
	switch p.Kind {
	case SharedPtr:
		e.Type, e.Count = sharedType, &p.Bytes
	case View:
		e.Type, e.Same = "", p.View.text(j.Params)
	case Struct:
		e.Bytes, e.Hex = &p.Bytes, new(hex.EncodeToString(in.Scalars[i]))
	case Array:
		e.Array, e.Hex = new(p.Bytes/p.Type.Bytes()), new(hex.EncodeToString(in.Scalars[i]))
	case Scalar:
		e.Type, e.Value = numberEntry(p.Type, in.Scalars[i])
	case Buffer:
		e.Count = new(p.Bytes / p.Type.Bytes())
		switch p.Content.Kind {
		case Zeros:
			e.Init = "zeros"
		case Iota:
			e.Init = "iota"
		case Unset:
			e.Init = "unset"
		default:
			e.File = new(w.add(p.Name, in.Contents(i, nil)))
		}
	}
	return e
}

// numberEntry returns the type and the value of a number as a job states them.
func numberEntry(typ isa.Type, data []byte) (string, any) {
	var word [8]byte
	copy(word[:], data)
	bits, unread := binary.LittleEndian.Uint64(word[:]), 64-typ.Bits()
	signed := int64(bits<<unread) >> unread
	var value any = signed
	switch {
	case typ.IsFloat():
		value = floatValue(typ, bits)
	case !typ.IsSigned() && bits <= math.MaxInt64:
		value = int64(bits)
	}
	if again, err := encode(typ, value); err == nil && again == bits {
		return typ.String(), value
	}
	plain := [...]isa.Type{1: isa.B8, 2: isa.B16, 4: isa.B32, 8: isa.B64}
	return plain[typ.Bytes()].String(), signed
}

// unused returns what a job writes for a place, of which lines may have several: with zeros
// before them.
func unused(keys map[string]int64, p Place) string {
	key := p.String()
	for _, taken := keys[key]; taken && p.Line > 0; _, taken = keys[key] {
		at := strings.LastIndexByte(key, ':') + 1
		key = key[:at] + "0" + key[at:]
	}
	return key
}

// assumeEntry returns the entry of an assumption.
func (j *Job) assumeEntry(a *Assume) assumeEntry {
	e := assumeEntry{Expr: a.Text}
	switch a.Key {
	case "sorted":
		e.Sorted = j.Params[a.Array].Name
	case "monotone":
		e.Monotone = j.Params[a.Array].Name
	}
	if a.Order.Limited {
		e.Step = []int64{int64(a.Order.Min), int64(a.Order.Max)}
	}
	return e
}

func splitOf(s *Split) *splitTable {
	t := &splitTable{SIMDs: s.SIMDs, Mode: s.Mode}
	switch {
	case !s.All && s.Branches == nil && s.SIMDs == nil && s.Mode == "":
		return nil
	case s.All:
		t.Branches = everyBranch
	case s.Branches != nil:
		places := []string{}
		for _, p := range s.Branches {
			places = append(places, p.String())
		}
		t.Branches = places
	}
	return t
}

func llcOf(l *LLC) *llcTable {
	if l.KiB == nil && l.Quota == nil && l.Regulated == nil {
		return nil
	}
	return &llcTable{KiB: l.KiB, Quota: l.Quota, Regulated: l.Regulated}
}

func cpuOf(c *CPU) *cpuTable {
	switch {
	case c.Stream == nil:
		return nil
	case c.Trace:
		return &cpuTable{Trace: &c.File}
	}
	return &cpuTable{Program: &c.File}
}

func (j *Job) repeatTable() *repeatTable {
	r := &j.Repeat
	switch {
	case !r.Several():
		return nil
	case r.While == nil:
		return &repeatTable{Then: r.Then}
	}
	return &repeatTable{Then: r.Then, While: j.Params[*r.While].Name, Limit: r.Limit}
}

// sizeOf returns the numbers of a grid or a block, nil if the job has none of its own.
func sizeOf(d [3]int) *[]int {
	if d == [3]int{} {
		return nil
	}
	return new(d[:])
}

// launchEntries returns the entries of [[launch]] that steps are read from.
func (j *Job) launchEntries(steps []Step) []launchEntry {
	var entries []launchEntry
	for i := range steps {
		s := &steps[i]
		var e launchEntry
		if s.Steps != nil {
			e.Launch = j.launchEntries(s.Steps)
		} else {
			e = j.launchEntry(&j.Launches[s.Launch])
		}
		switch {
		case s.While != nil:
			e.While, e.Limit = j.Params[*s.While].Name, s.Rounds
		case s.Rounds != 1:
			e.Repeat = s.Rounds
		}
		entries = append(entries, e)
	}
	return entries
}

// launchEntry returns the entry of a launch.
func (j *Job) launchEntry(l *Launch) launchEntry {
	e := launchEntry{Kernel: l.Kernel, Grid: l.Grid[:], Block: l.Block[:], Registers: l.Registers, Shared: &l.Shared}
	if l.Args == nil {
		return e
	}
	args := make([]any, len(l.Args))
	for i, a := range l.Args {
		switch {
		case a.Arg >= 0:
			args[i] = j.Args[a.Arg].Name
		case a.Param >= 0:
			args[i] = j.Params[a.Param].Name
		default:
			args[i] = a.Number
		}
	}
	e.Arguments = args
	return e
}
