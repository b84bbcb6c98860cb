package ptx

import "slices"

// The value of WARP_SZ in a constant expression is gone when the expression is evaluated.
// So instructions and variables keep a note of it.

// hasWarpSize reports whether WARP_SZ occurs in an expression, which may be nil.
func (e *Expr) hasWarpSize() bool {
	return e != nil && (e.Kind == ExprName && e.Text == "WARP_SZ" || slices.ContainsFunc(e.Args, (*Expr).hasWarpSize))
}

// hasWarpSize reports whether WARP_SZ occurs in an operand.
func (o Operand) hasWarpSize() bool {
	return o.Name == "WARP_SZ" || o.Expr.hasWarpSize() || slices.ContainsFunc(o.List, Operand.hasWarpSize)
}

// hasWarpSize reports whether WARP_SZ occurs in an initialiser, which may be nil.
func (in *Init) hasWarpSize() bool {
	return in != nil && (in.Expr.hasWarpSize() || slices.ContainsFunc(in.List, (*Init).hasWarpSize))
}
