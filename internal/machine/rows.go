package machine

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/isa"
)

// Row is one number of a description, for printing.
type Row struct {
	Path   string // as in the file, for example "l1.sets"
	Value  string
	Unit   string // empty for a choice of words
	Source string
	Basis  Basis // empty if the description does not say it
	Range  Range
}

// pipelineOf ends the path of the pipeline of a class, a group of operations or a stand-in.
const pipelineOf = ".pipeline"

// Rows lists everything that a description says, section by section.
func (m *Machine) Rows() []Row {
	var rows []Row
	add := func(path string, n Number) {
		rows = append(rows, Row{path, strconv.FormatInt(n.Value, 10), n.Unit, n.Source, n.Basis, n.Range})
	}
	timing := func(path string, t Timing, pipeline bool) {
		if pipeline {
			rows = append(rows, Row{Path: path + pipelineOf, Value: t.Pipeline, Source: t.Source, Basis: t.Basis})
		}
		add(path+".latency", Number{t.Latency, t.Unit, t.Source, t.Basis, t.LatencyRange})
		add(path+".initiation", Number{t.Initiation, t.Unit, t.Source, t.Basis, t.InitiationRange})
	}
	for path, field := range m.fields() {
		switch v := field.value.Interface().(type) {
		case Number:
			add(path, v)
		case interface{ row(path string) Row }:
			rows = append(rows, v.row(path))
		case map[string]Number:
			for _, name := range sortedKeys(v) {
				add(path+"."+name, v[name])
			}
		case timings:
			for _, name := range sortedKeys(v.timings()) {
				timing(path+"."+name, v.timings()[name], true)
			}
		case map[string]Timing:
			for _, c := range isa.Classes() {
				timing(path+"."+c.String(), m.Timing(c), m.Core == Scoreboard)
			}
		}
	}
	for i := range m.Modes {
		for _, n := range m.clocks("mode."+m.Modes[i].Name, &m.Modes[i]) {
			add(n.path, n.Number)
		}
	}
	return rows
}

// field is a leaf of the Machine structure: a Number, a Choice or a map.
type field struct {
	tag   reflect.StructTag
	value reflect.Value
}

// has reports whether machines with the core have what has the tag.
func (c Core) has(tag reflect.StructTag) bool {
	only := strings.Fields(tag.Get("core"))
	return len(only) == 0 || slices.Contains(only, string(c))
}

// optional reports whether machines with the core need not have what has the tag.
func (c Core) optional(tag reflect.StructTag) bool {
	on := tag.Get("optional")
	return on == "yes" || slices.Contains(strings.Fields(on), string(c))
}

// fields yields every leaf that the machine has, with its path, in the order of the declarations.
func (m *Machine) fields() func(yield func(string, field) bool) {
	return m.fieldsBut(func(_ string, v reflect.Value) bool { return v.IsZero() })
}

// fieldsBut yields every leaf that a machine with the core has, as fields does, but for what may be left out and is.
func (m *Machine) fieldsBut(leftOut func(path string, v reflect.Value) bool) func(yield func(string, field) bool) {
	return func(yield func(string, field) bool) {
		top := reflect.ValueOf(m).Elem()
		for i := range top.NumField() {
			section := top.Type().Field(i)
			path := section.Tag.Get("toml")
			switch {
			case path == "-" || !m.Core.has(section.Tag) || m.Core.optional(section.Tag) && leftOut(path, top.Field(i)):
			case section.Type.Kind() == reflect.Map:
				if !yield(path, field{section.Tag, top.Field(i)}) {
					return
				}
			case section.Type.Kind() == reflect.Struct:
				for j := range section.Type.NumField() {
					f := section.Type.Field(j)
					path, v := path+"."+f.Tag.Get("toml"), top.Field(i).Field(j)
					if !m.Core.has(f.Tag) || m.Core.optional(f.Tag) && leftOut(path, v) {
						continue
					}
					if !yield(path, field{f.Tag, v}) {
						return
					}
				}
			}
		}
	}
}

// foreign lists the sections and the fields of other sections that a machine
// with the core does not have.
func (c Core) foreign() []string {
	var paths []string
	top := reflect.TypeFor[Machine]()
	for i := range top.NumField() {
		section := top.Field(i)
		path := section.Tag.Get("toml")
		switch {
		case !c.has(section.Tag):
			paths = append(paths, path)
		case section.Type.Kind() == reflect.Struct:
			for j := range section.Type.NumField() {
				if f := section.Type.Field(j); !c.has(f.Tag) {
					paths = append(paths, path+"."+f.Tag.Get("toml"))
				}
			}
		}
	}
	return paths
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// WithSources returns a copy of the machine whose numbers and choices have other sources:
// change is given the path of each, as in Rows but for the classes and stand-ins, which are
// one each, and its source. What has another source has no longer the basis and the range that
// the old one gave it. The copy shares nothing with the machine.
func (m *Machine) WithSources(change func(path, source string) string) *Machine {
	return m.resourced(func(path, source string) (string, bool) {
		changed := change(path, source)
		return changed, changed == source
	})
}

// WithoutBasis returns a copy of the machine of which no number has a basis or a range, for who changes numbers. The copy shares
// nothing with the machine.
func (m *Machine) WithoutBasis() *Machine {
	return m.resourced(func(_, source string) (string, bool) { return source, false })
}

// Rebased returns a copy of the machine of which every number and choice has the source and the basis that change returns, and no
// range. What change is given is as for WithSources. The copy shares nothing with the machine, and is not based on another.
func (m *Machine) Rebased(change func(path, source string) (string, Basis)) *Machine {
	bases := make(map[string]Basis)
	out := m.WithoutBasis().WithSources(func(path, source string) string {
		source, bases[path] = change(path, source)
		return source
	})
	out.Origins = nil
	for path, f := range out.fields() {
		switch v := f.value.Interface().(type) {
		case map[string]Number:
			for name, n := range v {
				n.Basis = bases[path+"."+name]
				v[name] = n
			}
		case timings:
			rebase(path, v.timings(), bases)
		case map[string]Timing:
			rebase(path, v, bases)
		case map[string]string: // the abbreviations
		default: // a Number or a Choice
			f.value.FieldByName("Basis").SetString(string(bases[path]))
		}
	}
	return out
}

func rebase(path string, timings map[string]Timing, bases map[string]Basis) {
	for name, t := range timings {
		t.Basis = bases[path+"."+name]
		timings[name] = t
	}
}

// resourced returns a copy of the machine with the sources that change returns. What it says to be not the same has no
// basis and no range in the copy.
func (m *Machine) resourced(change func(path, source string) (changed string, same bool)) *Machine {
	out := m.clone()
	for path, f := range out.fields() {
		switch v := f.value.Interface().(type) {
		case map[string]Number:
			for _, name := range sortedKeys(v) {
				n := v[name]
				var same bool
				if n.Source, same = change(path+"."+name, n.Source); !same {
					n.Basis, n.Range = "", Range{}
				}
				v[name] = n
			}
		case timings:
			resource(path, v.timings(), change)
		case map[string]Timing:
			resource(path, v, change)
		case map[string]string: // the abbreviations
		default: // a Number or a Choice
			source := f.value.FieldByName("Source")
			changed, same := change(path, source.String())
			if source.SetString(changed); !same {
				f.value.FieldByName("Basis").SetZero()
				if r := f.value.FieldByName("Range"); r.IsValid() {
					r.SetZero()
				}
			}
		}
	}
	return out
}

func resource(path string, timings map[string]Timing, change func(path, source string) (string, bool)) {
	for _, name := range sortedKeys(timings) {
		t := timings[name]
		var same bool
		if t.Source, same = change(path+"."+name, t.Source); !same {
			t.Basis, t.LatencyRange, t.InitiationRange = "", Range{}, Range{}
		}
		timings[name] = t
	}
}
