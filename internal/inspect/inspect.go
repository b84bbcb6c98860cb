// Package inspect gathers what is known of a module without running it: its
// kernels with their blocks, loops, branches and the edges that divergence adds.
//
// It describes, it does not judge: every program that parses can be inspected,
// and what could not be found out becomes a warning. It knows no timing and must
// not import the simulator, the methods or the renderers.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/flow"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/promote"
	"warpbound/internal/flow/value"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/symbol"
)

// EdgeFinder finds the edges that divergence adds to a flow graph.
type EdgeFinder func(*cfg.Graph) ([]graph.Edge, error)

// Inspect describes a program; kernel limits it to one kernel unless empty.
// divergent finds the edges that divergence adds to a flow graph and is called from several
// goroutines at a time, launches what is known of the launches of kernels, by name. It is an
// error if there is no such kernel. If ctx ends, the error is that of ctx, and the module has the flow graph of
// every kernel, and a warning for each that says what was not analysed.
func Inspect(
	ctx context.Context, p *isa.Program, kernel string, divergent EdgeFinder, launches map[string]launchfacts.Launch,
) (*estimate.Module, error) {
	entries := p.Entries()
	if kernel != "" {
		f, err := p.Kernel(kernel)
		if err != nil {
			return nil, err
		}
		entries = []*isa.Func{f}
	}
	m := &estimate.Module{File: p.File, Language: p.Language, Version: p.Version, Target: p.Target, AddressBits: p.AddressBits, Kernels: []estimate.Kernel{}}
	obstacles := slices.Clone(p.Warnings)
	var warnings []diag.Warning
	refused := refusals{list: []estimate.Refusal{}, at: make(map[string]int)}
	entry := func(f *isa.Func) finding { return inspectEntry(ctx, p, f, divergent, launches[f.Name]) }
	for i, found := range inParallel(entries, entry) {
		refused.add(entries[i].Name, found.refused)
		if found.kernel != nil {
			m.Kernels = append(m.Kernels, *found.kernel)
		}
		obstacles = append(obstacles, found.obstacles...)
		warnings = append(warnings, found.warnings...)
	}
	m.Refused = refused.list
	m.Warnings = estimate.Warnings(append(distinct(obstacles), warnings...))
	if slices.ContainsFunc(m.Kernels, func(k estimate.Kernel) bool { return k.NotAnalysed != nil }) {
		return m, ctx.Err()
	}
	return m, nil
}

// finding is what is found out about one entry function.
type finding struct {
	kernel    *estimate.Kernel // nil if it has no flow graph
	obstacles []diag.Warning
	refused   []diag.Warning // the obstacles by their reasons alone
	warnings  []diag.Warning
}

func inspectEntry(
	ctx context.Context, p *isa.Program, f *isa.Func, divergent EdgeFinder, launch launchfacts.Launch,
) finding {
	if f.Extern {
		return finding{warnings: []diag.Warning{{Pos: f.Pos, ID: "declared-only", Text: "kernel " + f.Readable() + " is declared but not defined"}}}
	}
	linked, err := isa.Link(p, f.Name)
	if err != nil {
		return finding{warnings: []diag.Warning{warning(f.Pos, "no-flow-graph", err)}}
	}
	found := finding{obstacles: isa.Obstacles(linked), refused: reasons(linked)}
	found.kernel, found.warnings, err = inspectKernel(ctx, linked, divergent, launch)
	if err != nil {
		found.warnings = append(found.warnings, warning(f.Pos, "no-flow-graph", err))
	}
	return found
}

// inParallel applies f to all items on all processors and returns the results in
// the order of the items.
func inParallel[T, R any](items []T, f func(T) R) []R {
	results := make([]R, len(items))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
				results[i] = f(items[i])
			}
		})
	}
	group.Wait()
	return results
}

// warning says that err happened, at the place that it names or else at pos.
func warning(pos diag.Pos, id string, err error) diag.Warning {
	if placed := (*diag.Error)(nil); errors.As(err, &placed) && placed.Pos.Known() {
		pos, err = placed.Pos, placed.Err
	}
	return diag.Warning{Pos: pos, ID: id, Text: err.Error()}
}

// distinct keeps one obstacle for each place: a function that is expanded at
// several calls has its obstacles as often, and linking finds what lowering has
// warned of already.
func distinct(warnings []diag.Warning) []diag.Warning {
	seen := make(map[diag.Pos]bool)
	var out []diag.Warning
	for _, w := range warnings {
		if !seen[w.Pos] {
			seen[w.Pos] = true
			out = append(out, w)
		}
	}
	return out
}

func inspectKernel(
	ctx context.Context, k *isa.Kernel, divergent EdgeFinder, launch launchfacts.Launch,
) (*estimate.Kernel, []diag.Warning, error) {
	g, err := cfg.Build(k)
	if err != nil {
		return nil, nil, err
	}
	var warnings []diag.Warning
	if err := g.CheckReducible(); err != nil {
		warnings = append(warnings, warning(k.Pos, "irreducible", err))
	}
	for _, e := range g.Endless() {
		warnings = append(warnings, warning(e.Pos, "endless-loop", e))
	}
	if err := g.CheckSyncs(); err != nil {
		warnings = append(warnings, warning(k.Pos, "no-sync", err))
	}
	warnings = append(warnings, flow.UninitialisedRegisters(g)...)
	var missing []estimate.Inspected
	judged, err := judgeBranches(ctx, g, launch)
	if err != nil {
		missing = append(missing, estimate.InspectedBranches)
	}
	warnings = append(warnings, unexplained(g, judged.err)...)
	if judged.verdicts != nil {
		warnings = append(warnings, judged.verdicts.Limited()...)
	}
	added, done := finishWithin(ctx, func() addition { return addEdges(g, divergent) })
	if !done {
		missing = append(missing, estimate.InspectedEdges)
	}
	if added.err != nil {
		warnings = append(warnings, warning(k.Pos, "no-divergent-edges", added.err))
	}
	out := &estimate.Kernel{
		Name: k.Name, Demangled: symbol.Demangled(k.Name), Pos: k.Pos.String(),
		Instructions: len(k.Instrs),
		Registers:    flow.Registers(g),
		Blocks:       blocks(g),
		Loops:        loops(g),
		Branches:     branches(g, judged.verdicts),
		Added:        names(g, added.edges),
		Reducible:    g.Loops().Irreducible() == nil,
		Params:       []string{},
		Accesses:     []estimate.Access{},
	}
	for _, v := range k.Params {
		out.Params = append(out.Params, fmt.Sprintf("%s %s", v.Name, typeOf(&v)))
	}
	for _, v := range k.Vars {
		if v.Space == isa.Shared {
			out.Shared += v.Bytes
		}
	}
	if launch.Known() {
		out.Launch = &estimate.Launch{Grid: launch.Grid, Block: launch.Block}
	}
	lacks, limited := addValues(ctx, out, judged)
	missing, warnings = append(missing, lacks...), append(warnings, limited...)
	if out.NotAnalysed = missing; missing != nil {
		warnings = append(warnings, unfinished(k, missing))
	}
	return out, warnings, nil
}

// unfinished warns that not all is known of a kernel, since time was up.
func unfinished(k *isa.Kernel, missing []estimate.Inspected) diag.Warning {
	text := fmt.Sprintf("kernel %s is not analysed to the end, since time was up; not known: ", symbol.Readable(k.Name))
	for i, part := range missing {
		if i > 0 {
			text += ", "
		}
		text += string(part)
	}
	return diag.Warning{Pos: k.Pos, ID: "not-analysed", Text: text}
}

// finishWithin returns the result of an analysis; false if ctx ends before. The analysis does not
// look at ctx: one that has begun is left behind then, and nothing sees what it finds.
func finishWithin[T any](ctx context.Context, analyse func() T) (result T, done bool) {
	if ctx.Err() != nil {
		return result, false
	}
	found := make(chan T, 1)
	go func() { found <- analyse() }()
	select {
	case result = <-found:
		return result, true
	case <-ctx.Done():
		return result, false
	}
}

// addition is what divergence adds to a flow graph.
type addition struct {
	edges []graph.Edge
	err   error
}

func addEdges(g *cfg.Graph, divergent EdgeFinder) addition {
	edges, err := divergent(g)
	return addition{edges, err}
}

// judgement is which branches of a kernel may diverge under a launch, and its graph with places of local memory as
// registers.
type judgement struct {
	launch   launchfacts.Launch
	promoted *cfg.Graph         // nil if it is not known
	values   *value.Result      // of its registers, nil if it did not take them to tell the places
	verdicts *divergence.Result // nil if there are none
	err      error              // why
}

// judgeBranches judges the branches of a kernel. The error is that of ctx.
func judgeBranches(ctx context.Context, g *cfg.Graph, launch launchfacts.Launch) (judgement, error) {
	j := judgement{launch: launch}
	var err error
	if j.promoted, j.values, err = promote.Slots(ctx, g, launch); err != nil {
		return j, err
	}
	d, err := verdicts(ctx, j.promoted, launch.Effort)
	if ctx.Err() != nil {
		return j, ctx.Err()
	}
	j.verdicts, j.err = d, err
	return j, nil
}

func typeOf(v *isa.Var) string {
	if n := v.Type.Bytes(); n > 0 && v.Bytes != n {
		return fmt.Sprintf("%s[%d]", v.Type, v.Bytes/n)
	}
	return v.Type.String()
}

func blocks(g *cfg.Graph) []estimate.Block {
	out := make([]estimate.Block, len(g.Blocks))
	for i, b := range g.Blocks {
		out[i] = estimate.Block{Name: b.Name, Pos: b.Source().String(), Start: b.Start, End: b.End, Reachable: b.Reachable, Edges: []estimate.Successor{}, Code: []string{}}
		for _, e := range b.Edges {
			out[i].Edges = append(out[i].Edges, estimate.Successor{To: g.Name(e.To), Kind: e.Kind.String()})
		}
		for at := b.Start; at < b.End; at++ {
			out[i].Code = append(out[i].Code, g.Kernel.Format(&g.Kernel.Instrs[at]))
		}
	}
	return out
}

func branches(g *cfg.Graph, r *divergence.Result) []estimate.Branch {
	out := []estimate.Branch{}
	for b := range g.Blocks {
		if len(g.Blocks[b].Edges) > 1 && g.Blocks[b].Reachable {
			last := g.Last(b)
			pos := last.Pos
			if last.Loc.Known() {
				pos = last.Loc
			}
			v, from := verdict(g, r, b)
			out = append(out, estimate.Branch{
				Block: g.Name(b), Instr: g.Blocks[b].End - 1, Pos: pos.String(), Reconverge: g.Name(g.Reconverge(b)), Verdict: v, Origin: from,
			})
		}
	}
	return out
}

func names(g *cfg.Graph, edges []graph.Edge) []estimate.Edge {
	out := make([]estimate.Edge, len(edges))
	for i, e := range edges {
		out[i] = estimate.Edge{From: g.Name(e.From), To: g.Name(e.To)}
	}
	return out
}
