package job

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"warpbound/diag"
	"warpbound/internal/tomlpos"
	"warpbound/jobs"
)

// defaultName is that of a job built in Go that has none.
const defaultName = "job"

// FromGo makes the job that a program describes. It is the one that Parse reads from what Render
// writes, with the same checks and the same Hash, but for positions: these have no line, and as
// their file the name of the job and the field, such as "saxpy: Params[1] (x).Count".
//
// read reads a file by its path, as Resolve gives it for a name in the job; nil means ReadFile. The
// function that is returned reads likewise, first of all the texts that g holds: module,
// machine, programs and data.
func FromGo(g *jobs.Job, read func(path string) ([]byte, error)) (*Job, func(path string) ([]byte, error), error) {
	w, err := Render(g)
	if err != nil {
		return nil, nil, err
	}
	name := nameOf(g)
	d, err := parseDocument(name, w.Text)
	if err != nil {
		var at *diag.Error
		if errors.As(err, &at) { // a position in a text that nobody has seen
			err = diag.Errorf(diag.Pos{File: name}, "%w", at.Err)
		}
		return nil, nil, err
	}
	inGo(d.root.mark, name+": ", "", g)
	d.root.mark.Pos = diag.Pos{File: name}
	if read == nil {
		read = func(path string) ([]byte, error) { return ReadFile(path, maxData) }
	}
	held := make(map[string][]byte)
	for file, data := range w.Data {
		held[relative(name, file)] = data
	}
	open := func(path string) ([]byte, error) {
		if data, ok := held[path]; ok {
			return data, nil
		}
		return read(path)
	}
	j, err := d.read(w.Text, func(file string) ([]byte, error) { return open(relative(name, file)) })
	if err != nil {
		return nil, nil, err
	}
	return j, open, nil
}

func nameOf(g *jobs.Job) string { return cmp.Or(g.Name, defaultName) }

// goFields are the fields of jobs.Job and what it holds, by the keys of a job file.
var goFields = [...]struct{ key, field string }{
	{"module", "Module"}, {"kernel", "Kernel"}, {"machine", "Machine"}, {"target", "Target"}, {"accept", "Accept"}, {"grid", "Grid"}, {"block", "Block"},
	{"vectors", "Vectors"}, {"seed", "Seed"}, {"budget", "Budget"}, {"registers", "Registers"}, {"shared", "Shared"},
	{"param", "Params"}, {"buffer", "Buffers"}, {"field", "Fields"}, {"symbol", "Symbols"}, {"loop", "Loops"}, {"fact", "Facts"}, {"split", "Split"},
	{"llc", "LLC"}, {"cpu", "CPU"}, {"background", "Background"}, {"dram", "DRAM"}, {"repeat", "Repeat"},
	{"name", "Name"}, {"type", "Type"}, {"count", "Count"}, {"bytes", "Count"}, {"value", "Content"}, {"range", "Content"},
	{"same", "Same"}, {"offset", "Offset"}, {"access", "Access"}, {"array", "Count"},
	{"pointers", "Content.Pointers"}, {"at", "At"}, {"to", "To"}, {"init", "Content"}, {"values", "Content"}, {"hex", "Content"}, {"file", "Content"},
	{"assume", "Assumes"}, {"expr", "Expr"}, {"sorted", "Sorted"}, {"monotone", "Monotone"}, {"step", "Step"},
	{"sum", "Sum"}, {"min", "Min"}, {"max", "Max"},
	{"branches", "Branches"}, {"simds", "SIMDs"}, {"mode", "Mode"},
	{"size_kb", "KiB"}, {"quota", "Quota"}, {"regulated", "Regulated"}, {"program", "Program"}, {"trace", "Trace"},
	{"then", "Then"}, {"while", "While"}, {"limit", "Limit"}, {"launch", "Launches"}, {"caches", "Warm"}, {"threads", "Threads"}, {"arguments", "Arguments"},
	{"source", "Compiled"}, {"command", "Command"}, {"sha256", "SHA256"},
}

func goField(key string) string {
	for _, f := range goFields {
		if f.key == key {
			return f.field
		}
	}
	return key
}

// inGo replaces the positions of what is below a mark by fields of a job in Go. at is the field
// of the mark with a point, or nothing; prefix stands before it.
func inGo(m *tomlpos.Mark, prefix, at string, g *jobs.Job) {
	places := at == "Loops." || strings.HasSuffix(at, ".Sum.")
	for key, below := range m.Keys {
		field := at + goField(key)
		if places {
			field = strings.TrimSuffix(at, ".") + fmt.Sprintf("[%q]", key)
		}
		if at == "Compiled." && key == "file" {
			field = at + "File"
		}
		below.Pos, below.Text = diag.Pos{File: prefix + field}, diag.Pos{}
		inGo(below, prefix, field+".", g)
		for i, elem := range below.Elems {
			field := element(g, field, i)
			elem.Pos = diag.Pos{File: prefix + field}
			inGo(elem, prefix, field+".", g)
		}
	}
}

// element names an element of a field of the job, with the name that it has itself.
func element(g *jobs.Job, field string, i int) string {
	name := ""
	switch field {
	case "Params":
		name = g.Params[i].Name
	case "Buffers":
		name = g.Buffers[i].Name
	case "Symbols":
		name = g.Symbols[i].Name
	}
	if name != "" {
		name = fmt.Sprintf(" (%.40s)", name)
	}
	return fmt.Sprintf("%s[%d]%s", field, i, name)
}
