package cost

// MaxResidues limits the CTAs after which requests repeat. Beyond it they are not told apart.
const MaxResidues = 64

// Varied are the requests of an access in the CTAs of a box: they repeat after Period CTAs
// along each axis, all powers of two.
type Varied struct {
	Period [3]int
	Counts []int32 // x fastest
}

// Each calls visit for the CTAs of one period.
func (v *Varied) Each(visit func(at [3]int)) { EachOf(v.Period, visit) }

// EachOf calls visit for the CTAs of a grid of the given size, x fastest.
func EachOf(size [3]int, visit func(at [3]int)) {
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				visit([3]int{x, y, z})
			}
		}
	}
}

// Residue is the position of a CTA among those of one period.
func Residue(at, period [3]int) int {
	return at[0]%period[0] + period[0]*(at[1]%period[1]+period[1]*(at[2]%period[2]))
}
