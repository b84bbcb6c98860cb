package barrel

// waves says which CTAs of a grid an SM executes, and when in its order: as many
// at a time as all SMs together hold, dealt out to the SMs one by one.
type waves struct {
	ctas  int // of the grid
	sms   int
	slots int // for CTAs on each SM
}

// cta returns the CTA in a slot of an SM in a wave, all counted from 0. It is
// none of the grid if it is not below ctas.
func (w waves) cta(wave, sm, slot int) int {
	return (wave*w.slots+slot)*w.sms + sm
}

// used returns how many of the slots of an SM hold a CTA in its first wave, and so
// in any.
func (w waves) used(sm int) int {
	used := 0
	for used < w.slots && w.cta(0, sm, used) < w.ctas {
		used++
	}
	return used
}
