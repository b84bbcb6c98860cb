package workload

import (
	"path/filepath"
	"slices"
)

// SourceText is the text of a file that code was compiled from.
type SourceText struct {
	Name string // as the module has it
	Text []byte
}

// Sources reads the files that the kernels were compiled from, by their names in the module: from the working directory, or else from that
// of the module. Those that cannot be read are left out.
func Sources(w *Workload) []SourceText {
	if w.MachineName == "" { // it is from no directory
		return nil
	}
	var names []string
	for _, k := range w.Kernels {
		for i := range k.Graph.Kernel.Instrs {
			if name := k.Graph.Kernel.Instrs[i].Loc.File; name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	var all []SourceText
	for _, name := range names {
		text, err := ReadFile(name)
		if err != nil {
			text, err = ReadFile(filepath.Join(filepath.Dir(w.Module.File), name))
		}
		if err == nil {
			all = append(all, SourceText{name, text})
		}
	}
	return all
}
