package kernels

import "math"

// What the source of cfdAdvance fixes: conserved variables of a cell, and stages.
const (
	cfdVariables = 5
	cfdStages    = 3
)

// root rounds once: the root of a float32 in float64 is never so near the middle of two
// float32 that the second rounding could go astray (Figueroa, "When is double rounding
// innocuous?", 1995). The same holds of single sums, products and quotients.
func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// The conversions of products below keep Go from fusing them with a sum.

func cfdStep(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	density, momentum, energy := floats(in["density"]), floats(in["momentum"]), floats(in["energy"])
	area, step := floats(in["area"]), floats(in["step"])
	const gamma = float32(1.4)
	n := int(scalars["n"])
	for i := range n {
		rho := density[i]
		x, y, z := momentum[i]/rho, momentum[n+i]/rho, momentum[2*n+i]/rho
		square := float32(x*x) + float32(y*y)
		square += float32(z * z)
		kinetic := float32(float32(0.5*rho) * square)
		pressure := float32((gamma - 1) * (energy[i] - kinetic))
		sound := root(float32(gamma*pressure) / rho)
		step[i] = 0.5 / float32(root(area[i])*(root(square)+sound))
	}
	return map[string][]byte{"step": floatBytes(step)}
}

func cfdAdvance(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	old, flux, step, next := floats(in["old"]), floats(in["flux"]), floats(in["step"]), floats(in["next"])
	n, stages := int(scalars["n"]), float32(cfdStages-scalars["stage"])
	for i := range n {
		part := step[i] / stages
		for v := i; v < cfdVariables*n; v += n {
			next[v] = old[v] + float32(part*flux[v])
		}
	}
	return map[string][]byte{"next": floatBytes(next)}
}

// sradCoefficient works on an image whose last rows and columns go on beyond its edges.
func sradCoefficient(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	image, coefficient := floats(in["image"]), floats(in["coefficient"])
	north, south := floats(in["north"]), floats(in["south"])
	west, east := floats(in["west"]), floats(in["east"])
	width, height := int(scalars["width"]), int(scalars["height"])
	speckle := math.Float32frombits(uint32(scalars["speckle"]))
	for i := range width * height {
		row, col := i/width, i%width
		at := func(row, col int) float32 {
			return image[min(max(row, 0), height-1)*width+min(max(col, 0), width-1)]
		}
		pixel := image[i]
		n, s := at(row-1, col)-pixel, at(row+1, col)-pixel
		w, e := at(row, col-1)-pixel, at(row, col+1)-pixel
		north[i], south[i], west[i], east[i] = n, s, w, e

		squares := float32(n*n) + float32(s*s)
		squares += float32(w * w)
		squares += float32(e * e)
		gradient := squares / float32(pixel*pixel)
		laplacian := (n + s + w + e) / pixel
		scale := 1 + float32(0.25*laplacian)
		curve := float32(0.0625 * float32(laplacian*laplacian))
		variation := (float32(0.5*gradient) - curve) / float32(scale*scale)
		excess := (variation - speckle) / float32(speckle*(1+speckle))
		coefficient[i] = min(max(1/(1+excess), 0), 1)
	}
	return map[string][]byte{
		"north": floatBytes(north), "south": floatBytes(south), "west": floatBytes(west), "east": floatBytes(east),
		"coefficient": floatBytes(coefficient),
	}
}

func sradUpdate(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	image, coefficient := floats(in["image"]), floats(in["coefficient"])
	north, south := floats(in["north"]), floats(in["south"])
	west, east := floats(in["west"]), floats(in["east"])
	width, height := int(scalars["width"]), int(scalars["height"])
	part := 0.25 * math.Float32frombits(uint32(scalars["rate"]))
	for i := range image {
		below := coefficient[min(i/width+1, height-1)*width+i%width]
		right := coefficient[i/width*width+min(i%width+1, width-1)]
		divergence := float32(coefficient[i]*north[i]) + float32(below*south[i])
		divergence += float32(coefficient[i] * west[i])
		divergence += float32(right * east[i])
		image[i] += float32(part * divergence)
	}
	return map[string][]byte{"image": floatBytes(image)}
}
