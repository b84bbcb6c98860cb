package analysis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"reflect"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/graph"
	"warpbound/internal/inspect"
	"warpbound/internal/provenance"
	"warpbound/internal/workload"
)

// InspectRequest says what to show of a module.
type InspectRequest struct {
	Kernel         string             // only this kernel, unless empty
	PublishedEdges bool               // as in method.Problem
	Effort         budget.Effort      // of analyses
	Workload       *workload.Workload // of the module, whose launch is taken into account; nil if none
}

// Inspect describes the kernels of a module. file is the module's name, which tells its language. It is an error if
// text is not of that language or if there is no such kernel; what the simulators would refuse is listed among the
// warnings. If ctx ends, the error is that of ctx, and the module is what inspect.Inspect says.
func Inspect(ctx context.Context, file string, text []byte, req InspectRequest) (*estimate.Module, error) {
	var accept []string
	if req.Workload != nil {
		accept = req.Workload.Spec.Accepted()
	}
	parsed, err := workload.ParseModule(file, text, accept...)
	if err != nil {
		return nil, err
	}
	program, err := parsed.Lower()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	hash, jobHash := hex.EncodeToString(sum[:]), ""
	launches := make(map[string]launchfacts.Launch)
	if w := req.Workload; w != nil {
		if w.Module.Hash != hash {
			return nil, diag.Errorf(w.Spec.Pos.Module, "the job is one of another module than %s", file)
		}
		launches = sameLaunches(w)
		jobHash = workload.Hash(w)
	}
	for _, f := range program.Entries() {
		launch := launches[f.Name]
		launch.Effort = req.Effort
		launches[f.Name] = launch
	}
	m, err := inspect.Inspect(ctx, program, req.Kernel, func(g *cfg.Graph) ([]graph.Edge, error) {
		if req.PublishedEdges {
			return cfg.PublishedDivergentEdges(g.Flow), nil
		}
		return cfg.DivergentEdges(g.Flow, nil)
	}, launches)
	if m != nil {
		m.Provenance, m.ModuleHash, m.JobHash = provenance.Of(), hash, jobHash
	}
	return m, err
}

// sameLaunches returns the launches of kernels by name, as far as all launches of a kernel are the same.
func sameLaunches(w *workload.Workload) map[string]launchfacts.Launch {
	launches, differ := make(map[string]launchfacts.Launch), make(map[string]bool)
	for _, k := range w.Kernels {
		name, own := k.Graph.Kernel.Name, k.Launch()
		other, again := launches[name]
		differ[name] = differ[name] || again && !reflect.DeepEqual(own, other)
		launches[name] = own
	}
	maps.DeleteFunc(launches, func(name string, _ launchfacts.Launch) bool { return differ[name] })
	return launches
}
