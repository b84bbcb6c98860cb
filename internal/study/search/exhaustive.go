package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"warpbound/diag"
	"warpbound/internal/adversary"
	method "warpbound/internal/method/search"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// SimulateExhaustively runs the job on all inputs that may be sampled, and returns the longest
// time in cycles and how many inputs there are. It is an error if there are more than limit, if
// floats are sampled, and if a run fails.
func SimulateExhaustively(ctx context.Context, p runner.Platform, w *workload.Workload, limit int) (longest int64, inputs int, err error) {
	all, err := adversary.SpaceOf(w)
	if err != nil {
		return 0, 0, err
	}
	inputs = 1
	for i, param := range all.Params {
		if param.Count > 0 && param.Element.Float {
			return 0, 0, diag.Errorf(w.Spec.Params[i].Pos, "param %q: floats that are sampled have too many numbers to run all", param.Name)
		}
		for range param.Count {
			over, n := bits.Mul64(uint64(inputs), choices(param))
			if over > 0 || n == 0 || n > uint64(limit) {
				return 0, 0, diag.Errorf(w.Spec.Pos.Kernel, "the job has more than %d inputs", limit)
			}
			inputs = int(n)
		}
	}
	f := newFitness(p, w, 0)
	defer func() { err = errors.Join(err, f.close()) }()
	var numbers []uint64 // of the inputs that there are
	for i := range uint64(inputs) {
		if admitted(all, i) {
			numbers = append(numbers, i)
		}
	}
	outcomes, err := f.Run(ctx, len(numbers), func(i int) method.Inputs { return nth(all, numbers[i]) })
	if err != nil {
		return 0, 0, err
	}
	inputs = len(outcomes)
	for i, o := range outcomes {
		if o.Fault != "" {
			return 0, 0, fmt.Errorf("input %d of %d: %s", i, inputs, o.Fault)
		}
		longest = max(longest, o.Cycles)
	}
	return longest, inputs, nil
}

// admitted reports whether inputs are such as there are: settling does not change them.
func admitted(s *method.Space, n uint64) bool {
	if s.Settle == nil {
		return true
	}
	in := nth(s, n)
	s.Settle(in)
	return slices.EqualFunc(in, nth(s, n), bytes.Equal)
}

// choices returns how many numbers an element may be; 0 stands for 2^64.
func choices(p method.Param) uint64 { return p.Element.High - p.Element.Low + 1 }

// nth returns one of all inputs by its number.
func nth(s *method.Space, n uint64) method.Inputs {
	in := make(method.Inputs, len(s.Params))
	for i, p := range s.Params {
		size := p.Element.Bytes
		for range p.Count {
			value := binary.LittleEndian.AppendUint64(nil, p.Element.Low+n%choices(p))
			in[i] = append(in[i], value[:size]...)
			n /= choices(p)
		}
	}
	return in
}
