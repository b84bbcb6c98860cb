package kernels

// What may be special about a cell of lbm.
const (
	lbmObstacle = 1 << iota
	lbmInflow
	lbmOutflow
	lbmForced
)

// The directions of lbm: where each population moves, its weight, and the direction that
// is opposite.
var lbmDirections = [9]struct {
	x, y, opposite int
	weight         float32
}{
	{0, 0, 0, 4.0 / 9},
	{1, 0, 3, 1.0 / 9}, {0, 1, 4, 1.0 / 9}, {-1, 0, 1, 1.0 / 9}, {0, -1, 2, 1.0 / 9},
	{1, 1, 7, 1.0 / 36}, {-1, 1, 8, 1.0 / 36}, {-1, -1, 5, 1.0 / 36}, {1, -1, 6, 1.0 / 36},
}

func lbm(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	edge := int(scalars["edge"])
	step := lbmStep{
		edge: edge, cells: edge * edge, now: floats(in["now"]), next: floats(in["next"]), probe: floats(in["probe"]),
	}
	for id, flag := range words(in["flags"]) {
		f := step.pull(id)
		if flag&lbmObstacle == 0 {
			step.relax(id, flag, f)
			continue
		}
		for k, d := range lbmDirections {
			step.next[k*step.cells+id] = f[d.opposite]
		}
	}
	return map[string][]byte{"next": floatBytes(step.next), "probe": floatBytes(step.probe)}
}

// lbmStep is a step on a square. Its arrays are those of the kernel.
type lbmStep struct {
	edge, cells      int
	now, next, probe []float32
}

// relax computes what becomes of the populations that moved to a cell which is no obstacle.
func (s *lbmStep) relax(id int, flag uint32, f [9]float32) {
	note := func(what int, value float32) { s.probe[what*s.cells+id] = value }
	if flag&lbmInflow != 0 {
		note(4, f[1])
		f[1], f[5], f[8] = f[3]+0.05, f[7]+0.0125, f[6]+0.0125
	}
	if flag&lbmOutflow != 0 {
		note(5, f[3])
		for _, k := range []int{3, 6, 7} {
			f[k] = s.now[k*s.cells+id]
		}
	}

	var density float32
	for _, v := range f {
		density += v
	}
	mx := f[1] - f[3] + f[5] - f[6] - f[7] + f[8]
	my := f[2] - f[4] + f[5] + f[6] - f[7] - f[8]
	stress := f[5] - f[6] + f[7] - f[8]
	omega := float32(1.25)
	if flag&lbmForced != 0 {
		note(6, my)
		my += 0.01
	}
	if density < 1.5 {
		note(7, density)
		density = 1.5
	}
	if density > 7.5 {
		note(8, density)
		density = 7.5
	}
	if max(mx, -mx)+max(my, -my) > 0.5*density {
		note(9, mx)
		mx, my = 0.5*mx, 0.5*my
	}
	if max(stress, -stress) > 0.15*density {
		note(10, stress)
		omega = 0.625
	}

	u, v := mx/density, my/density
	rest := fma32(-1.5, fma32(u, u, float32(v*v)), 1)
	for k, d := range lbmDirections {
		along := float32(float32(d.x)*u) + float32(float32(d.y)*v) // both products are exact
		polynomial := fma32(along, fma32(along, 4.5, 3), rest)
		s.next[k*s.cells+id] = fma32(omega, fma32(float32(d.weight*density), polynomial, -f[k]), f[k])
	}
}

// pull returns the populations that move to a cell. Where they would come from beyond a
// wall, the cell's own turn round.
func (s *lbmStep) pull(id int) [9]float32 {
	x, y := id%s.edge, id/s.edge
	clamp := func(at int) int { return min(max(at, 0), s.edge-1) }
	var f [9]float32
	for k, d := range lbmDirections {
		f[k] = s.now[k*s.cells+clamp(y-d.y)*s.edge+clamp(x-d.x)]
	}
	for what, wall := range []struct {
		here bool
		from [3]int
	}{
		{x == 0, [3]int{1, 5, 8}},
		{x == s.edge-1, [3]int{3, 6, 7}},
		{y == 0, [3]int{2, 5, 6}},
		{y == s.edge-1, [3]int{4, 7, 8}},
	} {
		if !wall.here {
			continue
		}
		var sum float32
		for _, k := range wall.from {
			f[k] = s.now[lbmDirections[k].opposite*s.cells+id]
			sum += f[k]
		}
		s.probe[what*s.cells+id] = sum
	}
	return f
}
