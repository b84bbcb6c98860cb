package isa

// Op is an operation. The zero value is Unknown.
type Op uint16

// The operations. Unless said otherwise d is the destination and a, b, c are
// the sources in order, and the meaning is that of the PTX instruction of the
// same name on Instr.Type.
const (
	// Instructions that have an effect that is not modelled: only their text says what they
	// are. A module that holds some can be inspected, but no kernel with one is executed.
	Unknown      Op = iota // it may wait or branch, so that nothing is known of a kernel that holds one
	Opaque                 // d, e, ... are anything, which may depend on all lanes of the warp and on memory
	OpaqueAccess           // the same, and whatever lies in the memory of Instr.Space, or in all memory if that is Generic, may have changed

	// Arithmetic; integer or floating point by Instr.Type.
	Add
	Sub
	Mul     // integers: the low half of the product
	MulHi   // the high half
	MulWide // d is twice as wide as Type
	Mad     // a*b + c of integers: the low half
	MadHi
	MadWide
	Mul24   // the low 32 bits of a 48-bit product
	Mul24Hi // the high 32 bits
	Mad24
	Mad24Hi
	AddCarry // {carry e, d} = a + b + carry c; without e or c there is no carry out or in
	SubCarry // {carry e, d} = a + ^b + carry c, where c is 1 if it is missing: the carry is that there is no borrow
	MadCarry // a*b + c + carry x; as Mad
	MadHiCarry
	Dp4a   // c + the products of the four bytes of a (of Type) and b (of SrcType)
	Dp2a   // c + the products of the halves of a (of Type) and the low two bytes of b (of SrcType)
	Dp2aHi // the same with the high two bytes
	Fma    // one rounding
	Div
	Rem
	Abs
	Neg
	Min
	Max
	Sad // c + |a-b|
	Rcp
	Sqrt
	Rsqrt
	Sin
	Cos
	Lg2
	Ex2
	Tanh
	Copysign // d has the magnitude of b and the sign of a

	// Bits.
	And
	Or
	Xor
	Not
	Cnot
	Shl
	Shr
	ShfL // funnel shift of {b, a} left by c; Instr.Wrap chooses c mod 32 over clamping
	ShfR
	Lop3 // d, a, b, c, immediate truth table; optional second d whether the result is not zero, joined by Instr.Combine with the last source
	Prmt
	Popc
	Clz
	Bfind
	Brev
	Bfe
	Bfi
	Szext // sign or zero extension of the low b bits of a
	Bmsk  // b ones from bit a up
	Fns   // the c-th bit set of a, counted from bit b

	// Video: on bytes and halves that Instr.Video selects.
	VAdd
	VSub
	VAbsDiff
	VMin
	VMax
	VAvrg // the average, rounded away from zero
	VShl
	VShr
	VSet // 1 or 0 by Instr.Cmp
	VMad

	// Comparison and selection.
	Setp // d predicate, optional second d its complement or of the upper half; optional c combines by Instr.Combine
	Set  // d of Type, compared as SrcType
	Selp // c ? a : b
	Slct // c >= 0 ? a : b; c has SrcType
	Testp

	// Movement.
	Mov
	Pack    // d = {a, b, ...}, the first the least significant; Type is the type of d
	Unpack  // {d, e, ...} = a; Type is the type of a
	Cvt     // from SrcType to Type; the first of two sources becomes the upper half of a pair; random bits follow them if Round is RoundRS
	CvtPack // a and b clamped to Type and joined, a above b, below what the low bits of c put above them
	Cvta    // address of Space to generic: plus the base of the window
	CvtaTo  // generic address to Space: minus that
	Isspacep
	Ld
	St
	Prefetch
	CpAsync     // copies c bytes from b in global to a in shared memory: d of them if it is a number, none if it is a true predicate, and zeros for the rest
	AsyncCommit // makes a group of the copies since the last commit
	AsyncWait   // waits for all groups but the latest, of which a is the number; without a for all copies

	Mbarrier     // does Instr.Mbarrier to the mbarrier object at a in shared memory, with b
	BulkCopy     // copies c bytes from b to a: from shared memory to global if Space is Global, else from global to shared
	BulkDrain    // the warp waits until its copies are served; in time alone, it orders nothing
	BulkCommit   // makes a group of the bulk copies to global memory since the last commit
	BulkWait     // waits for all groups of bulk copies but the latest, of which a is the number
	BulkWaitRead // the same, until their sources have been read

	// Control.
	Bra
	BrxIdx // a indexes Instr.Targets
	Call
	RunSystem // a function that the CUDA runtime provides, Instr.System; what it reads is not an access
	Ret
	Exit
	Trap
	Nop        // what neither changes a result nor waits for anybody; sources are read
	Reconverge // where a branch reconverges, in kernels that do so AtSyncs
	Split      // a wavefront splits in two at the branch that follows, on machines with split contexts; does nothing on others
	Merge      // the two go on as one; does nothing on machines without split contexts

	// Synchronisation and communication.
	Bar // CTA barrier a, with b threads if given; Instr.Barrier tells the form, some of which have no operands
	BarWarp
	Fence
	Atom // d = old value at address a; operation Instr.Atom with b (and c for Cas)
	Red  // Atom without a result
	Vote
	Match // d[, predicate] = lanes with the same a; b is the member mask
	Redux // d = Instr.Atom over the a of the lanes of the member mask b
	Elect // d[, predicate] = the lane, of those of the member mask a, that is to act for all
	Shfl  // d[, predicate] from lane by Instr.Lane: a value, b lane, c clamp, optional member mask
	Activemask

	// Matrices that the lanes of a warp hold together, see Matrix.
	Mma       // d = a*b + c, each as many registers as Instr.FragmentRegs says
	LdMatrix  // loads one, two or four matrices from rows of shared memory, lane by lane at a
	StMatrix  // stores as many: b and those that follow
	MovMatrix // transposes a matrix

	numOps
)

// Unit is the kind of functional unit that an operation occupies. Together with
// the type it selects the timing class (see Instr.Class).
type Unit uint8

// The functional units. NoUnit is the zero value and fails.
const (
	NoUnit     Unit = iota
	UnitAdd         // add, compare, logic, moves
	UnitMinMax      // min and max, which old generations executed slower
	UnitMul         // multiply
	UnitMad         // multiply and add
	UnitDiv         // divide, remainder, square root
	UnitSFU         // transcendental approximations
	UnitMem         // load, store, atomic: the class follows from the space
	UnitCtl         // branches, calls, exits
	UnitSync        // barriers, fences, votes, shuffles
	UnitTensor      // products of matrices
)

// Effect is a set of what an operation does besides writing registers.
type Effect uint8

// The effects.
const (
	ReadsMem   Effect = 1 << iota
	WritesMem         // also atomics
	Branches          // the next instruction may be another than the following one
	Exits             // retires the active lanes (ret and exit of a kernel, trap)
	Crosslane         // a lane's result depends on other lanes' values
	Barriers          // waits for other warps
	Unmodelled        // has an effect that is not modelled, so that no kernel with it is executed or bounded
)

// Info is what is known of an operation whatever its type.
type Info struct {
	Name   string // the neutral mnemonic
	Unit   Unit
	Dst    [2]int // least and largest number of destination operands
	Src    [2]int // least and largest number of source operands
	Effect Effect
}

// maxOperands is the largest number of operands of what is no single operation.
const maxOperands = 255

// many is the largest number of elements that a vector operand has: eight, each
// perhaps in two halves.
const many = 16

var (
	none     = [2]int{0, 0}
	one      = [2]int{1, 1}
	oneOrTwo = [2]int{1, 2}
)

func n(k int) [2]int { return [2]int{k, k} }

func upTo(k int) [2]int { return [2]int{0, k} }

// ops is the table of operations. A row that is missing has the zero Info and
// makes the table's test fail.
var ops = [numOps]Info{
	Unknown:      {"unknown", NoUnit, none, none, Unmodelled},
	Opaque:       {"opaque", NoUnit, upTo(maxOperands), upTo(maxOperands), Unmodelled | Crosslane},
	OpaqueAccess: {"opaque.access", NoUnit, upTo(maxOperands), upTo(maxOperands), Unmodelled | Crosslane | ReadsMem | WritesMem},

	Add:      {"add", UnitAdd, one, n(2), 0},
	Sub:      {"sub", UnitAdd, one, n(2), 0},
	Mul:      {"mul", UnitMul, one, n(2), 0},
	MulHi:    {"mul.hi", UnitMul, one, n(2), 0},
	MulWide:  {"mul.wide", UnitMul, one, n(2), 0},
	Mad:      {"mad", UnitMad, one, n(3), 0},
	MadHi:    {"mad.hi", UnitMad, one, n(3), 0},
	MadWide:  {"mad.wide", UnitMad, one, n(3), 0},
	Mul24:    {"mul24", UnitMul, one, n(2), 0},
	Mul24Hi:  {"mul24.hi", UnitMul, one, n(2), 0},
	Mad24:    {"mad24", UnitMad, one, n(3), 0},
	Mad24Hi:  {"mad24.hi", UnitMad, one, n(3), 0},
	Fma:      {"fma", UnitMad, one, n(3), 0},
	Div:      {"div", UnitDiv, one, n(2), 0},
	Rem:      {"rem", UnitDiv, one, n(2), 0},
	Abs:      {"abs", UnitAdd, one, n(1), 0},
	Neg:      {"neg", UnitAdd, one, n(1), 0},
	Min:      {"min", UnitMinMax, one, [2]int{2, 3}, 0},
	Max:      {"max", UnitMinMax, one, [2]int{2, 3}, 0},
	Sad:      {"sad", UnitAdd, one, n(3), 0},
	Rcp:      {"rcp", UnitSFU, one, n(1), 0},
	Sqrt:     {"sqrt", UnitSFU, one, n(1), 0},
	Rsqrt:    {"rsqrt", UnitSFU, one, n(1), 0},
	Sin:      {"sin", UnitSFU, one, n(1), 0},
	Cos:      {"cos", UnitSFU, one, n(1), 0},
	Lg2:      {"lg2", UnitSFU, one, n(1), 0},
	Ex2:      {"ex2", UnitSFU, one, n(1), 0},
	Tanh:     {"tanh", UnitSFU, one, n(1), 0},
	Copysign: {"copysign", UnitAdd, one, n(2), 0},

	AddCarry:   {"add.carry", UnitAdd, oneOrTwo, [2]int{2, 3}, 0},
	SubCarry:   {"sub.carry", UnitAdd, oneOrTwo, [2]int{2, 3}, 0},
	MadCarry:   {"mad.carry", UnitMad, oneOrTwo, [2]int{3, 4}, 0},
	MadHiCarry: {"mad.hi.carry", UnitMad, oneOrTwo, [2]int{3, 4}, 0},
	Dp4a:       {"dp4a", UnitMad, one, n(3), 0},
	Dp2a:       {"dp2a", UnitMad, one, n(3), 0},
	Dp2aHi:     {"dp2a.hi", UnitMad, one, n(3), 0},

	And:   {"and", UnitAdd, one, n(2), 0},
	Or:    {"or", UnitAdd, one, n(2), 0},
	Xor:   {"xor", UnitAdd, one, n(2), 0},
	Not:   {"not", UnitAdd, one, n(1), 0},
	Cnot:  {"cnot", UnitAdd, one, n(1), 0},
	Shl:   {"shl", UnitAdd, one, n(2), 0},
	Shr:   {"shr", UnitAdd, one, n(2), 0},
	ShfL:  {"shf.l", UnitAdd, one, n(3), 0},
	ShfR:  {"shf.r", UnitAdd, one, n(3), 0},
	Lop3:  {"lop3", UnitAdd, oneOrTwo, [2]int{4, 5}, 0},
	Prmt:  {"prmt", UnitAdd, one, n(3), 0},
	Popc:  {"popc", UnitAdd, one, n(1), 0},
	Clz:   {"clz", UnitAdd, one, n(1), 0},
	Bfind: {"bfind", UnitAdd, one, n(1), 0},
	Brev:  {"brev", UnitAdd, one, n(1), 0},
	Bfe:   {"bfe", UnitAdd, one, n(3), 0},
	Bfi:   {"bfi", UnitAdd, one, n(4), 0},
	Szext: {"szext", UnitAdd, one, n(2), 0},
	Bmsk:  {"bmsk", UnitAdd, one, n(2), 0},
	Fns:   {"fns", UnitAdd, one, n(3), 0},

	VAdd:     {"vadd", UnitMad, one, [2]int{2, 3}, 0},
	VSub:     {"vsub", UnitMad, one, [2]int{2, 3}, 0},
	VAbsDiff: {"vabsdiff", UnitMad, one, [2]int{2, 3}, 0},
	VMin:     {"vmin", UnitMad, one, [2]int{2, 3}, 0},
	VMax:     {"vmax", UnitMad, one, [2]int{2, 3}, 0},
	VAvrg:    {"vavrg", UnitMad, one, n(3), 0},
	VShl:     {"vshl", UnitMad, one, [2]int{2, 3}, 0},
	VShr:     {"vshr", UnitMad, one, [2]int{2, 3}, 0},
	VSet:     {"vset", UnitMad, one, [2]int{2, 3}, 0},
	VMad:     {"vmad", UnitMad, one, n(3), 0},

	Setp:  {"setp", UnitAdd, oneOrTwo, [2]int{2, 3}, 0},
	Set:   {"set", UnitAdd, one, [2]int{2, 3}, 0},
	Selp:  {"selp", UnitAdd, one, n(3), 0},
	Slct:  {"slct", UnitAdd, one, n(3), 0},
	Testp: {"testp", UnitAdd, one, n(1), 0},

	Mov:      {"mov", UnitAdd, one, n(1), 0},
	Pack:     {"pack", UnitAdd, one, [2]int{2, many}, 0},
	Unpack:   {"unpack", UnitAdd, [2]int{2, many}, n(1), 0},
	Cvt:      {"cvt", UnitAdd, one, [2]int{1, 3}, 0},
	CvtPack:  {"cvt.pack", UnitAdd, one, [2]int{2, 3}, 0},
	Cvta:     {"cvta", UnitAdd, one, n(2), 0},
	CvtaTo:   {"cvta.to", UnitAdd, one, n(2), 0},
	Isspacep: {"isspacep", UnitAdd, one, n(1), 0},
	Ld:       {"ld", UnitMem, [2]int{1, many}, n(1), ReadsMem},
	St:       {"st", UnitMem, none, [2]int{2, 1 + many}, WritesMem},
	Prefetch: {"prefetch", UnitMem, none, n(1), 0},
	CpAsync:  {"cp.async", UnitMem, none, [2]int{3, 4}, ReadsMem | WritesMem},

	AsyncCommit: {"async.commit", UnitSync, none, none, 0},
	AsyncWait:   {"async.wait", UnitSync, none, [2]int{0, 1}, 0},

	Mbarrier:     {"mbarrier", UnitMem, [2]int{0, 1}, [2]int{1, 2}, ReadsMem | WritesMem},
	BulkCopy:     {"bulk.copy", UnitMem, none, n(3), ReadsMem | WritesMem},
	BulkDrain:    {"bulk.drain", UnitSync, none, none, 0},
	BulkCommit:   {"bulk.commit", UnitSync, none, none, 0},
	BulkWait:     {"bulk.wait", UnitSync, none, n(1), 0},
	BulkWaitRead: {"bulk.wait.read", UnitSync, none, n(1), 0},

	Bra:       {"bra", UnitCtl, none, none, Branches},
	BrxIdx:    {"brx.idx", UnitCtl, none, n(1), Branches},
	Call:      {"call", UnitCtl, upTo(many), upTo(maxOperands), Branches},
	RunSystem: {"system", UnitCtl, [2]int{0, 1}, [2]int{0, 5}, 0},
	Ret:       {"ret", UnitCtl, none, none, Exits},
	Exit:      {"exit", UnitCtl, none, none, Exits},
	Trap:      {"trap", UnitCtl, none, none, Exits},
	Nop:       {"nop", UnitAdd, none, [2]int{0, 1}, 0},

	Reconverge: {"sync", UnitSync, none, none, Branches},
	Split:      {"split", UnitCtl, none, none, 0},
	Merge:      {"merge", UnitCtl, none, none, 0},

	Bar:        {"bar", UnitSync, [2]int{0, 1}, [2]int{0, 3}, Barriers},
	BarWarp:    {"bar.warp", UnitSync, none, n(1), Crosslane},
	Fence:      {"fence", UnitSync, none, [2]int{0, 2}, 0},
	Atom:       {"atom", UnitMem, [2]int{1, many}, [2]int{2, 1 + many}, ReadsMem | WritesMem},
	Red:        {"red", UnitMem, none, [2]int{2, 1 + many}, ReadsMem | WritesMem},
	Vote:       {"vote", UnitSync, one, [2]int{1, 2}, Crosslane},
	Match:      {"match", UnitSync, [2]int{1, 2}, n(2), Crosslane},
	Redux:      {"redux", UnitSync, one, n(2), Crosslane},
	Elect:      {"elect", UnitSync, [2]int{1, 2}, n(1), Crosslane},
	Shfl:       {"shfl", UnitSync, [2]int{1, 2}, [2]int{3, 4}, Crosslane},
	Activemask: {"activemask", UnitSync, one, none, Crosslane},

	Mma:       {"mma", UnitTensor, [2]int{2, many}, [2]int{4, 2 * many}, Crosslane},
	LdMatrix:  {"ldmatrix", UnitMem, [2]int{1, 4}, n(1), ReadsMem | Crosslane},
	StMatrix:  {"stmatrix", UnitMem, none, [2]int{2, 5}, WritesMem | Crosslane},
	MovMatrix: {"movmatrix", UnitSync, one, n(1), Crosslane},
}

// Info returns the facts of the operation; those of Unknown for a value that
// is no operation.
func (o Op) Info() Info {
	if o >= numOps {
		return ops[Unknown]
	}
	return ops[o]
}

// String returns the neutral mnemonic.
func (o Op) String() string { return o.Info().Name }
