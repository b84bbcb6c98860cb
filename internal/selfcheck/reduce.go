package selfcheck

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// reduce looks for a small instance with the same violation as the one that draws make,
// and returns it with what is violated there.
func (r *runner) reduce(ctx context.Context, draws []int, v *violation) (Files, *violation) {
	best, found := r.draw(&recorder{given: draws}), v
	shrink(ctx, draws, func(candidate []int) ([]int, bool) {
		rec := &recorder{given: candidate}
		files := r.draw(rec)
		w := r.violated(ctx, files)
		if !v.same(w) {
			return nil, false
		}
		best, found = files, w
		return rec.drew, true
	})
	best = withoutNarrower(best, found.Job)
	if v.Kind == kindBound { // other kinds could come from the removal itself
		for _, name := range []string{best.module(), jobFile, found.Job, best.module()} {
			best, found = r.lines(ctx, best, name, found)
		}
	}
	return best, found
}

// violated returns what is violated of an instance, nil if nothing or if ctx is done.
func (r *runner) violated(ctx context.Context, files Files) *violation {
	out, err := r.checker.check(ctx, files, files.narrower())
	if err != nil {
		return nil // what is not known to fail does not
	}
	return out.Violation
}

// narrower returns the names of the jobs with narrower inputs.
func (f Files) narrower() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if strings.HasSuffix(name, ".toml") && name != jobFile && name != machineFile {
			names = append(names, name)
		}
	}
	return names
}

// withoutNarrower drops the jobs with narrower inputs but one.
func withoutNarrower(f Files, but string) Files {
	kept := maps.Clone(f)
	for _, name := range f.narrower() {
		if name != but {
			delete(kept, name)
		}
	}
	return kept
}

// lines leaves out lines of a file as long as the violation stays (Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input", 2002, with complements only). What is
// no program any more is refused like any other that does not show the violation.
func (r *runner) lines(ctx context.Context, files Files, name string, v *violation) (Files, *violation) {
	lines := strings.SplitAfter(files[name], "\n")
	left := 4 * budget
	for size, changed := max(len(lines)/2, 1), false; size > 0; {
		changed = false
		for at := len(lines) - size; at >= 0 && left > 0 && ctx.Err() == nil; at -= size {
			if at+size > len(lines) {
				continue
			}
			rest := slices.Delete(slices.Clone(lines), at, at+size)
			candidate := files.with(name, strings.Join(rest, ""))
			left--
			if w := r.violated(ctx, candidate); v.same(w) {
				lines, files, v, changed = rest, candidate, w, true
			}
		}
		if size > 1 || !changed || left == 0 || ctx.Err() != nil {
			size /= 2
		}
	}
	return files, v
}
