package job

import (
	"strings"
	"testing"
)

// TestThreads reads how threads are scheduled, and writes it again. TestFromGo says it in Go.
func TestThreads(t *testing.T) {
	for _, way := range []string{"", lockstep, independent} {
		text := head
		if way != "" {
			text += "threads = '" + way + "'\n"
		}
		j, err := Parse("j", []byte(text), files(nil))
		if err != nil || j.Threads.Way != way {
			t.Fatalf("%q: got %+v, %v", way, j, err)
		}
		w, err := j.Write("s", &Inputs{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("j", w.Text, files(nil))
		if err != nil || again.Threads.Way != way {
			t.Errorf("%q: written as\n%s\nand read as %+v, %v", way, w.Text, again, err)
		}
	}
	for text, want := range map[string]string{
		"threads = 'Lockstep'": `j:4:1: threads is "Lockstep"; it must be "lockstep" or "independent"`,
		"threads = ''":         "j:4:1: threads is empty",
		"threads = true":       "j:4:1: threads must be a string, not true",
	} {
		if _, err := Parse("j", []byte(head+text+"\n"), files(nil)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
