// Package gpu runs jobs on a cuda.Device: it makes of a job's module what a device can be
// given (Prepare, NewProgram), and starts every run of it from the same state (Runner).
//
// gpu must not import the methods, the simulators or the renderers, and no driver: its
// caller opens the device.
package gpu

import (
	"warpbound/diag"
	"warpbound/internal/cuda"
	"warpbound/internal/instrument"
	"warpbound/internal/isa/ptx"
)

// Program is a module as a device's compiler gets it.
type Program struct {
	Text  []byte
	file  string
	lines []ptx.Pos // of the module that the text was made of, by line of the text
}

// NewProgram makes the text of a module with recording code.
func NewProgram(c *instrument.Code) (*Program, error) {
	text, lines, err := c.Text()
	if err != nil {
		return nil, err
	}
	return &Program{Text: []byte(text), file: c.Module.File, lines: lines}, nil
}

// Plain makes the text of a module without recording code.
func Plain(m *ptx.Module) (*Program, error) { return NewProgram(&instrument.Code{Module: m}) }

// place returns where in the user's module a line of the text is from: the file alone if that
// is not known.
func (p *Program) place(line int) diag.Pos {
	if line < 1 || line > len(p.lines) {
		return diag.Pos{File: p.file}
	}
	at := p.lines[line-1]
	return diag.Pos{File: p.file, Line: at.Line, Col: at.Col}
}

// Warnings returns what the compiler warns of, with places in the user's module.
func (p *Program) Warnings(log []cuda.Message) []diag.Warning {
	var warnings []diag.Warning
	for _, m := range log {
		if m.Severity != cuda.Info {
			warnings = append(warnings, diag.Warning{Pos: p.place(m.Line), ID: "device-compiler", Text: m.Text})
		}
	}
	return warnings
}
