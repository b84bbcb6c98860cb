package inorder

// Waves says which CTAs of a grid an SM executes, and when in its order: as many
// at a time as all SMs together hold, dealt out to the SMs one by one.
type Waves struct {
	CTAs  int // of the grid
	SMs   int
	Slots int // for CTAs on each SM
}

// CTA returns the CTA in a slot of an SM in a wave, all counted from 0. It is
// none of the grid if it is not below CTAs.
func (w Waves) CTA(wave, sm, slot int) int {
	return (wave*w.Slots+slot)*w.SMs + sm
}

// Used returns how many of the slots of an SM hold a CTA in its first wave, and so
// in any.
func (w Waves) Used(sm int) int {
	used := 0
	for used < w.Slots && w.CTA(0, sm, used) < w.CTAs {
		used++
	}
	return used
}
