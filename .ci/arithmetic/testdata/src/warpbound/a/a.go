package a

import "warpbound/internal/saturating"

type cycles = saturating.Int

type sums struct{ all []saturating.Int }

func refused(x saturating.Int, y cycles, n int64, s *sums) any {
	x = x + 1              // want `\+ of a number of a bound wraps around: use Add`
	x = 1 - y              // want `- of a number of a bound wraps around: use Sub`
	x *= y                 // want `\*= of a number of a bound wraps around: use Mul`
	s.all[0]++             // want `\+\+ of a number of a bound wraps around: use Add`
	s.all[0] /= 2          // want `/= of a number of a bound wraps around: use Div or DivUp`
	x = x << 1             // want `<< of a number of a bound`
	x = -x                 // want `- of a number of a bound wraps around: use Sub`
	x = saturating.Int(n)  // want `a conversion to a number of a bound: use saturating.Of`
	n = int64(x)           // want `a conversion of a number of a bound: use Int64 or Float64`
	f := float64(s.all[n]) // want `a conversion of a number of a bound: use Int64 or Float64`
	return []any{f, n, x, y}
}

func allowed(x saturating.Int, y cycles, s *sums) any {
	p := &x
	s.all[0] = max(x.Add(1), *p, saturating.Int(3), cycles(4))
	for i := range x {
		y = y.Add(i)
	}
	return []any{any(x), x < y && y >= 1, x.Int64() + 1, saturating.Of(x.Int64() - 1), len(s.all) + 1}
}
