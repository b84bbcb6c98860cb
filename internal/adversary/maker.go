package adversary

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/job"
	"warpbound/internal/method/search"
	"warpbound/internal/method/search/genetic"
	"warpbound/internal/workload"
)

// Maker makes the inputs of names.
type Maker struct {
	workload  *workload.Workload
	space     *search.Space
	varied    []int // parameters
	fixed     *job.Inputs
	constants []constant
}

// NewMaker returns what makes inputs of a workload. It is an error if none of them varies, or if a
// search cannot draw them.
func NewMaker(w *workload.Workload) (*Maker, error) {
	space, err := SpaceOf(w)
	if err != nil {
		return nil, err
	}
	m := &Maker{workload: w, space: space, fixed: w.First().Bound.Vector(0)}
	for i := range space.Params {
		if space.Params[i].Count > 0 {
			m.varied = append(m.varied, i)
		}
	}
	m.constants = m.findConstants(w)
	return m, nil
}

// Names of what is made otherwise than by a pattern.
const (
	equal  = "equal:"  // all elements that can be equal a constant
	beside = "beside:" // every other element
	among  = "among:"  // one element of each warp
	mixed  = "mixed:"
	vector = "vector:"
)

// maxMixed is how many inputs with a pattern of each parameter are structured ones.
const maxMixed = 8

// How many patterns are tried before constants, and how many constants before the other patterns.
const (
	patternsFirst  = 4
	constantsFirst = 3
)

// listStructured returns the names of listStructured inputs, in the order in which they are tried.
func (m *Maker) listStructured() []string {
	var shapes, numbers, names []string
	for _, p := range patterns() {
		shapes = append(shapes, p.name)
	}
	for _, c := range m.constants {
		number := strings.TrimPrefix(c.name, equal)
		numbers = append(numbers, c.name, among+number, beside+number)
	}
	first := min(3*constantsFirst, len(numbers))
	names = slices.Concat(shapes[:patternsFirst], numbers[:first], shapes[patternsFirst:], numbers[first:])
	for i := range maxMixed {
		names = append(names, mixed+strconv.Itoa(i))
	}
	return names
}

// Inputs returns the inputs of a name. It is an error if there are none of that name.
func (m *Maker) Inputs(name string) (*job.Inputs, error) {
	varied, err := m.makeInputs(name)
	if err != nil {
		return nil, fmt.Errorf("%w; names are those that analyze prints, such as %s", err, patterns()[0].name)
	}
	return Whole(m.workload, m.fixed, varied), nil
}

// Named returns the inputs of a workload by their name. It is an error if there are none of that
// name.
func Named(w *workload.Workload, name string) (*job.Inputs, error) {
	m, err := NewMaker(w)
	if err != nil {
		return nil, err
	}
	return m.Inputs(name)
}

// makeInputs makes what varies of the inputs of a name.
func (m *Maker) makeInputs(name string) (search.Inputs, error) {
	parts := strings.Split(name, "+")
	in, err := m.makeBase(parts[0])
	if err != nil {
		return nil, err
	}
	m.settleRelations(in)
	for _, part := range parts[1:] {
		number, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("inputs %q: a change has a number, not %q", name, part)
		}
		m.varyInputs(in, number)
	}
	return in, nil
}

// varyInputs makes the change of a number.
func (m *Maker) varyInputs(in search.Inputs, number uint64) {
	m.changeElements(in, rand.New(rand.NewPCG(uint64(m.workload.Spec.Seed), genetic.Mix(number, 0))))
	m.settleRelations(in)
}

// settleRelations makes inputs such as the job allows, where they depend on each other.
func (m *Maker) settleRelations(in search.Inputs) {
	if m.space.Settle != nil {
		m.space.Settle(in)
	}
}

// makeBase makes what a name begins with.
func (m *Maker) makeBase(name string) (search.Inputs, error) {
	all := patterns()
	if at := slices.IndexFunc(all, func(p pattern) bool { return p.name == name }); at >= 0 {
		in := m.space.New()
		for _, param := range m.varied {
			m.fillParam(in, param, all[at], 0, m.space.Params[param].Count)
		}
		return in, nil
	}
	kind, text, _ := strings.Cut(name, ":")
	switch kind += ":"; kind {
	case equal, beside, among:
		at := slices.IndexFunc(m.constants, func(c constant) bool { return c.name == equal+text })
		if at < 0 {
			return nil, fmt.Errorf("inputs %q: the kernel compares nothing with %s", name, text)
		}
		return m.near(&m.constants[at], map[string]int{equal: 1, beside: 2, among: lanes}[kind]), nil
	case mixed, vector:
		number, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("inputs %q: %q is no number", name, text)
		}
		if kind == vector {
			return m.sampleInputs(int(number)), nil
		}
		in := m.space.New()
		rng := rand.New(rand.NewPCG(uint64(m.workload.Spec.Seed), number))
		for _, param := range m.varied {
			m.fillParam(in, param, all[rng.IntN(len(all))], 0, m.space.Params[param].Count)
		}
		return in, nil
	}
	return nil, fmt.Errorf("there are no inputs %q", name)
}

// near makes inputs of which one element of so many equals a constant where it can. All others are
// at random, and numbers by themselves that cannot equal it at their maximum.
func (m *Maker) near(c *constant, each int) search.Inputs {
	in := m.sampleInputs(0)
	for _, param := range m.varied {
		x := &m.space.Params[param]
		switch {
		case c.fits[param]:
			for i := 0; i < x.Count; i += each {
				m.space.Put(in, param, i, c.held[param])
			}
		case x.Count == 1:
			m.space.Put(in, param, 0, x.Element.High)
		}
	}
	return in
}

// sampleInputs makes what varies of a random test vector.
func (m *Maker) sampleInputs(number int) search.Inputs {
	all := m.workload.First().Bound.Inputs(number)
	in := make(search.Inputs, len(m.space.Params))
	for _, param := range m.varied {
		if in[param] = all.Buffers[param]; m.workload.Spec.Params[param].Kind != job.Buffer {
			in[param] = all.Scalars[param]
		}
	}
	return in
}

// Whole returns inputs with what does not vary.
func Whole(w *workload.Workload, fixed *job.Inputs, varied search.Inputs) *job.Inputs {
	in := *fixed
	in.Scalars, in.Buffers = slices.Clone(in.Scalars), slices.Clone(in.Buffers)
	for i, data := range varied {
		switch {
		case data == nil:
		case w.Spec.Params[i].Kind == job.Buffer:
			in.Buffers[i] = data
		default:
			in.Scalars[i] = data
		}
	}
	return &in
}
