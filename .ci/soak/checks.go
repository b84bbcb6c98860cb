package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// check is a test that draws random items.
type check struct {
	folder string // of its package, from the root
	test   string
}

func (c check) compare(d check) int {
	return slices.Compare([]string{c.folder, c.test}, []string{d.folder, d.test})
}

// findChecks returns the tests below a folder that call effort.Draw or effort.Some, in order. It is an error if
// another function than a test does: these would not be found.
func findChecks(root string) ([]check, error) {
	var all []check
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			at := drawsItems(d)
			if at == nil {
				continue
			}
			f, isFunction := d.(*ast.FuncDecl)
			if !isFunction || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
				return fmt.Errorf("%v: items are drawn outside of a test", set.Position(at.Pos()))
			}
			all = append(all, check{filepath.ToSlash(filepath.Dir(path)), f.Name.Name})
		}
		return nil
	})
	slices.SortFunc(all, check.compare)
	return all, err
}

// drawsItems returns a call of effort.Draw or effort.Some in a declaration, or nil if there is none.
func drawsItems(d ast.Decl) (at ast.Node) {
	ast.Inspect(d, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Draw" || s.Sel.Name == "Some") {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "effort" {
				at = n
			}
		}
		return at == nil
	})
	return at
}
