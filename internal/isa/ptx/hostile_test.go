package ptx

import (
	"strings"
	"testing"

	"warpbound/internal/test/effort"
)

// TestLargeInputs checks that long inputs of every shape take time in proportion
// to their length: each of them has 2^17 pieces and would take far longer if
// some step were quadratic: minutes.
func TestLargeInputs(t *testing.T) {
	const n, few = 1 << 17, 1 << 12
	large, small := hostile(n), hostile(few)
	for name := range large {
		t.Run(name, func(t *testing.T) {
			work := func(src string) func() {
				return func() {
					if m, err := Parse("t.ptx", []byte(src)); err == nil {
						_, _ = Lower(m) // an error or a program: what counts is the time
					}
				}
			}
			effort.Grows(t, 4*n/few, work(small[name]), work(large[name]))
		})
	}
}

// hostile returns inputs of n pieces by name.
func hostile(n int) map[string]string {
	body := func(s string) string { return prelude + s + "}" }
	return map[string]string{
		"mnemonic":     body("add" + strings.Repeat(" .a", n) + ";"),
		"operands":     body("frob " + strings.Repeat("%r1, ", n) + "%r1;"),
		"dots":         body("mov.u32 %r1, a" + strings.Repeat(".a", n) + ";"),
		"digits":       body("mov.u32 %r1, %r" + strings.Repeat("1", n) + ";"),
		"integer":      body("mov.u32 %r1, " + strings.Repeat("1", n) + ";"),
		"float":        body("mov.f32 %f1, 1." + strings.Repeat("1", n) + ";"),
		"labels":       body(strings.Repeat("a: ", n)),
		"empty":        body(strings.Repeat(";", n)),
		"blocks":       body(strings.Repeat("{}", n)),
		"errors":       body(strings.Repeat("add ];", n)),
		"characters":   body(strings.Repeat("\x01", n)),
		"braces":       body(strings.Repeat("}", n)),
		"blank lines":  body(strings.Repeat("\n#\n", n)),
		"strings":      body(strings.Repeat(`"a"`, n)),
		"unknown":      body(strings.Repeat("frob;", n)),
		"undeclared":   body(strings.Repeat("bra x;", n)),
		"initialiser":  head + ".global .b8 x[] = {" + strings.Repeat("1,", n) + "1};",
		"declarators":  head + ".global .b8 " + strings.Repeat("x,", n) + "y;",
		"dimensions":   head + ".global .b8 x" + strings.Repeat("[1]", n) + ";",
		"attribute":    head + ".global .attribute(" + strings.Repeat("(", n),
		"section":      head + ".section .x {" + strings.Repeat("a ", n) + "}",
		"functions":    head + strings.Repeat(".func f();", n),
		"parameters":   head + ".func f(" + strings.Repeat(".param .b8 x,", n) + ".param .b8 y);",
		"wide scopes":  body(strings.Repeat("{ .reg .b32 %r<9>;", 100) + strings.Repeat("bra %x12345678;", n>>3) + strings.Repeat("}", 100)),
		"open comment": head + "/*" + strings.Repeat("*", n),
	}
}
