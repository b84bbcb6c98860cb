package workload

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// matrixSums warns, once for a kernel, that results of products of matrices of floats rest on what
// PTX leaves open.
func matrixSums(k *isa.Kernel) []diag.Warning {
	var warning diag.Warning
	count := 0
	for i := range k.Instrs {
		in := &k.Instrs[i]
		if in.Op != isa.Mma || in.Type == isa.S32 {
			continue
		}
		if count++; count > 1 {
			continue
		}
		how := "each result is taken to be the exact sum of the accumulator and all products, rounded once to nearest even"
		if in.Type == isa.F64 {
			how = "products are taken to be added to the accumulator by fma in the order of k"
		}
		warning = diag.Warning{Pos: in.Pos, ID: "matrix-sums", Text: fmt.Sprintf(
			"%s: PTX does not say in which order products are added and how sums are rounded; %s, so that a device may give other results", k.Format(in), how)}
	}
	if count == 0 {
		return nil
	}
	if count > 1 {
		warning.Text += fmt.Sprintf("; the first of %d instructions", count)
	}
	return []diag.Warning{warning}
}
