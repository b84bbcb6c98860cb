package estimate

// Reproduction is a paper's figures beside ours.
type Reproduction struct {
	Provenance
	Paper    string    `json:"paper"`
	Examples []Example `json:"examples"`
	Tables   []Table   `json:"tables"`
	Plots    []Plot    `json:"-"` // of what is in Tables

	Interrupted *Interruption `json:"interrupted,omitempty"` // nil if it is complete
}

// Label says what it means that ours and a paper's figure agree.
type Label string

// The labels.
const (
	// LabelEqual is of what must be exactly what the paper says, or, where that has no figure, what the row's name says.
	LabelEqual Label = "equal"
	// LabelTolerance is of what must be within a stated distance of the paper's figure.
	LabelTolerance Label = "tolerance"
	// LabelInequality is of what must be at least or at most a figure.
	LabelInequality Label = "inequality"
	// LabelFitted is of what inputs, kernels or numbers of a machine were chosen for: that it agrees is no evidence for anything else.
	LabelFitted Label = "fitted"
	// LabelNoTarget is of what is held against nothing: the paper has no figure, or one of kernels, inputs or a machine that are not ours.
	LabelNoTarget Label = "no target"
)

// Labels returns all labels.
func Labels() []Label {
	return []Label{LabelEqual, LabelTolerance, LabelInequality, LabelFitted, LabelNoTarget}
}

// Example is a worked example of a paper.
type Example struct {
	Name  string `json:"name"`
	Paper string `json:"paper"`
	Ours  string `json:"ours"`
	OK    bool   `json:"ok"` // ours is as the label says; true if there is no target
	Label Label  `json:"label"`
	// Tolerance is within how much ours must be where the label leaves room for that.
	Tolerance string `json:"tolerance,omitempty"`
}

// Table is a table of a paper with our figures beside the printed ones.
type Table struct {
	Name    string     `json:"name"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	// Label is that of all rows; empty if RowLabels has one for each, or if nothing of a paper is in the table.
	Label     Label   `json:"label,omitempty"`
	RowLabels []Label `json:"row_labels,omitempty"`
	Tolerance string  `json:"tolerance,omitempty"` // as of an example
}

// Of returns the label of a row.
func (t *Table) Of(row int) Label {
	if t.RowLabels != nil {
		return t.RowLabels[row]
	}
	return t.Label
}

// Holds reports whether every example holds that has a target.
func (r *Reproduction) Holds() bool {
	for _, e := range r.Examples {
		if !e.OK && e.Label != LabelNoTarget {
			return false
		}
	}
	return true
}
