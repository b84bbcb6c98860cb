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
