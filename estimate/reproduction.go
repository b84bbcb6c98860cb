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

// Example is a worked example of a paper.
type Example struct {
	Name  string `json:"name"`
	Paper string `json:"paper"`
	Ours  string `json:"ours"`
	OK    bool   `json:"ok"`
}

// Table is a table of a paper with our figures beside the printed ones.
type Table struct {
	Name    string     `json:"name"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// Holds reports whether every example holds.
func (r *Reproduction) Holds() bool {
	for _, e := range r.Examples {
		if !e.OK {
			return false
		}
	}
	return true
}
