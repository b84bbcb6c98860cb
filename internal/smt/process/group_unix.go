//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes a process one of a group of its own: signals of a terminal are for this program, which stops it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the group of a process: a solver that is a script has started others.
func kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
