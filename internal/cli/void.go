package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/provenance"
	"warpbound/internal/report"
)

// bundleDir is where what reproduces a void proof is written (makeNewDirectory).
const bundleDir = "warpbound-void-bound"

// keepVoidProof writes what reproduces a run that is longer than a proven bound, if err says that
// there is one, and tells where it is.
func keepVoidProof(c *cobra.Command, err error) error {
	void, ok := errors.AsType[*diag.VoidBoundError](err)
	if !ok || void.Files == nil {
		return err
	}
	dir, failed := writeBundle(void)
	if failed != nil {
		return errors.Join(err, fmt.Errorf("what reproduces it could not be written: %w", failed))
	}
	_, failed = fmt.Fprintf(c.ErrOrStderr(), "what reproduces it is in %s: please report it\n", dir)
	return errors.Join(err, failed)
}

// redLines writes lines that say that a bound is void in red.
type redLines struct{ io.Writer }

// inRed returns a writer that does so if w is a terminal.
func inRed(w io.Writer) io.Writer {
	if isTerminal(w) {
		return redLines{w}
	}
	return w
}

// Write implements io.Writer. What says that a bound is void is written at once, with the ends of
// its lines.
func (r redLines) Write(b []byte) (int, error) {
	if !bytes.HasPrefix(b, []byte(report.Violation)) {
		return r.Writer.Write(b)
	}
	text := bytes.TrimRight(b, "\n")
	_, err := fmt.Fprintf(r.Writer, "\x1b[31m%s\x1b[0m%s", text, b[len(text):])
	return len(b), err
}

// voidError is the error of void bounds of saved results; nil if there are none.
func voidError(void []estimate.VoidBound) error {
	if len(void) == 0 {
		return nil
	}
	return &diag.VoidBoundError{Err: errors.New(void[0].Text)}
}

// makeNewDirectory makes a directory, and adds a number to its name if there is one already. It
// returns the name.
func makeNewDirectory(name string) (string, error) {
	dir := name
	for n := 2; ; n++ {
		err := os.Mkdir(dir, 0o755)
		if !errors.Is(err, os.ErrExist) {
			return dir, err
		}
		dir = fmt.Sprintf("%s-%d", name, n)
	}
}

// writeBundle writes what reproduces a void bound, and how it came about, to a new directory, whose
// name it returns.
func writeBundle(void *diag.VoidBoundError) (string, error) {
	dir, err := makeNewDirectory(bundleDir)
	if err != nil {
		return "", err
	}
	story := fmt.Sprintf("%v\n\ncommand: %s\ntool: %s\n", void, strings.Join(os.Args, " "), provenance.Of().Tool)
	if err := os.WriteFile(filepath.Join(dir, "README.txt"), []byte(story), 0o644); err != nil {
		return "", err
	}
	for name, text := range void.Files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}
