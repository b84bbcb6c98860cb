package kernels

import (
	"math"
	"slices"
)

// What the sources fix.
const (
	sdkTile    = 1024 // keys of a tile of a bitonic sort, elements of a tile of a scan
	sdkThreads = 256  // of a CTA that bisects, merges histograms, reduces or scans
	sdkBins    = 64   // of a histogram
	sdkSums    = 1024 // of a CTA for scalar products
)

// bitonicTiles sorts runs of keys with their values. Equal keys keep their values in the order of the network, so that
// the network is followed.
func bitonicTiles(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	keys, values := words(in["keysIn"]), words(in["valuesIn"])
	run := int(scalars["tile"])
	for size := 2; size < run; size *= 2 {
		for stride := size / 2; stride > 0; stride /= 2 {
			comparators(keys, values, stride, func(i int) bool { return i%(sdkTile/2)&(size/2) == 0 })
		}
	}
	for stride := run / 2; stride > 0; stride /= 2 {
		comparators(keys, values, stride, func(i int) bool { return i/(sdkTile/2)%2 == 0 })
	}
	return map[string][]byte{"keysOut": wordBytes(keys), "valuesOut": wordBytes(values)}
}

func bitonicMergeStep(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	keys, values := words(in["keys"]), words(in["values"])
	comparators(keys, values, int(scalars["stride"]), merging(scalars))
	return map[string][]byte{"keys": wordBytes(keys), "values": wordBytes(values)}
}

func bitonicMergeTiles(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	keys, values := words(in["allKeys"]), words(in["allValues"])
	for stride := sdkTile / 2; stride > 0; stride /= 2 {
		comparators(keys, values, stride, merging(scalars))
	}
	return map[string][]byte{"allKeys": wordBytes(keys), "allValues": wordBytes(values)}
}

// merging tells which comparators of a merge put keys in ascending order.
func merging(scalars map[string]uint64) func(comparator int) bool {
	n, size := int(scalars["n"]), int(scalars["size"])
	return func(i int) bool { return i&(n/2-1)&(size/2) == 0 }
}

// comparators compares all keys with those a stride further, each once.
func comparators(keys, values []uint32, stride int, ascends func(comparator int) bool) {
	for i := range len(keys) / 2 {
		a := i/stride*2*stride + i%stride
		b := a + stride
		if keys[a] > keys[b] == ascends(i) {
			keys[a], keys[b] = keys[b], keys[a]
			values[a], values[b] = values[b], values[a]
		}
	}
}

// blackScholes computes with the normal distribution itself, by the error function, and in f64.
func blackScholes(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	price, strike, years := floats(in["price"]), floats(in["strike"]), floats(in["years"])
	rate := float64(math.Float32frombits(uint32(scalars["rate"])))
	volatility := float64(math.Float32frombits(uint32(scalars["volatility"])))
	normal := func(d float64) float64 { return math.Erfc(-d/math.Sqrt2) / 2 }
	call, put := floats(in["call"]), floats(in["put"])
	for i := range int(scalars["n"]) {
		s, x, t := float64(price[i]), float64(strike[i]), float64(years[i])
		spread := volatility * math.Sqrt(t)
		d1 := (math.Log(s/x) + (rate+volatility*volatility/2)*t) / spread
		d2 := d1 - spread
		discounted := x * math.Exp(-rate*t)
		call[i] = float32(s*normal(d1) - discounted*normal(d2))
		put[i] = float32(discounted*normal(-d2) - s*normal(-d1))
	}
	return map[string][]byte{"call": floatBytes(call), "put": floatBytes(put)}
}

// tridiagonal is a symmetric matrix of which above[i] stands above diagonal[i].
type tridiagonal struct{ diagonal, square []float32 }

func newTridiagonal(in map[string][]byte) tridiagonal {
	m := tridiagonal{floats(in["diagonal"]), floats(in["above"])}
	for i, b := range m.square {
		m.square[i] = b * b
	}
	return m
}

// below counts the eigenvalues that are less than x, rounded as in the kernel.
func (m tridiagonal) below(x float32) uint32 {
	var count uint32
	term := float32(1)
	for i, d := range m.diagonal {
		quotient := m.square[i] / term
		difference := d - x
		if term = difference - quotient; term < 0 {
			count++
		}
	}
	return count
}

// span is an interval, with how many eigenvalues are below its ends.
type span struct {
	left, right           float32
	belowLeft, belowRight uint32
}

func (s span) middle() float32 {
	half := (s.right - s.left) * 0.5 // a power of two: rounded once with or without fusion
	return s.left + half
}

func (s span) short(precision float32) bool {
	size := max(abs32(s.left), abs32(s.right))
	return s.right-s.left <= max(size*precision, precision)
}

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }

// halves returns those of the halves of an interval that have eigenvalues.
func (m tridiagonal) halves(s span) []span {
	mid := s.middle()
	below := m.below(mid)
	var halves []span
	if below > s.belowLeft {
		halves = append(halves, span{s.left, mid, s.belowLeft, below})
	}
	if s.belowRight > below {
		halves = append(halves, span{mid, s.right, below, s.belowRight})
	}
	return halves
}

func precision(scalars map[string]uint64) float32 {
	return math.Float32frombits(uint32(scalars["precision"]))
}

func bisect(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	m := newTridiagonal(in)
	spans := []span{{math.Float32frombits(uint32(scalars["low"])), math.Float32frombits(uint32(scalars["high"])), 0, uint32(scalars["n"])}}
	for open := true; open && 2*len(spans) <= sdkThreads; {
		open = false
		var next []span
		for _, s := range spans {
			if s.short(precision(scalars)) {
				next = append(next, s)
				continue
			}
			open = true
			halves := m.halves(s)
			if len(halves) == 1 { // in whose counts an eigenvalue at an end would be missing
				halves[0].belowLeft, halves[0].belowRight = s.belowLeft, s.belowRight
			}
			next = append(next, halves...)
		}
		spans = next
	}
	left, right := floats(in["leftOut"]), floats(in["rightOut"])
	belowLeft, belowRight := words(in["belowLeftOut"]), words(in["belowRightOut"])
	for i, s := range spans {
		left[i], right[i], belowLeft[i], belowRight[i] = s.left, s.right, s.belowLeft, s.belowRight
	}
	return map[string][]byte{
		"leftOut": floatBytes(left), "rightOut": floatBytes(right),
		"belowLeftOut": wordBytes(belowLeft), "belowRightOut": wordBytes(belowRight),
		"found": wordBytes([]uint32{uint32(len(spans))}),
	}
}

func bisectSingle(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	m := newTridiagonal(in)
	left, right, below := floats(in["left"]), floats(in["right"]), words(in["belowLeft"])
	eigenvalues := floats(in["eigenvalues"])
	for i := range int(scalars["intervals"]) {
		s := span{left: left[i], right: right[i]}
		for !s.short(precision(scalars)) {
			if mid := s.middle(); m.below(mid) == below[i] {
				s.left = mid
			} else {
				s.right = mid
			}
		}
		eigenvalues[i] = s.middle()
	}
	return map[string][]byte{"eigenvalues": floatBytes(eigenvalues)}
}

// bisectMulti leaves the first half of an interval where that was, and puts second ones behind all.
func bisectMulti(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	m := newTridiagonal(in)
	left, right := floats(in["leftIn"]), floats(in["rightIn"])
	belowLeft, belowRight := words(in["belowLeftIn"]), words(in["belowRightIn"])
	eigenvalues, numbers := floats(in["eigenvalues"]), words(in["numbers"])
	for block := range left {
		spans := []span{{left[block], right[block], belowLeft[block], belowRight[block]}}
		for open := true; open; {
			open = false
			for i, s := range spans {
				if s.short(precision(scalars)) {
					continue
				}
				open = true
				halves := m.halves(s)
				if len(halves) == 1 {
					halves[0].belowLeft, halves[0].belowRight = s.belowLeft, s.belowRight
				}
				spans[i] = halves[0]
				spans = append(spans, halves[1:]...)
			}
		}
		for i, s := range spans {
			eigenvalues[block*sdkThreads+i], numbers[block*sdkThreads+i] = s.middle(), s.belowRight
		}
	}
	return map[string][]byte{"eigenvalues": floatBytes(eigenvalues), "numbers": wordBytes(numbers)}
}

func histogramMerge(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	partial := words(in["partial"])
	histogram := make([]uint32, sdkBins)
	for i, count := range partial[:sdkBins*scalars["partials"]] {
		histogram[i%sdkBins] += count
	}
	return map[string][]byte{"histogram": wordBytes(histogram)}
}

func histogramPartial(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	partial := words(in["partial"])
	clear(partial)
	share := 16 * int(scalars["share"])
	for i, v := range in["data"][:16*scalars["fours"]] {
		partial[i/share*sdkBins+int(v>>2)]++
	}
	return map[string][]byte{"partial": wordBytes(partial)}
}

func matrixMultiply(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	return matrixMul(in, map[string]uint64{"depth": scalars["widthA"], "width": scalars["widthB"]})
}

func transpose(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	from, to := words(in["in"]), words(in["out"])
	width, height := int(scalars["width"]), int(scalars["height"])
	for i, v := range from {
		to[i%width*height+i/width] = v
	}
	return map[string][]byte{"out": wordBytes(to)}
}

// reduce256 sums the elements of CTAs of 256 threads with so many for each.
func reduce256(each int) func(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	return func(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
		out := words(in["out"])
		clear(out)
		for i, v := range words(in["in"])[:scalars["n"]] {
			out[i/(sdkThreads*each)] += v
		}
		return map[string][]byte{"out": wordBytes(out)}
	}
}

func scalarProduct(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	a, b, out := floats(in["a"]), floats(in["b"]), floats(in["out"])
	length := int(scalars["length"])
	for v := range int(scalars["vectors"]) {
		sums := make([]float32, sdkSums)
		for i := range length {
			sums[i%sdkSums] = fma32(a[v*length+i], b[v*length+i], sums[i%sdkSums])
		}
		for stride := sdkSums / 2; stride > 0; stride /= 2 {
			for i := range stride {
				sums[i] += sums[i+stride]
			}
		}
		out[v] = sums[0]
	}
	return map[string][]byte{"out": floatBytes(out)}
}

func scanTiles(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	return map[string][]byte{"out": wordBytes(exclusive(words(in["in"]), int(scalars["size"])))}
}

func scanSums(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	scanned, elements := words(in["scanned"]), words(in["in"])
	totals := make([]uint32, scalars["n"])
	for i := range totals {
		last := sdkTile*i + sdkTile - 1
		totals[i] = scanned[last] + elements[last]
	}
	return map[string][]byte{"totals": wordBytes(exclusive(totals, int(scalars["size"])))}
}

// exclusive returns for each element the sum of those before it in its run.
func exclusive(elements []uint32, run int) []uint32 {
	sums := make([]uint32, 0, len(elements))
	for part := range slices.Chunk(elements, run) {
		var sum uint32
		for _, v := range part {
			sums = append(sums, sum)
			sum += v
		}
	}
	return sums
}

func scanAdd(in map[string][]byte, _ map[string]uint64) map[string][]byte {
	scanned, totals := words(in["scanned"]), words(in["totals"])
	for i := range scanned {
		scanned[i] += totals[i/sdkTile]
	}
	return map[string][]byte{"scanned": wordBytes(scanned)}
}
