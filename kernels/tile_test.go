package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// dominantRows returns the first rows of a row-major n x n matrix, as many as a tile of
// lud has. Each element on the diagonal exceeds the sum of the others of its row in the
// tile, so that pivots are far from zero.
func dominantRows(n int) []float32 {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	rows := make([]float32, ludTile*n)
	for i := range rows {
		rows[i] = 2*rng.Float32() - 1
		if i/n == i%n {
			rows[i] += ludTile + 1
		}
	}
	return rows
}

func TestRowFiles(t *testing.T) {
	for _, n := range []int{128, 256} {
		path, want := fmt.Sprintf("ludDiagonal/rows%d.bin", n), floatBytes(dominantRows(n))
		checkFile(t, path, want, "dominantRows makes")
	}
}
