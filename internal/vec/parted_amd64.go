//go:build !purego

package vec

// parted is an operation on parts with what it needs in every lane. It computes on two Words, of which the first has
// the even results and the second the odd ones: bytes with 16 bits each, halves with 32.
type parted struct {
	Parted
	a, b             choice
	into             Words    // the bits of the result that are computed
	kept             [2]Words // those of the two Words
	join             Words    // of bytes of both to the result
	low, high        Words    // of a half to a word, extended by its sign
	one, ones        Words
	minimum, maximum Words
}

// choice is how parts of one source come into the two Words.
type choice struct {
	Parts
	selectors [2]Words
	bits      Words // of a part that is not signed
}

// PartedWord returns the function of an operation on parts, nil if the processor has none.
func PartedWord(p Parted) WordFunc {
	if !fast {
		return nil
	}
	f := &parted{Parted: p}
	f.a.set(p.A, p.Halves)
	f.b.set(p.B, p.Halves)
	f.join.Fill(0x6240)
	each := func(x int32) uint32 { return uint32(uint16(x)) * (1<<16 + 1) }
	width, even, odd := 8, uint32(1<<16-1), uint32(1<<16-1)<<16
	if p.Halves {
		f.join.Fill(0x5410)
		each = func(x int32) uint32 { return uint32(x) }
		width, even, odd = 16, 1<<32-1, 0
	}
	var into uint32
	var kept [2]uint32
	for i := range 32 / width {
		if p.Into[i] {
			into |= (1<<width - 1) << (i * width)
			kept[i%2] |= [2]uint32{even, odd}[i/2]
		}
	}
	f.into.Fill(into)
	f.kept[0].Fill(kept[0])
	f.kept[1].Fill(kept[1])
	f.low.Fill(0x9910)
	f.high.Fill(0xbb32)
	f.one.Fill(each(1))
	f.ones.Fill(1<<32 - 1)
	f.minimum.Fill(each(p.Min))
	f.maximum.Fill(each(p.Max))
	return f.exec
}

func (c *choice) set(p Parts, halves bool) {
	c.Parts = p
	for i := range c.selectors {
		first, second := uint32(p.At[i]), uint32(p.At[i+2])
		if halves {
			c.selectors[i].Fill(2*first | (2*first+1)<<4 | (2*first+9)<<8 | (2*first+9)<<12)
			c.bits.Fill(1<<16 - 1)
		} else {
			c.selectors[i].Fill(first | (first+8)<<4 | second<<8 | (second+8)<<12)
			c.bits.Fill(0x00ff00ff)
		}
	}
}

// take puts the parts of number i into d.
func (c *choice) take(d, a, b *Words, i int) {
	permute(d, a, b, &c.selectors[i])
	if !c.Signed {
		and32(d, d, &c.bits, d)
	}
}

func (f *parted) exec(d, a, b, c *Words) {
	var x [2]Words
	var y Words
	for i := range x {
		f.a.take(&x[i], a, b, i)
		f.b.take(&y, a, b, i)
		f.compute(&x[i], &y)
		if f.Clamp {
			f.max(&x[i], &f.minimum)
			f.min(&x[i], &f.maximum)
		}
	}
	if f.Adds {
		f.accumulate(d, &x, c)
		return
	}
	permute(&y, &x[0], &x[1], &f.join)
	xor32(&y, &y, c, c)
	and32(&y, &y, &f.into, c)
	xor32(d, &y, c, c)
}

// accumulate adds what is computed to c.
func (f *parted) accumulate(d *Words, x *[2]Words, c *Words) {
	and32(&x[0], &x[0], &f.kept[0], c)
	and32(&x[1], &x[1], &f.kept[1], c)
	if !f.Halves {
		add16(&x[0], &x[0], &x[1], c)
		permute(&x[1], &x[0], &x[0], &f.high)
		permute(&x[0], &x[0], &x[0], &f.low)
	}
	add32(&x[0], &x[0], &x[1], c)
	add32(d, &x[0], c, c)
}

// compute puts the result of x and y into x.
func (f *parted) compute(x, y *Words) {
	switch f.Op {
	case PartSum:
		f.add(x, y)
	case PartDifference:
		f.sub(x, y)
	case PartDistance:
		f.sub(x, y)
		f.magnitude(x)
	case PartMin:
		f.min(x, y)
	case PartMax:
		f.max(x, y)
	case PartAverage:
		f.add(x, y)
		f.greater(y, x, &f.ones)
		f.sub(x, y) // adds one where x > -1
		f.halve(x)
	case PartEqual:
		f.equal(x, y)
		f.truth(x)
	case PartGreater:
		f.greater(x, x, y)
		f.truth(x)
	}
}

// truth makes ones and zeros of comparisons, whose bits are all set if they hold.
func (f *parted) truth(x *Words) {
	if f.Not {
		f.add(x, &f.one)
	} else {
		and32(x, x, &f.one, x)
	}
}

func (f *parted) add(x, y *Words) {
	if f.Halves {
		add32(x, x, y, y)
	} else {
		add16(x, x, y, y)
	}
}

func (f *parted) sub(x, y *Words) {
	if f.Halves {
		sub32(x, x, y, y)
	} else {
		sub16(x, x, y, y)
	}
}

func (f *parted) min(x, y *Words) {
	if f.Halves {
		minS32(x, x, y, y)
	} else {
		minS16(x, x, y, y)
	}
}

func (f *parted) max(x, y *Words) {
	if f.Halves {
		maxS32(x, x, y, y)
	} else {
		maxS16(x, x, y, y)
	}
}

func (f *parted) equal(x, y *Words) {
	if f.Halves {
		equal32(x, x, y, y)
	} else {
		equal16(x, x, y, y)
	}
}

func (f *parted) greater(d, x, y *Words) {
	if f.Halves {
		greater32(d, x, y, y)
	} else {
		greater16(d, x, y, y)
	}
}

func (f *parted) magnitude(x *Words) {
	if f.Halves {
		abs32(x, x, x, x)
	} else {
		abs16(x, x, x, x)
	}
}

func (f *parted) halve(x *Words) {
	if f.Halves {
		shrS32(x, x, &f.one, x)
	} else {
		halve16(x, x, x, x)
	}
}

// The functions below work on both halves of words or, those of 32 bits, on words. Comparisons set all bits where they hold.

//go:noescape
func add16(d, a, b, c *Words)

//go:noescape
func sub16(d, a, b, c *Words)

//go:noescape
func minS16(d, a, b, c *Words)

//go:noescape
func maxS16(d, a, b, c *Words)

//go:noescape
func equal16(d, a, b, c *Words)

//go:noescape
func equal32(d, a, b, c *Words)

//go:noescape
func greater16(d, a, b, c *Words)

//go:noescape
func greater32(d, a, b, c *Words)

//go:noescape
func halve16(d, a, b, c *Words)

//go:noescape
func abs16(d, a, b, c *Words)

//go:noescape
func abs32(d, a, b, c *Words)

// SignedPart gives so many bits of a, from shift up, extended by their sign.
func SignedPart(d, a *Words, shift, bits int) {
	if fast {
		signedPart(d, a, uint64(32-shift-bits), uint64(32-bits))
	} else {
		signedPartEach(d, a, shift, bits)
	}
}

//go:noescape
func signedPart(d, a *Words, above, drop uint64)
