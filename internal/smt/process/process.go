// Package process starts the programs that package smt talks to.
//
// It imports smt and nothing else of this project.
package process

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"warpbound/internal/smt"
)

// Launcher starts programs that $PATH finds.
type Launcher struct{}

// Launch starts a program.
func (Launcher) Launch(argv []string) (smt.Process, error) {
	if len(argv) == 0 {
		return nil, errors.New("no program is named")
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", smt.ErrNotInstalled, err)
	}
	p := &process{cmd: exec.Command(path, argv[1:]...)}
	if p.Writer, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.Reader, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	p.cmd.Stderr = &p.complaints
	ownGroup(p.cmd)
	p.cmd.WaitDelay = orphans
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	return p, nil
}

type process struct {
	io.Reader
	io.Writer
	cmd        *exec.Cmd
	stop       sync.Once
	complaints tail
}

// orphans is how long what the process has started may keep its output open after its end.
const orphans = time.Second

// Stop kills the process with all that it has started and waits for its end.
func (p *process) Stop() {
	p.stop.Do(func() {
		_ = kill(p.cmd.Process) // it may have ended
		_ = p.cmd.Wait()
	})
}

// Complaints returns the last of what the process wrote as errors.
func (p *process) Complaints() string { return string(p.complaints) }

// tail holds the last bytes that were written to it.
type tail []byte

const maxTail = 1000

func (t *tail) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	*t = (*t)[max(0, len(*t)-maxTail):]
	return len(b), nil
}
