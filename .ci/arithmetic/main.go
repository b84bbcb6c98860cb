// Arithmetic refuses operators and conversions of Go on numbers of bounds (saturating.Int), which
// wrap around, or make a number like any other of one that stands for all greater ones.
//
//	go build -modfile=.ci/tools.mod -o FILE ./.ci/arithmetic && go vet -vettool=FILE ./...
package main

import "golang.org/x/tools/go/analysis/unitchecker"

func main() { unitchecker.Main(analyzer) }
