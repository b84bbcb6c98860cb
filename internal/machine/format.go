package machine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// q quotes a string: those of JSON are strings of TOML too, but for the character delete.
func q(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // no string fails
	}
	return strings.ReplaceAll(string(text), "\x7f", `\u007f`)
}

// basisText is the key of a basis behind others, empty if there is none.
func basisText(b Basis) string {
	if b == "" {
		return ""
	}
	return ", basis = " + q(string(b))
}

// rangeText is the key of a range behind others, empty if there is none.
func rangeText(key string, r Range) string {
	if r == (Range{}) {
		return ""
	}
	return fmt.Sprintf(", %s = [%d, %d]", key, r[0], r[1])
}

// Format returns the text of a file from which Parse makes the same machine.
func (m *Machine) Format() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "name = %s\nabout = %s\ncore = %s\n", q(m.Name), q(m.About), q(string(m.Core)))
	if m.Architecture != "" {
		fmt.Fprintf(&b, "architecture = %s\n", q(m.Architecture))
	}
	for _, short := range sortedKeys(m.Sources) {
		fmt.Fprintf(&b, "sources.%s = %s\n", q(short), q(m.Sources[short]))
	}
	number := func(path string, n Number) {
		fmt.Fprintf(&b, "%s = {value = %d, unit = %s, source = %s%s%s}\n", path, n.Value, q(n.Unit), q(n.Source), basisText(n.Basis), rangeText("range", n.Range))
	}
	timing := func(path string, t Timing) {
		fmt.Fprintf(&b, "%s = {", path)
		if t.Pipeline != "" {
			fmt.Fprintf(&b, "pipeline = %s, ", q(t.Pipeline))
		}
		fmt.Fprintf(&b, "latency = %d, initiation = %d, unit = %s, source = %s%s%s%s}\n", t.Latency, t.Initiation, q(t.Unit), q(t.Source),
			basisText(t.Basis), rangeText("latency_range", t.LatencyRange), rangeText("initiation_range", t.InitiationRange))
	}
	for path, f := range m.fields() {
		switch v := f.value.Interface().(type) {
		case Number:
			number(path, v)
		case interface{ row(path string) Row }:
			r := v.row(path)
			fmt.Fprintf(&b, "%s = {value = %s, source = %s%s}\n", path, q(r.Value), q(r.Source), basisText(r.Basis))
		case map[string]Number:
			for _, name := range sortedKeys(v) {
				number(path+"."+q(name), v[name])
			}
		case timings:
			for _, name := range sortedKeys(v.timings()) {
				timing(path+"."+q(name), v.timings()[name])
			}
		case map[string]Timing:
			for _, name := range sortedKeys(v) {
				timing(path+"."+q(name), v[name])
			}
		}
	}
	for i := range m.Modes {
		fmt.Fprintf(&b, "[[mode]]\nname = %s\n", q(m.Modes[i].Name))
		for _, n := range m.clocks("", &m.Modes[i]) {
			number(n.path[1:], n.Number)
		}
	}
	return b.Bytes()
}
