// Package ifconvert replaces branches of PTX kernels by selections (if-conversion: Allen, Kennedy, Porterfield and Warren, "Conversion
// of control dependence to data dependence", POPL 1983): all lanes execute what stands on the paths of a branch, and keep what
// they would have computed.
//
//	    @%p bra JOIN;                          add.s32 %c0, %r1, 1;
//	    add.s32 %r1, %r1, 1;       becomes     ld.global.u32 %c1, [%rd1];
//	    st.global.u32 [%rd1], %r1;             selp.b32 %c2, %c1, %c0, %p;
//	JOIN:                                      st.global.u32 [%rd1], %c2;
//	                                           selp.b32 %r1, %r1, %c0, %p;
//	                                       JOIN:
//
// Lanes may also stay in a loop that they would have left (loop.go).
//
// Convert makes one such step. What it makes has the results of the module given if three things hold, which depend on the launch and
// so are up to its caller: no access of it is outside of its buffers, whichever lanes the branch is for; no two of its threads race; and
// Obstacle has found nothing in the kernel.
//
// ifconvert must not import what runs or bounds kernels.
package ifconvert

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
)

// Kind tells what was converted.
type Kind string

// What is converted.
const (
	IfThen     Kind = "if-then"      // one block, which a branch passes over
	IfThenElse Kind = "if-then-else" // two blocks, of which a branch chooses one
	Region     Kind = "region"       // several blocks, with branches among them
	Predicated Kind = "predicated"   // one instruction with a guard
	LoopExit   Kind = "loop-exit"    // a branch that leaves a loop
)

// Result is a module in which one place is converted.
type Result struct {
	Module *ptx.Module // as Text is parsed
	Text   []byte
	Kind   Kind
	Source diag.Pos // of the place, in the source that the compiler was given; not known if the module does not say it
	Added  int      // how many more instructions the kernel has

	origin map[ptx.Pos]ptx.Pos
}

// Origin returns where in the module given an instruction of the result is from: what is added is from the branch.
func (r *Result) Origin(of diag.Pos) diag.Pos {
	own, ok := r.origin[ptx.Pos{Line: of.Line, Col: of.Col}]
	if !ok {
		return of
	}
	return diag.Pos{File: of.File, Line: own.Line, Col: own.Col}
}

// Convert replaces the branch or the guarded instruction at a position of a kernel in its module. Errors have the position and the
// reason why that is not possible.
func Convert(module *ptx.Module, kernel string, at diag.Pos) (*Result, error) {
	c, err := newConverter(module, kernel)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.kernel.Instrs, func(in isa.Instr) bool { return in.Pos == at && in.Guard.Set })
	if i < 0 {
		return nil, diag.Errorf(at, "there is no instruction with a guard here")
	}
	if c.stmts[position(at)] == nil {
		return nil, diag.Errorf(at, "this is in a function that kernel %s calls: only the kernel's own branches can be converted", c.kernel.Readable())
	}
	in := &c.kernel.Instrs[i]
	kind := Predicated
	switch effect := in.Op.Info().Effect; {
	case effect&isa.Exits != 0:
		return nil, diag.Errorf(at, "threads end here, so that there is nothing to select")
	case in.Op == isa.Bra && c.leaves(c.graph.BlockOf(i)) != nil:
		kind = LoopExit
		if err := c.loop(i, c.leaves(c.graph.BlockOf(i))); err != nil {
			return nil, err
		}
	case in.Op == isa.Bra:
		if kind, err = c.branch(i); err != nil {
			return nil, err
		}
	default:
		if err := c.guarded(i); err != nil {
			return nil, err
		}
	}
	r, err := c.result()
	if err != nil {
		return nil, err
	}
	r.Kind, r.Source = kind, in.Loc
	return r, nil
}

// Obstacle returns an error if the results of a kernel may depend on when its instructions are executed, or on which lanes execute
// them together, so that they may be others with other branches: of a kernel without data races that is up to clocks, strong accesses, and
// atomic operations that tell who came first.
func Obstacle(k *isa.Kernel) error {
	live := make([]bool, len(k.Regs))
	for i := range k.Instrs {
		k.Instrs[i].Reads(func(r isa.Reg) { live[r] = true })
	}
	atomic := isa.AtomNone
	for i := range k.Instrs {
		in := &k.Instrs[i]
		refuse := func(format string, args ...any) error {
			return diag.Errorf(in.Pos, "%s: %s", k.Format(in), fmt.Sprintf(format, args...))
		}
		for _, o := range in.Src {
			if o.Kind == isa.KindSpecial && timed(o.Special) {
				return refuse("what it reads depends on when and where threads run")
			}
		}
		order, _ := in.Strength()
		switch in.Op {
		case isa.Activemask, isa.Mbarrier, isa.RunSystem:
			return refuse("its result may depend on when threads run")
		case isa.Ld, isa.St:
			if order != isa.OrderWeak {
				return refuse("what a strong access reads may depend on when threads run")
			}
		case isa.Atom, isa.Red:
			if slices.ContainsFunc(in.Dst, func(o isa.Operand) bool { return o.Kind == isa.KindReg && live[o.Reg] }) {
				return refuse("the kernel uses what was there before, which depends on the order of atomic operations")
			}
			if neutral(in) == "" {
				return refuse("its outcome depends on the order of atomic operations")
			}
			if atomic != isa.AtomNone && atomic != in.Atom {
				return refuse("the outcome of several kinds of atomic operations depends on their order")
			}
			atomic = in.Atom
		}
	}
	return nil
}

// timed reports whether a special register depends on when or where threads run.
func timed(s isa.Special) bool {
	switch {
	case s >= isa.Clock && s <= isa.GlobalTimerHi, s >= isa.Pm0 && s < isa.Envreg0:
		return true
	}
	return s == isa.SmID || s == isa.WarpID || s == isa.GridID
}

// neutral returns the operand with which an atomic operation changes nothing; empty if there is none, or if the outcome of several
// operations depends on their order.
func neutral(in *isa.Instr) string {
	bits := in.Type.Bits()
	if in.Type.IsFloat() || in.Type.Class() == isa.Packed || bits != 32 && bits != 64 || len(in.Src) != 2 {
		return ""
	}
	ones := ^uint64(0) >> (64 - bits)
	top := uint64(1) << (bits - 1)
	hex := func(v uint64) string { return fmt.Sprintf("%#x", v) }
	switch signed := in.Type.IsSigned(); in.Atom {
	case isa.AtomAdd, isa.AtomOr, isa.AtomXor:
		return "0"
	case isa.AtomAnd:
		return hex(ones)
	case isa.AtomMin:
		if signed {
			return hex(top - 1)
		}
		return hex(ones)
	case isa.AtomMax:
		if signed {
			return hex(top)
		}
		return "0"
	}
	return ""
}

// converter converts a place of a kernel.
type converter struct {
	module *ptx.Module
	fn     *ptx.Func
	kernel *isa.Kernel
	graph  *cfg.Graph
	live   *cfg.Live
	own    int // registers of the kernel itself, before those of functions that it calls

	stmts map[ptx.Pos]*stmt
	named map[string][]isa.Reg // registers of the kernel by name

	prefix  string         // of new registers
	fresh   map[string]int // how many there are, by their type
	out     []ptx.Stmt     // what takes the place of the branch
	current *ptx.Loc       // position in the source of what out ends with
	gone    map[*ptx.Instr]bool
	at      *stmt // where out goes
	known   []known

	edits  map[*ptx.Instr][]ptx.Stmt // what takes the place of instructions
	behind map[*ptx.Instr][]ptx.Stmt // what stands behind them
	labels map[*ptx.Instr]string     // what they are labelled
	head   []ptx.Stmt                // what the kernel begins with
	tail   []ptx.Stmt                // what its text ends with
	made   int                       // labels

	complement map[string]string      // registers that hold the complements of others
	when       map[[2]*part]condition // under which lanes that execute the second, nil for the branch, execute the first
	err        error                  // of what was emitted
}

// stmt is an instruction in the body of the kernel.
type stmt struct {
	*ptx.Instr
	loc    *ptx.Loc // position in the source
	nested bool     // it is in a block of its own
	code   []int    // the instructions of the linked kernel that it is
}

func position(p diag.Pos) ptx.Pos { return ptx.Pos{Line: p.Line, Col: p.Col} }

func newConverter(module *ptx.Module, kernel string) (*converter, error) {
	program, err := ptx.Lower(module)
	if err != nil {
		return nil, err
	}
	k, err := isa.Link(program, kernel)
	if err != nil {
		return nil, err
	}
	g, err := cfg.Build(k)
	if err != nil {
		return nil, err
	}
	c := &converter{
		module: module, kernel: k, graph: g, live: cfg.Liveness(g), own: len(program.Func(k.Name).Regs),
		stmts: make(map[ptx.Pos]*stmt), named: make(map[string][]isa.Reg), fresh: make(map[string]int), gone: make(map[*ptx.Instr]bool),
		edits: make(map[*ptx.Instr][]ptx.Stmt), behind: make(map[*ptx.Instr][]ptx.Stmt), labels: make(map[*ptx.Instr]string),
		complement: make(map[string]string), when: make(map[[2]*part]condition),
	}
	for _, item := range module.Items {
		if f, ok := item.(*ptx.Func); ok && f.Entry && f.Body != nil && f.Name == k.Name {
			c.fn = f
		}
	}
	if c.fn == nil {
		return nil, diag.Errorf(k.Pos, "the module does not define kernel %s", k.Readable())
	}
	c.collect(c.fn.Body, false, nil)
	for i := range k.Instrs {
		if s := c.stmts[position(k.Instrs[i].Pos)]; s != nil && k.Instrs[i].Pos.File == module.File {
			s.code = append(s.code, i)
		}
	}
	for r := range k.Regs[:c.own] {
		name := k.Regs[r].Name
		c.named[name] = append(c.named[name], isa.Reg(r))
	}
	var text bytes.Buffer
	if err := ptx.Print(&text, module); err != nil {
		return nil, err
	}
	c.prefix = "%sel"
	for n := 2; bytes.Contains(text.Bytes(), []byte(c.prefix+"_")); n++ {
		c.prefix = "%sel" + strconv.Itoa(n)
	}
	return c, nil
}

// collect notes the instructions of a block, and returns the position in the source behind it.
func (c *converter) collect(b *ptx.Block, nested bool, loc *ptx.Loc) *ptx.Loc {
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *ptx.Block:
			loc = c.collect(x, true, loc)
		case *ptx.Loc:
			loc = x
		case *ptx.Instr:
			c.stmts[x.Pos] = &stmt{Instr: x, loc: loc, nested: nested}
		}
	}
	return loc
}

// guarded converts an instruction with a guard.
func (c *converter) guarded(i int) error {
	in := &c.kernel.Instrs[i]
	s := c.stmts[position(in.Pos)]
	if s.nested {
		return diag.Errorf(in.Pos, "this is in a block of the text with names of its own")
	}
	plain := *s.Instr
	plain.Guard = ptx.Guard{}
	p := &part{block: -1, stmts: []*stmt{{Instr: &plain, loc: s.loc, code: s.code}}}
	if err := c.check(p); err != nil {
		return err
	}
	c.at, c.current = s, s.loc
	c.gone[s.Instr] = true
	b := c.graph.BlockOf(i)
	for at := c.graph.Blocks[b].Start; at < i; at++ {
		c.passed(at)
	}
	p.value = map[string]string{}
	c.when[[2]*part{p, nil}] = condition{s.Guard.Name, s.Guard.Not}
	c.convert(p)
	c.merged(&part{block: -1, edges: []*edge{{own: condition{s.Guard.Name, !s.Guard.Not}}, {from: p}}}, true)
	c.edits[s.Instr] = c.out
	return nil
}

// branch converts a branch with what is on its paths.
func (c *converter) branch(i int) (Kind, error) {
	b := c.graph.BlockOf(i)
	join := graph.PostDominators(c.graph.Graph(), c.graph.Exit()).IDom(b)
	parts, err := c.region(b, join)
	if err != nil {
		return "", err
	}
	s := c.stmts[position(c.kernel.Instrs[i].Pos)]
	if s.nested {
		return "", diag.Errorf(c.kernel.Instrs[i].Pos, "this is in a block of the text with names of its own")
	}
	for _, p := range parts {
		if err := c.check(p); err != nil {
			return "", err
		}
		for _, s := range p.stmts {
			c.gone[s.Instr] = true
		}
	}
	c.at, c.current = s, s.loc
	c.gone[s.Instr] = true
	for at := c.graph.Blocks[b].Start; at < i; at++ {
		c.passed(at)
	}
	c.selections(b, join, parts)
	if join != c.graph.Exit() && !c.follows(join) {
		label, err := c.label(join)
		if err != nil {
			return "", err
		}
		c.emit(s.Pos, "bra.uni %s", label)
	}
	c.edits[s.Instr] = c.out
	switch len(parts) {
	case 1:
		return IfThen, nil
	case 2:
		if len(parts[0].edges) == 1 && parts[0].edges[0].from == nil && len(parts[1].edges) == 1 && parts[1].edges[0].from == nil {
			return IfThenElse, nil
		}
	}
	return Region, nil
}

// follows reports whether a block stands behind the branch in the text, once what was converted is gone.
func (c *converter) follows(block int) bool {
	first := c.kernel.Instrs[c.graph.Blocks[block].Start].Pos
	found := false
	for _, s := range c.fn.Body.Stmts {
		in, ok := s.(*ptx.Instr)
		switch {
		case !ok:
			if _, block := s.(*ptx.Block); block && found {
				return false
			}
		case in == c.at.Instr:
			found = true
		case found && !c.gone[in]:
			return in.Pos == position(first)
		}
	}
	return false
}

// label returns a label of a block.
func (c *converter) label(block int) (string, error) {
	start := c.graph.Blocks[block].Start
	for _, l := range c.kernel.Labels {
		if l.Index != start {
			continue
		}
		for _, s := range c.fn.Body.Stmts {
			if x, ok := s.(*ptx.Label); ok && x.Name == l.Name && x.Pos == position(l.Pos) {
				return l.Name, nil
			}
		}
	}
	return "", diag.Errorf(c.kernel.Instrs[start].Pos, "the block where the paths of the branch reconverge has no label")
}

// result is the module with what was emitted in the place of the branch.
func (c *converter) result() (*Result, error) {
	if c.err != nil {
		return nil, c.err
	}
	body := &ptx.Block{Pos: c.fn.Body.Pos}
	begun := false
	var last *ptx.Instr
	for _, s := range c.fn.Body.Stmts {
		if _, decl := s.(*ptx.Decl); !decl && !begun {
			body.Stmts = append(body.Stmts, c.head...)
			begun = true
		}
		in, ok := s.(*ptx.Instr)
		if !ok {
			body.Stmts = append(body.Stmts, s)
			continue
		}
		last = in
		if name := c.labels[in]; name != "" {
			body.Stmts = append(body.Stmts, &ptx.Label{Pos: in.Pos, Name: name})
		}
		to, edited := c.edits[in]
		switch {
		case edited || c.gone[in]:
			for len(body.Stmts) > 0 {
				if _, pragma := body.Stmts[len(body.Stmts)-1].(*ptx.Directive); !pragma {
					break
				}
				body.Stmts = body.Stmts[:len(body.Stmts)-1] // it is about what is gone
			}
			body.Stmts = append(body.Stmts, to...)
		default:
			body.Stmts = append(body.Stmts, in)
		}
		body.Stmts = append(body.Stmts, c.behind[in]...)
	}
	if c.tail != nil {
		if last.Guard.Name != "" || !slices.Contains([]string{"ret", "ret.uni", "exit", "trap", "bra", "bra.uni"}, last.Mnemonic) {
			body.Stmts = append(body.Stmts, c.instr(last.Pos, "ret")...)
		}
		body.Stmts = append(body.Stmts, c.tail...)
	}
	body.Stmts = slices.Concat(c.declarations(), unused(body.Stmts))
	fn := *c.fn
	fn.Body = body
	m := *c.module
	m.Items = slices.Clone(m.Items)
	for i, item := range m.Items {
		if item == ptx.Item(c.fn) {
			m.Items[i] = &fn
		}
	}
	return printed(&m, len(instrs(&m))-len(instrs(c.module)))
}

// unused drops positions in the source that no instruction has.
func unused(stmts []ptx.Stmt) []ptx.Stmt {
	var out []ptx.Stmt
	for i, s := range stmts {
		if _, loc := s.(*ptx.Loc); loc {
			next := slices.IndexFunc(stmts[i+1:], func(s ptx.Stmt) bool { _, label := s.(*ptx.Label); return !label })
			if next >= 0 {
				if _, loc := stmts[i+1+next].(*ptx.Loc); loc {
					continue
				}
			}
		}
		out = append(out, s)
	}
	return out
}

// declarations declares the new registers.
func (c *converter) declarations() (list []ptx.Stmt) {
	for _, t := range slices.Sorted(keys(c.fresh)) {
		list = append(list, &ptx.Decl{Space: "reg", Type: t, Names: []ptx.Declarator{{Name: c.prefix + "_" + t + "_", Count: c.fresh[t]}}})
	}
	return list
}

// printed is the result with a module as its text.
func printed(m *ptx.Module, added int) (*Result, error) {
	var text bytes.Buffer
	if err := ptx.Print(&text, m); err != nil {
		return nil, err
	}
	again, err := ptx.Parse(m.File, text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("after conversion: %w", err)
	}
	again.Accept = m.Accept
	r := &Result{Module: again, Text: text.Bytes(), Added: added, origin: make(map[ptx.Pos]ptx.Pos)}
	before, after := instrs(m), instrs(again)
	if len(before) != len(after) {
		return nil, fmt.Errorf("after conversion: %s has %d instructions, and its text %d", m.File, len(before), len(after))
	}
	for i := range before {
		r.origin[after[i].Pos] = before[i].Pos
	}
	return r, nil
}

// instrs lists the instructions of a module in the order of the text.
func instrs(m *ptx.Module) (list []*ptx.Instr) {
	var visit func(*ptx.Block)
	visit = func(b *ptx.Block) {
		for _, s := range b.Stmts {
			switch x := s.(type) {
			case *ptx.Block:
				visit(x)
			case *ptx.Instr:
				list = append(list, x)
			}
		}
	}
	for _, item := range m.Items {
		if f, ok := item.(*ptx.Func); ok && f.Body != nil {
			visit(f.Body)
		}
	}
	return list
}

// emit adds an instruction.
func (c *converter) emit(pos ptx.Pos, format string, args ...any) {
	m, err := ptx.Parse("selections", []byte(".version 2.0\n.func f()\n{\n"+fmt.Sprintf(format, args...)+";\n}\n"))
	if err != nil {
		c.err = errors.Join(c.err, fmt.Errorf("before line %d: %w", pos.Line, err))
		return
	}
	in := m.Items[1].(*ptx.Func).Body.Stmts[0].(*ptx.Instr)
	in.Pos = pos
	c.out = append(c.out, in)
}

// locate gives what is emitted next a position in the source.
func (c *converter) locate(loc *ptx.Loc) {
	if loc != nil && loc != c.current {
		c.out = append(c.out, loc)
		c.current = loc
	}
}

// register makes a new register of a type.
func (c *converter) register(typ string) string {
	n := c.fresh[typ]
	c.fresh[typ]++
	return c.prefix + "_" + typ + "_" + strconv.Itoa(n)
}
