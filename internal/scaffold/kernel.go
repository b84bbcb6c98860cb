package scaffold

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warpbound/internal/isa"
	"warpbound/internal/symbol"
)

// defined returns the symbols of the kernels of a program that have a body.
func defined(p *isa.Program) []string {
	var all []string
	for _, f := range p.Entries() {
		if !f.Extern {
			all = append(all, f.Name)
		}
	}
	return all
}

// choose returns the kernel that a job is written for.
func choose(p *isa.Program, req Request) (*isa.Func, error) {
	all := defined(p)
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%s has no kernel", req.File)
	case req.Kernel != "":
		return p.Kernel(req.Kernel)
	case len(all) == 1:
		return p.Func(all[0]), nil
	}
	slices.Sort(all)
	return nil, fmt.Errorf("%s has %d kernels, of which a job takes one; say which with --kernel NAME\nThere are %s",
		req.File, len(all), strings.Join(symbol.ShortAll(all), ", "))
}

// plainest returns the name by which a job calls a kernel: its short name if no other kernel has it, else its symbol.
func plainest(p *isa.Program, kernel string) string {
	if short := symbol.Short(kernel); len(symbol.Find(short, defined(p))) == 1 {
		return short
	}
	return kernel
}

// stem returns the job file's name without an extension: the module's, or of several kernels the kernel's without scopes
// and template arguments if no other has it.
func stem(p *isa.Program, file, kernel string) string {
	all := defined(p)
	if len(all) == 1 {
		return strings.TrimSuffix(path.Base(file), path.Ext(file))
	}
	bare := func(k string) string {
		name, _, _ := strings.Cut(symbol.Short(k), "<")
		return name[strings.LastIndexAny(name, ": ")+1:]
	}
	name := bare(kernel)
	others := slices.DeleteFunc(slices.Clone(all), func(k string) bool { return bare(k) != name })
	if len(others) > 1 || !plainName(name) {
		return kernel
	}
	return name
}

// parameterTypes returns the types that the source gives the parameters of a kernel, as far as its symbol says so; nil if
// it does not.
func parameterTypes(k *isa.Kernel) []string {
	name := symbol.Demangled(k.Name)
	if !strings.HasSuffix(name, ")") {
		return nil
	}
	var types []string
	depth, end := 0, len(name)-1
	for i := end; i >= 0; i-- {
		switch name[i] {
		case ')', '>', ']', '}':
			depth++
		case '(', '<', '[', '{':
			if depth--; depth > 0 {
				continue
			}
			types = append(types, strings.TrimSpace(name[i+1:end]))
			slices.Reverse(types)
			if len(types) != len(k.Params) {
				return nil
			}
			return types
		case ',':
			if depth == 1 {
				types = append(types, strings.TrimSpace(name[i+1:end]))
				end = i
			}
		}
	}
	return nil
}
