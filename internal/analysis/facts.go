package analysis

import (
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

// Formula is a formula that says that a fact does not hold.
type Formula struct {
	estimate.Formula
	Script string // SMT-LIB 2, with one check-sat
}

// Facts returns what is known of the blocks of the kernels of a workload, as formulas that solvers are to refute.
func Facts(w *workload.Workload) (*estimate.Facts, []Formula, error) {
	out := &estimate.Facts{
		Provenance: provenance.Of(), Job: w.Name(), Machine: w.Machine.Name,
		ModuleHash: w.Module.Hash, JobHash: workload.Hash(w), MachineHash: w.Machine.Hash(), Formulas: []estimate.Formula{},
	}
	var all []Formula
	launches := w.Launches(func(int, int) bool { return false }) // contents do not matter to registers
	for i, one := range launches {
		k := one.First()
		p := &method.Problem{Graph: k.Graph, Machine: k.Machine}
		var err error
		if p.Bounds, _, err = annotations(k); err != nil {
			return nil, nil, err
		}
		p.Values = value.Analyze(k.Graph, k.Launch())
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
			all = append(all, Formula{f, "; " + o.What + "\n; expected: " + f.Expected + "\n" + smt.Script(o.Assertions)})
		}
	}
	return out, all, nil
}
