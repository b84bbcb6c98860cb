package kernels

// What the sources fix: the edge of the tiles of lud and of nw.
const (
	ludTile = 16
	nwTile  = 16
)

func gaussianFactor(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	a, factor := floats(in["a"]), floats(in["factor"])
	n, pivot := int(scalars["n"]), int(scalars["pivot"])
	for row := pivot + 1; row < n; row++ {
		factor[row] = a[row*n+pivot] / a[pivot*n+pivot]
	}
	return map[string][]byte{"factor": floatBytes(factor)}
}

func gaussianUpdate(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	a, rhs, factor := floats(in["a"]), floats(in["rhs"]), floats(in["factor"])
	n, pivot := int(scalars["n"]), int(scalars["pivot"])
	for row := pivot + 1; row < n; row++ {
		for col := pivot; col < n; col++ {
			a[row*n+col] -= float32(factor[row] * a[pivot*n+col])
		}
		rhs[row] -= float32(factor[row] * rhs[pivot])
	}
	return map[string][]byte{"a": floatBytes(a), "rhs": floatBytes(rhs)}
}

// ludDiagonal computes each element of L and U by the sum that defines it, with its
// terms in the order in which the kernel subtracts them.
func ludDiagonal(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	m := matrixOf(in, scalars)
	for i := range ludTile {
		for j := range ludTile {
			v := m.rest(m.first+i, m.first+j, min(i, j))
			if j < i {
				v /= *m.at(m.first+j, m.first+j)
			}
			*m.at(m.first+i, m.first+j) = v
		}
	}
	return map[string][]byte{"a": floatBytes(m.a)}
}

func ludPerimeter(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	m := matrixOf(in, scalars)
	for far := m.first + ludTile; far < m.n; far++ {
		for i := range ludTile {
			near := m.first + i
			*m.at(near, far) = m.rest(near, far, i)
			*m.at(far, near) = m.rest(far, near, i) / *m.at(near, near)
		}
	}
	return map[string][]byte{"a": floatBytes(m.a)}
}

func ludInternal(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	m := matrixOf(in, scalars)
	for row := m.first + ludTile; row < m.n; row++ {
		for col := m.first + ludTile; col < m.n; col++ {
			*m.at(row, col) = m.rest(row, col, ludTile)
		}
	}
	return map[string][]byte{"a": floatBytes(m.a)}
}

// ludMatrix is the row-major matrix that lud decomposes from its row and column first on.
type ludMatrix struct {
	a        []float32
	n, first int
}

func matrixOf(in map[string][]byte, scalars map[string]uint64) ludMatrix {
	return ludMatrix{floats(in["a"]), int(scalars["n"]), int(scalars["first"])}
}

func (m ludMatrix) at(row, col int) *float32 { return &m.a[row*m.n+col] }

// rest returns an element less the first terms of the product of its row of L and its
// column of U, as many as stated.
func (m ludMatrix) rest(row, col, terms int) float32 {
	v := *m.at(row, col)
	for k := m.first; k < m.first+terms; k++ {
		v = fma32(-*m.at(row, k), *m.at(k, col), v)
	}
	return v
}

func nwUpper(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	diagonal := int(scalars["diagonal"])
	return alignTiles(in, scalars, func(tile int) (x, y int) { return tile, diagonal - 1 - tile })
}

func nwLower(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	diagonal, tiles := int(scalars["diagonal"]), int(scalars["n"])/nwTile
	return alignTiles(in, scalars, func(tile int) (x, y int) { return tiles - diagonal + tile, tiles - 1 - tile })
}

// alignTiles computes the scores of an antidiagonal of tiles, which place locates.
func alignTiles(in map[string][]byte, scalars map[string]uint64, place func(tile int) (x, y int)) map[string][]byte {
	similarity, score := words(in["similarity"]), words(in["score"])
	width, penalty := int(scalars["n"])+1, int32(scalars["penalty"])
	for tile := range int(scalars["diagonal"]) {
		x, y := place(tile)
		for row := y*nwTile + 1; row <= (y+1)*nwTile; row++ {
			for col := x*nwTile + 1; col <= (x+1)*nwTile; col++ {
				i := row*width + col
				score[i] = uint32(max(
					int32(score[i-width-1]+similarity[i]),
					int32(score[i-width])-penalty,
					int32(score[i-1])-penalty))
			}
		}
	}
	return map[string][]byte{"score": wordBytes(score)}
}
