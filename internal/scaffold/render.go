package scaffold

import (
	"fmt"
	"strings"

	"warpbound/estimate"
)

// render writes the job as a commented file.
func render(d *estimate.Draft, g *guess) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# A job for the kernel %s. What is guessed says so: check it.", d.Kernel)
	line("module  = %q", d.Module)
	line("kernel  = %q", d.Kernel)
	line("machine = %q # %s", d.Machine, d.MachineWhy)
	line("grid    = [%d, %d, %d] # a guess: CTAs in x, y and z", g.grid[0], g.grid[1], g.grid[2])
	line("block   = [%d, %d, %d] # a guess: threads of a CTA", g.block[0], g.block[1], g.block[2])
	for _, p := range g.params {
		line("\n[[param]]")
		if !p.fields {
			p.words[0].name = p.name
			renderWord(line, &p.words[0])
			continue
		}
		line("name  = %q", p.name)
		line("type  = \"struct\"")
		line("bytes = %d", p.bytes)
		for i := range p.words {
			line("\n[[param.field]]")
			renderWord(line, &p.words[i])
			line("offset = %d", p.words[i].offset)
		}
	}
	return b.String()
}

func renderWord(line func(format string, args ...any), w *word) {
	line("name  = %q", w.name)
	switch {
	case w.buffer != nil:
		line("type  = %q", w.buffer.typ)
		line("count = %d # a guess", w.buffer.count)
	case w.typ.IsFloat():
		line("type  = %q", w.typ)
		line("value = 1.0 # a guess")
	default:
		line("type  = %q", w.typ)
		line("value = %d # a guess", w.value)
	}
}
