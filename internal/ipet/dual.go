package ipet

// dualSimplex moves from a basis in which no column gains, and that is priced, to
// one that is feasible too. With costs false it takes all costs as zero, so that
// any basis will do as a start and any feasible one as the end. After infeasible,
// dual holds multipliers that prove it.
func (s *simplex) dualSimplex(costs bool) (status, error) {
	stalled := 0
	s.watch()
	for {
		row := s.leaving(stalled > patience*len(s.basis))
		if row < 0 {
			return optimal, nil
		}
		violation := s.violation(row)
		s.inverseRow(row)
		c, ratio := s.dualRatioTest(violation.sign() < 0, costs)
		if c < 0 {
			for r, y := range s.ray.at {
				if violation.sign() > 0 {
					y = y.neg()
				}
				s.dual[r] = y
			}
			s.clear(s.ray)
			return infeasible, nil
		}
		if stalled++; ratio.sign() > 0 {
			stalled = 0
		}
		s.column(c)
		if costs {
			s.reprice(c, row)
		}
		s.clear(s.ray)
		step := violation.div(s.alpha.at[row])
		if s.atHigh[c] {
			step = step.neg()
		}
		if err := s.move(c, row, step); err != nil {
			return 0, err
		}
		s.watchPivot()
	}
}

// watch finds the violations of all rows.
func (s *simplex) watch() {
	for row := range s.basis {
		s.excess[row] = s.violation(row).abs()
	}
	s.violating.reset(len(s.basis), s.violates, s.violatesMore)
}

// watchPivot finds the violations that a pivot, or its factorisation, changed.
func (s *simplex) watchPivot() {
	if len(s.etas) == 0 {
		s.watch() // rows have other columns now
		return
	}
	for k := s.alpha.nonzero.next(0); k >= 0; k = s.alpha.nonzero.next(k + 1) {
		row := s.order[k]
		s.excess[row] = s.violation(row).abs()
		s.violating.change(row, s.violates(row), s.violatesMore)
	}
}

func (s *simplex) violates(row int) bool { return !s.excess[row].isZero() }

func (s *simplex) violatesMore(row, than int) bool {
	order := s.excess[row].cmp(s.excess[than])
	return order > 0 || order == 0 && s.basis[row] < s.basis[than]
}

// leaving returns the row whose column violates its bounds most, under Bland's
// rule any that does, the one of least column index among equals, or -1.
func (s *simplex) leaving(bland bool) int {
	if !bland {
		return s.violating.best()
	}
	at := -1
	for row, c := range s.basis {
		if s.violates(row) && (at < 0 || c < s.basis[at]) {
			at = row
		}
	}
	return at
}

// dualRatioTest returns the column that can repair the row that across is of, by
// letting the row's column grow or fall, at the least loss for each unit of
// repair; and that loss. Among equals it is the column of least index.
func (s *simplex) dualRatioTest(grow, costs bool) (c int, ratio Rational) {
	c = -1
	for _, a := range s.across {
		repair := a.value
		if s.atHigh[a.column] != grow {
			repair = repair.neg()
		}
		if repair.sign() <= 0 {
			continue
		}
		var loss Rational
		if costs {
			loss = s.gain(a.column).neg().div(repair)
		}
		order := -1
		if c >= 0 {
			order = loss.cmp(ratio)
		}
		if order < 0 || order == 0 && a.column < c {
			c, ratio = a.column, loss
		}
	}
	return c, ratio
}
