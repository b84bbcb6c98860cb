package machine

import (
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// checker gathers what is wrong with a decoded description.
type checker struct {
	m    *Machine
	file string
	at   map[string]diag.Pos
	errs diag.List
}

// errorf reports a finding at the most specific part of the path that the file
// has.
func (c *checker) errorf(path, format string, args ...any) {
	pos := diag.Pos{File: c.file, Line: 1, Col: 1}
	for p := path; p != ""; p = p[:max(strings.LastIndexByte(p, '.'), 0)] {
		if known, ok := c.at[p]; ok {
			pos = known
			break
		}
	}
	c.errs.Add(diag.Errorf(pos, format, args...))
}

func (c *checker) has(path string) bool {
	_, ok := c.at[path]
	return ok
}

func (c *checker) check() {
	c.name()
	c.architecture()
	if !c.core() {
		return // what else must be there depends on it
	}
	for path, f := range c.m.fieldsBut(func(path string, _ reflect.Value) bool { return !c.has(path) }) {
		switch v := f.value.Interface().(type) {
		case Number:
			c.number(path, f, v)
		case interface{ row(path string) Row }:
			c.choice(f, v.row(path))
		case map[string]Number:
			if len(v) == 0 {
				c.errorf(path, "[%s] is empty", path)
			}
			for _, name := range sortedKeys(v) {
				c.number(path+"."+name, f, v[name])
			}
		case map[string]Timing:
			c.classes(path, v)
		case timings:
			for _, name := range sortedKeys(v.timings()) {
				c.timing(path+"."+name, v.timings()[name])
			}
		}
	}
	c.modes()
	if c.errs.Len() == 0 {
		c.relations()
	}
}

func (c *checker) name() {
	if !c.has("name") {
		c.errorf("name", "missing key name")
		return
	}
	for _, r := range c.m.Name {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') {
			c.errorf("name", "name %q may hold a to z, 0 to 9 and - only", c.m.Name)
			return
		}
	}
	if c.m.Name == "" || len(c.m.Name) > 64 {
		c.errorf("name", "name must have 1 to 64 characters, has %d", len(c.m.Name))
	}
}

// architecture checks the name of the architecture, which a file need not have.
func (c *checker) architecture() {
	switch name := c.m.Architecture; name {
	case "mini-simt", MadeUp:
	default:
		if t, ok := isa.ParseTarget(name); c.has("architecture") && (!ok || t.Suffix != 0) {
			c.errorf("architecture", "architecture = %q is none of \"sm_20\" and the like, for compute capability 2.0, \"mini-simt\", or %q for a machine that is like no GPU", name, MadeUp)
		}
	}
}

// core checks which core the machine has, and that nothing describes another. It
// reports whether the core is known.
func (c *checker) core() bool {
	switch c.m.Core {
	case Scoreboard, Barrel, Splitting, Integrated:
	case "":
		c.errorf("core", "missing key core = %q, %q, %q or %q", Scoreboard, Barrel, Splitting, Integrated)
		return false
	default:
		c.errorf("core", "core = %q is none of %s, %s, %s, %s", c.m.Core, Scoreboard, Barrel, Splitting, Integrated)
		return false
	}
	for _, path := range c.m.Core.foreign() {
		if c.has(path) {
			c.errorf(path, "%s has no %s", c.m.Core.Named(), path)
		}
	}
	return true
}

func (c *checker) number(path string, f field, n Number) {
	unit := f.unit(c.m.Core)
	if !c.has(path) {
		c.errorf(path, "missing key %s = { value = ..., unit = %q, source = ... }", path, unit)
		return
	}
	if !c.has(path + ".value") {
		c.errorf(path, "%s has no value", path)
		return
	}
	c.unit(path, n.Unit, unit)
	c.source(path, n.Source)
	c.basis(path, n.Basis)
	low, high := f.bound("min"), f.bound("max")
	if n.Value < low || n.Value > high {
		c.errorf(path+".value", "%s = %d is not between %d and %d %s", path, n.Value, low, high, unit)
		return
	}
	power := f.tag.Get("shape") != ""
	if power && bits.OnesCount64(uint64(n.Value)) != 1 {
		c.errorf(path+".value", "%s = %d must be a power of two", path, n.Value)
		return
	}
	c.within(path+".range", n.Range, n.Value, low, high, power)
}

// unit returns the unit that the field has on machines with the core.
func (f field) unit(core Core) string {
	if own := f.tag.Get(string(core)); own != "" {
		return own
	}
	return f.tag.Get("unit")
}

// bound reads a limit from a tag of Machine's own declaration.
func (f field) bound(tag string) int64 {
	v, err := strconv.ParseInt(f.tag.Get(tag), 10, 64)
	if err != nil {
		panic(err) // the tags are constants of this package, and tested
	}
	return v
}

func (c *checker) unit(path, got, want string) {
	if got != want {
		c.errorf(path+".unit", "the unit of %s must be %q, not %q", path, want, got)
	}
}

func (c *checker) source(path, got string) {
	if strings.TrimSpace(got) == "" {
		c.errorf(path+".source", "%s does not say its source", path)
	}
}

func (c *checker) choice(f field, r Row) {
	words := strings.Fields(f.tag.Get("choices"))
	if !c.has(r.Path) {
		c.errorf(r.Path, "missing key %s = { value = ..., source = ... }; the value is one of %s", r.Path, strings.Join(words, ", "))
		return
	}
	c.source(r.Path, r.Source)
	c.basis(r.Path, r.Basis)
	if !slices.Contains(words, r.Value) {
		c.errorf(r.Path+".value", "%s = %q is none of %s", r.Path, r.Value, strings.Join(words, ", "))
	}
}

func (c *checker) classes(section string, timings map[string]Timing) {
	known := map[string]bool{}
	for _, class := range isa.Classes() {
		name := class.String()
		known[name] = true
		path := section + "." + name
		t, ok := timings[name]
		if !ok {
			pipeline := ""
			if c.m.Core == Scoreboard {
				pipeline = "pipeline = ..., "
			}
			c.errorf(path, "missing key %s = { %slatency = ..., initiation = ..., unit = %q, source = ... }", path, pipeline, timingUnit)
			continue
		}
		c.timing(path, t)
	}
	for _, name := range sortedKeys(timings) {
		if !known[name] {
			c.errorf(section+"."+name, "unknown timing class %q", name)
		}
	}
}

// timing checks the timing of a class or a stand-in by itself.
func (c *checker) timing(path string, t Timing) {
	c.unit(path, t.Unit, timingUnit)
	c.source(path, t.Source)
	c.basis(path, t.Basis)
	c.pipeline(path, t.Pipeline)
	for key, n := range map[string]Number{"latency": {Value: t.Latency, Range: t.LatencyRange}, "initiation": {Value: t.Initiation, Range: t.InitiationRange}} {
		if n.Value < 1 || n.Value > maxLatency {
			c.errorf(path+"."+key, "%s.%s = %d is not between 1 and %d %s", path, key, n.Value, maxLatency, timingUnit)
			continue
		}
		c.within(path+"."+key+"_range", n.Range, n.Value, 1, maxLatency, false)
	}
}

// pipeline checks the name of the pipeline of a class.
func (c *checker) pipeline(class, name string) {
	path := class + ".pipeline"
	if c.m.Core != Scoreboard {
		if c.has(path) {
			c.errorf(path, "%s has no pipelines", c.m.Core.Named())
		}
		return
	}
	if _, ok := c.m.Pipelines[name]; !ok {
		c.errorf(path, "%s: no pipeline %q; there are %s", class, name, strings.Join(sortedKeys(c.m.Pipelines), ", "))
	}
}
