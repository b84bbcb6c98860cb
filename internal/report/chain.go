package report

import "warpbound/estimate"

// chainLines is how many lines people are shown of a chain.
const chainLines = 10

// chain writes the sums of a chain of causes of a run of so many cycles.
func chain(p *printer, c *estimate.Chain, cycles int64) {
	if c == nil {
		return
	}
	share := func(n int64) float64 { return 100 * float64(n) / float64(max(cycles, 1)) }
	p.printf("\nChain of causes that leads to the last retirement, by what its time is spent on:\n")
	p.table(func(rows *printer) {
		names := make([]string, len(c.ByKind))
		for i, k := range c.ByKind {
			names[i] = k.Kind
		}
		for i, cell := range padded(names) {
			k := &c.ByKind[i]
			rows.printf("  %s\t%s\t%.1f %%\t%s\t\n", cell, group(k.Cycles), share(k.Cycles), counted(int(k.Segments), "segment"))
		}
	})
	shown := c.ByLine[:min(chainLines, len(c.ByLine))]
	p.printf("\nBy line")
	if n := len(c.ByLine); n > len(shown) {
		p.printf(", %d of %d", len(shown), n)
	}
	p.printf(":\n")
	p.table(func(rows *printer) {
		names := make([]string, len(shown))
		for i, l := range shown {
			if names[i] = l.Line; l.Line == "" {
				names[i] = "(no instruction)"
			}
		}
		for i, cell := range padded(names) {
			rows.printf("  %s\t%s\t%.1f %%\t\n", cell, group(shown[i].Cycles), share(shown[i].Cycles))
		}
	})
}
