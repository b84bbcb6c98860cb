package klang

import (
	"warpbound/diag"
	"warpbound/internal/isa/minisimt"
)

// Module is the text of one file.
type Module struct {
	File    string
	Kernels []*Kernel
}

// Kernel is one kernel.
type Kernel struct {
	Name   string
	Params []minisimt.Var
	Body   []Stmt
	Pos    diag.Pos
}

// Stmt is a statement: *Decl, *Assign, *If, *Loop, *Block or *Barrier.
type Stmt interface{ stmt() }

// Decl declares a variable. Value is nil if it has no initial value.
type Decl struct {
	Var   minisimt.Var
	Value *Expr
}

// Assign is an assignment to a variable or an element of an array. Operator is empty for
// a plain one and that of minisimt for a compound one.
type Assign struct {
	To       *Expr
	Operator string
	Value    *Expr
	Pos      diag.Pos
}

// If executes Then where Cond holds and Else where it does not.
type If struct {
	Cond       *Expr
	Then, Else []Stmt
	Pos        diag.Pos
}

// Loop executes Init, and then Body and Post as long as Cond holds. Names that Init
// declares are those of the loop.
type Loop struct {
	Init Stmt // nil if there is none
	Cond *Expr
	Post Stmt // nil if there is none
	Body []Stmt
	Pos  diag.Pos
}

// Block is statements in braces.
type Block struct{ Body []Stmt }

// Barrier is _syncthreads().
type Barrier struct{ Pos diag.Pos }

func (*Decl) stmt()    {}
func (*Assign) stmt()  {}
func (*If) stmt()      {}
func (*Loop) stmt()    {}
func (*Block) stmt()   {}
func (*Barrier) stmt() {}

// Expr is an expression: an operator with one operand or two, or a leaf.
type Expr struct {
	// Op is an operator of C; "[]" for element B of the array A, "int" and "float" for
	// conversions, "name" and "number" for leaves.
	Op   string
	A, B *Expr
	Leaf minisimt.Value // its name or its number
	Pos  diag.Pos
}
