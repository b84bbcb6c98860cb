package scaffold

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/isa"
	"warpbound/internal/platform"
	"warpbound/internal/workload"
)

// Request says what a job is to be written for.
type Request struct {
	File   string // the module's name, which tells its language
	Text   []byte // its text
	Path   string // of the module from the job file
	Kernel string // its name; empty for the only one
}

// Write writes a job for a kernel of a module. It is an error if the module cannot be read, or if it has no such kernel
// or several to choose from.
func Write(ctx context.Context, req Request) (*estimate.Draft, error) {
	parsed, err := workload.ParseModule(req.File, req.Text)
	if err != nil {
		return nil, err
	}
	program, err := parsed.Lower()
	if err != nil {
		return nil, err
	}
	entry, err := choose(program, req)
	if err != nil {
		return nil, err
	}
	kernel, err := isa.Link(program, entry.Name)
	if err != nil {
		return nil, err
	}
	machine, why := platform.For(program.Language, program.Target)
	g := first(kernel)
	d := &estimate.Draft{
		Module: req.Path, Kernel: entry.Name, Machine: machine, MachineWhy: why,
		Launch: estimate.Launch{Grid: g.grid, Block: g.block}, Several: len(defined(program)) > 1,
	}
	d.Text = render(d, g)
	return d, nil
}

// defined returns the kernels of a program that have a body.
func defined(p *isa.Program) []*isa.Func {
	var all []*isa.Func
	for _, f := range p.Entries() {
		if !f.Extern {
			all = append(all, f)
		}
	}
	return all
}

// choose returns the kernel that a job is written for.
func choose(p *isa.Program, req Request) (*isa.Func, error) {
	all := defined(p)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no kernel", req.File)
	}
	if req.Kernel == "" && len(all) == 1 {
		return all[0], nil
	}
	var names []string
	for _, f := range all {
		if f.Name == req.Kernel {
			return f, nil
		}
		names = append(names, f.Name)
	}
	slices.Sort(names)
	list := strings.Join(names, ", ")
	if req.Kernel == "" {
		return nil, fmt.Errorf("%s has %d kernels, of which a job takes one: warpbound init %s --kernel NAME\nThere are %s", req.File, len(all), req.File, list)
	}
	return nil, fmt.Errorf("%s has no kernel %q; there are %s", req.File, req.Kernel, list)
}
