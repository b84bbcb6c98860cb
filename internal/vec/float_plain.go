//go:build !amd64 || purego

package vec

// FloatWord returns nil.
func FloatWord(Float, Format, bool, Form, *Series) WordFunc { return nil }

// FloatWide returns nil.
func FloatWide(Float, Form) Func { return nil }

// FloatPair returns nil.
func FloatPair(Float, Form) Func { return nil }

// FloatMixed returns nil.
func FloatMixed(Float, Format, Form) WordFunc { return nil }

// FloatTests returns nil.
func FloatTests(FloatTest, Format, int, bool) WordTestFunc { return nil }

// ExtremeWord returns nil.
func ExtremeWord(Format, bool, Extreme) WordFunc { return nil }

// ExtremeWide returns nil.
func ExtremeWide(Extreme) Func { return nil }

// ConvertWord returns nil.
func ConvertWord(Conversion) WordFunc { return nil }

// ConvertPair returns nil.
func ConvertPair(Conversion) WordFunc { return nil }

// ConvertWidening returns nil.
func ConvertWidening(Conversion) WideningFunc { return nil }

// ConvertNarrowing returns nil.
func ConvertNarrowing(Conversion) NarrowingFunc { return nil }

// ConvertWide returns nil.
func ConvertWide(Conversion) Func { return nil }
