package cuda

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Message is one message of the compiler for a device.
type Message struct {
	Severity Severity
	Line     int // of the PTX, from 1; 0 if the message is about no line
	Text     string
}

// Severity tells how bad a message is.
type Severity uint8

// The severities.
const (
	Info Severity = iota
	Warning
	Error
)

// String names the severity.
func (s Severity) String() string { return [...]string{"info", "warning", "error"}[s] }

// String renders the message in one line.
func (m Message) String() string {
	if m.Line == 0 {
		return fmt.Sprintf("%v: %s", m.Severity, m.Text)
	}
	return fmt.Sprintf("line %d: %v: %s", m.Line, m.Severity, m.Text)
}

// The lines of the compiler's log:
//
//	ptxas application ptx input, line 14; error   : Unknown symbol 'foo'
//	ptxas info    : Used 10 registers, 344 bytes cmem[0]
//	ptxas fatal   : Ptx assembly aborted due to errors
//
// and those of the linker behind it:
//
//	error   : Undefined reference to 'foo' in 'k'
var (
	located = regexp.MustCompile(`^ptxas\s.*?,\s*line\s+(\d+)\s*;\s*(\w+)\s*:\s*(.*)$`)
	general = regexp.MustCompile(`^(?:(?:ptxas|nvlink)\s+)?(info|warning|error|fatal)\s*:\s*(.*)$`)
)

// severityOf is the severity that a word of the log names; other words are information.
func severityOf(word string) Severity {
	switch strings.ToLower(word) {
	case "error", "fatal":
		return Error
	case "warning":
		return Warning
	}
	return Info
}

// ParseLog reads the log of the compiler, as the driver gives it. Lines of another form
// are information, empty ones are left out.
func ParseLog(log string) []Message {
	var messages []Message
	for line := range strings.SplitSeq(log, "\n") {
		line = strings.TrimRight(line, " \t\r\x00")
		if line == "" {
			continue
		}
		if m := located.FindStringSubmatch(line); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				messages = append(messages, Message{severityOf(m[2]), n, m[3]})
				continue
			}
		}
		if m := general.FindStringSubmatch(line); m != nil {
			messages = append(messages, Message{severityOf(m[1]), 0, m[2]})
			continue
		}
		messages = append(messages, Message{Info, 0, line})
	}
	return messages
}
