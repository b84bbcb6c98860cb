package ptx

import "warpbound/diag"

// Pos is a place in the text of a module. Line and Col count from 1, Col in
// bytes.
type Pos struct{ Line, Col int32 }

// Module is the syntax tree of one PTX source.
type Module struct {
	File  string // name of the source, for messages
	Items []Item
	// Accept names instructions by their mnemonics, and special registers, that Lower takes
	// whatever .version and .target say. No text states it.
	Accept []string
}

// at adds the module's file name to a position.
func (m *Module) at(p Pos) diag.Pos { return diag.Pos{File: m.File, Line: p.Line, Col: p.Col} }

// Item is what stands at module scope: *Directive, *File, *Section, *Decl, *Func or *Refused.
type Item interface{ item() }

// Stmt is what stands in a function body: *Decl, *Instr, *Label, *Block, *Loc,
// *Directive, *Targets, *Prototype or *Refused.
type Stmt interface{ stmt() }

// Refused is a statement of a body or an item of the module in which a syntax error
// stands. It ends where the next one can begin.
type Refused struct {
	Pos    Pos
	At     Pos    // of the error
	Reason string // what is wrong there
	Text   string // as written
	// Name is that of the function whose header is refused, and Entry says that it is a kernel.
	Name  string
	Entry bool
	// Whole says that it is not known what the item is, and so not what it does to others.
	Whole bool
}

// Directive is a directive that is a name and a list of plain arguments, such as
// ".version 6.3", ".target sm_70, debug", ".maxntid 256, 1, 1" or a pragma.
type Directive struct {
	Pos  Pos
	Name string   // without the dot
	Args []string // as written; strings with their quotes
}

// File is a .file directive: it numbers a source file for .loc.
type File struct {
	Pos   Pos
	Index int
	Dir   string   // as written between the quotes; empty if not given
	Name  string   // likewise
	Extra []string // time stamp and size, if given
	MD5   string   // of its contents, if given
}

// Section is a .section with debugging data, which is not interpreted.
type Section struct {
	Pos  Pos
	Name string // with its dot
	Text string // everything between the braces
}

// Decl declares registers, variables or one parameter.
type Decl struct {
	Pos     Pos
	Linkage string // extern, visible, weak, common or empty; hidden of a parameter
	Space   string // reg, param, local, shared, global or const; of old versions tex, surf, sampler or sreg
	Align   int    // bytes; 0 if not given
	Vector  int    // 2, 4 or 8 of a vector type; 0 of a scalar
	Type    string // without the dot
	Ptr     *Ptr
	Attr    string // the inside of .attribute( )
	Names   []Declarator
}

// Ptr says what memory a pointer parameter points to.
type Ptr struct {
	Space string // empty if not given
	Align int    // bytes; 0 if not given
}

// Declarator is one name of a declaration.
type Declarator struct {
	Pos   Pos
	Name  string
	Count int     // of a range of registers such as %r<10>; 0 of a single name
	Dims  []*Expr // of an array; nil for an open dimension
	Init  *Init
}

// Init is an initialiser: a constant, or a list in braces.
type Init struct {
	Pos   Pos
	Field string // of a sampler or texture reference; empty in any other list
	Expr  *Expr  // nil for a list
	List  []*Init
}

// Func is a function or an entry point.
type Func struct {
	Pos     Pos
	Linkage string
	Entry   bool
	Name    string
	Attr    string // the inside of .attribute( )
	Results []*Decl
	Params  []*Decl
	Limits  []*Directive // what stands between the parameters and the body
	Body    *Block       // nil of a declaration
}

// Block is a list of statements in braces, with names of its own.
type Block struct {
	Pos   Pos
	Stmts []Stmt
}

// Label names the statement that follows.
type Label struct {
	Pos  Pos
	Name string
}

// Loc says where in the compiler's source the following instructions come from.
type Loc struct {
	Pos       Pos
	At        Place
	Function  *Expr  // function_name, or nil
	InlinedAt *Place // or nil
}

// Place is a position in a numbered source file.
type Place struct{ File, Line, Col int }

// Targets is a labelled list of branch or call targets.
type Targets struct {
	Pos   Pos
	Label string
	Kind  string // branchtargets or calltargets
	Names []Name
}

// Name is the use of a name.
type Name struct {
	Pos  Pos
	Text string
}

// Prototype is a labelled .callprototype of an indirect call.
type Prototype struct {
	Pos     Pos
	Label   string
	Name    string
	Results []*Decl
	Params  []*Decl
	Limits  []*Directive
}

// Instr is an instruction, known or not.
type Instr struct {
	Pos      Pos
	Guard    Guard
	Mnemonic string // with all modifiers, for example ld.global.v4.u8
	Operands []Operand
}

// Guard is the predicate of an instruction. The zero Guard is no predicate.
type Guard struct {
	Pos  Pos
	Name string
	Not  bool
}

// OperandKind tells the shapes of operands apart.
type OperandKind uint8

// The shapes of operands.
const (
	OperandName   OperandKind = iota // Name, perhaps negated: register, variable, label, function, "_"
	OperandExpr                      // Expr: a constant, or a name with an offset
	OperandAddr                      // List in brackets: an address, perhaps with coordinates
	OperandVector                    // List in braces
	OperandTuple                     // List in parentheses: arguments of a call
	OperandPair                      // List[0]|List[1]
)

// Operand is one operand of an instruction.
type Operand struct {
	Pos  Pos
	Kind OperandKind
	Not  bool // !Name
	Name string
	Expr *Expr
	List []Operand
}

// ExprKind tells the kinds of constant expressions apart.
type ExprKind uint8

// The kinds of constant expressions.
const (
	ExprInt    ExprKind = iota // Text with the value Bits
	ExprFloat                  // Text with the float64 or, of a 0f literal, float32 bits Bits
	ExprName                   // Text: a variable or register, or WARP_SZ
	ExprUnary                  // operator Text on Args[0]
	ExprBinary                 // operator Text on Args[0] and Args[1]
	ExprCond                   // Args[0] ? Args[1] : Args[2]
	ExprCast                   // (.Text) Args[0]
	ExprCall                   // generic(Args[0]), or a byte mask as in 0xff00(Args[0])
	ExprIndex                  // Text[Args[0]]: an element of an array
)

// Expr is a constant expression.
type Expr struct {
	Pos  Pos
	Kind ExprKind
	Text string
	Bits uint64
	Args []*Expr
}

func (*Directive) item() {}
func (*File) item()      {}
func (*Section) item()   {}
func (*Decl) item()      {}
func (*Func) item()      {}
func (*Refused) item()   {}

func (*Decl) stmt()      {}
func (*Instr) stmt()     {}
func (*Label) stmt()     {}
func (*Block) stmt()     {}
func (*Loc) stmt()       {}
func (*Directive) stmt() {}
func (*Targets) stmt()   {}
func (*Prototype) stmt() {}
func (*Refused) stmt()   {}
