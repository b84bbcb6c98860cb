// Command warpbound bounds the worst-case execution time of GPU kernels.
package main

import (
	"os"

	"warpbound/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
