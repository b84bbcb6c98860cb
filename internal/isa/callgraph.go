package isa

// FuncAddress returns the number that stands for the address of the i-th
// function of a program. No memory has such an address.
func FuncAddress(i int) uint64 { return 0x100 + 16*uint64(i) }

// callGraph tells which functions of a program may call which.
type callGraph struct {
	program *Program
	index   map[string]int           // of each function by its name
	reached map[*Func]map[*Func]bool // from a function, by calls
	taken   map[int]bool             // functions whose address is used; nil if not yet known
}

func newCallGraph(p *Program) *callGraph {
	c := &callGraph{program: p, index: make(map[string]int, len(p.Funcs)), reached: make(map[*Func]map[*Func]bool)}
	for i, f := range p.Funcs {
		c.index[f.Name] = i
	}
	return c
}

// find returns the function of that name, nil if there is none.
func (c *callGraph) find(name string) *Func {
	if i, ok := c.index[name]; ok {
		return c.program.Funcs[i]
	}
	return nil
}

// callees returns the functions that a call may reach. For a call by address
// they are those of its list whose address the program uses, and which it or the
// runtime defines.
func (c *callGraph) callees(in *Instr) []*Func {
	if in.Callee != "" {
		if f := c.find(in.Callee); f != nil {
			return []*Func{f}
		}
		return nil
	}
	var found []*Func
	for _, name := range in.Callees {
		_, provided := SystemByName(name)
		if f := c.find(name); f != nil && (provided || !f.Extern) && c.isTaken(c.index[name]) {
			found = append(found, f)
		}
	}
	return found
}

// isTaken reports whether the program uses the address of a function: as a
// source of an instruction or as an initial value.
func (c *callGraph) isTaken(f int) bool {
	if c.taken != nil {
		return c.taken[f]
	}
	c.taken = make(map[int]bool)
	variables := func(vars []Var) {
		for i := range vars {
			for _, r := range vars[i].Relocs {
				if at, ok := c.index[r.Var]; ok {
					c.taken[at] = true
				}
			}
		}
	}
	variables(c.program.Vars)
	for _, f := range c.program.Funcs {
		variables(f.Vars)
		for i := range f.Instrs {
			for _, o := range f.Instrs[i].Src {
				if o.Kind == KindFunc {
					c.taken[int(o.Var)] = true
				}
			}
		}
	}
	return c.taken[f]
}

// reaches reports whether calls lead from f to g.
func (c *callGraph) reaches(f, g *Func) bool {
	seen, ok := c.reached[f]
	if !ok {
		seen = make(map[*Func]bool)
		c.walk(f, seen)
		c.reached[f] = seen
	}
	return seen[g]
}

func (c *callGraph) walk(f *Func, seen map[*Func]bool) {
	for i := range f.Instrs {
		if f.Instrs[i].Op != Call {
			continue
		}
		for _, g := range c.callees(&f.Instrs[i]) {
			if !seen[g] {
				seen[g] = true
				c.walk(g, seen)
			}
		}
	}
}
