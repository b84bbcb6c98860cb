package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"warpbound/internal/isa"
)

// level is what a module says of itself, or what an instruction needs of that.
type level struct {
	version int          // ten times the version of PTX: 78 for 7.8
	targets []isa.Target // of the module, or any of which an instruction needs; none where nothing is known or needed
}

// levelOf reads the arguments of .version and .target. What cannot be read allows all instructions.
func levelOf(version, target string) level {
	l := level{version: 1 << 10}
	major, minor, _ := strings.Cut(version, ".")
	m, errMajor := strconv.Atoi(major)
	n, errMinor := strconv.Atoi(minor)
	if errMajor == nil && errMinor == nil && n < 10 {
		l.version = 10*m + n
	}
	if t, ok := isa.ParseTarget(target); ok {
		l.targets = []isa.Target{t}
	}
	return l
}

// allowsNeed reports whether a module may use what needs another level.
func (l level) allowsNeed(need level) bool {
	return l.version >= need.version && (need.targets == nil || l.targets == nil || slices.ContainsFunc(need.targets, l.targets[0].Has))
}

// String gives what an instruction needs, with the version from which PTX has the target.
func (l level) String() string {
	if l.targets == nil {
		return fmt.Sprintf(".version %d.%d", l.version/10, l.version%10)
	}
	shown := l.targets[0]
	if shown.Suffix == 'f' { // PTX had the names of architectures before those of families
		shown.Suffix = 'a'
	}
	version := max(l.version, versionOf(shown))
	return fmt.Sprintf(".version %d.%d and .target %v", version/10, version%10, shown)
}

// versionOf gives the version of PTX that came with a target, as the "Release History" of the
// manual has it.
func versionOf(t isa.Target) int {
	if t == (isa.Target{SM: 90, Suffix: 'a'}) {
		return 80
	}
	return targetVersions[t.SM]
}

var targetVersions = map[int]int{
	10: 10, 11: 10, 12: 12, 13: 12, 20: 20, 21: 20, 30: 30, 32: 40, 35: 31, 37: 41, 50: 40, 52: 41, 53: 42, 60: 50, 61: 50, 62: 50,
	70: 60, 72: 61, 75: 63, 80: 70, 86: 71, 87: 74, 88: 90, 89: 78, 90: 78, 100: 86, 101: 86, 103: 88, 110: 90, 120: 87, 121: 88,
}

// compiledGate is a gate whose notation is read.
type compiledGate struct {
	words    [][]string // alternatives for each word behind the first one, in their order
	without  []string   // words that must be missing
	operands string     // of the form; empty for any
	need     level
	below    int
}

// compiledGates gives the gates by the first words of mnemonics and by the names of special
// registers.
var compiledGates = sync.OnceValue(func() map[string][]compiledGate {
	table := make(map[string][]compiledGate)
	for _, g := range gates {
		c := compiledGate{need: level{version: g.version}, below: g.below}
		mnemonic, operands, _ := strings.Cut(g.forms, " ")
		c.operands = operands
		all := strings.Split(mnemonic, ".")
		for _, word := range all[1:] {
			if missing, ok := strings.CutPrefix(word, "!"); ok {
				c.without = append(c.without, missing)
			} else {
				c.words = append(c.words, strings.Split(word, "|"))
			}
		}
		for name := range strings.SplitSeq(g.target, "|") {
			if t, ok := isa.ParseTarget(name); ok {
				c.need.targets = append(c.need.targets, t)
			}
		}
		for name := range strings.SplitSeq(all[0], "|") {
			table[name] = append(table[name], c)
		}
	}
	return table
})

// matchesNote reports whether the note is on an instruction with these words behind the first one
// and the operands of this form.
func (g *compiledGate) matchesNote(given []string, operands string) bool {
	if !strings.Contains(operands, g.operands) || slices.ContainsFunc(g.without, func(w string) bool { return slices.Contains(given, w) }) {
		return false
	}
	for _, alternatives := range g.words {
		at := slices.IndexFunc(given, func(w string) bool { return slices.Contains(alternatives, w) })
		if at < 0 {
			return false
		}
		given = given[at+1:]
	}
	return true
}

// needOf gives what an instruction, with the operands of its form, or a special register needs of a
// module of a level.
func needOf(name, operands string, of level) level {
	first, rest, _ := strings.Cut(name, ".")
	given := strings.Split(rest, ".")
	var need level
	for _, g := range compiledGates()[first] {
		if !g.matchesNote(given, operands) || g.below > 0 && of.targets != nil && of.targets[0].SM >= g.below {
			continue
		}
		need.version = max(need.version, g.need.version)
		if isStronger(g.need.targets, need.targets) {
			need.targets = g.need.targets
		}
	}
	return need
}

// isStronger reports whether to need some targets is more than to need others: architectures of
// their own are more than all from one on.
func isStronger(a, b []isa.Target) bool {
	switch {
	case a == nil || b == nil:
		return b == nil
	case (a[0].Suffix == 0) != (b[0].Suffix == 0):
		return b[0].Suffix == 0
	}
	return a[0].SM > b[0].SM
}

// gateKey tells apart the instructions that may need different levels.
type gateKey struct {
	mnemonic string
	operands string // of the form
}

// gateInstr returns why the module may not use an instruction that was lowered, by its .version and
// .target: the instruction itself, or a special register that it reads. It is empty for what the
// module has or accepts.
func (fn *function) gateInstr(x *Instr) string {
	key := gateKey{fn.dialect.mnemonic(x.Mnemonic), fn.operandsOfForm}
	need, known := fn.needs[key]
	if !known {
		need = needOf(key.mnemonic, key.operands, fn.level)
		fn.needs[key] = need
	}
	reason := fn.admitName(x, x.Mnemonic, need)
	for _, name := range fn.specials {
		if reason == "" {
			reason = fn.admitName(x, name, needOf(name, "", fn.level))
		}
	}
	return reason
}

// admitName is gateInstr for one name in an instruction.
func (fn *function) admitName(x *Instr, name string, need level) string {
	switch {
	case fn.level.allowsNeed(need):
		return ""
	case slices.Contains(fn.Accept, name):
		fn.program.Accepted = append(fn.program.Accepted, isa.Accepted{Name: name, Pos: fn.at(x.Pos)})
		return ""
	}
	return fmt.Sprintf("%s needs %v; the module says .version %s, %s", name, need, fn.program.Version, fn.program.Target)
}

// withholdInstr gives the instruction that stands for one that the module may not use.
func (fn *function) withholdInstr(x *Instr, reason string) isa.Instr {
	in := fn.unmodelled(x, reason)
	if in.Op == isa.Unknown {
		in.Reason = reason
	}
	return in
}
