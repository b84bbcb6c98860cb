package workload

import (
	"fmt"
	"io"
	"path"
	"slices"

	"warpbound/internal/isa"
	"warpbound/internal/isa/klang"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/isa/ptx"
)

// Parsed is a module in the form of its own language.
type Parsed interface {
	// Lower returns the program that the module means.
	Lower() (*isa.Program, error)
	// Print writes the module as text that parses to the same module.
	Print(w io.Writer) error
}

// language is a front end.
type language struct {
	name       string
	extensions []string // of the names of its files; none for the language of all other files
	parse      func(file string, text []byte, accept []string) (Parsed, error)
}

// languages returns the front ends. The last one takes every file that is of no other.
func languages() []language {
	return []language{
		{"mini-SIMT machine code", []string{".simt"}, parseMiniSIMT},
		{"kernel language", []string{".kernel"}, parseKernels},
		{"PTX", nil, parsePTX},
	}
}

// ParseModule parses a module in the language that the extension of its name tells: mini-SIMT
// machine code (.simt), the kernel language that is compiled to it (.kernel), else PTX, of which
// accept names what is taken whatever version and target the module states (ptx.Module).
func ParseModule(file string, text []byte, accept ...string) (Parsed, error) {
	all := languages()
	for _, l := range all {
		for _, ext := range l.extensions {
			if path.Ext(file) == ext {
				return l.parse(file, text, accept)
			}
		}
	}
	return all[len(all)-1].parse(file, text, accept)
}

// PTX is a module in PTX.
type PTX struct{ Module *ptx.Module }

func parsePTX(file string, text []byte, accept []string) (Parsed, error) {
	m, err := ptx.Parse(file, text)
	if err != nil {
		return nil, err
	}
	m.Accept = accept
	return PTX{m}, nil
}

// Lower implements Parsed.
func (m PTX) Lower() (*isa.Program, error) { return ptx.Lower(m.Module) }

// Print implements Parsed.
func (m PTX) Print(w io.Writer) error { return ptx.Print(w, m.Module) }

// miniSIMT is a module in machine code of the mini-SIMT machine.
type miniSIMT struct{ module *minisimt.Module }

func parseMiniSIMT(file string, text []byte, _ []string) (Parsed, error) {
	m, err := minisimt.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return miniSIMT{m}, nil
}

func (m miniSIMT) Lower() (*isa.Program, error) { return minisimt.Lower(m.module) }

func (m miniSIMT) Print(w io.Writer) error {
	_, err := w.Write(minisimt.Print(m.module))
	return err
}

// parseKernels compiles kernels in the kernel language to machine code.
func parseKernels(file string, text []byte, _ []string) (Parsed, error) {
	m, err := klang.Parse(file, text)
	if err != nil {
		return nil, err
	}
	code, err := klang.Compile(m)
	if err != nil {
		return nil, err
	}
	return miniSIMT{code}, nil
}

// printProgram writes the functions of a program.
func printProgram(w io.Writer, p *isa.Program) error {
	for _, f := range p.Funcs {
		what := "function"
		if f.Entry {
			what = "kernel"
		}
		k := isa.Kernel{
			Name: f.Name, Params: f.Params, Vars: slices.Concat(p.Vars, f.Vars), Regs: f.Regs, Instrs: f.Instrs, Labels: f.Labels,
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", what, f.Name); err != nil {
			return err
		}
		if err := printInstrs(w, &k); err != nil {
			return err
		}
	}
	return nil
}

// printInstrs writes the instructions of a kernel with their labels and positions.
func printInstrs(w io.Writer, k *isa.Kernel) error {
	labels := make(map[int][]string)
	for _, l := range k.Labels {
		labels[l.Index] = append(labels[l.Index], l.Name)
	}
	for i := range k.Instrs {
		for _, name := range labels[i] {
			if _, err := fmt.Fprintf(w, "%s:\n", name); err != nil {
				return err
			}
		}
		in := &k.Instrs[i]
		if _, err := fmt.Fprintf(w, "%6d  %-60s %v\n", i, k.Format(in), in.Pos); err != nil {
			return err
		}
	}
	return nil
}
