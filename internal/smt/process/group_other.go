//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: there are no groups.
func ownGroup(*exec.Cmd) {}

// kill ends a process.
func kill(p *os.Process) error { return p.Kill() }
