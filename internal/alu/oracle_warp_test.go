package alu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/arithmetic"
	"warpbound/internal/test/effort"
)

// warpTried is an instruction of a whole warp.
type warpTried struct {
	in      isa.Instr
	sources int
	row     *arithmetic.WarpRow
}

// masked reports whether the last source is the member mask.
func (f *warpTried) masked() bool { return f.sources > len(f.row.Sources) }

// instance gives an instruction registers for so many results. The member mask is an immediate.
func (f *warpTried) instance(results int, mask uint64) *instance {
	c := &instance{in: f.in, results: words(f.row.Results[:results]...), sources: words(f.row.Sources...)}
	if f.masked() {
		c.imms = map[int]uint64{len(c.sources): mask}
		c.sources = append(c.sources, isa.B32)
	}
	return c
}

// TestOracleWarp executes all instructions of a whole warp with random values in random lanes.
func TestOracleWarp(t *testing.T) {
	seeds := effort.Draw(t, 1000)
	n := uint64(0)
	arithmetic.InWarp(func(in isa.Instr, sources int, row *arithmetic.WarpRow) {
		n++
		f := warpTried{in, sources, row}
		for _, seed := range seeds {
			r := rand.New(rand.NewPCG(seed, n))
			for range 3 {
				if err := f.check(r); err != nil {
					t.Errorf("%s: %v", &in, err)
					return
				}
			}
		}
	})
}

// check executes an instruction and compares it with its row, in all lanes and for each number of
// results.
func (f *warpTried) check(r *rand.Rand) error {
	mask, rows := f.draw(r)
	var members []arithmetic.Lane
	for lane := range lanes {
		if mask>>lane&1 != 0 {
			members = append(members, arithmetic.Lane{Number: lane, Sources: rows[lane]})
		}
	}
	for results := 1; results <= len(f.row.Results); results++ {
		b, err := f.instance(results, mask).prepare()
		if err != nil {
			return err
		}
		padded := rows
		if f.masked() {
			padded = nil
			for _, row := range rows {
				padded = append(padded, append(row[:len(row):len(row)], mask))
			}
		}
		got, err := b.run(padded, mask)
		if err != nil {
			return fmt.Errorf("%x: %w", rows, err)
		}
		unsettled := b.pure.Unsettled(mask, b.dst, b.src)
		for at, m := range members {
			want := f.row.Evaluate(members, at)
			for i := range got {
				if x := got[i][m.Number]; x != want[i].Bits {
					return fmt.Errorf("%x (mask %x) gives 0x%x in result %d of lane %d, want 0x%x",
						rows, mask, x, i+1, m.Number, want[i].Bits)
				}
			}
			if want[0].Open && unsettled>>m.Number&1 == 0 {
				const open = "the manual leaves the result open, and bounds may rest on it"
				return fmt.Errorf("%x (mask %x): %s", rows, mask, open)
			}
		}
		for i := range got {
			for lane, x := range got[i] {
				if mask>>lane&1 == 0 && x != before {
					return fmt.Errorf("lane %d, which takes no part (mask %x), has 0x%x", lane, mask, x)
				}
			}
		}
	}
	return nil
}

// draw draws which lanes take part, and values for all, of which some are equal.
func (f *warpTried) draw(r *rand.Rand) (mask uint64, rows [][]uint64) {
	mask = r.Uint64() & LowBits(lanes) >> r.IntN(lanes)
	switch r.IntN(3) {
	case 0:
		mask = LowBits(lanes)
	case 1:
		mask |= 1 << r.IntN(lanes)
	}
	mask = max(mask, 1)
	rows = make([][]uint64, lanes)
	for _, t := range f.row.Sources {
		same := r.IntN(3) == 0
		for lane := range rows {
			x := value(r, t)
			if same && lane > 0 || lane > 0 && r.IntN(2) == 0 {
				x = rows[r.IntN(lane)][len(rows[lane])]
			}
			rows[lane] = append(rows[lane], x)
		}
	}
	return mask, rows
}
