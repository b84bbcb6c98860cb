package ipet

// dualSimplex moves from a basis in which no column gains to one that is
// feasible too. With costs false it takes all costs as zero, so that any basis
// will do as a start and any feasible one as the end. After infeasible, dual
// holds multipliers that prove it.
func (s *simplex) dualSimplex(costs bool) (status, error) {
	ray := make([]Rational, len(s.basis))
	stalled := 0
	for {
		row := s.leaving(stalled > patience*len(s.basis))
		if row < 0 {
			return optimal, nil
		}
		violation := s.violation(row)
		clear(ray)
		ray[row] = integer(1)
		s.backward(ray)
		if violation.sign() > 0 {
			for i, r := range ray {
				ray[i] = r.neg()
			}
		}
		s.price(costs)
		c, ratio := s.dualRatioTest(ray, costs)
		if c < 0 {
			copy(s.dual, ray)
			return infeasible, nil
		}
		if stalled++; ratio.sign() > 0 {
			stalled = 0
		}
		s.column(c)
		step := violation.div(s.alpha[row])
		if s.atHigh[c] {
			step = step.neg()
		}
		if err := s.move(c, row, step); err != nil {
			return 0, err
		}
	}
}

// leaving returns the row whose column violates its bounds most, under Bland's
// rule the one of least column index that does, or -1.
func (s *simplex) leaving(bland bool) int {
	best, at := Rational{}, -1
	for row, c := range s.basis {
		v := s.violation(row)
		if v.isZero() {
			continue
		}
		if v.sign() < 0 {
			v = v.neg()
		}
		if at < 0 || bland && c < s.basis[at] || !bland && v.cmp(best) > 0 {
			best, at = v, row
		}
	}
	return at
}

// dualRatioTest returns the column that can repair the row whose multipliers are
// ray, signed so that the row's column must grow, at the least loss for each
// unit of repair; and that loss. Among equals it is the column of least index.
func (s *simplex) dualRatioTest(ray []Rational, costs bool) (c int, ratio Rational) {
	c = -1
	for j := range s.program.columns {
		if s.rowOf[j] >= 0 || s.low[j] == s.high[j] {
			continue
		}
		repair := s.dot(ray, j).neg()
		if s.atHigh[j] {
			repair = repair.neg()
		}
		if repair.sign() <= 0 {
			continue
		}
		var loss Rational
		if costs {
			loss = s.gain(j).neg().div(repair)
		}
		if c < 0 || loss.cmp(ratio) < 0 {
			c, ratio = j, loss
			if !costs {
				break
			}
		}
	}
	return c, ratio
}
