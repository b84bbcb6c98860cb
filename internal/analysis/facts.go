package analysis

import (
	"context"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/certify/check"
	"warpbound/internal/certify/maker"
	"warpbound/internal/certify/obligations"
	"warpbound/internal/flow/value"
	"warpbound/internal/method"
	"warpbound/internal/provenance"
	"warpbound/internal/smt"
	"warpbound/internal/workload"
)

// Facts returns what is known of the blocks of the kernels of a workload, as formulas that solvers
// are to refute: a list, and scripts in SMT-LIB 2 with one check-sat each, by file. If ctx ends, the
// error is that of ctx.
func Facts(ctx context.Context, w *workload.Workload) (*estimate.Facts, map[string][]byte, error) {
	out := &estimate.Facts{
		Provenance: provenance.Of(), Job: w.Name(), Machine: w.Machine.Name,
		ModuleHash: w.Module.Hash, JobHash: workload.Hash(w), MachineHash: w.Machine.Hash(), Formulas: []estimate.Formula{},
	}
	files := make(map[string][]byte)
	launches := w.Launches(func(int, int) bool { return false }) // contents do not matter to registers
	for i, one := range launches {
		k := one.First()
		p := &method.Problem{Graph: k.Graph, Machine: k.Machine}
		var err error
		if p.Bounds, _, err = annotations(ctx, k); err != nil {
			return nil, nil, err
		}
		if p.Values, err = value.Analyze(ctx, k.Graph, k.Launch()); err != nil {
			return nil, nil, err
		}
		p.Count(true)
		s := subject(w, one)
		program, err := check.NewProgram(s)
		if err != nil {
			return nil, nil, err
		}
		facts, omitted := maker.Places(p, s)
		if omitted != "" {
			return nil, nil, fmt.Errorf("kernel %s: there are no facts about blocks: %s", k.Graph.Kernel.Readable(), omitted)
		}
		found, err := obligations.Of(program, facts)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range found {
			f := estimate.Formula{File: o.Name + ".smt2", Kernel: k.Graph.Kernel.Name, Kind: o.Kind, Pos: o.At, What: o.What, Expected: smt.Unsat.String()}
			if len(launches) > 1 {
				f.File = fmt.Sprintf("launch%d-%s", i+1, f.File)
			}
			out.Formulas = append(out.Formulas, f)
			files[f.File] = []byte("; " + o.What + "\n; expected: " + f.Expected + "\n" + smt.Script(o.Assertions))
		}
	}
	return out, files, nil
}
