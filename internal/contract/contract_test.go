package contract

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// named gives the names a, b, ... the numbers 0, 1, ...
func named(name string) (int, error) {
	if i := int(name[0] - 'a'); len(name) == 1 && i < 4 {
		return i, nil
	}
	return 0, fmt.Errorf("there is no %s", name)
}

func parsed(t testing.TB, text string) []Relation {
	t.Helper()
	r, err := Parse(text, named)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text    string
		numbers []int64
		holds   bool
	}{
		{"a <= b", []int64{3, 3}, true},
		{"a < b", []int64{3, 3}, false},
		{"a + 2*b - 1 == 9", []int64{4, 3}, true},
		{"a - b - 1 == 0", []int64{4, 3}, true},
		{"a % 32 == 0 && a >= 0x20", []int64{64}, true},
		{"a % 32 == 0 && a >= 0x20", []int64{0}, false},
		{"-a/2 == -3 && -a % 2 == -1", []int64{7}, true},
		{"(a + b) * (a - b) != a*a - b*b", []int64{7, 4}, false},
		{"8/2/2 == 2 && a > -1", []int64{0}, true},
	} {
		holds := true
		for _, r := range parsed(t, c.text) {
			holds = holds && r.Holds(c.numbers)
		}
		if holds != c.holds {
			t.Errorf("%s of %v: %v", c.text, c.numbers, holds)
		}
	}
	for text, want := range map[string]string{
		"":                               "0: there is nothing where a name or a number should be",
		"a":                              "1: there is nothing where a comparison should be: < <= == != >= or >",
		"a = b":                          "2: equality is ==",
		"a < b < c":                      "6: one relation compares two sums: write a <= b && b <= c for a <= b <= c",
		"a < 1 || b < 1":                 "6: there are no alternatives: relations are joined by &&",
		"a < 1 b":                        `6: there is "b" where the relation should end`,
		"(a < 1":                         `3: there is "<" where ) should be`,
		"a + x < 1":                      "4: there is no x",
		"a / b < 1":                      "4: the divisor of / must be a number above 0",
		"a % (2-2) < 1":                  "4: the divisor of % must be a number above 0",
		"a < 2000000000000000000":        `4: "2000000000000000000" is no number from 0 to 2^60`,
		"a < 12x":                        `4: "12x" is no number from 0 to 2^60`,
		"a < 1 &&":                       "8: there is nothing where a name or a number should be",
		strings.Repeat("(", 200) + "a<1": "100: the relation nests deeper than 100 levels",
	} {
		_, err := Parse(text, named)
		var at *SyntaxError
		if !errors.As(err, &at) || fmt.Sprint(at.At, ": ", err) != want {
			t.Errorf("%.20s: %v, want %s", text, err, want)
		}
	}
}

// TestNarrow narrows what relations say of ranges.
func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Set // none if nothing satisfies it
	}{
		{"a <= b && b <= 40", []Set{{0, 40, 1}, {0, 40, 1}}},
		{"a < b && b < a", []Set{{0, 100, 1}, {0, 100, 1}}[:0]},
		{"a % 32 == 5", []Set{{5, 69, 32}, {0, 100, 1}}},
		{"4*a + 3 == b", []Set{{0, 24, 1}, {3, 99, 4}}},
		{"a / 10 == 3", []Set{{30, 39, 1}, {0, 100, 1}}},
		{"a * b >= 9999", []Set{{100, 100, 0}, {100, 100, 0}}},
		{"a % 2 == 0 && a % 3 == 1", []Set{{4, 100, 6}, {0, 100, 1}}},
		{"a % 2 == 0 && a % 4 == 1", nil},
		{"a != 0 && b != 100", []Set{{1, 100, 1}, {0, 99, 1}}},
		{"a == 7 && b == a*a", []Set{{7, 7, 0}, {49, 49, 0}}},
		{"-a == b", []Set{{0, 0, 0}, {0, 0, 0}}},
		{"a > 100", nil},
	} {
		p := &Problem{Sets: []Set{Between(0, 100), Between(0, 100)}, Relations: parsed(t, c.text)}
		got, ok := p.Narrow()
		if ok != (len(c.want) > 0) || ok && !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.text, got, ok, c.want)
		}
	}
}

// first is a choice of numbers.
func first(_ int, s Set, try int) int64 { return s.Nth(uint64(try) % s.Count()) }

// expression draws an expression over two numbers.
func expression(t *rapid.T, depth int) string {
	switch k := rapid.IntRange(0, 7).Draw(t, "kind"); {
	case depth == 0 || k < 3:
		return rapid.SampledFrom([]string{"a", "b", "c", "0", "1", "3", "8"}).Draw(t, "leaf")
	case k == 3:
		return fmt.Sprintf("(%s %s %d)", expression(t, depth-1), rapid.SampledFrom([]string{"/", "%"}).Draw(t, "by"), rapid.IntRange(1, 9).Draw(t, "divisor"))
	case k == 4:
		return "-" + expression(t, 0)
	}
	op := rapid.SampledFrom([]string{"+", "-", "*"}).Draw(t, "op")
	return fmt.Sprintf("(%s %s %s)", expression(t, depth-1), op, expression(t, depth-1))
}

// What satisfies relations is in the narrowed sets, and is found if there is anything.
func TestSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Problem{}
		for range 3 {
			low := rapid.Int64Range(-12, 12).Draw(t, "low")
			p.Sets = append(p.Sets, Between(low, low+rapid.Int64Range(0, 12).Draw(t, "span")))
		}
		var text string
		for i := range rapid.IntRange(1, 3).Draw(t, "relations") {
			if i > 0 {
				text += " && "
			}
			text += expression(t, 2) + rapid.SampledFrom([]string{"<", "<=", "==", "!=", ">=", ">"}).Draw(t, "cmp") + expression(t, 2)
		}
		var err error
		if p.Relations, err = Parse(text, named); err != nil {
			t.Fatal(err)
		}
		narrow, some := p.Narrow()
		found := 0
		for a := p.Sets[0].Low; a <= p.Sets[0].High; a++ {
			for b := p.Sets[1].Low; b <= p.Sets[1].High; b++ {
				for c := p.Sets[2].Low; c <= p.Sets[2].High; c++ {
					numbers := []int64{a, b, c}
					linear := true
					for i := range p.Relations {
						r := &p.Relations[i]
						for _, l := range r.Linears() {
							sum := int64(0)
							for v, k := range l.Coefs {
								sum += k * numbers[v]
							}
							linear = linear && (sum <= l.Max || !r.Holds(numbers))
						}
					}
					if !linear {
						t.Fatalf("%s: %v does not satisfy what is linear of it", text, numbers)
					}
					if slices.ContainsFunc(p.Relations, func(r Relation) bool { return !r.Holds(numbers) }) {
						continue
					}
					found++
					for v, x := range numbers {
						if !some || !narrow[v].Contains(x) {
							t.Fatalf("%s: %v is not in %v, %v", text, numbers, narrow, some)
						}
					}
				}
			}
		}
		numbers, err := p.Solve(first)
		switch {
		case found > 0 && err != nil && !errors.Is(err, ErrHard):
			t.Fatalf("%s: %v, but there are %d", text, err, found)
		case found == 0 && err == nil:
			t.Fatalf("%s: %v", text, numbers)
		case err == nil:
			for i := range p.Relations {
				if !p.Relations[i].Holds(numbers) {
					t.Fatalf("%s does not hold of %v", text, numbers)
				}
			}
		}
	})
}

// A search that finds nothing ends.
func TestSolveEnds(t *testing.T) {
	wide := Between(0, 1<<32-1)
	for _, text := range []string{"a < b && b < a", "a*a == 3 && b > 0", "a*b == 4294967291 && a > 1 && b > 1", "a*a + b*b == 3*c*c && a > 0"} {
		p := &Problem{Sets: []Set{wide, wide, wide}, Relations: parsed(t, text)}
		if numbers, err := p.Solve(first); err == nil {
			t.Errorf("%s: %v", text, numbers)
		}
	}
	p := &Problem{Sets: []Set{Between(0, limit)}, Relations: parsed(t, "a + a < 5")}
	if !p.Exceeds(&p.Relations[0]) {
		t.Error("2^61 is too large")
	}
}

// TestSets holds the sets of relations to numbers.
func TestSets(t *testing.T) {
	set := rapid.Custom(func(t *rapid.T) Set {
		low, step := rapid.Int64Range(-500, 500).Draw(t, "low"), rapid.Int64Range(1, 30).Draw(t, "step")
		if n := rapid.Int64Range(0, 20).Draw(t, "n"); n > 0 {
			return Set{low, low + n*step, step}
		}
		return Only(low)
	})
	rapid.Check(t, func(t *rapid.T) {
		s, u := set.Draw(t, "s"), set.Draw(t, "t")
		x, y := s.Nth(rapid.Uint64Range(0, s.Count()-1).Draw(t, "x")), u.Nth(rapid.Uint64Range(0, u.Count()-1).Draw(t, "y"))
		c := rapid.Int64Range(1, 20).Draw(t, "c")
		for name, r := range map[string]struct {
			set Set
			x   int64
		}{
			"plus": {s.plus(u), x + y}, "minus": {s.minus(u), x - y}, "times": {s.times(u), x * y},
			"over": {s.over(c), x / c}, "rem": {s.rem(c), x % c}, "nearest": {s, s.Nearest(y)},
		} {
			if !r.set.Contains(r.x) || r.set.Low > r.set.High || (r.set.Step == 0) != (r.set.Low == r.set.High) {
				t.Fatalf("%s of %v and %v: %d is not in %v", name, s, u, r.x, r.set)
			}
		}
		if m, ok := s.intersect(u); u.Contains(x) && (!ok || !m.Contains(x)) || ok && (!s.Contains(m.Low) || !u.Contains(m.High)) {
			t.Fatalf("%v and %v intersect in %v", s, u, m)
		}
		if d, ok := s.dividing(c); x%c == 0 && (!ok || !d.Contains(x/c)) || ok && d.Count() < 50 && !s.Contains(d.Low*c) {
			t.Fatalf("%v divided by %d is %v", s, c, d)
		}
	})
}

// TestOrder puts elements in order and asks whether they are.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Uint64Range(0, 50).Draw(t, "low")
		high := low + rapid.Uint64Range(0, 60).Draw(t, "span")
		keys := rapid.SliceOfN(rapid.Uint64Range(low, high), 1, 20).Draw(t, "keys")
		o := Order{Limited: rapid.Bool().Draw(t, "limited"), Min: rapid.Uint64Range(0, 4).Draw(t, "min")}
		o.Max = o.Min + rapid.Uint64Range(0, 4).Draw(t, "more")
		if !o.Possible(len(keys), low, high) {
			return
		}
		o.Settle(keys, low, high)
		if at := o.Broken(keys); at >= 0 || slices.Min(keys) < low || slices.Max(keys) > high {
			t.Fatalf("%v is not in order at %d", keys, at)
		}
		again := slices.Clone(keys)
		if o.Settle(again, low, high); !slices.Equal(again, keys) {
			t.Fatalf("%v changes to %v", keys, again)
		}
	})
	if at := (Order{}).Broken([]uint64{1, 2, 2, 1}); at != 3 {
		t.Errorf("broken at %d", at)
	}
	if at := (Order{Limited: true, Max: 3}).Broken([]uint64{1, 4, 8}); at != 2 {
		t.Errorf("broken at %d", at)
	}
}

// TestKeys compares numbers by their keys.
func TestKeys(t *testing.T) {
	f := Format{Bits: 32, Float: true}
	ascending := []float32{float32(math.Inf(-1)), -2, -1e-40, 0, 1e-40, 1, float32(math.Inf(1))}
	for i, x := range ascending {
		key := f.Key(uint64(math.Float32bits(x)))
		if i > 0 && key <= f.Key(uint64(math.Float32bits(ascending[i-1]))) {
			t.Errorf("%v is not above the one before", x)
		}
		if back := math.Float32frombits(uint32(f.Of(key))); back != x {
			t.Errorf("%v comes back as %v", x, back)
		}
	}
	if f.Key(1<<31) != f.Key(0) {
		t.Error("zeros differ")
	}
	s := Format{Bits: 16, Signed: true}
	if s.Key(0xffff) >= s.Key(0) || s.Of(s.Key(0x8000)) != 0x8000 || (Format{Bits: 8}).Key(200) != 200 {
		t.Error("integers are not in order")
	}
}
