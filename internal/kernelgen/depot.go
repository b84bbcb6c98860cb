package kernelgen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// homeless are the registers that code which is not optimised keeps in memory.
var homeless = regexp.MustCompile(`%(?:w\d+|b32_\d+|thread|cta|global)\b`)

// depot moves the 32-bit words of some code to local memory, as compilers do that do not optimise: each instruction
// loads what it reads and stores what it writes. The addresses are generic ones or those of local memory.
func (g *generator) depot(code string) string {
	space, base := "", "%SP"
	if g.chance(40) {
		space, base = ".local", "%SPL"
	}
	homes := map[string]string{}
	var b strings.Builder
	for line := range strings.Lines(code) {
		guard, instruction := "", strings.TrimSpace(line)
		if strings.HasPrefix(instruction, "@") {
			guard, instruction, _ = strings.Cut(instruction, " ")
		}
		names := slices.Compact(slices.Sorted(slices.Values(homeless.FindAllString(instruction, -1))))
		if strings.HasPrefix(instruction, ".") || len(names) == 0 {
			b.WriteString(line)
			continue
		}
		written, read := results(instruction)
		for _, name := range names {
			if homes[name] == "" {
				homes[name] = fmt.Sprintf("[%s+%d]", base, 4*len(homes))
			}
			if guard != "" || slices.Contains(read, name) {
				fmt.Fprintf(&b, "\tld%s.u32 %s, %s;\n", space, name, homes[name])
			}
		}
		b.WriteString(line)
		for _, name := range written {
			fmt.Fprintf(&b, "\tst%s.u32 %s, %s;\n", space, homes[name], name)
		}
	}
	return fmt.Sprintf(`	.local .align 4 .b8 depot[%d];
	.reg .b64 %%SPL, %%SP;
	mov.u64 %%SPL, depot;
	cvta.local.u64 %%SP, %%SPL;
`, max(4*len(homes), 4)) + b.String()
}

// results returns the words that an instruction writes, and those that it reads.
func results(instruction string) (written, read []string) {
	mnemonic, operands, _ := strings.Cut(instruction, " ")
	first, rest := "", operands
	switch name, _, _ := strings.Cut(mnemonic, "."); name {
	case "st", "red", "bar", "bra", "brx", "cp", "membar", "fence":
	default:
		end := strings.IndexByte(operands, ',')
		if strings.HasPrefix(operands, "{") {
			end = strings.IndexByte(operands, '}')
		}
		first, rest = operands[:max(end, 0)], operands[max(end, 0):]
	}
	return homeless.FindAllString(first, -1), homeless.FindAllString(rest, -1)
}
