package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/emicklei/dot"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// Module writes what is known of a module for people.
func Module(w io.Writer, m *estimate.Module) error {
	p := &printer{w: w}
	p.printf("module %s: %s %s, target %s, %d-bit addresses\n", m.File, m.Language, m.Version, m.Target, m.AddressBits)
	if len(m.Kernels) == 0 {
		p.printf("no kernels\n")
	}
	for i := range m.Kernels {
		p.printf("\n")
		inspected(p, &m.Kernels[i])
	}
	if len(m.Refused) > 0 {
		p.printf("\nkernels that cannot be executed, by reason:\n")
	}
	for _, r := range m.Refused {
		p.printf("  %s (%s): %s\n", r.Reason, r.Pos, strings.Join(symbol.ShortAll(r.Kernels), ", "))
	}
	if len(m.Warnings) > 0 {
		p.printf("\n")
	}
	warnings(p, m.Warnings)
	return p.err
}

func inspected(p *printer, k *estimate.Kernel) {
	p.printf("kernel %s (%s)\n", symbol.Readable(k.Name), k.Pos)
	if k.Demangled != "" {
		p.printf("  symbol: %s\n", k.Name)
	}
	p.printf("  %d instructions, about %d registers per thread, %d bytes of shared memory\n", k.Instructions, k.Registers, k.Shared)
	p.printf("  parameters: %s\n", orNone(strings.Join(k.Params, ", ")))
	if k.Launch != nil {
		p.printf("  launch: grid %v, block %v\n", k.Launch.Grid, k.Launch.Block)
	}
	notes := make(map[int]string)
	for _, b := range k.Branches {
		notes[b.Instr] = "  // " + b.Verdict
	}
	for _, a := range k.Accesses {
		notes[a.Instr] = "  // " + a.String()
	}
	p.printf("  blocks:\n")
	for _, b := range k.Blocks {
		var to []string
		for _, e := range b.Edges {
			to = append(to, fmt.Sprintf("%s (%s)", symbol.Label(e.To), e.Kind))
		}
		note := ""
		if !b.Reachable {
			note = ", never reached"
		}
		p.printf("    %s (%s%s) > %s\n", symbol.Label(b.Name), b.Pos, note, strings.Join(to, ", "))
		for i, code := range b.Code {
			p.printf("      %4d  %s%s\n", b.Start+i, symbol.Label(code), notes[b.Start+i])
		}
	}
	p.printf("  loops:%s\n", noneIf(len(k.Loops) == 0))
	for _, l := range k.Loops {
		p.printf("    %s%s (%s): %d blocks (%s), back from %s; bound: %s\n", strings.Repeat("  ", l.Depth-1),
			symbol.Label(l.Header), l.Pos, len(l.Blocks), symbol.Label(strings.Join(l.Blocks, ", ")), froms(l.Back), symbol.Label(l.Bound))
	}
	p.printf("  branches:%s\n", noneIf(len(k.Branches) == 0))
	for _, b := range k.Branches {
		p.printf("    %s (%s), reconverges at %s: %s%s\n", symbol.Label(b.Block), b.Pos, symbol.Label(b.Reconverge), b.Verdict, from(b.Origin))
	}
	p.printf("  accesses to global and shared memory:%s\n", listed(k, len(k.Accesses), estimate.InspectedAccesses))
	for i := range k.Accesses {
		a := &k.Accesses[i]
		p.printf("    %d (%s), %s %s of %d bytes at %s: %s%s\n", a.Instr, a.Pos, a.Space, a.Kind, a.Bytes, orNone(a.Address), a, because(a.Reason))
	}
	raceVerdict(p, k.Races)
	p.printf("  edges added by divergence:%s\n", listed(k, len(k.Added), estimate.InspectedEdges))
	for _, e := range k.Added {
		p.printf("    %s > %s\n", symbol.Label(e.From), symbol.Label(e.To))
	}
}

// because gives a reason, if there is one.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return "; " + reason
}

// from says what makes threads differ.
func from(o *estimate.Origin) string {
	if o == nil {
		return ""
	}
	return fmt.Sprintf(", from %s (%s)", o.Text, o.Pos)
}

func froms(edges []estimate.Edge) string {
	var names []string
	for _, e := range edges {
		names = append(names, symbol.Label(e.From))
	}
	return strings.Join(names, ", ")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// listed says in place of a list of a kernel that it is empty, or not known.
func listed(k *estimate.Kernel, n int, part estimate.Inspected) string {
	if slices.Contains(k.NotAnalysed, part) {
		return " not known"
	}
	return noneIf(n == 0)
}

func noneIf(none bool) string {
	if none {
		return " none"
	}
	return ""
}

// DOT writes the flow graph of each kernel of the module as one graph in the DOT
// language: a cluster for each kernel, loop headers doubled, edges that
// divergence adds dashed.
func DOT(w io.Writer, m *estimate.Module) error {
	g := dot.NewGraph(dot.Directed)
	g.Attr("label", m.File)
	for i := range m.Kernels {
		cluster(g, &m.Kernels[i])
	}
	_, err := io.WriteString(w, g.String())
	return err
}

func cluster(g *dot.Graph, k *estimate.Kernel) {
	sub := g.Subgraph(k.Name, dot.ClusterOption{}).Label(symbol.Readable(k.Name))
	node := func(name string) dot.Node { return sub.Node(name) }
	headers := make(map[string]bool)
	for _, l := range k.Loops {
		headers[l.Header] = true
	}
	for _, b := range k.Blocks {
		n := node(b.Name).Box().Label(fmt.Sprintf("%s\n%s\n%d instructions", symbol.Label(b.Name), b.Pos, b.End-b.Start))
		if headers[b.Name] {
			n.Attr("peripheries", "2")
		}
	}
	for _, b := range k.Blocks {
		for _, e := range b.Edges {
			sub.Edge(node(b.Name), node(e.To), e.Kind)
		}
	}
	for _, e := range k.Added {
		sub.Edge(node(e.From), node(e.To)).Attr("style", "dashed").Attr("color", "red")
	}
}
