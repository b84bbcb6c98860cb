package job

import (
	"math"
	"slices"

	"warpbound/diag"
	"warpbound/internal/budget"
)

// Defaults of keys that a job may leave out.
const (
	DefaultMachine = "fermi-c2050"
	DefaultVectors = 100
	DefaultSeed    = 1
)

// maxSize bounds each dimension of a launch and their product.
const maxSize = math.MaxInt32

// reader turns a document into a Job.
type reader struct {
	*document
	open  func(name string) ([]byte, error)
	bytes int64 // of memory asked for so far

	named      map[string]diag.Pos // arguments, their fields and buffers
	references []reference
}

func (r *reader) job() *Job {
	t := r.root
	t.only("a job", "module", "kernel", "machine", "target", "accept", "grid", "block", "vectors", "seed", "budget",
		"registers", "shared", "param", "buffer", "symbol", "loop", "fact", "assume", "split", "llc", "cpu", "background", "repeat", "launch", "caches", "threads", "source")
	j := &Job{
		File: r.file, Machine: DefaultMachine, Unnamed: true, Vectors: DefaultVectors, Seed: DefaultSeed,
		Pos: Positions{
			Module: t.pos("module"), Kernel: t.pos("kernel"), Machine: t.pos("machine"),
			Grid: t.pos("grid"), Block: t.pos("block"),
			Registers: t.pos("registers"), Shared: t.pos("shared"), Budget: t.pos("budget"),
		},
	}
	j.Module, _ = t.required("module", "kernel.ptx")
	j.Kernel, _ = t.text("kernel")
	if machine, ok := t.text("machine"); ok {
		j.Machine, j.Unnamed = machine, false
	}
	j.Target, _ = t.text("target")
	j.Accepts = r.readAccepts(t)
	if t.has("grid") {
		j.Grid = r.size(t, "grid")
	}
	if t.has("block") {
		j.Block = r.size(t, "block")
	}
	if n, ok := t.integer("vectors", 1, maxSize); ok {
		j.Vectors = int(n)
	}
	if seed, ok := t.integer("seed", math.MinInt64, math.MaxInt64); ok {
		j.Seed = seed
	}
	j.Budget = r.budget(t)
	registers, _ := t.integer("registers", 1, 1<<16)
	j.Registers = int(registers)
	if shared, ok := t.integer("shared", 0, MaxBytes); ok {
		j.Shared = int(shared)
		r.claim(j.Pos.Shared, shared)
	}
	r.arguments(j, t)
	j.Symbols = r.symbols(t.tables("symbol"))
	j.Loops = r.loops(t)
	j.Facts = r.facts(t.tables("fact"))
	r.assumes(t.tables("assume"), j)
	j.Split = r.split(t)
	j.LLC = r.llc(t)
	j.CPU = r.cpu(t, j.Params)
	j.Background = r.background(t)
	j.Repeat = r.repeat(t, j.Params)
	r.launches(t, j)
	j.Caches = r.caches(t)
	j.Threads = r.threads(t)
	j.Source = r.source(t)
	return j
}

// budget reads how long a run may take: a time or a number of cycles.
func (r *reader) budget(t table) budget.Budget {
	const key = "budget"
	switch v := t.values[key].(type) {
	case nil:
	case int64:
		if v > 0 {
			return budget.OfCycles(v)
		}
		r.errorf(t.pos(key), "budget is %d; it must be at least 1 cycle", v)
	case string:
		b, err := budget.Parse(v)
		if err == nil {
			return b
		}
		r.errorf(t.pos(key), "budget is %.40q; %w", v, err)
	default:
		t.wrong(key, `a time such as "2ms" or a number of cycles`)
	}
	return budget.Budget{}
}

// claim counts memory that the job asks for, and reports the first excess.
func (r *reader) claim(pos diag.Pos, bytes int64) {
	before := r.bytes
	r.bytes += bytes // both at most MaxBytes, or the sum is checked already
	if before <= MaxBytes && r.bytes > MaxBytes {
		r.errorf(pos, "the job asks for more than %d bytes of memory in all", MaxBytes)
	}
}

// size reads a grid or block: up to three numbers, 1 for each left out.
func (r *reader) size(t table, key string) [3]int {
	size := [3]int{1, 1, 1}
	list, ok := t.list(key)
	if !ok {
		return size
	}
	if len(list) < 1 || len(list) > 3 {
		r.errorf(t.pos(key), "%s has %d numbers; it must have x, y and z", key, len(list))
		return size
	}
	product := int64(1)
	for i, v := range list {
		n, ok := v.(int64)
		if !ok {
			r.errorf(t.pos(key), "%s holds %s; it must hold integers", key, kindOf(v))
			return size
		}
		if n < 1 || n > maxSize {
			r.errorf(t.pos(key), "%s has %d in %s; each number must be from 1 to %d", key, n, "xyz"[i:i+1], maxSize)
			return size
		}
		if product > maxSize/n {
			r.errorf(t.pos(key), "%s is too large: the product of its numbers must be at most %d", key, maxSize)
			return size
		}
		product *= n
		size[i] = int(n)
	}
	return size
}

func (r *reader) loops(t table) []Loop {
	notes, ok := t.table("loop")
	if !ok {
		return nil
	}
	var loops []Loop
	for _, key := range notes.sorted() {
		place, ok := r.place(notes.pos(key), key)
		bound, valid := notes.integer(key, 0, math.MaxInt64)
		if ok && valid {
			loops = append(loops, Loop{Place: place, Bound: bound, Pos: notes.pos(key)})
		}
	}
	return loops
}

func (r *reader) facts(tables []table) []Fact {
	var facts []Fact
	for _, t := range tables {
		t.only("a fact", "sum", "max", "min")
		f := Fact{Pos: t.mark.Pos, Min: r.limit(t, "min"), Max: r.limit(t, "max")}
		switch {
		case !t.has("min") && !t.has("max"):
			r.errorf(f.Pos, "the fact states nothing; give max, min or both")
		case f.Min != nil && f.Max != nil && *f.Min > *f.Max:
			r.errorf(t.pos("min"), "min is %d and max is %d; no execution has both", *f.Min, *f.Max)
		}
		sum, ok := t.table("sum")
		if !t.has("sum") || ok && len(sum.values) == 0 {
			r.errorf(t.pos("sum"), `the fact sums up nothing; for example: sum = {"$L__BB0_2" = 1}`)
		}
		if ok {
			f.Sum = r.terms(sum)
		}
		facts = append(facts, f)
	}
	return facts
}

func (r *reader) limit(t table, key string) *int64 {
	v, ok := t.integer(key, math.MinInt64, math.MaxInt64)
	if !ok {
		return nil
	}
	return &v
}

func (r *reader) terms(sum table) []Term {
	var terms []Term
	for _, key := range sum.sorted() {
		place, ok := r.place(sum.pos(key), key)
		coef, valid := sum.integer(key, math.MinInt64, math.MaxInt64)
		if ok && valid {
			terms = append(terms, Term{Place: place, Coef: coef, Pos: sum.pos(key)})
		}
	}
	return terms
}

// symbols reads the symbols, whose names must differ.
func (r *reader) symbols(tables []table) []Symbol {
	var symbols []Symbol
	for _, t := range tables {
		s := r.symbol(t)
		same := func(q Symbol) bool { return q.Name == s.Name }
		if at := slices.IndexFunc(symbols, same); at >= 0 && s.Name != "" {
			r.errorf(t.pos("name"), "there is another symbol %q at %s; names must differ", s.Name, symbols[at].Pos)
		}
		symbols = append(symbols, s)
	}
	return symbols
}
