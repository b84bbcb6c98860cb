package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// changedSince returns what tells which named mutants have to be tried again since a commit at
// which all were killed. It is an error if git does not know the commit.
func changedSince(ctx context.Context, commit string) (func(namedMutant) bool, error) {
	if commit == "" {
		return nil, errors.New("no commit is given at which all were killed")
	}
	files, err := git(ctx, "diff", "--name-only", commit, "--")
	if err != nil {
		return nil, err
	}
	text, err := git(ctx, "show", commit+":"+namedFile)
	if err != nil {
		return nil, err
	}
	before, err := parseNamed([]byte(text))
	if err != nil {
		return nil, err
	}
	var folders []string
	for file := range strings.Lines(files) {
		folders = append(folders, path.Dir(strings.TrimSpace(file)))
	}
	return func(m namedMutant) bool { return !slices.Contains(before, m) || liesIn(m, folders) }, nil
}

// liesIn reports whether one of the folders is that of a mutant, or has tests that find it.
func liesIn(m namedMutant, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return folder == path.Dir(m.File) || slices.ContainsFunc(strings.Fields(m.Tests), func(arg string) bool {
			of, isPackage := strings.CutPrefix(arg, "./")
			above, below := strings.CutSuffix(of, "/...")
			return isPackage && (folder == of || below && (folder == above || strings.HasPrefix(folder, above+"/")))
		})
	})
}

// git returns what a command of git prints.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}
