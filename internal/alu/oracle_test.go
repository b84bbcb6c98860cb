package alu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/arithmetic"
	"warpbound/internal/test/effort"
)

// The tests of this file compare instructions with package arithmetic, which computes them from the
// tables of the PTX manual: every operation on every type with every modifier. NewPure must accept
// exactly those that the manual has, and executing them must give what it says.

// tried is an instruction with the number of its sources and what the manual says of it.
type tried struct {
	in      isa.Instr
	sources int
	row     *arithmetic.Row
}

// instance gives an instruction registers for so many results.
func (f *tried) instance(results int) *instance {
	return &instance{in: f.in, results: words(f.row.Results[:results]...), sources: words(f.row.Sources...)}
}

// forms returns the instructions of the manual that are lanewise, but for video instructions.
func forms() (list []tried) {
	arithmetic.Tried(func(in isa.Instr, sources int) {
		if row := arithmetic.Of(&in, sources); row != nil {
			list = append(list, tried{in, sources, row})
		}
	})
	return list
}

// TestOracleForms checks which instructions there are.
func TestOracleForms(t *testing.T) {
	accepted := 0
	arithmetic.Tried(func(in isa.Instr, sources int) {
		row := arithmetic.Of(&in, sources)
		c := instance{in: in, results: words(max(in.Type, isa.Pred)), sources: make([]isa.Type, sources)}
		for i := range c.sources {
			c.sources[i] = isa.B64
		}
		if row != nil {
			accepted++
			c = *(&tried{in, sources, row}).instance(len(row.Results))
		}
		if in.Op == isa.Lop3 {
			c.imms = map[int]uint64{3: 0xe8}
		}
		if _, err := c.prepare(); (err == nil) != (row != nil) {
			t.Errorf("%s of %d sources: got error %v, and the manual has it: %t", &in, sources, err, row != nil)
		}
	})
	t.Logf("%d instructions", accepted)
}

// TestOracle executes all of them on special and on random values.
func TestOracle(t *testing.T) {
	seeds := effort.Draw(t, 1000)
	for n, f := range forms() {
		var rows [][]uint64
		for _, seed := range seeds {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			for range f.effort() {
				rows = append(rows, f.row.DrawSources(r, &f.in))
			}
		}
		f.check(t, rows)
		if wide := f.widened(); wide != nil {
			if err := wide.check(f.row, rows); err != nil {
				t.Errorf("%s into 64 bits: %v", &f.in, err)
			}
		}
	}
}

// effort is the number of rows of values that a random item has: few of comparisons, of which there
// are thousands, and more of what has errors to measure.
func (f *tried) effort() int {
	switch {
	case f.in.Op == isa.Set || f.in.Op == isa.Setp:
		return 3
	case f.in.Approx || f.in.Full:
		return 32
	}
	return 12
}

// widened gives an instruction whose operands may be wider than its type registers of 64 bits, nil
// if it is no such instruction.
func (f *tried) widened() *instance {
	c := f.instance(1)
	switch t := f.in.Type; {
	case t == isa.Pred || t.Bits() == 64:
		return nil
	case f.in.Op == isa.Cvt && !t.IsFloat() && t.Class() != isa.Packed:
		c.results = []isa.Type{isa.B64}
	case f.in.Op == isa.Mov:
		c.results, c.sources = []isa.Type{isa.B64}, []isa.Type{isa.B64}
	default:
		return nil
	}
	return c
}

// check compares an instruction with its row.
func (f *tried) check(t *testing.T, rows [][]uint64) {
	t.Helper()
	results := 1
	if f.in.Op == isa.Unpack || f.in.Combine != isa.CombineNone && f.in.Op == isa.Lop3 { // not without all
		results = len(f.row.Results)
	}
	n := len(rows)
	if f.in.Op == isa.Lop3 { // with several tables
		n = 5
	}
	for ; results <= len(f.row.Results); results++ {
		c := f.instance(results)
		for part := range slices.Chunk(rows, n) {
			if f.in.Op == isa.Lop3 {
				c.imms = map[int]uint64{3: part[0][3]}
			}
			if err := c.check(f.row, part); err != nil {
				t.Errorf("%s: %v", &f.in, err)
				return
			}
		}
	}
}

// check compares the results of an instance with those of a row, in all lanes and in some.
func (c *instance) check(row *arithmetic.Row, rows [][]uint64) error {
	b, err := c.prepare()
	if err != nil {
		return err
	}
	for len(rows) > 0 {
		n := min(len(rows), lanes)
		expect := make([][]arithmetic.Result, n)
		for lane := range n {
			for i, x := range c.imms {
				rows[lane][i] = x
			}
			expect[lane] = row.Evaluate(rows[lane])
		}
		for _, mask := range []uint64{1<<lanes - 1, 0x9249_2493} {
			got, err := b.run(rows[:n], mask)
			if err != nil {
				return err
			}
			if err := b.compare(rows[:n], mask, expect, got); err != nil {
				return err
			}
			if err := b.checkOpen(rows[:n], mask, expect); err != nil {
				return err
			}
		}
		for i := range c.sources {
			if _, constant := c.imms[i]; constant || c.results[0] == isa.Pred || c.sources[i] == isa.Pred {
				continue
			}
			got, err := b.inPlace(rows[:n], i)
			if err != nil {
				return err
			}
			if err := b.compare(rows[:n], 1<<lanes-1, expect, got[:1]); err != nil {
				return fmt.Errorf("in place of source %d: %w", i+1, err)
			}
		}
		rows = rows[n:]
	}
	return nil
}

// checkOpen returns an error if bounds may rest on a first result that the manual leaves open.
func (b *bench) checkOpen(rows [][]uint64, mask uint64, expect [][]arithmetic.Result) error {
	unsettled := b.pure.Unsettled(mask, b.dst, b.src)
	for lane := range rows {
		if expect[lane][0].Open && mask&^unsettled>>lane&1 != 0 {
			return fmt.Errorf("%x: the manual leaves the result open, and bounds may rest on it", rows[lane])
		}
	}
	return nil
}

// compare compares results that an instance gave with those expected, and those in other lanes than
// took part with what was there before.
func (b *bench) compare(rows [][]uint64, mask uint64, expect [][]arithmetic.Result, got [][]uint64) error {
	for i := range got {
		for lane := range rows {
			x, want := got[i][lane], &expect[lane][i]
			if mask>>lane&1 == 0 {
				if x != before {
					return fmt.Errorf("lane %d, which takes no part, has 0x%x in result %d", lane, x, i+1)
				}
				continue
			}
			if err := b.checkResult(want, x, i); err != nil {
				return fmt.Errorf("%x gives 0x%x in result %d: %w", rows[lane], x, i+1, err)
			}
		}
	}
	return nil
}

// checkResult compares a result with the manual and, of approximations, with what this package says
// of its own: that they are the nearest numbers, but for double precision, where a root is rounded
// and then its reciprocal.
func (b *bench) checkResult(want *arithmetic.Result, x uint64, result int) error {
	if b.in.Op == isa.Cvt { // integers are extended to the register
		extended := *want
		extended.Bits = arithmetic.Extend(want.Bits, b.in.Type, b.results[result].Bits())
		want = &extended
	}
	if err := want.Check(x); err != nil {
		return err
	}
	if b.in.Op == isa.Rsqrt && b.in.Type == isa.F64 && want.Parts != nil && want.Parts[0].Distance(x) <= 1.5 {
		return nil
	}
	if x != want.Bits {
		return fmt.Errorf("that is allowed, but the nearest is 0x%x", want.Bits)
	}
	return nil
}

// TestOracleVideo draws video instructions, most of which there are.
func TestOracleVideo(t *testing.T) {
	valid := 0
	seeds := effort.Draw(t, 120_000)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 17))
		in, sources := arithmetic.DrawVideo(r)
		row := arithmetic.Of(&in, sources)
		c := instance{in: in, results: []isa.Type{isa.B32}, sources: make([]isa.Type, sources)}
		for i := range c.sources {
			c.sources[i] = isa.B32
		}
		if row == nil {
			if _, err := c.prepare(); err == nil {
				t.Errorf("%s of %d sources is accepted, and the manual has no such instruction", &in, sources)
			}
			continue
		}
		valid++
		var rows [][]uint64
		for range lanes {
			rows = append(rows, row.DrawSources(r, &in))
		}
		if err := c.check(row, rows); err != nil {
			t.Errorf("%s: %v", &in, err)
		}
	}
	if effort.Many() && valid < len(seeds)/3 {
		t.Errorf("only %d instructions were valid", valid)
	}
}
