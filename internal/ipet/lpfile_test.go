package ipet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/test/effort"
)

func TestWriteLP(t *testing.T) {
	m := parseModel(t, "0>1:10 1>1:7<=9 1>4:7 0>2:3<=0 2>4:5 1>3:1 4>5:0")
	m.Name = "Fig. 1\nof a paper"
	m.Loops = []Loop{loop("i2", 2, []int{1}, []int{0})}
	m.Facts = []Fact{
		{Name: "sum", Terms: []Term{{1, 1}, {2, -3}, {1, 1}}, Rel: AtLeast, RHS: -4},
		{Name: "empty and true", Rel: AtMost, RHS: 4},
		{Name: "empty and false", Rel: Equal, RHS: 4},
	}
	want := `\ model "Fig. 1\nof a paper"
\ n0 is "b0"
\ n1 is "b1"
\ n2 is "b2"
\ n3 is "b3"
\ n4 is "b4"
\ n5 is "b5"
\ x0 leads from n0 to n1
\ x1 leads from n1 to n1
\ x2 leads from n1 to n4
\ x3 leads from n0 to n2
\ x4 leads from n2 to n4
\ x5 leads from n1 to n3
\ x6 leads from n4 to n5
\ l0 is "i2"
\ f0 is "sum"
\ f1 is "empty and true"
\ f2 is "empty and false"
Maximize
 obj:
 + 10 x0 + 7 x1 + 7 x2 + 3 x3 + 5 x4 + 1 x5 + 0 x6
Subject To
 n0:
 -1 x0 -1 x3 = -1
 n1:
 +1 x0 -1 x2 -1 x5 = 0
 n2:
 +1 x3 -1 x4 = 0
 n3:
 +1 x5 = 0
 n4:
 +1 x2 +1 x4 -1 x6 = 0
 n5:
 +1 x6 = 1
 l0:
 +1 x1 -2 x0 <= 0
 f0:
 +2 x1 -3 x2 >= -4
 f2:
 +0 x0 = 4
Bounds
 0 <= x1 <= 9
 x3 = 0
 x4 = 0
 x5 = 0
General
 x0 x1 x2 x3 x4 x5 x6
End
`
	var got strings.Builder
	if err := WriteLP(&got, m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestWriteLPKeepsLinesShort(t *testing.T) {
	m := divergentModel(rand.New(rand.NewPCG(1, 1)), 50, 300, 5)
	m.Name, m.Nodes[3] = strings.Repeat("é\x00", 500), strings.Repeat("\"", 500)
	var lp strings.Builder
	if err := WriteLP(&lp, m); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(lp.String()) {
		if len(line) > 255 {
			t.Errorf("%d bytes: %s", len(line), line)
		}
	}
}

// cbc returns the solver that the tests compare with. Where CI is set it must be
// there.
func cbc(t *testing.T) cbcSolver {
	t.Helper()
	path, err := exec.LookPath("cbc")
	if err != nil {
		const missing = "cbc is not installed (Debian package coinor-cbc)"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return cbcSolver{Path: path}
}

// compareWithCBC fails the test unless both find the same optimum, or none.
func compareWithCBC(t *testing.T, c cbcSolver, m *Model) {
	t.Helper()
	s, err := Solve(context.Background(), m, Options{AllowDetached: true})
	got, want := verdict(s, err), ""
	_, cost, err := c.Solve(context.Background(), m)
	if want = fmt.Sprint(cost); err != nil {
		want = verdict(nil, err)
	}
	if got == "unbounded" && want == "infeasible" {
		return // cbc does not always tell these apart
	}
	if got != want {
		t.Errorf("got %s, cbc %s", got, want)
	}
}

func TestAgreesWithCBC(t *testing.T) {
	c := cbc(t)
	structured := rapid.Custom(func(t *rapid.T) *Model { return structuredModel(t, 30) })
	general := rapid.Custom(func(t *rapid.T) *Model { return anyModel(t, 10, 20, 9, true) })
	for _, seed := range effort.Draw(t, 1000) {
		t.Run(fmt.Sprint("structured ", seed), func(t *testing.T) { compareWithCBC(t, c, structured.Example(int(seed))) })
		t.Run(fmt.Sprint("general ", seed), func(t *testing.T) { compareWithCBC(t, c, general.Example(int(seed))) })
	}
	for seed := range uint64(5) {
		m := divergentModel(rand.New(rand.NewPCG(seed, 4)), 60, 240, 50)
		t.Run(fmt.Sprint("kernel ", seed), func(t *testing.T) { compareWithCBC(t, c, m) })
	}
}

func TestParseCBC(t *testing.T) {
	const log = "Welcome to the CBC MILP Solver\nx1 x2 x3 x4\n"
	for _, c := range []struct {
		name, out, want string
		counts          []int64
	}{
		{"optimal", log + "Optimal - objective value 7.00000000\n      0 x0    1    3\n**    2 x2    2.0000001   -5\nTotal time 0.00\n", "", []int64{1, 0, 2}},
		{"infeasible", log + "Infeasible - objective value 7\n 0 x0 1 3\n", "no walk", nil},
		{"unbounded", log + "Unbounded - objective value 7\n", "nothing bounds some loop", nil},
		{"cut off", log + "Stopped on time - objective value 7\n 0 x0 1 3\n", `status "Stopped on time"`, nil},
		{"nothing", log, `status ""`, nil},
		{"fraction", "Optimal - objective value 7\n 0 x0 1.5 3\n", "not an integer", nil},
		{"too large", "Optimal - objective value 7\n 0 x0 1e17 3\n", "not an integer", nil},
		{"not a number", "Optimal - objective value 7\n 0 x0 nan 3\n", "not an integer", nil},
		{"no number", "Optimal - objective value 7\n 0 x0 one 3\n", "invalid syntax", nil},
		{"other variable", "Optimal - objective value 7\n 0 x3 1 3\n", "unknown variable", nil},
	} {
		counts, err := parseCBC(c.out, 3)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v", c.name, err)
		}
		if diff := cmp.Diff(c.counts, counts); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func FuzzParseCBC(f *testing.F) {
	f.Add("Optimal - objective value 7.00000000\n      0 x0    1    3\n**    2 x2    2   -5\nTotal time 0.00\n")
	f.Add("Infeasible - objective value 7\n 0 x0 1 3\n")
	f.Fuzz(func(t *testing.T, out string) {
		if counts, err := parseCBC(out, 3); (err != nil) != (counts == nil) {
			t.Errorf("%v and %v", counts, err)
		}
	})
}

func TestCBCThatIsNotThere(t *testing.T) {
	_, _, err := cbcSolver{Path: "./no-such-solver"}.Solve(context.Background(), parseModel(t, "0>1:1"))
	if err == nil || !strings.Contains(err.Error(), "run cbc") {
		t.Errorf("got %v", err)
	}
}
