package kernels

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every job of the kernels for shared caches belongs to one benchmark, whose size it has, but
// for those of the kernel of srad in which data decide branches.
func TestLLCBenchmarks(t *testing.T) {
	named := []string{"sradCoefficient/job.toml", "sradCoefficient/large.toml"}
	for _, b := range LLCBenchmarks() {
		for _, file := range b.Jobs {
			named = append(named, file)
			dir, err := fs.Sub(Suite(), path.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			sized := false
			for _, p := range readJobFile(t, dir, path.Base(file)).Param {
				sized = sized || (p.Name == "n" || p.Name == "width") && p.Value == int64(b.Size)
			}
			if !sized {
				t.Errorf("%s: %s has another size than %d", b.Name, file, b.Size)
			}
		}
	}
	var files []string
	for _, r := range LLC() {
		found, err := fs.Glob(Suite(), r.Kernel+"/*.toml")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	slices.Sort(named)
	slices.Sort(files)
	if !slices.Equal(named, files) {
		t.Errorf("the benchmarks name %v, there are %v", named, files)
	}
}

// dominant draws an n x n matrix whose rows are dominated by their diagonals.
func dominant(t *rapid.T, n int) []float32 {
	a := rapid.SliceOfN(rapid.Float32Range(-1, 1), n*n, n*n).Draw(t, "a")
	for i := range n {
		a[i*n+i] += float32(n + 1)
	}
	return a
}

// All launches of the two kernels make the matrix triangular, and back substitution then
// solves the system that they were given.
func TestGaussianSolves(t *testing.T) {
	const n = 12
	rapid.Check(t, func(t *rapid.T) {
		a := dominant(t, n)
		want := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "x")
		rhs := make([]float32, n)
		for i := range rhs {
			for j, x := range want {
				rhs[i] += a[i*n+j] * x
			}
		}
		state := map[string][]byte{"a": floatBytes(a), "rhs": floatBytes(rhs), "factor": floatBytes(make([]float32, n))}
		for pivot := range uint64(n - 1) {
			scalars := map[string]uint64{"n": n, "pivot": pivot}
			launch(state, gaussianFactor, scalars)
			launch(state, gaussianUpdate, scalars)
		}
		a, rhs = floats(state["a"]), floats(state["rhs"])
		x := make([]float32, n)
		for i := n - 1; i >= 0; i-- {
			x[i] = rhs[i]
			for j := i + 1; j < n; j++ {
				x[i] -= a[i*n+j] * x[j]
			}
			x[i] /= a[i*n+i]
			if math.Abs(float64(x[i]-want[i])) > 1e-4 {
				t.Fatalf("x[%d] = %g, want %g", i, x[i], want[i])
			}
		}
	})
}

// launch puts what a kernel leaves into the state.
func launch(state map[string][]byte, kernel func(map[string][]byte, map[string]uint64) map[string][]byte, scalars map[string]uint64) {
	for name, b := range kernel(state, scalars) {
		state[name] = b
	}
}

// All launches of the three kernels make factors whose product is the matrix.
func TestLUDecomposes(t *testing.T) {
	const n = 3 * ludTile
	rapid.Check(t, func(t *rapid.T) {
		want := dominant(t, n)
		state := map[string][]byte{"a": floatBytes(want)}
		for first := uint64(0); first < n; first += ludTile {
			scalars := map[string]uint64{"n": n, "first": first}
			launch(state, ludDiagonal, scalars)
			launch(state, ludPerimeter, scalars)
			launch(state, ludInternal, scalars)
		}
		lu := floats(state["a"])
		for i := range n {
			for j := range n {
				var product float64
				for k := range min(i, j) + 1 {
					l := 1.0
					if k < i {
						l = float64(lu[i*n+k])
					}
					product += l * float64(lu[k*n+j])
				}
				if math.Abs(product-float64(want[i*n+j])) > 1e-3 {
					t.Fatalf("(L U)[%d][%d] = %g, want %g", i, j, product, want[i*n+j])
				}
			}
		}
	})
}

// All launches of the two kernels make the scores of the recurrence cell by cell.
func TestNeedlemanWunsch(t *testing.T) {
	const n, width, penalty = 3 * nwTile, 3*nwTile + 1, 10
	rapid.Check(t, func(t *rapid.T) {
		similarity := rapid.SliceOfN(rapid.Int32Range(-4, 11), width*width, width*width).Draw(t, "similarity")
		state := map[string][]byte{"similarity": intBytes(similarity)}
		want := make([]int32, width*width)
		for i := range width {
			want[i], want[i*width] = int32(-penalty*i), int32(-penalty*i)
		}
		state["score"] = intBytes(want)
		for row := 1; row < width; row++ {
			for i := row*width + 1; i < (row+1)*width; i++ {
				want[i] = max(want[i-width-1]+similarity[i], want[i-width]-penalty, want[i-1]-penalty)
			}
		}
		scalars := func(diagonal uint64) map[string]uint64 {
			return map[string]uint64{"n": n, "penalty": penalty, "diagonal": diagonal}
		}
		for diagonal := uint64(1); diagonal <= n/nwTile; diagonal++ {
			launch(state, nwUpper, scalars(diagonal))
		}
		for diagonal := uint64(n/nwTile - 1); diagonal > 0; diagonal-- {
			launch(state, nwLower, scalars(diagonal))
		}
		if !slices.Equal(state["score"], intBytes(want)) {
			t.Fatal("scores differ from those of the recurrence")
		}
	})
}

func intBytes(v []int32) []byte {
	w := make([]uint32, len(v))
	for i, x := range v {
		w[i] = uint32(x)
	}
	return wordBytes(w)
}

// Diffusion moves brightness between pixels and makes none, nowhere beyond the range of
// the image, and coefficients are between 0 and 1.
func TestSRADConserves(t *testing.T) {
	const width, height = 7, 5
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SliceOfN(rapid.Float32Range(1, 2.7), width*height, width*height).Draw(t, "image")
		state := map[string][]byte{"image": floatBytes(before)}
		for _, name := range []string{"north", "south", "west", "east", "coefficient"} {
			state[name] = make([]byte, 4*width*height)
		}
		scalars := map[string]uint64{
			"width": width, "height": height,
			"speckle": uint64(math.Float32bits(0.07)), "rate": uint64(math.Float32bits(0.5)),
		}
		launch(state, sradCoefficient, scalars)
		launch(state, sradUpdate, scalars)
		var sum float64
		for i, v := range floats(state["image"]) {
			sum += float64(v) - float64(before[i])
			if v < slices.Min(before)-1e-5 || v > slices.Max(before)+1e-5 {
				t.Errorf("pixel %d is %g", i, v)
			}
		}
		if math.Abs(sum) > 1e-4 {
			t.Errorf("the sum changes by %g", sum)
		}
		for i, c := range floats(state["coefficient"]) {
			if !(c >= 0 && c <= 1) {
				t.Errorf("coefficient %d is %g", i, c)
			}
		}
	})
}

// A gas of density 1.4 and pressure 1 has sound of speed 1; at rest its energy is 2.5.
func TestCFDStep(t *testing.T) {
	tests := []struct {
		name                 string
		momentum             [3]float32
		energy, area, result float32
	}{
		{"at rest", [3]float32{}, 2.5, 1, 0.5},
		{"at rest in a larger cell", [3]float32{}, 2.5, 4, 0.25},
		{"at the speed of sound", [3]float32{0, 1.4, 0}, 3.2, 1, 0.25},
		{"at twice that in a direction of its own", [3]float32{2.8 / 3, -5.6 / 3, 5.6 / 3}, 5.3, 1, 0.5 / 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := floats(cfdStep(map[string][]byte{
				"density":  floatBytes([]float32{1.4}),
				"momentum": floatBytes(test.momentum[:]),
				"energy":   floatBytes([]float32{test.energy}),
				"area":     floatBytes([]float32{test.area}),
				"step":     make([]byte, 4),
			}, map[string]uint64{"n": 1})["step"])[0]
			if math.Abs(float64(got-test.result)) > 1e-6 {
				t.Errorf("step %g, want %g", got, test.result)
			}
		})
	}
}

func TestCFDAdvance(t *testing.T) {
	in := map[string][]byte{
		"old":  floatBytes([]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
		"flux": floatBytes([]float32{6, 6, 6, 6, 6, 6, 6, 6, 6, -6}),
		"step": floatBytes([]float32{1, 2}),
		"next": make([]byte, 40),
	}
	for stage, want := range [][]float32{
		{2, 5, 4, 7, 6, 9, 8, 11, 10, 5},
		{3, 7, 5, 9, 7, 11, 9, 13, 11, 3},
		{6, 13, 8, 15, 10, 17, 12, 19, 14, -3},
	} {
		got := floats(cfdAdvance(in, map[string]uint64{"stage": uint64(stage), "n": 2})["next"])
		if !slices.Equal(got, want) {
			t.Errorf("stage %d: %v, want %v", stage, got, want)
		}
	}
}
