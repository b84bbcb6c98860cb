// Processortime runs the tests of a package for go test, and fails if they take more processor time
// than limits.go allows.
//
//	go build -o FILE ./.ci/processortime && go test -exec FILE ./...
//
// What counts is the time of the test program and of all programs that it has started and waited
// for, in units of a reference loop that is timed right behind it. So neither a slow computer nor
// one that does something else makes tests fail. Programs that are instrumented (-race, -cover) and
// runs that try more random items than usual (WARPBOUND_EFFORT) have no limit.
package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"warpbound/internal/test/effort"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: processortime PROGRAM [ARGS]")
		os.Exit(2)
	}
	os.Exit(runTests(os.Args[1:], limitOf))
}

// runTests runs a test program in the folder of its package, and returns its exit status, or 1 if
// it takes longer than the limit.
func runTests(argv []string, limitOf func(folder string) float64) int {
	c := exec.Command(argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() < 1 {
			fmt.Fprintln(os.Stderr, "processortime:", err)
			return 1
		}
		return c.ProcessState.ExitCode()
	}
	folder, err := packageFolder()
	if err != nil {
		fmt.Fprintln(os.Stderr, "processortime:", err)
		return 1
	}
	took, limit := c.ProcessState.UserTime()+c.ProcessState.SystemTime(), limitOf(folder)
	units := took.Seconds() / measureUnit(1).Seconds()
	if units > limit && !hasNoLimit(argv[0]) {
		units = took.Seconds() / measureUnit(20).Seconds()
	}
	fmt.Printf("processor time %.2f s: %.1f units, limit %g\n", took.Seconds(), units, limit)
	if units > limit && !hasNoLimit(argv[0]) {
		fmt.Fprintf(os.Stderr, "the tests of %s take %.1f units of processor time, limit %g (.ci/processortime/limits.go)\n"+
			"go test -v shows which take long\n", folder, units, limit)
		return 1
	}
	return 0
}

// hasNoLimit reports whether a test program does more than usual.
func hasNoLimit(program string) bool {
	if os.Getenv(effort.Variable) != "" {
		return true
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return false
	}
	for _, s := range info.Settings {
		if (s.Key == "-race" || s.Key == "-cover") && s.Value == "true" {
			return true
		}
	}
	return false
}

// packageFolder is the working directory as seen from the root of the module.
func packageFolder() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for root := here; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			folder, err := filepath.Rel(root, here)
			return filepath.ToSlash(folder), err
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("%s is in no module", here)
		}
	}
}

// measureUnit returns the longest processor time that a hundred reference loops take, of so many
// measurements.
func measureUnit(measurements int) time.Duration {
	var longest time.Duration
	for range measurements {
		begun := effort.ProcessorTime()
		referenceLoop()
		longest = max(longest, effort.ProcessorTime()-begun)
	}
	return 100 * longest
}

// referenceLoop does what analyses and simulators do most: it computes, allocates, and looks values
// up in more memory than the nearest cache holds. It takes about ten milliseconds on a computer of
// 2025.
func referenceLoop() {
	const n = 1 << 15
	seen := map[uint64]int{}
	var values []uint64
	x := uint64(1)
	for i := range n {
		x = x*6364136223846793005 + 1442695040888963407
		seen[x>>44] += i
		values = append(values, x>>32)
	}
	slices.Sort(values)
	sum := 0
	for range 8 {
		for i := range values {
			sum += seen[values[i]>>12]
		}
	}
	result = sum
}

// result keeps the compiler from leaving the loop out.
var result int
