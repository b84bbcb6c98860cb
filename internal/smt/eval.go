package smt

// Model gives numbers to the variables of terms, by name. What it does not mention is 0.
type Model struct {
	Numbers map[string]uint64            // of bit-vectors and truth values
	Cells   map[string]map[uint64]uint64 // of arrays, by index
}

// NewModel returns a model in which everything is 0.
func NewModel() *Model {
	return &Model{Numbers: make(map[string]uint64), Cells: make(map[string]map[uint64]uint64)}
}

// SetCell gives a number to an element of an array.
func (m *Model) SetCell(array string, index, value uint64) {
	cells := m.Cells[array]
	if cells == nil {
		cells = make(map[uint64]uint64)
		m.Cells[array] = cells
	}
	cells[index] = value
}

// Evaluator evaluates terms under one model, which must not change meanwhile, and
// remembers what it found.
type Evaluator struct {
	model *Model
	memo  map[*Term]uint64
}

// NewEvaluator returns an evaluator.
func NewEvaluator(m *Model) *Evaluator {
	return &Evaluator{model: m, memo: make(map[*Term]uint64)}
}

// Eval returns the bits of a bit-vector, or 1 or 0 for a truth value.
func (e *Evaluator) Eval(t *Term) uint64 {
	switch t.op {
	case Const:
		return t.value
	case Var:
		return e.model.Numbers[t.name] & t.sort.mask()
	}
	if x, ok := e.memo[t]; ok {
		return x
	}
	x := e.compute(t)
	e.memo[t] = x
	return x
}

// Holds reports whether all assertions hold.
func (e *Evaluator) Holds(assertions []*Term) bool {
	for _, a := range assertions {
		if e.Eval(a) == 0 {
			return false
		}
	}
	return true
}

func (e *Evaluator) compute(t *Term) uint64 {
	switch t.op {
	case Ite:
		if e.Eval(t.args[0]) == 1 {
			return e.Eval(t.args[1])
		}
		return e.Eval(t.args[2])
	case Select:
		return e.element(t.args[0], e.Eval(t.args[1]))
	}
	var a [3]uint64
	for i, arg := range t.Args() {
		a[i] = e.Eval(arg)
	}
	return ops[t.op].eval(t, a) & t.sort.mask()
}

// element returns the element of an array at an index.
func (e *Evaluator) element(array *Term, index uint64) uint64 {
	for {
		switch array.op {
		case Store:
			if e.Eval(array.args[1]) == index {
				return e.Eval(array.args[2])
			}
			array = array.args[0]
		case Ite:
			next := array.args[2]
			if e.Eval(array.args[0]) == 1 {
				next = array.args[1]
			}
			array = next
		case Fill:
			return array.args[0].value
		default:
			return e.model.Cells[array.name][index] & ones(array.sort.Elem)
		}
	}
}
