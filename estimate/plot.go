package estimate

// Plot is a figure of numbers.
type Plot struct {
	File  string // name for its file, without extension
	Title string
	X, Y  string // labels of the axes

	// Positions stand along the horizontal axis at equal distances. If there is none, the axis
	// is one of numbers, and lines are steps: a value holds until the next.
	Positions []string
	Series    []Series // each with a value for each position
	Bars      bool     // bars instead of lines; only with positions
}

// Series is what a plot shows in one colour.
type Series struct {
	Name   string
	At     []float64 // where the values stand, ascending; only in plots without positions
	Values []float64
}
