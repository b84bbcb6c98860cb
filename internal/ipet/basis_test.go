package ipet

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// solved returns the solution of a system of equations with the given right-hand
// side.
func solved(f *factors, solve func(*vector), entries []entry) []Rational {
	v := newVector(len(f.order))
	f.load(v, column{entries: entries})
	solve(v)
	return v.at
}

func TestFactorInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		columns := make([]column, n+3)
		basis := make([]int, n)
		for c := range columns {
			for row := range n {
				if coef := rapid.Int64Range(-6, 3).Draw(t, "coef"); coef > -3 && coef != 0 {
					columns[c].entries = append(columns[c].entries, entry{row, coef})
				}
			}
		}
		for place := range basis {
			basis[place] = place
		}
		var f factors
		basis, err := f.factor(columns, basis)
		if (err != nil) != (determinant(columns[:n]).Sign() == 0) {
			t.Fatalf("%v, but the determinant is %v", err, determinant(columns[:n]))
		}
		if err != nil {
			return
		}
		for c := n; ; c++ { // exchange columns one by one
			checkInverse(t, &f, columns, basis)
			if c == len(columns) {
				break
			}
			alpha := newVector(n)
			f.load(alpha, columns[c])
			f.forward(alpha)
			row := rapid.IntRange(0, n-1).Draw(t, "row")
			if alpha.at[row].isZero() {
				continue
			}
			f.update(alpha, row)
			basis[row] = c
		}
		again, err := f.factor(columns, basis) // in the same storage
		if err != nil {
			t.Fatal(err)
		}
		checkInverse(t, &f, columns, again)
	})
}

// checkInverse fails the test unless the factors invert the basis.
func checkInverse(t *rapid.T, f *factors, columns []column, basis []int) {
	t.Helper()
	for row, c := range basis {
		for i, x := range solved(f, f.forward, columns[c].entries) {
			if want := i == row; x.isZero() == want || want && x != integer(1) {
				t.Fatalf("column %d becomes %v at row %d, not the unit vector of row %d", c, x, i, row)
			}
		}
		y := solved(f, f.backward, []entry{{row, 1}})
		for other, d := range basis {
			var sum Rational
			for _, e := range columns[d].entries {
				sum = sum.add(y[e.row].mul(integer(e.coef)))
			}
			if want := other == row; sum.isZero() == want || want && sum != integer(1) {
				t.Fatalf("row %d of the inverse times column %d is %v", row, d, sum)
			}
		}
	}
}

// determinant expands by the first column.
func determinant(columns []column) *big.Int {
	if len(columns) == 0 {
		return big.NewInt(1)
	}
	sum := new(big.Int)
	for _, e := range columns[0].entries {
		minor := make([]column, len(columns)-1)
		for c := range minor {
			for _, x := range columns[c+1].entries {
				switch {
				case x.row < e.row:
					minor[c].entries = append(minor[c].entries, x)
				case x.row > e.row:
					minor[c].entries = append(minor[c].entries, entry{x.row - 1, x.coef})
				}
			}
		}
		term := new(big.Int).Mul(big.NewInt(e.coef), determinant(minor))
		if e.row%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	return sum
}
