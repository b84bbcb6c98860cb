package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// scope are the files of which mutants are drawn unless others are asked for: arithmetic, methods, simulators, abstract and symbolic
// execution, ipet, barriers.
const scope = "^internal/(absexec|alu|emu|ipet|method|sim|splitting|symexec)/"

// golang is a package as go list describes it.
type golang struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// tested reports whether it has tests.
func (p *golang) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// loadPackages lists the packages of the module.
func loadPackages(ctx context.Context) ([]golang, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []golang
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p golang
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		}
		list = append(list, p)
	}
}

// place is where a change can be made.
type place struct {
	file   string
	number int    // of the change in it
	rank   uint64 // those of low ranks are drawn first
}

// draws says which mutants are drawn: of files whose names in the repository match, so many with each seed. The tests of packages in
// folders that match are tried.
type draws struct {
	files  *regexp.Regexp
	tests  *regexp.Regexp
	seeds  []uint64
	number int
}

// drawer draws mutants by random ranks, which follow from the seed and from what is changed: if the code changes elsewhere, the same ones
// are drawn, so that a run can be compared with the one before.
type drawer struct {
	seed uint64
	left []place
}

func newDrawer(packages []golang, files *regexp.Regexp, seed uint64) (*drawer, error) {
	d := &drawer{seed: seed}
	for i := range packages {
		p := &packages[i]
		for _, f := range p.GoFiles {
			file := filepath.Join(p.Dir, f)
			if !files.MatchString(relative(file)) {
				continue
			}
			code, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			if bytes.Contains(code, []byte("\n//go:")) {
				continue // a changed function would be without its comments
			}
			_, _, err = change(file, code, func(c *changed) bool {
				d.left = append(d.left, place{file, c.number, c.in(relative(file)).rank(seed)})
				return false
			})
			if err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(d.left, func(p, q place) int { return cmp.Compare(p.rank, q.rank) })
	return d, nil
}

// draw draws one more mutant; all places have the same chance.
func (d *drawer) draw() (*drawnMutant, error) {
	if len(d.left) == 0 {
		return nil, errors.New("there are no more places for changes")
	}
	p := d.left[0]
	d.left = d.left[1:]
	code, err := os.ReadFile(p.file)
	if err != nil {
		return nil, err
	}
	c, _, err := change(p.file, code, number(p.number))
	if err != nil {
		return nil, err
	}
	file := relative(p.file)
	return &drawnMutant{p, d.seed, fmt.Sprintf("%s:%s", file, c.what()), c.in(file)}, nil
}

// changed is a function with a change.
type changed struct {
	change   string // what is changed
	row, col int    // where
	line     string // the code there, without indentation
	nth      int    // of all the same changes of the same lines in the file, from 1
	number   int    // of all changes in the file, from 0
	set      *token.FileSet
	function *ast.FuncDecl
	at       int // of it in the declarations of the file
}

// what names the change: LINE:COL: what is changed.
func (c *changed) what() string { return fmt.Sprintf("%d:%d: %s", c.row, c.col, c.change) }

// number chooses the change of a number.
func number(n int) func(*changed) bool { return func(c *changed) bool { return c.number == n } }

// change makes the first change in the functions of a file that is chosen, nil if none is, and counts those up to it, or all.
func change(file string, code []byte, chosen func(*changed) bool) (*changed, int, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, code, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	lines := strings.Split(string(code), "\n")
	seen := map[identity]int{}
	n := 0
	var made *changed
	for i, decl := range tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		changes(f.Body, func(pos token.Pos, text string, do func()) {
			if made != nil {
				return // the code is no longer what it was
			}
			at := set.Position(pos)
			c := &changed{change: text, row: at.Line, col: at.Column, line: strings.TrimSpace(lines[at.Line-1]), number: n, set: set, function: f, at: i}
			same := c.in("")
			seen[same]++
			c.nth = seen[same]
			if n++; chosen(c) {
				made = c
				do()
			}
		})
	}
	return made, n, nil
}

// changes calls try for each change of a body, with what makes it.
func changes(body *ast.BlockStmt, try func(pos token.Pos, text string, do func())) {
	ast.Inspect(body, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.BinaryExpr:
			for _, op := range operators[x.Op] {
				try(x.OpPos, fmt.Sprintf("%s for %s", op, x.Op), func() { x.Op = op })
			}
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(x.Value, 0, 64); x.Kind == token.INT && err == nil {
				try(x.Pos(), fmt.Sprintf("%d for %s", v+1, x.Value), func() { x.Value = strconv.FormatInt(v+1, 10) })
			}
		case *ast.CallExpr:
			if f, ok := x.Fun.(*ast.Ident); ok && len(x.Args) > 1 && (f.Name == "min" || f.Name == "max") {
				other := map[string]string{"min": "max", "max": "min"}[f.Name]
				try(x.Pos(), other+" for "+f.Name, func() { f.Name = other })
			}
		case *ast.IfStmt:
			try(x.Cond.Pos(), "the condition does not hold", func() { x.Cond = &ast.BinaryExpr{X: x.Cond, Op: token.LAND, Y: ast.NewIdent("false")} })
			try(x.Cond.Pos(), "the condition holds", func() { x.Cond = &ast.BinaryExpr{X: x.Cond, Op: token.LOR, Y: ast.NewIdent("true")} })
		case *ast.IncDecStmt:
			other := map[token.Token]token.Token{token.INC: token.DEC, token.DEC: token.INC}[x.Tok]
			try(x.TokPos, fmt.Sprintf("%s for %s", other, x.Tok), func() { x.Tok = other })
		case *ast.AssignStmt:
			for _, op := range assignments[x.Tok] {
				try(x.TokPos, fmt.Sprintf("%s for %s", op, x.Tok), func() { x.Tok = op })
			}
		case *ast.BlockStmt:
			for i, s := range x.List {
				if call, ok := s.(*ast.ExprStmt); ok {
					try(s.Pos(), "the call is left out", func() {
						x.List[i] = &ast.IfStmt{Cond: ast.NewIdent("false"), Body: &ast.BlockStmt{List: []ast.Stmt{call}}}
					})
				}
			}
		}
		return true
	})
}

// operators are what stands for an operator in a mutant.
var operators = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.ADD}, token.QUO: {token.MUL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

// assignments are what stands for an assignment with an operator.
var assignments = map[token.Token][]token.Token{
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN}, token.MUL_ASSIGN: {token.ADD_ASSIGN},
}

// drawAll draws a number of mutants with each seed, of which the compiler takes all. It returns those that are wanted.
func drawAll(ctx context.Context, packages []golang, of draws, o *overlay, wanted func(*drawnMutant) bool) ([]*drawnMutant, error) {
	var drawers []*drawer
	for _, seed := range of.seeds {
		d, err := newDrawer(packages, of.files, seed)
		if err != nil {
			return nil, err
		}
		drawers = append(drawers, d)
	}
	var mutants []*drawnMutant
	counts := make([]int, len(of.seeds))
	for {
		for i, d := range drawers {
			for ; counts[i] < of.number; counts[i]++ {
				m, err := d.draw()
				if err != nil {
					return nil, err
				}
				if wanted(m) {
					mutants = append(mutants, m)
				}
			}
		}
		if err := o.write(mutants); err != nil {
			return nil, err
		}
		refused, err := o.build(ctx, []string{"./internal/..."})
		if err != nil {
			return nil, err
		}
		for _, m := range refused {
			counts[slices.Index(of.seeds, mutants[m].seed)]--
			mutants[m] = nil
		}
		if len(refused) == 0 {
			return mutants, nil
		}
	}
}
