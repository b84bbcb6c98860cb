package machine

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"warpbound/internal/suggest"
)

//go:embed *.toml
var files embed.FS

// Names returns the names of the built-in machines in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the embedded root directory always exists
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".toml")
	}
	slices.Sort(names) // those of the files are in another order
	return names
}

// IsFile tells the path of a machine file from the name of a built-in machine.
func IsFile(name string) bool { return strings.ContainsAny(name, `/\.`) }

// builtins parses each built-in machine, by name, when it is first asked for: to copy one takes
// much less.
var builtins = func() map[string]func() (*Machine, error) {
	all := make(map[string]func() (*Machine, error))
	for _, name := range Names() {
		all[name] = sync.OnceValues(func() (*Machine, error) {
			src, err := builtinSource(name)
			if err != nil {
				return nil, err
			}
			return Parse(name+".toml", src)
		})
	}
	return all
}()

// Builtin returns a built-in machine, which the caller may change.
func Builtin(name string) (*Machine, error) {
	parse, ok := builtins[name]
	if !ok {
		_, err := builtinSource(name)
		return nil, err
	}
	m, err := parse()
	if err != nil {
		return nil, err
	}
	return m.clone(), nil
}

// clone returns a copy of the machine that shares nothing with it.
func (m *Machine) clone() *Machine {
	out := *m
	out.Sources, out.Origins, out.Modes = maps.Clone(m.Sources), maps.Clone(m.Origins), slices.Clone(m.Modes)
	out.Pipelines, out.Classes = maps.Clone(m.Pipelines), maps.Clone(m.Classes)
	out.Dependences, out.CarveOuts = maps.Clone(m.Dependences), maps.Clone(m.CarveOuts)
	out.Operations, out.Tensor, out.StandIns = maps.Clone(m.Operations), maps.Clone(m.Tensor), maps.Clone(m.StandIns)
	return &out
}

// builtinSource returns the file of a built-in machine.
func builtinSource(name string) ([]byte, error) {
	src, err := files.ReadFile(name + ".toml")
	if err != nil {
		return nil, fmt.Errorf("no machine %q%s", name, suggest.HintOf("built in are", name, Names()))
	}
	return src, nil
}
