package kernels

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write the data files anew")

const (
	graphVertices = 3000
	maxDegree     = 63
)

// skewedGraph returns the graph of the bfs job in compressed sparse rows.
// Degrees are roughly Zipf-distributed from 1 to maxDegree, each power of two
// half as likely as the one before, so that the threads of a warp have loops
// of very different lengths. Neighbours are distinct, uniform and sorted.
func skewedGraph() (row, col []uint32) {
	rng := rand.New(rand.NewPCG(3000, 1))
	row = []uint32{0}
	for range graphVertices {
		scale := 1
		for scale <= maxDegree/2 && rng.IntN(2) == 1 {
			scale *= 2
		}
		degree := scale + rng.IntN(scale)
		neighbours := make([]uint32, degree)
		for i := range neighbours {
			neighbours[i] = rng.Uint32N(graphVertices)
		}
		slices.Sort(neighbours)
		col = append(col, slices.Compact(neighbours)...)
		row = append(row, uint32(len(col)))
	}
	return row, col
}

// checkFile checks that a file is what the tests make, or writes it anew.
func checkFile(t *testing.T, path string, want []byte, what string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what %s; run go test -update", path, what)
	}
}

func TestGraphFiles(t *testing.T) {
	row, col := skewedGraph()
	for path, want := range map[string][]byte{
		"bfs/row.bin": wordBytes(row),
		"bfs/col.bin": wordBytes(col),
	} {
		checkFile(t, path, want, "skewedGraph makes, which also says the count in job.toml")
	}
}

func TestGraphSkew(t *testing.T) {
	row, _ := skewedGraph()
	var widest, warps int
	for first := 0; first+32 < len(row); first += 32 {
		var sum, maximum uint32
		for v := first; v < first+32; v++ {
			degree := row[v+1] - row[v]
			sum += degree
			maximum = max(maximum, degree)
		}
		if maximum*32 >= 3*sum {
			widest++
		}
		warps++
	}
	if 2*widest < warps {
		t.Errorf("in only %d of %d warps is the largest degree three times the mean", widest, warps)
	}
}
