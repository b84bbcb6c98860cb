package warpbound

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"warpbound/diag"
	"warpbound/internal/method/search"
)

// Exhaust runs the job on all inputs that it may draw, and returns the longest time in cycles and
// how many inputs there are. It is an error if there are more than most, if floats are drawn, and if
// a run fails.
func (j *Job) Exhaust(ctx context.Context, most int) (longest int64, inputs int, err error) {
	space, err := j.space()
	if err != nil {
		return 0, 0, err
	}
	inputs = 1
	for i, p := range space.Params {
		if p.Count > 0 && p.Element.Float {
			return 0, 0, diag.Errorf(j.bound.Job.Params[i].Pos, "param %q: floats that are drawn have too many numbers to run all", p.Name)
		}
		for range p.Count {
			over, n := bits.Mul64(uint64(inputs), choices(p))
			if over > 0 || n == 0 || n > uint64(most) {
				return 0, 0, diag.Errorf(j.bound.Job.Pos.Kernel, "the job has more than %d inputs", most)
			}
			inputs = int(n)
		}
	}
	f := &fitness{job: j, fixed: j.bound.Inputs(0)}
	defer func() { err = errors.Join(err, f.close()) }()
	outcomes, err := f.Run(ctx, inputs, func(i int) search.Inputs { return nth(space, uint64(i)) })
	if err != nil {
		return 0, 0, err
	}
	for i, o := range outcomes {
		if o.Fault != "" {
			return 0, 0, fmt.Errorf("input %d of %d: %s", i, inputs, o.Fault)
		}
		longest = max(longest, o.Cycles)
	}
	return longest, inputs, nil
}

// choices returns how many numbers an element may be; 0 stands for 2^64.
func choices(p search.Param) uint64 { return p.Element.High - p.Element.Low + 1 }

// nth returns one of all inputs by its number.
func nth(s *search.Space, n uint64) search.Inputs {
	in := make(search.Inputs, len(s.Params))
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
