package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/premise"
)

// unconditional are the assumptions of every claim of a method that needs no campaign of runs, in
// their order.
func unconditional(method string, s *Subject) []string {
	switch {
	case method == "static/oblivious":
		return ofRun(s)
	case strings.HasPrefix(method, "static/llc-"):
		return []string{premise.Timing, premise.AloneOfCPU, premise.NoHost, premise.Aligned, premise.Terminates}
	}
	return []string{premise.Timing, premise.Alone, premise.NoHost, premise.Aligned, premise.Terminates}
}

// ofRun are the assumptions of a claim that one run stands for.
func ofRun(s *Subject) []string {
	list := []string{premise.Timing, premise.Alone, premise.NoHost, premise.RunAddresses, premise.Zeros, premise.Cold}
	if s.Machine.WarmCopies() {
		list[len(list)-1] = premise.WarmCopies
	}
	if s.Machine.Core == machine.Integrated && s.Bound.Job.CPU.Stream != nil {
		list = append(list, premise.CPU)
	}
	if s.Machine.Chance() {
		list = append(list, premise.Seed)
	}
	return list
}

// further are the assumptions that each claim of a method makes behind others.
func further(method string) []string {
	switch method {
	case "static/greedy":
		return []string{premise.LaunchAddresses}
	case "split/dws", "split/pws":
		return []string{premise.RaceFree}
	}
	return nil
}

// assumptions derives what the claim takes for granted from method, job and machine, and is an
// error if the certificate says anything else. Where an analysis decides whether something is taken
// for granted, the job must give a ground for it, and it is trusted. Of claims that rest on runs
// nothing is derived: who does not make these again confirms nothing.
func (k *checking) assumptions(s *Subject) error {
	method, list := k.Claim.Method, k.Claim.Assumptions
	if strings.HasPrefix(method, "hybrid/") {
		return nil
	}
	own := unconditional(method, s)
	if len(list) < len(own) || !slices.Equal(list[:len(own)], own) {
		return fmt.Errorf("it does not begin with the assumptions of %s, which are %q", method, own)
	}
	needed := further(method)
	annotated := false
	for i, text := range list {
		annotated = annotated || premise.Annotated(text)
		if slices.Contains(list[:i], text) {
			return fmt.Errorf("the assumption %q stands there twice", text)
		}
		if i < len(own) {
			continue
		}
		if at := slices.Index(needed, text); at >= 0 {
			needed = slices.Delete(needed, at, at+1)
		} else if why := s.ground(method, text); why == "" {
			return fmt.Errorf("nothing in the job is a ground for the assumption %q", text)
		} else {
			k.verdict.Trusted = append(k.verdict.Trusted, Trust{-1, why})
		}
	}
	if len(needed) > 0 {
		return fmt.Errorf("it lacks the assumption %q", needed[0])
	}
	want := estimate.Proven
	if annotated {
		want = estimate.Annotated
	}
	if k.Claim.Evidence != want {
		return fmt.Errorf("it is called %s, and by its assumptions it is %s", k.Claim.Evidence, want)
	}
	return nil
}

// What estimates say of loops (premise.Loop and premise.Solved), with the name of the header.
var (
	ofLoop   = regexp.MustCompile(`^loop bound of (\S+): at most [0-9]+ back edges per entry \(annotated\)$`)
	ofSolver = regexp.MustCompile(
		`^\S+ \S+ is right that control returns to (\S+) at most [0-9]+ times for one entry of the loop \(.+\)$`)
)

// ground says why an assumption of a claim may be one, which the checker cannot tell by itself; it
// is empty if the job does not speak of it.
func (s *Subject) ground(method, text string) string {
	if m := ofLoop.FindStringSubmatch(text); m != nil && s.named(m[1]) {
		return "it takes the bound of the loop at " + m[1] + " from the job"
	}
	if m := ofSolver.FindStringSubmatch(text); m != nil && s.named(m[1]) {
		return "it takes the bound of the loop at " + m[1] + " from a solver"
	}
	if strings.HasPrefix(text, premise.Races) && slices.Contains(further(method), premise.RaceFree) {
		return "it says what is known of data races"
	}
	for i := range s.Bound.Job.Params {
		p := &s.Bound.Job.Params[i]
		switch fixed := p.Content.Kind != job.Uniform && p.Content.Kind != job.Unset; {
		case p.Kind != job.Buffer || !fixed:
		case text == premise.Contents(p.Name, premise.Unwritten):
			return "it takes for granted that the kernel does not write to " + p.Name
		case text == premise.Contents(p.Name, premise.ReadOnly) && p.Access == job.ReadOnly:
			return "it takes from the job that no run writes to " + p.Name
		}
	}
	return ""
}

// named reports whether a block can have a name: that of a label, or of one with instructions
// between.
func (s *Subject) named(block string) bool {
	label, _, _ := strings.Cut(block, "+")
	for _, l := range s.Kernel.Labels {
		if l.Name == label {
			return true
		}
	}
	return label == "entry"
}
