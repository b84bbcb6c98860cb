package smt

import (
	"maps"
	"slices"
)

// input is what a term depends on: a variable, or an element of an array. Of an array that is
// read at an index which is not constant it is the whole array.
type input struct {
	variable *Term
	element  bool
	index    uint64
}

// inputsOf returns what an assertion depends on, whole arrays where that is not known better.
func (s *Solver) inputsOf(assertion *Term) []input {
	if found, ok := s.inputs[assertion]; ok {
		return found
	}
	var found []input
	vars, cells := inputs([]*Term{assertion})
	for _, v := range vars {
		found = append(found, input{variable: v})
	}
	for _, c := range cells {
		index, isConst := c.index.Const()
		found = append(found, input{c.array, isConst, index})
	}
	s.inputs[assertion] = found
	return found
}

// Cell is an element of an array that is a variable.
type Cell struct {
	Array string
	Index uint64
}

// Cells returns the elements of arrays that an assertion depends on: those at constant indices, and
// the arrays that it reads at others.
func (s *Solver) Cells(assertion *Term) (cells []Cell, arrays []string) {
	for _, i := range s.inputsOf(assertion) {
		switch {
		case i.element:
			cells = append(cells, Cell{i.variable.name, i.index})
		case i.variable.sort.Kind == ArrayKind && !slices.Contains(arrays, i.variable.name):
			arrays = append(arrays, i.variable.name)
		}
	}
	return cells, arrays
}

// part is assertions that share inputs with each other and with no others.
type part struct {
	assertions []*Term
	inputs     []input
}

// parts divides assertions into parts, in the order of their first assertions.
func (s *Solver) parts(assertions []*Term) []part {
	whole := make(map[*Term]bool) // arrays that are read anywhere
	for _, a := range assertions {
		for _, i := range s.inputsOf(a) {
			if i.variable.sort.Kind == ArrayKind && !i.element {
				whole[i.variable] = true
			}
		}
	}
	leader := make([]int, len(assertions)) // of a disjoint-set forest: the first assertion of its part
	find := func(a int) int {
		for leader[a] != a {
			leader[a] = leader[leader[a]]
			a = leader[a]
		}
		return a
	}
	first := make(map[input]int) // the first assertion that depends on it
	for a := range assertions {
		leader[a] = a
		for _, i := range s.inputsOf(assertions[a]) {
			if whole[i.variable] {
				i = input{variable: i.variable}
			}
			if other, known := first[i]; known {
				x, y := find(other), find(a)
				leader[max(x, y)] = min(x, y)
			} else {
				first[i] = a
			}
		}
	}
	var all []part
	at := make(map[int]int)
	for a, assertion := range assertions {
		l := find(a)
		if l == a {
			at[l] = len(all)
			all = append(all, part{})
		}
		p := &all[at[l]]
		p.assertions = append(p.assertions, assertion)
		p.inputs = append(p.inputs, s.inputsOf(assertion)...)
	}
	return all
}

// adopt takes the values of inputs from another model.
func (m *Model) adopt(other *Model, inputs []input) {
	for _, i := range inputs {
		name := i.variable.name
		cells := other.Cells[name]
		switch {
		case i.variable.sort.Kind != ArrayKind:
			m.Numbers[name] = other.Numbers[name]
		case i.element:
			m.SetCell(name, i.index, cells[i.index])
		default:
			m.Cells[name] = maps.Clone(cells)
		}
	}
}
