package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// page has a row for each check.
const page = "docs/results/soak.md"

// row is what a check has last found.
type row struct {
	items    int
	seed     int
	commit   string
	findings int
}

const head = `# Random items, all of them

Checks of more than 500 random kernels, programs or inputs try a hundredth of these in ` + "`.ci/run`" + `, drawn
by the commit, and all of them in

    make soak            # SEED=N for other items, RUN=REGEXP for some of the checks

which writes this page. The items of seed 0 are those of which commits draw.

| package | test | items | seed | commit | findings |
|---|---|---|---|---|---|
`

// line is a row of the table.
var line = regexp.MustCompile(`(?m)^\| (\S+) \| (\w+) \| (\d+) \| (\d+) \| (\S+) \| (\d+) \|$`)

// readRows reads the rows of a page; none if there is no page.
func readRows(file string) (map[check]row, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	rows := map[check]row{}
	for _, m := range line.FindAllStringSubmatch(string(text), -1) {
		numbers := [3]int{}
		for i, field := range []string{m[3], m[4], m[6]} {
			if numbers[i], err = strconv.Atoi(field); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		rows[check{m[1], m[2]}] = row{items: numbers[0], seed: numbers[1], commit: m[5], findings: numbers[2]}
	}
	return rows, nil
}

// writeRows writes a page with the rows of the checks that there are, and says which have none. The
// page is replaced as a whole.
func writeRows(file string, rows map[check]row, all []check) error {
	var b strings.Builder
	b.WriteString(head)
	for _, c := range all {
		if r, ok := rows[c]; ok {
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %d |\n",
				c.folder, c.test, r.items, r.seed, r.commit, r.findings)
		} else {
			fmt.Fprintf(&b, "| %s | %s | | | | not tried yet |\n", c.folder, c.test)
		}
	}
	if err := os.WriteFile(file+".new", []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
