package instrument

import (
	"strconv"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa/ptx"
)

// target is what recording code may use, by the notes of the PTX ISA on its instructions
// and special registers. No module needs a later version than it states.
type target struct {
	active bool // activemask: PTX 6.2, sm_30; vote.ballot, which it replaces, is gone from PTX 6.4 for sm_70
	timer  bool // %globaltimer: PTX 3.1, sm_30
}

// oldest is what %clock64, %lanemask_lt and vote.ballot need.
const (
	oldestVersion = 200 // 2.0
	oldestTarget  = 20  // sm_20
)

// targetOf reads the version and the target of a module.
func targetOf(m *ptx.Module) (target, error) {
	version, sm := 0, 0
	var pos ptx.Pos
	for _, item := range m.Items {
		switch d, ok := item.(*ptx.Directive); {
		case !ok || len(d.Args) == 0:
		case d.Name == "version":
			version, pos = versionNumber(d.Args[0]), d.Pos
		case d.Name == "target":
			sm, pos = targetNumber(d.Args[0]), d.Pos
		}
	}
	if version < oldestVersion || sm < oldestTarget {
		return target{}, diag.Errorf(diag.Pos{File: m.File, Line: pos.Line, Col: pos.Col},
			"recording needs PTX 2.0 and sm_20 or later; compile the module for them")
	}
	return target{active: version >= 602 && sm >= 30, timer: version >= 301 && sm >= 30}, nil
}

// versionNumber gives 602 for "6.2"; 0 for what is no version.
func versionNumber(s string) int {
	major, minor, _ := strings.Cut(s, ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if err != nil || err2 != nil {
		return 0
	}
	return a*100 + b
}

// targetNumber gives 90 for "sm_90a"; 0 for what is no target.
func targetNumber(s string) int {
	digits, ok := strings.CutPrefix(s, "sm_")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimRight(digits, "abcdefghijklmnopqrstuvwxyz"))
	if err != nil {
		return 0
	}
	return n
}
