package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestREADME runs the command whose output the README shows and compares.
func TestREADME(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const command = "go run ./cmd/warpbound analyze kernels/reduction/job.toml --vectors 200"
	before, rest, ok := strings.Cut(string(readme), "`"+command+"` prints:\n\n```\n")
	if !ok {
		t.Fatalf("the README does not show the output of %s", command)
	}
	shown, after, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		t.Fatal("the output has no end")
	}
	var stdout, stderr bytes.Buffer
	if code := Main(strings.Fields(command)[3:], &stdout, &stderr); code != exitFine {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	got := strings.TrimRight(stdout.String(), "\n")
	if got == shown {
		return
	}
	if !*update {
		t.Fatalf("the README shows another output than (accept it with -update)\n%s", got)
	}
	text := before + "`" + command + "` prints:\n\n```\n" + got + "\n```\n" + after
	if err := os.WriteFile("README.md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
