// Package provenance tells which build of the tool makes a result.
//
// It reads what the Go toolchain writes into programs, and imports estimate and nothing else of
// this project.
package provenance

import (
	"runtime/debug"

	"warpbound/estimate"
)

// name is that of the tool, and of its module.
const name = "warpbound"

// unversioned is the version of a build from a tree without one, as the toolchain has it.
const unversioned = "(devel)"

// Of returns the provenance of a result of this program. It is the same for the life of a build.
func Of() estimate.Provenance {
	p := estimate.Provenance{Schema: estimate.Schema, Tool: estimate.Tool{Name: name, Version: unversioned}}
	if info, ok := debug.ReadBuildInfo(); ok {
		p.Tool = tool(info)
	}
	return p
}

// tool finds the module of the tool in a program, which may be one that embeds it. The commit is
// known only if the program is the tool itself.
func tool(info *debug.BuildInfo) estimate.Tool {
	t := estimate.Tool{Name: name, Version: unversioned}
	if info.Main.Path != name {
		for _, m := range info.Deps {
			if m.Path != name {
				continue
			}
			if m.Replace != nil {
				m = m.Replace
			}
			if m.Version != "" {
				t.Version = m.Version
			}
		}
		return t
	}
	if info.Main.Version != "" {
		t.Version = info.Main.Version
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			t.Commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if t.Commit != "" && modified {
		t.Commit += "+modified"
	}
	return t
}
