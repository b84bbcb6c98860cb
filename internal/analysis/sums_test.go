package analysis

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/certify"
	"warpbound/internal/certify/check"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

var update = flag.Bool("update", false, "rewrite testdata/sums.txt")

// long are kernels of the suite whose estimates take long.
var long = []string{"lbm", "petri"}

// TestSumsOfTheSuite lists what verify confirms of sums over blocks in certificates of the suite,
// in testdata/sums.txt: of each kernel and method the claim, the sum, and whether it is confirmed.
func TestSumsOfTheSuite(t *testing.T) {
	files := make(map[string]fs.FS) // by name of the kernel
	jobs, err := fs.Glob(kernels.Suite(), "*/job.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range jobs {
		kernel := path.Dir(job)
		if files[kernel], err = fs.Sub(kernels.Suite(), kernel); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range kernels.SDK() {
		files["sdk/"+k.Kernel] = k.Files()
	}
	var table bytes.Buffer
	counts := make(map[string]int)
	for _, kernel := range slices.Sorted(maps.Keys(files)) {
		if slices.Contains(long, kernel) {
			continue
		}
		for _, of := range [][2]string{{"predictable-rr", "static/cta"}, {"integrated-fermi", "static/llc-simple"}} {
			j := jobtest.Load(t, files[kernel], "job.toml", of[0])
			a, err := Analyze(context.Background(), j.Platform, j.Workload, Request{Methods: []string{of[1]}, Certify: true})
			if err != nil {
				continue // several launches, or a loop without a bound
			}
			variant, err := Methods().Find(of[1]).of(j.Workload)
			if err != nil {
				t.Fatal(err)
			}
			c := a.certificate
			verdict, err := check.Check(c, subject(j.Workload, variant), 0)
			if err != nil {
				t.Errorf("%s, %s: %v", kernel, of[1], err)
				continue
			}
			sum, standing := "-", "none"
			for i, f := range c.Facts {
				switch {
				case f.Kind != certify.Sum:
					continue
				case slices.Contains(verdict.Confirmed, i):
					standing = "confirmed"
				default:
					standing = "trusted"
				}
				sum = fmt.Sprint(f.Value)
			}
			fmt.Fprintf(&table, "%s %s %d %s %s\n", kernel, of[1], c.Claim.Cycles, sum, standing)
			if standing == "confirmed" {
				counts[of[1]]++
			}
		}
	}
	for _, method := range []string{"static/cta", "static/llc-simple"} {
		fmt.Fprintf(&table, "%s: %d confirmed\n", method, counts[method])
		if counts[method] < 20 {
			t.Errorf("the sums of %d certificates of %s are confirmed", counts[method], method)
		}
	}
	const file = "testdata/sums.txt"
	if *update {
		if err := os.WriteFile(file, table.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(table.String(), "\n"); !slices.Equal(got, strings.Split(string(want), "\n")) {
		t.Errorf("-update changes %s to\n%s", file, table.String())
	}
}

// TestOtherSums changes the sum in certificates, and what it rests on. The sum of
// static/llc-interval is that of static/llc-simple.
func TestOtherSums(t *testing.T) {
	values := make(map[string]int64)
	for _, of := range [][2]string{
		{"predictable-rr", "static/cta"}, {"integrated-fermi", "static/llc-simple"}, {"integrated-fermi", "static/llc-interval"},
	} {
		c := certificateOf(t, "nwLower", of[0], of[1])
		at := slices.IndexFunc(c.made.Facts, func(f certify.Fact) bool { return f.Kind == certify.Sum })
		values[of[1]] = c.made.Facts[at].Value
		_, proof, err := c.judge(c.text, true)
		if err != nil || proof.Sum != c.made.Facts[at].Value {
			t.Errorf("%s: %v, and the sum is %d", c.name, err, proof.Sum)
		}
		for what, change := range map[string]func([]certify.Fact) []certify.Fact{
			"less":      func(all []certify.Fact) []certify.Fact { all[at].Value--; return all },
			"more":      func(all []certify.Fact) []certify.Fact { all[at].Value++; return all },
			"annotated": func(all []certify.Fact) []certify.Fact { all[at].Evidence = estimate.Annotated; return all },
			"twice":     func(all []certify.Fact) []certify.Fact { return append(all, all[at]) },
			"elsewhere": func(all []certify.Fact) []certify.Fact { all[at].PC, all[at].At = all[0].PC, all[0].At; return all },
			"without loops": func(all []certify.Fact) []certify.Fact {
				return slices.DeleteFunc(all, func(f certify.Fact) bool { return f.Kind == certify.Loop || f.Kind == certify.Price })
			},
			"without": func(all []certify.Fact) []certify.Fact { return slices.Delete(all, at, at+1) },
		} {
			other := *c.made
			other.Facts = change(slices.Clone(c.made.Facts))
			if _, _, err := c.judge(written(t, &other), true); !errors.Is(err, ErrRefuted) {
				t.Errorf("%s: a sum that is %s is not refuted: %v", c.name, what, err)
			}
		}
	}
	if values["static/llc-simple"] != values["static/llc-interval"] {
		t.Error(values)
	}
}

// TestSumsBoundRuns runs random kernels and compares how long they take with the sums over their
// blocks. Those of one thread come near to these.
func TestSumsBoundRuns(t *testing.T) {
	near := 0
	for _, seed := range effort.Draw(t, 600) {
		opts := kernelgen.Options{Statements: 4 + int(seed%20), Depth: 1 + int(seed%3), Trips: 2 + int(seed%7), Threads: 1, CTAs: 1}
		if seed%3 == 0 {
			opts.Threads, opts.CTAs = 70, 20
		}
		for _, of := range [][2]string{{"predictable-rr", "static/cta"}, {"integrated-fermi", "static/llc-simple"}} {
			j := jobtest.Load(t, jobtest.Case(jobtest.Random(seed, opts)), "job.toml", of[0])
			a, err := Analyze(context.Background(), j.Platform, j.Workload, Request{Methods: []string{of[1]}, Certify: true})
			if err != nil {
				continue // such as a loop without a bound
			}
			at := slices.IndexFunc(a.certificate.Facts, func(f certify.Fact) bool { return f.Kind == certify.Sum })
			if at < 0 {
				continue
			}
			sum := a.certificate.Facts[at].Value
			for vector := range 2 {
				out, err := jobtest.Run(context.Background(), j, j.Workload.First().Bound.Vector(vector))
				if err != nil {
					t.Fatalf("seed %d on %s: %v", seed, of[0], err)
				}
				if out.Cycles > sum {
					t.Errorf("seed %d on %s: a run takes %d cycles, and no run takes more than %d", seed, of[0], out.Cycles, sum)
				}
				if 2*out.Cycles > sum {
					near++
				}
			}
		}
	}
	t.Logf("%d runs take more than half of the sum", near)
	if near == 0 && effort.Many() {
		t.Error("no run comes near to the sum")
	}
}
