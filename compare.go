package warpbound

import (
	"warpbound/estimate"
	"warpbound/internal/study/compare"
)

// SavedResult is what analyze, search, sim or split have printed with --format json. Name is the file's, for messages.
type SavedResult struct {
	Name string
	JSON []byte
}

// Threshold is by how much figures may grow. The zero Threshold is none; ParseThreshold makes others.
type Threshold struct{ is compare.Threshold }

// ParseThreshold reads a percentage such as "5%", or "0" for any growth.
func ParseThreshold(text string) (Threshold, error) {
	is, err := compare.ParseThreshold(text)
	return Threshold{is}, err
}

// Compare holds the result b against a, the one before. It is an error if one of them cannot be read.
func Compare(a, b SavedResult, by Threshold) (*estimate.Comparison, error) {
	return compare.Files(compare.File{Name: a.Name, Text: a.JSON}, compare.File{Name: b.Name, Text: b.JSON}, by.is)
}
