package kernels

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestVectorAdd(t *testing.T) {
	got := vectorAdd(map[string][]byte{
		"a": floatBytes([]float32{1, 1 << 24, 7}),
		"b": floatBytes([]float32{-3, 1, 7}),
		"c": floatBytes([]float32{0, 0, 5}),
	}, map[string]uint64{"n": 2})
	if c := floats(got["c"]); !slices.Equal(c, []float32{-2, 1 << 24, 5}) {
		t.Errorf("c = %v", c)
	}
}

func TestMatrixMulByIdentity(t *testing.T) {
	const rows, depth, width = 3, 4, 4
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Float32Range(-1, 1), rows*depth, rows*depth).Draw(t, "a")
		identity := make([]float32, depth*width)
		for i := range depth {
			identity[i*width+i] = 1
		}
		if c := multiply(a, identity, rows, depth, width); !slices.Equal(c, a) {
			t.Fatalf("a * 1 = %v, want %v", c, a)
		}
	})
}

// The error bound is the classical one for a dot product of d terms, each
// rounded once: |computed - exact| <= d u / (1 - d u) sum |a_k b_k|, u = 2^-24.
func TestMatrixMulAgainstExact(t *testing.T) {
	const rows, depth, width = 5, 32, 3
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Float32Range(-1, 1), rows*depth, rows*depth).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Float32Range(-1, 1), depth*width, depth*width).Draw(t, "b")
		c := multiply(a, b, rows, depth, width)
		for row := range rows {
			for col := range width {
				exact, magnitude := exactFloat(0), 0.0
				for k := range depth {
					x, y := a[row*depth+k], b[k*width+col]
					exact.Add(exact, new(big.Float).Mul(exactFloat(x), exactFloat(y)))
					magnitude += math.Abs(float64(x) * float64(y))
				}
				difference, _ := exact.Sub(exact, exactFloat(c[row*width+col])).Float64()
				const du = depth / float64(1<<24)
				// The smallest normal covers products that underflow.
				if bound := du/(1-du)*magnitude + 0x1p-126; math.Abs(difference) > bound {
					t.Fatalf("c[%d][%d] is off by %g, more than %g", row, col, difference, bound)
				}
			}
		}
	})
}

func multiply(a, b []float32, rows, depth, width int) []float32 {
	got := matrixMul(map[string][]byte{
		"a": floatBytes(a),
		"b": floatBytes(b),
		"c": floatBytes(make([]float32, rows*width)),
	}, map[string]uint64{"depth": uint64(depth), "width": uint64(width)})
	return floats(got["c"])
}

func TestReductionOfIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const groups = 2
		data := rapid.SliceOfN(rapid.Int32Range(-1000, 1000), 1, 3*groups*reductionGroup).Draw(t, "data")
		in := make([]float32, len(data))
		want := make([]float32, groups)
		for i, v := range data {
			in[i] = float32(v)
			want[i/reductionGroup%groups] += float32(v)
		}
		if got := reduce(in, groups); !slices.Equal(got, want) {
			t.Fatalf("sums %v, want %v", got, want)
		}
	})
}

// Beside 1<<24, an addend of 1 is lost and an addend of 2 is not, so these
// sums show which values were added first.
func TestReductionOrder(t *testing.T) {
	tests := []struct {
		name string
		ones []int
		want float32
	}{
		{"half the group apart, folded first", []int{1, 1 + reductionGroup/2}, 1<<24 + 2},
		{"neighbours, folded last", []int{1, 2}, 1 << 24},
		{"one work-item's share", []int{1, 1 + reductionGroup}, 1<<24 + 2},
		{"into the large value one by one", []int{reductionGroup / 2, reductionGroup}, 1 << 24},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := make([]float32, 2*reductionGroup)
			in[0] = 1 << 24
			for _, i := range test.ones {
				in[i] = 1
			}
			if got := reduce(in, 1); got[0] != test.want {
				t.Errorf("sum %v, want %v", got[0], test.want)
			}
		})
	}
}

func reduce(in []float32, groups int) []float32 {
	got := reduction(map[string][]byte{
		"in":  floatBytes(in),
		"out": floatBytes(make([]float32, groups)),
	}, map[string]uint64{"n": uint64(len(in))})
	return floats(got["out"])
}

func TestBitonicSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const tiles = 3
		keys := rapid.SliceOfN(rapid.Uint32(), tiles*bitonicTile, tiles*bitonicTile).Draw(t, "keys")
		got := words(bitonicSort(map[string][]byte{"keys": wordBytes(keys)}, nil)["keys"])
		for tile := range tiles {
			before := keys[tile*bitonicTile : (tile+1)*bitonicTile]
			after := got[tile*bitonicTile : (tile+1)*bitonicTile]
			for i := 1; i < bitonicTile; i++ {
				if ascending := tile%2 == 0; after[i-1] != after[i] && (after[i-1] < after[i]) != ascending {
					t.Fatalf("tile %d is out of order at key %d", tile, i)
				}
			}
			if !equalCounts(before, after) {
				t.Fatalf("tile %d does not hold the keys that it held before", tile)
			}
		}
	})
}

func equalCounts(a, b []uint32) bool {
	counts := map[uint32]int{}
	for _, v := range a {
		counts[v]++
	}
	for _, v := range b {
		counts[v]--
	}
	for _, n := range counts {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestHistogram64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 400, 400).Draw(t, "data")
		before := rapid.SliceOfN(rapid.Uint32Range(0, 100), 64, 64).Draw(t, "histogram")
		n := rapid.IntRange(0, len(data)/4).Draw(t, "n")
		after := words(histogram64(map[string][]byte{
			"data":      data,
			"histogram": wordBytes(before),
		}, map[string]uint64{"n": uint64(n)})["histogram"])
		var sum int
		for bin := range after {
			low, high := byte(4*bin), byte(4*bin+3)
			var want uint32
			for _, v := range data[:4*n] {
				if low <= v && v <= high {
					want++
				}
			}
			if after[bin]-before[bin] != want {
				t.Fatalf("bin %d grew by %d, want %d", bin, after[bin]-before[bin], want)
			}
			sum += int(after[bin] - before[bin])
		}
		if sum != 4*n {
			t.Fatalf("%d bytes counted of %d", sum, 4*n)
		}
	})
}

// Stepping from level 1 until nothing changes must give the distances of an
// ordinary breadth-first search with a queue.
func TestBFSSteps(t *testing.T) {
	row, col := skewedGraph()
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.Uint32Range(0, graphVertices-1).Draw(t, "source")
		level := make([]uint32, graphVertices)
		level[source] = 1
		for depth := uint64(1); ; depth++ {
			got := bfs(map[string][]byte{
				"row":     wordBytes(row),
				"col":     wordBytes(col),
				"level":   wordBytes(level),
				"changed": wordBytes([]uint32{0}),
			}, map[string]uint64{"depth": depth, "vertices": graphVertices})
			grew := !slices.Equal(level, words(got["level"]))
			if changed := words(got["changed"])[0] == 1; changed != grew {
				t.Fatalf("step %d: changed is %v, but levels changed is %v", depth, changed, grew)
			}
			if !grew {
				break
			}
			level = words(got["level"])
		}
		if want := queueLevels(row, col, source); !slices.Equal(level, want) {
			t.Fatal("levels differ from a search with a queue")
		}
	})
}

func queueLevels(row, col []uint32, source uint32) []uint32 {
	level := make([]uint32, len(row)-1)
	level[source] = 1
	queue := []uint32{source}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, neighbour := range col[row[v]:row[v+1]] {
			if level[neighbour] == 0 {
				level[neighbour] = level[v] + 1
				queue = append(queue, neighbour)
			}
		}
	}
	return level
}

func TestFMA32(t *testing.T) {
	tests := []struct{ a, b, c, want float32 }{
		{2, 3, 4, 10},
		{1, -1, 1, 0},
		// Just above the middle between 1 and its successor, and just below.
		{24929 * 0x1p-15, 673 * 0x1p-9, 0x1p-80, 1 + 0x1p-23},
		{24929 * 0x1p-15, 673 * 0x1p-9, -0x1p-80, 1},
		{24929 * 0x1p-15, -673 * 0x1p-9, -0x1p-80, -1 - 0x1p-23},
		{24929 * 0x1p-15, 673 * 0x1p-9, 0, 1},
	}
	for _, test := range tests {
		if got := fma32(test.a, test.b, test.c); got != test.want {
			t.Errorf("fma32(%g, %g, %g) = %g, want %g", test.a, test.b, test.c, got, test.want)
		}
	}
}

func TestFMA32AgainstExact(t *testing.T) {
	finite := rapid.Custom(func(t *rapid.T) float32 {
		significand := rapid.Int32Range(-1<<24, 1<<24).Draw(t, "significand")
		exponent := rapid.IntRange(-80, 30).Draw(t, "exponent")
		return float32(math.Ldexp(float64(significand), exponent))
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := finite.Draw(t, "a"), finite.Draw(t, "b"), finite.Draw(t, "c")
		exact := new(big.Float).Mul(exactFloat(a), exactFloat(b))
		want, _ := exact.Add(exact, exactFloat(c)).Float32()
		if got := fma32(a, b, c); got != want {
			t.Fatalf("fma32(%g, %g, %g) = %g, want %g", a, b, c, got, want)
		}
	})
}

// exactFloat returns v with a precision at which sums and products of a few
// float32 do not round.
func exactFloat(v float32) *big.Float {
	return new(big.Float).SetPrec(1000).SetFloat64(float64(v))
}
