package smt

// NewPlainBuilder returns a builder that does not simplify.
func NewPlainBuilder() *Builder { return &Builder{terms: make(map[node]*Term), plain: true} }
