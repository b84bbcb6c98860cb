package machine

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/tomlpos"
)

// Basis says what a number of a description rests on. A description need not say it of any number: see Accounts.
type Basis string

// The bases, the strongest first.
const (
	Measured  Basis = "measured"  // on the GPU that the machine describes
	Published Basis = "published" // by who makes it
	Derived   Basis = "derived"   // follows from numbers that are measured or published
	Assumed   Basis = "assumed"   // taken from another GPU, or from a model, or chosen
)

// Bases returns all bases, the strongest first.
func Bases() []Basis { return []Basis{Measured, Published, Derived, Assumed} }

// Range is the lowest and the greatest value of a number that can be believed. The zero Range is that of a number of which the
// description states none.
type Range [2]int64

// String returns the range for people, empty if there is none.
func (r Range) String() string {
	if r == (Range{}) {
		return ""
	}
	return fmt.Sprintf("%d to %d", r[0], r[1])
}

// rangeKeys are the keys of ranges.
var rangeKeys = [...]string{"range", "latency_range", "initiation_range"}

// ranges reports arrays that cannot be ranges, since they do not have two numbers: decoding drops or adds some.
func ranges(root *tomlpos.Mark) error {
	var errs diag.List
	for _, section := range sortedKeys(root.Keys) {
		for _, leaf := range sortedKeys(root.Keys[section].Keys) {
			keys := root.Keys[section].Keys[leaf].Keys
			for _, name := range sortedKeys(keys) {
				m, isRange := keys[name], slices.ContainsFunc(rangeKeys[:], func(key string) bool { return strings.EqualFold(key, name) })
				if isRange && m.Values != len(Range{}) {
					errs.Add(diag.Errorf(m.Pos, "%s.%s.%s must have two values, [LOWEST, GREATEST], between which the number is believed to be, and has %d", section, leaf, name, m.Values))
				}
			}
		}
	}
	return errs.Err()
}

// basis checks a basis that a file states.
func (c *checker) basis(path string, b Basis) {
	if b == "" && !c.has(path+".basis") || slices.Contains(Bases(), b) {
		return
	}
	var names []string
	for _, known := range Bases() {
		names = append(names, string(known))
	}
	c.errorf(path+".basis", "%s has basis %q, which is none of %s", path, string(b), strings.Join(names, ", "))
}

// within checks a range that a file states: the value is in it, and either end is a value that the number may have.
func (c *checker) within(path string, r Range, value, low, high int64, power bool) {
	switch {
	case r == (Range{}) && !c.has(path):
	case value < r[0] || value > r[1]:
		c.errorf(path, "%s = [%d, %d] does not contain the value %d", path, r[0], r[1], value)
	case r[0] < low || r[1] > high:
		c.errorf(path, "%s = [%d, %d] is not between %d and %d", path, r[0], r[1], low, high)
	case power && (!isPower(r[0]) || !isPower(r[1])):
		c.errorf(path, "%s = [%d, %d] must have powers of two as its ends", path, r[0], r[1])
	}
}

func isPower(n int64) bool { return n > 0 && n&(n-1) == 0 }

// maxSamples is how often Sample tries to find numbers that go together.
const maxSamples = 1000

// Ranged returns the paths in Rows of the numbers that have a range with more than one value.
func (m *Machine) Ranged() []string {
	var paths []string
	for _, r := range m.Rows() {
		if r.Range[0] < r.Range[1] {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// Sample returns the machine with another value for every number that has a range, each value of which is as likely as the others:
// of the numbers that must be powers of two, each of these. Numbers that together make no machine are sampled again, all of them;
// it is an error if none of many make one.
func (m *Machine) Sample(random *rand.Rand) (*Machine, error) {
	var err error
	for range maxSamples {
		out := m.sampled(random)
		c := &checker{m: out, file: m.Name}
		c.relations()
		if err = c.errs.Err(); err == nil {
			return out, nil
		}
	}
	return nil, fmt.Errorf("%s: none of %d samples of its ranges makes a machine; narrow the ranges, since for example %w", m.Name, maxSamples, err)
}

// sampled returns a copy of the machine with sampled numbers, which need not go together.
func (m *Machine) sampled(random *rand.Rand) *Machine {
	return m.withNumbers(func(_ string, v int64, r Range, power bool) int64 {
		switch {
		case r[0] >= r[1]:
			return v
		case power:
			return r[0] << random.Int64N(int64(bits.Len64(uint64(r[1]/r[0]))))
		}
		return r[0] + random.Int64N(r[1]-r[0]+1)
	})
}

// withNumbers returns a copy of the machine with other numbers. change is given the path of each, as
// in Rows, its value, its range, and whether it must be a power of two. The copy shares nothing with
// the machine.
func (m *Machine) withNumbers(change func(path string, value int64, r Range, power bool) int64) *Machine {
	out := m.WithSources(func(_, source string) string { return source })
	changeTimings := func(path string, all map[string]Timing) {
		for _, name := range sortedKeys(all) {
			t, at := all[name], path+"."+name
			t.Latency = change(at+".latency", t.Latency, t.LatencyRange, false)
			t.Initiation = change(at+".initiation", t.Initiation, t.InitiationRange, false)
			all[name] = t
		}
	}
	for path, f := range out.fields() {
		power := f.tag.Get("shape") != ""
		switch v := f.value.Interface().(type) {
		case Number:
			v.Value = change(path, v.Value, v.Range, power)
			f.value.Set(reflect.ValueOf(v))
		case map[string]Number:
			for _, name := range sortedKeys(v) {
				n := v[name]
				n.Value = change(path+"."+name, n.Value, n.Range, power)
				v[name] = n
			}
		case timings:
			changeTimings(path, v.timings())
		case map[string]Timing:
			changeTimings(path, v)
		}
	}
	return out
}

// StatesBasis reports whether the description says of some number what it rests on. One that does not is a model by definition, or
// is older than the question.
func (m *Machine) StatesBasis() bool {
	return slices.ContainsFunc(m.Rows(), func(r Row) bool { return r.Basis != "" })
}

// Account is one number or word of a description that decides about times.
type Account struct {
	Path  string // as in the file, for example "l1.sets" or "classes.sfu.latency"
	Basis Basis
}

// Accounts returns the numbers and words of the description that may decide how long kernels take, in the order of Rows, and what
// each rests on; nil if the description states no basis at all. A number without one counts as assumed where others have
// one. Numbers count unless it is clear that no instruction depends on them; pipelines that are named in the timing of a class count
// with the class.
func (m *Machine) Accounts(kernels ...*isa.Kernel) []Account {
	if !m.StatesBasis() {
		return nil
	}
	used := m.exercisedBy(kernels)
	var all []Account
	for _, r := range m.Rows() {
		if isTiming(r.Path) && strings.HasSuffix(r.Path, pipelineOf) || !used.includes(r.Path) {
			continue
		}
		a := Account{r.Path, Assumed}
		if r.Basis != "" {
			a.Basis = r.Basis
		}
		all = append(all, a)
	}
	return all
}

// isTiming reports whether a path of Rows is of the timing of a class, a group of operations, a product or a stand-in.
func isTiming(path string) bool {
	section, _, _ := strings.Cut(path, ".")
	return section == "classes" || section == "operations" || section == "tensor" || section == "stand_ins"
}

// exercised is what some kernels use of a machine.
type exercised struct {
	timings   map[string]bool // paths of the classes, groups of operations, products and stand-ins that time their instructions
	pipelines map[string]bool // that these are in

	barriers, atomics      bool
	params, shared, global bool // the memory that they access
}

// exercisedBy finds out what kernels use. What may be used counts as used: an access to generic addresses may go to shared memory,
// and what is neither a load, a store nor an atomic may access all memory.
func (m *Machine) exercisedBy(kernels []*isa.Kernel) *exercised {
	u := &exercised{timings: make(map[string]bool), pipelines: make(map[string]bool)}
	for _, k := range kernels {
		for i := range k.Instrs {
			u.add(m, &k.Instrs[i])
		}
	}
	if u.global { // the way to the memory partitions takes as long as the shorter of both
		u.timings["classes."+isa.MemGlobal.String()], u.timings["classes."+isa.MemAtomic.String()] = true, true
	}
	return u
}

func (u *exercised) add(m *Machine, in *isa.Instr) {
	path, t := m.instrTiming(in)
	u.timings[path], u.pipelines[t.Pipeline] = true, true
	u.barriers = u.barriers || in.Op.Info().Effect&isa.Barriers != 0
	if in.Op.Info().Unit != isa.UnitMem {
		return
	}
	switch in.Op {
	case isa.Ld, isa.St, isa.Prefetch:
	case isa.Atom, isa.Red:
		u.atomics = true
	default:
		u.shared, u.global = true, true
	}
	switch in.Space {
	case isa.Param, isa.Const:
		u.params = true
	case isa.Shared:
		u.shared = true
	case isa.Generic:
		u.shared, u.global = true, true
	default:
		u.global = true
	}
}

// includes is the one place that says which numbers of a machine, by their paths in Rows, may decide about the time of kernels with
// these instructions. A section that it does not know counts.
func (u *exercised) includes(path string) bool {
	section, key, _ := strings.Cut(path, ".")
	switch section {
	case "clock":
		return key == "core" || u.global
	case "sm":
		return key != "barrier" || u.barriers
	case "pipelines":
		return u.pipelines[key]
	case "classes", "operations", "tensor", "stand_ins": // isTiming
		return u.timings[path[:strings.LastIndexByte(path, '.')]]
	case "dependences":
		producer, consumer, _ := strings.Cut(key, " ")
		return u.pipelines[producer] && (consumer == Guard || u.pipelines[consumer])
	case "shared":
		return u.shared && (key != "atomic_pass" || u.atomics)
	case "ccache":
		return u.params
	case "memory", "lsu", "carve_outs":
		return u.shared || u.global
	case "l1", "interconnect", "l2", "llc", "regulator", "dram", "cpu":
		return u.global
	}
	return true
}
