package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// scope are the packages of which mutants are drawn: methods, simulators, abstract and symbolic execution, ipet, barriers.
var scope = []string{
	"warpbound/internal/method", "warpbound/internal/sim", "warpbound/internal/absexec", "warpbound/internal/symexec",
	"warpbound/internal/ipet", "warpbound/internal/emu", "warpbound/internal/splitting",
}

// golang is a package as go list describes it.
type golang struct {
	ImportPath, Dir                    string
	GoFiles                            []string
	TestGoFiles, XTestGoFiles          []string
	Imports, TestImports, XTestImports []string
}

// tested reports whether it has tests.
func (p *golang) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// loadPackages lists the packages of the module.
func loadPackages(ctx context.Context) ([]golang, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", "./...").Output()
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

// drawer draws mutants.
type drawer struct {
	random   *rand.Rand
	packages []golang
	files    []string // of the scope
	of       map[string]*golang
	drawn    map[string]bool
}

func newDrawer(packages []golang, seed uint64) *drawer {
	d := &drawer{random: rand.New(rand.NewPCG(seed, 0)), packages: packages, of: map[string]*golang{}, drawn: map[string]bool{}}
	for i := range packages {
		p := &packages[i]
		if !slices.ContainsFunc(scope, func(s string) bool { return p.ImportPath == s || strings.HasPrefix(p.ImportPath, s+"/") }) {
			continue
		}
		for _, f := range p.GoFiles {
			file := filepath.Join(p.Dir, f)
			d.files = append(d.files, file)
			d.of[file] = p
		}
	}
	slices.Sort(d.files)
	return d
}

// draw draws so many mutants: places in proportion to how many a file has.
func (d *drawer) draw(n int) ([]mutant, error) {
	type place struct {
		file string
		at   int
	}
	var places []place
	for _, f := range d.files {
		code, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(code, []byte("\n//go:")) {
			continue // comments would be left out
		}
		_, count, err := change(f, code, -1)
		if err != nil {
			return nil, err
		}
		for at := range count {
			places = append(places, place{f, at})
		}
	}
	var list []mutant
	for len(list) < n {
		p := places[d.random.IntN(len(places))]
		if key := fmt.Sprint(p); d.drawn[key] {
			continue
		} else {
			d.drawn[key] = true
		}
		code, err := os.ReadFile(p.file)
		if err != nil {
			return nil, err
		}
		c, _, err := change(p.file, code, p.at)
		if err != nil {
			return nil, err
		}
		list = append(list, mutant{fmt.Sprintf("%s:%s", relative(p.file), c.what), p.file, c.text, d.tests(d.of[p.file])})
	}
	return list, nil
}

// tests are those of a package, then those of all packages that import it, those first that have the fewest imports.
func (d *drawer) tests(of *golang) [][]string {
	var tests [][]string
	if of.tested() {
		tests = append(tests, []string{of.ImportPath})
	}
	var importers []*golang
	for i := range d.packages {
		p := &d.packages[i]
		if p != of && p.tested() && slices.Contains(slices.Concat(p.Imports, p.TestImports, p.XTestImports), of.ImportPath) {
			importers = append(importers, p)
		}
	}
	slices.SortFunc(importers, func(p, q *golang) int {
		return cmp.Or(cmp.Compare(len(p.Imports), len(q.Imports)), strings.Compare(p.ImportPath, q.ImportPath))
	})
	for _, p := range importers {
		tests = append(tests, []string{p.ImportPath})
	}
	return tests
}

// changed is a file with a change.
type changed struct {
	text []byte
	what string // LINE:COL: what
}

// change makes the change of the given number in a file, and counts those that there are.
func change(file string, code []byte, number int) (*changed, int, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, code, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	n := 0
	var what string
	try := func(pos token.Pos, text string, do func()) {
		if n++; n-1 == number {
			at := set.Position(pos)
			what = fmt.Sprintf("%d:%d: %s", at.Line, at.Column, text)
			do()
		}
	}
	ast.Inspect(tree, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.GenDecl:
			return x.Tok != token.IMPORT
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
	if number < 0 {
		return nil, n, nil
	}
	// Comments would stand in other places.
	tree.Comments = nil
	var text bytes.Buffer
	if err := format.Node(&text, set, tree); err != nil {
		return nil, 0, err
	}
	return &changed{text.Bytes(), what}, n, nil
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
