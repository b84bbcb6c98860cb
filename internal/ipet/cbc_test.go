package ipet

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"os/exec"
	"strconv"
	"strings"
)

// cbcSolver solves models with COIN-OR's cbc, as a check on the solvers here. It
// computes in floating point: what it finds can only be too small.
type cbcSolver struct {
	Path string // of the executable; a bare name is looked up in $PATH
}

// Solve returns the counts that cbc found and their cost in cycles. They have
// been checked to satisfy the model, so the maximum is at least that cost;
// nothing proves that it is no more. The error is an *InfeasibleError or an
// *UnboundedError, both without details, if cbc says so; of an unbounded model
// it sometimes says that it is infeasible.
func (c cbcSolver) Solve(ctx context.Context, m *Model) ([]int64, *big.Int, error) {
	var lp bytes.Buffer
	if err := WriteLP(&lp, m); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, c.Path, "-import", "stdin_lp", "-solve", "-solution", "-")
	cmd.Stdin = &lp
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("run cbc: %w", err)
	}
	counts, err := parseCBC(string(out), len(m.Edges))
	if err != nil {
		return nil, nil, fmt.Errorf("read cbc's solution: %w", err)
	}
	cost, err := checkCounts(m, counts)
	if err != nil {
		return nil, nil, fmt.Errorf("cbc's solution does not satisfy the model: %w", err)
	}
	return counts, cost, nil
}

// checkCounts reports the first constraint of the model that counts, one for
// every edge, violate, and otherwise returns their cost in cycles.
func checkCounts(m *Model, counts []int64) (*big.Int, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	net, err := newNetwork(m)
	if err != nil {
		return nil, err
	}
	return m.cost(net, counts)
}

// parseCBC reads what cbc prints: its log, a line with the status, and a line
// "index name value reduced-cost" for each variable that is not zero.
func parseCBC(out string, edges int) ([]int64, error) {
	const mark = " - objective value "
	var lines []string
	status := ""
	for line := range strings.Lines(out) {
		if s, _, ok := strings.Cut(line, mark); ok {
			status, lines = strings.TrimSpace(s), nil
		} else {
			lines = append(lines, line)
		}
	}
	switch status {
	case "Optimal":
	case "Infeasible", "Integer infeasible":
		return nil, &InfeasibleError{}
	case "Unbounded":
		return nil, &UnboundedError{}
	default:
		return nil, fmt.Errorf("no optimum but status %q", status)
	}
	counts := make([]int64, edges)
	for _, line := range lines {
		f := strings.Fields(line)
		if len(f) > 0 && f[0] == "**" { // marks a value out of its bounds
			f = f[1:]
		}
		if len(f) != 4 || f[1][0] != 'x' {
			continue
		}
		edge, err := strconv.Atoi(f[1][1:])
		if err != nil || edge < 0 || edge >= edges {
			return nil, fmt.Errorf("unknown variable %q", f[1])
		}
		value, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", f[1], err)
		}
		const exact = 1 << 53
		count := math.Round(value)
		if !(math.Abs(value-count) < 1e-5 && math.Abs(count) < exact) { // not for NaN
			return nil, fmt.Errorf("variable %s has value %s, not an integer", f[1], f[2])
		}
		counts[edge] = int64(count)
	}
	return counts, nil
}
