package isa

import (
	"strconv"
	"strings"
)

// Target is the architecture of GPUs that a module was compiled for: 87 of sm_87, with the letter of
// sm_90a or sm_100f.
type Target struct {
	SM     int  // compute capability times ten
	Suffix byte // 'a', 'f', or 0 for none
}

// ParseTarget reads the name of an architecture as .target has it. It reports false for anything else, such as
// the name of the mini-SIMT machine.
func ParseTarget(name string) (Target, bool) {
	digits, ok := strings.CutPrefix(name, "sm_")
	if !ok || digits == "" {
		return Target{}, false
	}
	var t Target
	if last := digits[len(digits)-1]; last == 'a' || last == 'f' {
		t.Suffix, digits = last, digits[:len(digits)-1]
	}
	if len(digits) < 2 || len(digits) > 3 || strings.Trim(digits, "0123456789") != "" || digits[0] == '0' {
		return Target{}, false
	}
	t.SM, _ = strconv.Atoi(digits) // digits alone
	return t, true
}

// RunsOn reports whether GPUs of an architecture run code for the target: those of its generation or a later one,
// of the same architecture alone if the target ends with a, of the same family if it ends with f (PTX ISA, ".target").
func (t Target) RunsOn(sm int) bool {
	switch t.Suffix {
	case 'a':
		return sm == t.SM
	case 'f':
		return sm >= t.SM && familyOf(sm) == familyOf(t.SM)
	}
	return sm >= t.SM
}

// familyOf numbers the family of an architecture. sm_101 has another one than sm_100: it is sm_110
// of PTX before 9.0.
func familyOf(sm int) int {
	if sm == 101 {
		sm = 110
	}
	return sm / 10
}

// Has reports whether code for the target may use what another one has: what all have from an
// architecture on, or what only the other has, or what the family of the other has, if the target
// ends with a letter itself.
func (t Target) Has(other Target) bool {
	if other.Suffix == 'f' {
		return t.Suffix != 0 && other.RunsOn(t.SM)
	}
	return other.Suffix == 0 && other.RunsOn(t.SM) || t == other
}

// String returns the name of the architecture, as .target has it.
func (t Target) String() string {
	if t.Suffix == 0 {
		return "sm_" + strconv.Itoa(t.SM)
	}
	return "sm_" + strconv.Itoa(t.SM) + string(t.Suffix)
}

// architectures are the names by which people know architectures (CUDA C++ Programming Guide, Compute Capabilities).
var architectures = map[int]string{
	20: "Fermi", 21: "Fermi", 30: "Kepler", 32: "Tegra K1", 35: "Kepler", 37: "Kepler", 50: "Maxwell", 52: "Maxwell",
	53: "Tegra X1", 60: "Pascal", 61: "Pascal", 62: "Tegra X2", 70: "Volta", 72: "Xavier", 75: "Turing", 80: "Ampere", 86: "Ampere",
	87: "Orin", 89: "Ada", 90: "Hopper", 100: "Blackwell", 103: "Blackwell", 120: "Blackwell",
}

// Named returns the name of an architecture with the one by which people know it, if they do: "sm_87 (Orin)".
func Named(target string) string {
	t, _ := ParseTarget(target)
	if name := architectures[t.SM]; name != "" {
		return target + " (" + name + ")"
	}
	return target
}
