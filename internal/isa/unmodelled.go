package isa

import (
	"fmt"
	"strings"

	"warpbound/diag"
)

// UnmodelledInstrs warns of the instructions of a list that have an effect that is not
// modelled: once for each form, at the first instruction that has it. name is that of the
// function or the kernel whose instructions they are.
func UnmodelledInstrs(name string, instrs []Instr) []diag.Warning {
	type form struct{ mnemonic, reason string }
	var first []*Instr
	count := make(map[form]int)
	of := func(in *Instr) form { return form{in.mnemonic(), in.Reason} }
	for i := range instrs {
		in := &instrs[i]
		if in.Op.Info().Effect&Unmodelled == 0 {
			continue
		}
		if count[of(in)]++; count[of(in)] == 1 {
			first = append(first, in)
		}
	}
	var warnings []diag.Warning
	for _, in := range first {
		text := "unknown instruction " + in.Brief()
		if in.Reason != "" {
			text = in.Brief() + " cannot be executed: " + in.Reason
		}
		if n := count[of(in)]; n > 1 {
			text += fmt.Sprintf(" (%d of this form in %s)", n, name)
		}
		warnings = append(warnings, diag.Warning{Pos: in.Pos, ID: "unknown-instruction", Text: text})
	}
	return warnings
}

// mnemonic returns the first word of an instruction's text, behind its guard.
func (in *Instr) mnemonic() string {
	text := in.Text
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	word, _, _ := strings.Cut(text, " ")
	return word
}

// Brief returns the beginning of the text of an instruction, for a message.
func (in *Instr) Brief() string {
	const longest = 200
	if len(in.Text) > longest {
		return in.Text[:longest] + "..."
	}
	return in.Text
}

// Obstacle says why an instruction cannot be executed, because its effect is not modelled or
// because it calls what is not there. It is empty for all others.
func (in *Instr) Obstacle() string {
	switch {
	case in.Op != Call && in.Op.Info().Effect&Unmodelled == 0:
		return ""
	case in.Reason == "":
		return "the instruction is not known"
	}
	return in.Reason
}
