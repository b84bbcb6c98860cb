package cases

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"warpbound/internal/cli"
	"warpbound/internal/test/goldentest"
)

// folder has the cases, and the tests run in it, so that messages name files as NAME/kernel.ptx.
const folder = "../../testdata/cases"

// page shows the table to readers.
const page = "../../docs/cases.md"

// caseTable is the content of cases.toml.
type caseTable struct {
	Machines map[string][]string // lists of machines, by name
	Cases    []reportedCase      `toml:"case"`
}

// reportedCase is the kernel of one report.
type reportedCase struct {
	Name   string
	Source string
	Right  string
	Must   []requirement
}

// requirement is what must hold of some commands on some machines. cases.toml says what its fields
// mean.
type requirement struct {
	Run    []string
	On     []string
	Job    string
	Exit   int
	Words  map[string][]uint32
	Says   []string
	Never  []string
	Bound  int64
	Proven string
	ULP    float64
	NotYet string `toml:"not_yet"`
}

// readTable reads cases.toml.
func readTable(t *testing.T) *caseTable {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "cases.toml"))
	if err != nil {
		t.Fatal(err)
	}
	table := &caseTable{}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(table); err != nil {
		t.Fatal(err)
	}
	return table
}

// TestCases runs the commands of the table. What it says must hold holds, and what it says does not
// hold yet does not, so that the table is right.
func TestCases(t *testing.T) {
	table := readTable(t)
	t.Chdir(folder)
	for _, c := range table.Cases {
		t.Run(c.Name, func(t *testing.T) {
			for i, must := range c.Must {
				failures := failuresOf(c.Name, must, table.Machines, t.TempDir())
				switch {
				case must.NotYet == "" && len(failures) > 0:
					t.Errorf("requirement %d:\n%s", i+1, strings.Join(failures, "\n"))
				case must.NotYet != "" && len(failures) == 0:
					t.Errorf("requirement %d holds: take not_yet = %q away", i+1, must.NotYet)
				}
			}
		})
	}
}

// failuresOf says what does not hold of a requirement, on which machine and for which command.
func failuresOf(name string, must requirement, lists map[string][]string, scratch string) []string {
	var failures []string
	for _, run := range orElse(must.Run, "sim") {
		for _, machine := range machinesOf(must.On, lists) {
			args := strings.Fields(run)
			args = slices.Insert(args, 1, name+"/"+orElse([]string{must.Job}, "job.toml")[0])
			if machine != "" {
				args = append(args, "--machine", machine)
			}
			for _, failure := range failuresOfCommand(args, must, scratch) {
				failures = append(failures, fmt.Sprintf("warpbound %s: %s", strings.Join(args, " "), failure))
			}
		}
	}
	return failures
}

// orElse returns the texts that are not empty, or one in their place if there are none.
func orElse(texts []string, other string) []string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" })
	if len(texts) == 0 {
		return []string{other}
	}
	return texts
}

// machinesOf puts the machines of lists in place of their names. An empty name is the job's machine.
func machinesOf(on []string, lists map[string][]string) []string {
	if len(on) == 0 {
		return []string{""}
	}
	var machines []string
	for _, name := range on {
		if list, ok := lists[name]; ok {
			machines = append(machines, list...)
		} else {
			machines = append(machines, name)
		}
	}
	return machines
}

// failuresOfCommand runs a command and says what does not hold of it.
func failuresOfCommand(args []string, must requirement, scratch string) []string {
	dumps := map[string]string{}
	for buffer := range must.Words {
		dumps[buffer] = filepath.Join(scratch, buffer)
	}
	if must.ULP > 0 {
		dumps["out"] = filepath.Join(scratch, "out")
	}
	for buffer, file := range dumps {
		args = append(args, "--dump", buffer+"="+file)
	}
	bounds := must.Bound > 0 || must.Proven != ""
	if bounds {
		args = append(args, "--format", "json")
	}
	var stdout, stderr bytes.Buffer
	if code := cli.Main(args, &stdout, &stderr); code != must.Exit {
		return []string{fmt.Sprintf("exit code %d, want %d: %s", code, must.Exit, &stderr)}
	}
	failures := failuresOfText(stdout.String()+stderr.String(), must)
	if bounds {
		failures = append(failures, failuresOfBounds(stdout.Bytes(), must)...)
	}
	for buffer, want := range must.Words {
		got, err := readWords(dumps[buffer])
		if err != nil || !slices.Equal(got, want) {
			failures = append(failures, fmt.Sprintf("buffer %s is %#x, want %#x, error %v", buffer, got, want, err))
		}
	}
	if must.ULP > 0 {
		failures = append(failures, failuresOfQuotients(filepath.Dir(args[1]), dumps["out"], must.ULP)...)
	}
	return failures
}

// failuresOfText holds what a command has written against the expressions of a requirement.
func failuresOfText(text string, must requirement) []string {
	var failures []string
	for _, says := range must.Says {
		if !regexp.MustCompile(says).MatchString(text) {
			failures = append(failures, fmt.Sprintf("no match of %q in:\n%s", says, text))
		}
	}
	for _, never := range must.Never {
		if found := regexp.MustCompile(never).FindString(text); found != "" {
			failures = append(failures, fmt.Sprintf("%q is there", found))
		}
	}
	return failures
}

// result is what the test reads of the results of analyze.
type result struct {
	Observed  struct{ Max int64 }
	Estimates []struct {
		Method   string
		Cycles   int64
		Evidence string
	}
}

// failuresOfBounds holds the bounds of a result of analyze, which is JSON, against a requirement.
func failuresOfBounds(text []byte, must requirement) []string {
	var r result
	if err := json.Unmarshal(text, &r); err != nil || !utf8.Valid(text) {
		return []string{fmt.Sprintf("no result in JSON of UTF-8: %v", err)}
	}
	var failures []string
	found := false
	for _, e := range r.Estimates {
		if e.Evidence == "observed" {
			continue
		}
		found = true
		if atLeast := max(must.Bound, r.Observed.Max); e.Cycles < atLeast {
			failures = append(failures, fmt.Sprintf("%s is %d cycles, below %d", e.Method, e.Cycles, atLeast))
		}
		if must.Proven == "none" && e.Evidence == "proven" {
			failures = append(failures, fmt.Sprintf("%s has a proven bound of %d cycles", e.Method, e.Cycles))
		}
	}
	if must.Bound > 0 && !found {
		failures = append(failures, "there is no bound")
	}
	return failures
}

// readWords reads a file of words of 32 bits, the least significant byte first.
func readWords(file string) ([]uint32, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	words := make([]uint32, len(data)/4)
	_, err = binary.Decode(data, binary.LittleEndian, words)
	return words, err
}

// failuresOfQuotients holds floats in a file against the quotients of the pairs in in.bin.
// Subnormal numbers are zeros, in the pairs and as quotients (PTX ISA 9.0, div.full.ftz.f32).
func failuresOfQuotients(jobFolder, file string, ulp float64) []string {
	pairs, err := readWords(filepath.Join(jobFolder, "in.bin"))
	if err != nil {
		return []string{err.Error()}
	}
	quotients, err := readWords(file)
	if err != nil || len(quotients)*2 != len(pairs) {
		return []string{fmt.Sprintf("%d quotients of %d numbers, error %v", len(quotients), len(pairs), err)}
	}
	var failures []string
	for i, bits := range quotients {
		a, b := flushed(pairs[2*i]), flushed(pairs[2*i+1])
		got := float64(math.Float32frombits(bits))
		if exact := a / b; !isNear(got, exact, ulp) {
			failures = append(failures, fmt.Sprintf("%g / %g = %g, want %g", a, b, got, exact))
		}
	}
	return failures
}

// flushed returns the float of 32 bits with these bits, or a zero of its sign if it is subnormal.
func flushed(bits uint32) float64 {
	x := float64(math.Float32frombits(bits))
	if math.Abs(x) < 0x1p-126 {
		return math.Copysign(0, x)
	}
	return x
}

// isNear reports whether a float of 32 bits is within so many units in the last place of an exact
// number. Beyond the range it is infinite, and below the least normal number it may be a zero.
func isNear(got, exact, ulp float64) bool {
	if math.IsNaN(exact) || exact == 0 || math.IsInf(exact, 0) {
		return math.IsNaN(exact) && math.IsNaN(got) || got == exact && math.Signbit(got) == math.Signbit(exact)
	}
	_, exponent := math.Frexp(exact) // 2^(exponent-1) <= |exact| < 2^exponent
	unit := math.Ldexp(1, max(exponent, -125)-24)
	if math.IsInf(got, 0) {
		got = math.Copysign(0x1p128, got)
	}
	limit := ulp * unit
	switch {
	case math.Abs(exact) >= 0x1p128:
		return math.Signbit(got) == math.Signbit(exact) && math.Abs(got) >= 0x1p128-limit
	case got == 0:
		return math.Abs(exact) < 0x1p-126+limit
	}
	return math.Abs(got-exact) <= limit
}

// TestFolders has each folder be a case, and each case a folder.
func TestFolders(t *testing.T) {
	var named, found []string
	for _, c := range readTable(t).Cases {
		if c.Source == "" || c.Right == "" || len(c.Must) == 0 {
			t.Errorf("case %s has no source, no right answer, or nothing that must hold", c.Name)
		}
		named = append(named, c.Name)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			found = append(found, e.Name())
		}
	}
	slices.Sort(named)
	if !slices.Equal(named, found) {
		t.Errorf("the table has %q, the folder %q", named, found)
	}
}

// TestPage has the page show the table. -update writes it anew.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const head = "| case | source | what is right | state |\n|---|---|---|---|\n"
	prose, _, found := strings.Cut(string(text), head)
	if !found {
		t.Fatalf("%s has no table", page)
	}
	var b strings.Builder
	b.WriteString(prose + head)
	for _, c := range readTable(t).Cases {
		var reasons []string
		for _, must := range c.Must {
			if must.NotYet != "" {
				reasons = append(reasons, must.NotYet)
			}
		}
		state := "holds"
		if len(reasons) > 0 {
			state = "not yet: " + strings.Join(reasons, "; ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, c.Source, strings.ReplaceAll(c.Right, "|", `\|`), state)
	}
	goldentest.Check(t, page, b.String())
}
