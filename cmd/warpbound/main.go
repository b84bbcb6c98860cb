// Command warpbound bounds the worst-case execution time of GPU kernels.
package main

import (
	"os"
	"runtime/debug"

	"warpbound/internal/cli"
)

// Most commands are done before their garbage matters: memory is given for time, unless the
// user says otherwise.
const gcPercent = 200

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}
