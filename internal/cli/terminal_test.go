//go:build linux

package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal of so many columns: the side of the program and that of the person.
func terminal(t *testing.T, columns uint16) (program, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { program.Close() })
	return program, person
}

// TestNarrowTerminals shows progress on terminals of few columns: no line is wider than they are.
func TestNarrowTerminals(t *testing.T) {
	control := regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)
	for _, columns := range []uint16{1, 10, 20, 30, 40, 80, 200} {
		program, person := terminal(t, columns)
		if !isTerminal(program) {
			t.Fatal("it is no terminal")
		}
		at := newClock()
		p := newPace("kernels/reduction/job.toml", at.now)
		d := newDisplay(program, p.texts)
		p.step(1, 100_000)
		at.pass(time.Minute)
		p.step(2, 100_000)
		d.step(2, 100_000)
		seen := make([]byte, 1<<12)
		n, err := person.Read(seen) // which waits for the first line
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.SplitSeq(seen[:n], []byte("\n")) {
			text := strings.TrimRight(control.ReplaceAllString(string(line), ""), "\r")
			if len([]rune(text)) > int(columns) {
				t.Errorf("%d columns: %q", columns, text)
			}
		}
		go func() { // a terminal that nobody reads takes no more
			for err == nil {
				_, err = person.Read(seen)
			}
		}()
		d.stop()
		program.Close()
	}
}

// TestAsks lets a person say yes or no.
func TestAsks(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "\n": false} {
		program, person := terminal(t, 40)
		if _, err := person.WriteString(answer); err != nil {
			t.Fatal(err)
		}
		if got := confirmed(t.Context(), program, program, "120 more runs take about 2h00m"); got != want {
			t.Errorf("%q: %t", answer, got)
		}
	}
}
