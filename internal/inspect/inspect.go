// Package inspect gathers what is known of a module without running it: its
// kernels with their blocks, loops, branches and the edges that divergence adds.
//
// It describes, it does not judge: every program that parses can be inspected,
// and what could not be found out becomes a warning. It knows no timing and must
// not import the simulator, the methods or the renderers.
package inspect

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/diag"
	"warpbound/internal/flow"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/value"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// Module describes a module and the kernels that were asked for.
type Module struct {
	File        string             `json:"file"`
	Language    string             `json:"language"`
	Version     string             `json:"version"`
	Target      string             `json:"target"`
	AddressBits int                `json:"address_bits"`
	Kernels     []Kernel           `json:"kernels"`
	Warnings    []estimate.Warning `json:"warnings"`
}

// Kernel describes one kernel, calls expanded.
type Kernel struct {
	Name         string   `json:"name"`
	Pos          string   `json:"pos"`
	Params       []string `json:"params"` // name and type
	Instructions int      `json:"instructions"`
	Registers    int      `json:"registers"` // estimated for each thread, 32 bits each
	Shared       int      `json:"shared"`    // bytes of static shared memory
	Blocks       []Block  `json:"blocks"`
	Loops        []Loop   `json:"loops"`
	Branches     []Branch `json:"branches"`
	Accesses     []Access `json:"accesses"` // to global and shared memory
	Added        []Edge   `json:"added_edges"`
	Reducible    bool     `json:"reducible"`
	Launch       *Launch  `json:"launch"` // with which bounds and accesses were found; null without one
}

// Launch is the shape of a launch, in x, y and z.
type Launch struct {
	Grid  [3]int `json:"grid"`
	Block [3]int `json:"block"`
}

// Block is a basic block: the instructions [Start, End).
type Block struct {
	Name      string   `json:"name"`
	Pos       string   `json:"pos"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
	Edges     []Target `json:"edges"`
	Reachable bool     `json:"reachable"`
	Code      []string `json:"code"`
}

// Target is where an edge of a block leads, and why.
type Target struct {
	To   string `json:"to"`
	Kind string `json:"kind"`
}

// Loop is a loop of the flow graph before divergent edges are added.
type Loop struct {
	Header string   `json:"header"`
	Pos    string   `json:"pos"`
	Depth  int      `json:"depth"` // 1 for an outermost loop
	Blocks []string `json:"blocks"`
	Back   []Edge   `json:"back_edges"`
	Bound  string   `json:"bound"` // with its evidence, or what to do for one

	Iterations *int64  `json:"iterations"` // most returns of a thread to the header for one entry; null if not known
	PerWarp    *int64  `json:"per_warp"`   // the same of a warp
	Warps      []int64 `json:"warps"`      // Iterations of the threads of each warp of a CTA, where they differ
	Formula    string  `json:"formula"`    // Iterations in terms of launch constants, if that says more
	Evidence   string  `json:"evidence"`   // proven, or empty
	Reason     string  `json:"reason"`     // what the bound follows from, or what stands against one
}

// Branch is a branch, and on what threads agree that execute it.
type Branch struct {
	Block      string  `json:"block"`
	Instr      int     `json:"instruction"`
	Pos        string  `json:"pos"`
	Reconverge string  `json:"reconverges_at"` // where lanes meet again
	Verdict    string  `json:"verdict"`        // divergence.Verdict, or "unknown"
	Origin     *Origin `json:"origin"`         // what makes the verdict more than grid-uniform; null if nothing does or it is not known
}

// Origin is where a difference between threads comes from.
type Origin struct {
	Text string `json:"text"` // an instruction, or a loop in words
	Pos  string `json:"pos"`
}

// Edge joins two blocks by name.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Inspect describes a program; kernel limits it to one kernel unless empty.
// divergent finds the edges that divergence adds to a flow graph and is called from several
// goroutines at a time, launches what is known of the launches of kernels, by name. It is an
// error if there is no such kernel.
func Inspect(p *isa.Program, kernel string, divergent func(*cfg.Graph) ([]graph.Edge, error), launches map[string]value.Launch) (*Module, error) {
	var entries []*isa.Func
	for _, f := range p.Entries() {
		if kernel == "" || f.Name == kernel {
			entries = append(entries, f)
		}
	}
	if kernel != "" && len(entries) == 0 {
		_, err := isa.Link(p, kernel)
		return nil, err
	}
	m := &Module{File: p.File, Language: p.Language, Version: p.Version, Target: p.Target, AddressBits: p.AddressBits, Kernels: []Kernel{}}
	obstacles := slices.Clone(p.Warnings)
	var warnings []diag.Warning
	for _, found := range inParallel(entries, func(f *isa.Func) finding { return inspectEntry(p, f, divergent, launches[f.Name]) }) {
		if found.kernel != nil {
			m.Kernels = append(m.Kernels, *found.kernel)
		}
		obstacles = append(obstacles, found.obstacles...)
		warnings = append(warnings, found.warnings...)
	}
	m.Warnings = estimate.Warnings(append(distinct(obstacles), warnings...))
	return m, nil
}

// finding is what is found out about one entry function.
type finding struct {
	kernel    *Kernel // nil if it has no flow graph
	obstacles []diag.Warning
	warnings  []diag.Warning
}

func inspectEntry(p *isa.Program, f *isa.Func, divergent func(*cfg.Graph) ([]graph.Edge, error), launch value.Launch) finding {
	if f.Extern {
		return finding{warnings: []diag.Warning{{Pos: f.Pos, ID: "declared-only", Text: "kernel " + f.Name + " is declared but not defined"}}}
	}
	linked, err := isa.Link(p, f.Name)
	if err != nil {
		return finding{warnings: []diag.Warning{warning(f.Pos, "no-flow-graph", err)}}
	}
	found := finding{obstacles: isa.Obstacles(linked)}
	found.kernel, found.warnings, err = inspectKernel(linked, divergent, launch)
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
// several calls has its obstacles as often, and linking meets what lowering has
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

func inspectKernel(k *isa.Kernel, divergent func(*cfg.Graph) ([]graph.Edge, error), launch value.Launch) (*Kernel, []diag.Warning, error) {
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
	verdicts, err := verdicts(g)
	warnings = append(warnings, unexplained(g, err)...)
	added, err := divergent(g)
	if err != nil {
		warnings = append(warnings, warning(k.Pos, "no-divergent-edges", err))
	}
	out := &Kernel{
		Name: k.Name, Pos: k.Pos.String(),
		Instructions: len(k.Instrs),
		Registers:    flow.Registers(g),
		Blocks:       blocks(g),
		Loops:        loops(g),
		Branches:     branches(g, verdicts),
		Added:        names(g, added),
		Reducible:    g.Loops().Irreducible() == nil,
		Params:       []string{},
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
		out.Launch = &Launch{Grid: launch.Grid, Block: launch.Block}
	}
	return out, append(warnings, out.values(g, launch)...), nil
}

func typeOf(v *isa.Var) string {
	if n := v.Type.Bytes(); n > 0 && v.Bytes != n {
		return fmt.Sprintf("%s[%d]", v.Type, v.Bytes/n)
	}
	return v.Type.String()
}

func blocks(g *cfg.Graph) []Block {
	out := make([]Block, len(g.Blocks))
	for i, b := range g.Blocks {
		out[i] = Block{Name: b.Name, Pos: b.Source().String(), Start: b.Start, End: b.End, Reachable: b.Reachable, Edges: []Target{}, Code: []string{}}
		for _, e := range b.Edges {
			out[i].Edges = append(out[i].Edges, Target{To: g.Name(e.To), Kind: e.Kind.String()})
		}
		for at := b.Start; at < b.End; at++ {
			out[i].Code = append(out[i].Code, g.Kernel.Format(&g.Kernel.Instrs[at]))
		}
	}
	return out
}

func branches(g *cfg.Graph, r *divergence.Result) []Branch {
	out := []Branch{}
	for b := range g.Blocks {
		if len(g.Blocks[b].Edges) > 1 && g.Blocks[b].Reachable {
			last := g.Last(b)
			pos := last.Pos
			if last.Loc.Known() {
				pos = last.Loc
			}
			v, from := verdict(g, r, b)
			out = append(out, Branch{
				Block: g.Name(b), Instr: g.Blocks[b].End - 1, Pos: pos.String(), Reconverge: g.Name(g.Reconverge(b)), Verdict: v, Origin: from,
			})
		}
	}
	return out
}

func names(g *cfg.Graph, edges []graph.Edge) []Edge {
	out := make([]Edge, len(edges))
	for i, e := range edges {
		out[i] = Edge{From: g.Name(e.From), To: g.Name(e.To)}
	}
	return out
}
