package estimate

// AssumedNumbers says which of the numbers and words that a machine assumes decide a bound.
type AssumedNumbers struct {
	Method   string          `json:"method"`   // of the bound
	Possible int             `json:"possible"` // machines on which one of them is another that can be believed
	Varied   int             `json:"varied"`   // of these, on which the method was asked: no more than there are test vectors, and 16 at effort 1
	Decisive []AssumedNumber `json:"decisive"` // that move the bound by more than a tenth, those that move it most first, and those without a bound last
}

// AssumedNumber is a number or word of a machine, and what the bound is if it is another that can be believed.
type AssumedNumber struct {
	Number string `json:"number"` // as in the machine file, for example "l2.copies", or "registers of a thread"
	Value  string `json:"value"`  // that the machine assumes
	Other  string `json:"other"`  // at an end of its range, or another word
	Cycles int64  `json:"cycles"` // the bound with Other; 0 if there is none
}
