package machine

import (
	"embed"
	"fmt"
	"slices"
	"strings"

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

// Builtin returns a built-in machine.
func Builtin(name string) (*Machine, error) {
	src, err := builtinSource(name)
	if err != nil {
		return nil, err
	}
	return Parse(name+".toml", src)
}

// builtinSource returns the file of a built-in machine.
func builtinSource(name string) ([]byte, error) {
	src, err := files.ReadFile(name + ".toml")
	if err != nil {
		return nil, fmt.Errorf("no machine %q%s", name, suggest.HintOf("built in are", name, Names()))
	}
	return src, nil
}
