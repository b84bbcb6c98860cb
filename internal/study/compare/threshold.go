package compare

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
)

// Threshold is by how much a figure may grow.
type Threshold struct {
	text  string
	ratio *big.Rat // growth by what was there
}

var percentage = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,9})?%$`)

// ParseThreshold reads a percentage such as "5%"; "0" is any growth.
func ParseThreshold(text string) (Threshold, error) {
	if text == "0" {
		text = "0%"
	}
	if !percentage.MatchString(text) {
		return Threshold{}, errors.New("want a percentage such as 5%, or 0 for any growth")
	}
	n, _ := new(big.Rat).SetString(strings.TrimSuffix(text, "%"))
	return Threshold{text, n.Quo(n, big.NewRat(100, 1))}, nil
}

// exceeded reports whether the growth from a to b is more than the threshold.
func (t Threshold) exceeded(a, b int64) bool {
	limit := new(big.Rat).SetInt64(a)
	limit.Add(limit, new(big.Rat).Mul(limit, t.ratio))
	return new(big.Rat).SetInt64(b).Cmp(limit) > 0
}

// growth returns by how many percent b is above a, nil if a is 0 and b is not.
func growth(a, b int64) *float64 {
	switch {
	case a == b:
		return new(float64(0))
	case a == 0:
		return nil
	}
	return new(100 * (float64(b) - float64(a)) / float64(a))
}
