// Samejson compares the JSON of two builds of warpbound, command by command, on the jobs of the suite:
//
//	go run ./cmd/samejson OLD NEW [NAME...]
//
// OLD and NEW are binaries, NAMEs select kernels. What may differ is what people read: the texts of
// warnings, assumptions and notes; fields that only NEW has, which are listed; and further warnings.
// Everything else, exit codes included, must be equal. The exit code is 1 if something differs.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: samejson OLD NEW [NAME...]")
		os.Exit(2)
	}
	same, err := compare(os.Args[1], os.Args[2], os.Args[3:])
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "samejson:", err)
		os.Exit(2)
	case !same:
		os.Exit(1)
	}
}

// compare runs all commands with both binaries and prints what differs.
func compare(before, after string, names []string) (bool, error) {
	commands, err := commands(names)
	if err != nil {
		return false, err
	}
	reports := make([]*report, len(commands))
	var group sync.WaitGroup
	free := make(chan struct{}, runtime.NumCPU())
	for i, args := range commands {
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			reports[i] = compareCommand(before, after, args)
		})
	}
	group.Wait()
	same := true
	fields := map[string]bool{}
	for i, r := range reports {
		maps.Copy(fields, r.added)
		for _, d := range r.differences {
			same = false
			fmt.Printf("warpbound %s\n\t%s\n", strings.Join(commands[i], " "), d)
		}
	}
	fmt.Printf("%d commands compared; new fields: %s\n", len(commands), strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
	return same, nil
}

// commands returns the arguments of what is run: everything that prints JSON, in a form that takes little
// time.
func commands(names []string) ([][]string, error) {
	jobs, err := filepath.Glob("kernels/*/*.toml")
	if err != nil {
		return nil, err
	}
	var all [][]string
	add := func(args ...string) { all = append(all, append(args, "--format", "json")) }
	for _, job := range jobs {
		kernel := filepath.Base(filepath.Dir(job))
		if len(names) > 0 && !slices.Contains(names, kernel) {
			continue
		}
		add("sim", job)
		add("analyze", job, "--vectors", "3")
		add("analyze", job, "--vectors", "3", "--ipoints", "headers")
		add("analyze", job, "--vectors", "2", "--machine", "cuda:standin")
		add("analyze", job, "--vectors", "2", "--ipoints", "none", "--machine", "cuda:standin")
		add("sim", job, "--machine", "cuda:standin")
		for _, machine := range []string{"predictable-rr", "mini-simt", "integrated-fermi", "gcn3-split"} {
			add("sim", job, "--machine", machine)
			add("analyze", job, "--vectors", "2", "--machine", machine)
			add("analyze", job, "--machine", machine, "--methods", "static/cta,static/llc-simple,static/llc-interval,split/none,split/dws,split/pws")
		}
		add("search", job, "--strategy", "random", "--runs", "30")
		switch filepath.Base(job) {
		case "tiny.toml":
			add("search", job, "--runs", "60")
			add("quota", job, "--machine", "integrated-fermi")
			add("split", job, "--machine", "gcn3-split", "--vectors", "2", "--choose")
		case "job.toml":
			add("split", job, "--machine", "gcn3-split", "--vectors", "1")
			add("quota", job, "--machine", "integrated-fermi")
		}
		module, err := moduleOf(job)
		if err != nil {
			return nil, err
		}
		add("inspect", module, "--job", job)
		add("inspect", module)
	}
	if len(names) == 0 {
		add("selfcheck", "--kernels", "10")
		for _, paper := range []string{"hybrid", "cta", "llc", "split"} {
			add("reproduce", paper, "--quick")
		}
	}
	return all, nil
}

// moduleOf returns the path of a job's module.
func moduleOf(job string) (string, error) {
	text, err := os.ReadFile(job)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		key, value, found := strings.Cut(line, "=")
		if found && strings.TrimSpace(key) == "module" {
			return filepath.Join(filepath.Dir(job), strings.Trim(strings.TrimSpace(value), `"`)), nil
		}
	}
	return "", fmt.Errorf("%s names no module", job)
}

// report is what differs between two runs of a command.
type report struct {
	differences []string
	added       map[string]bool // fields that only the later one has
}

func (r *report) differ(format string, args ...any) {
	r.differences = append(r.differences, fmt.Sprintf(format, args...))
}

func compareCommand(before, after string, args []string) *report {
	r := &report{added: map[string]bool{}}
	a, codeA, err := run(before, args)
	if err != nil {
		r.differ("%v", err)
		return r
	}
	b, codeB, err := run(after, args)
	switch {
	case err != nil:
		r.differ("%v", err)
	case codeA != codeB:
		r.differ("exit code %d before, %d after", codeA, codeB)
	case codeA != 2:
		r.value("", "", a, b)
	}
	return r
}

// run runs a command and decodes what it prints.
func run(binary string, args []string) (value any, code int, err error) {
	c := exec.Command(binary, args...)
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			return nil, 0, err
		}
		code = exit.ExitCode()
	}
	if code == 2 {
		return nil, code, nil
	}
	d := json.NewDecoder(&out)
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, code, fmt.Errorf("%s: %w: %s", binary, err, complaint.Bytes())
	}
	return value, code, nil
}

// prose are the fields whose texts people read.
var prose = map[string]bool{
	"text": true, "assumptions": true, "notes": true, "what": true, "part": true, "explain": true, "reason": true, "bound": true,
}

// isProse reports whether people read the text of a field. What parts of a bound, tables and examples are called is for
// them, too.
func isProse(path, field string) bool {
	named := func(list string) bool { return strings.Contains(path, "."+list+"[") }
	return prose[field] || field == "name" && (named("parts") || named("tables") || named("examples"))
}

// value compares two values below a field.
func (r *report) value(path, field string, a, b any) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			r.differ("%s: an object before, %v after", path, b)
			return
		}
		for key := range x {
			if _, there := y[key]; !there {
				r.differ("%s.%s is gone", path, key)
				continue
			}
			if key == "warnings" {
				r.warnings(path, x[key], y[key])
				continue
			}
			r.value(path+"."+key, key, x[key], y[key])
		}
		for key := range y {
			if _, there := x[key]; !there {
				r.added[key] = true
			}
		}
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			r.differ("%s: %d elements before, after: %v", path, len(x), b)
			return
		}
		for i := range x {
			r.value(fmt.Sprintf("%s[%d]", path, i), field, x[i], y[i])
		}
	default:
		if _, text := a.(string); a != b && !(text && isProse(path, field)) {
			r.differ("%s: %v before, %v after", path, a, b)
		}
	}
}

// warnings finds every warning again, by place and id. There may be further ones.
func (r *report) warnings(path string, a, b any) {
	count := func(list any) map[string]int {
		n := map[string]int{}
		all, _ := list.([]any)
		for _, w := range all {
			if fields, ok := w.(map[string]any); ok {
				n[fmt.Sprint(fields["pos"], " ", fields["id"])]++
			}
		}
		return n
	}
	later := count(b)
	for w, n := range count(a) {
		if later[w] < n {
			r.differ("%s: warning %s is gone", path, w)
		}
	}
}
