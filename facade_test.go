package warpbound_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// How large the facade and the types of the spine may become, before something in them wants a room of
// its own.
const (
	maxFacadeLines = 1100
	maxMethods     = 25
)

// spine are the packages from jobs that are ready to run up to the public one.
var spine = []string{
	"internal/workload", "internal/runner/...", "internal/platform", "internal/campaign", "internal/analysis", "internal/study/...", "warpbound",
}

// TestFacadeIsSmall counts the lines of the public package, comments too and tests not.
func TestFacadeIsSmall(t *testing.T) {
	lines := 0
	for _, name := range sources(t, ".") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	if lines > maxFacadeLines {
		t.Errorf("the public package has %d lines, at most %d are for a facade", lines, maxFacadeLines)
	}
}

// TestTypesAreSmall counts the methods of the spine's types, unexported ones too.
func TestTypesAreSmall(t *testing.T) {
	seen := map[string]bool{"warpbound.Job": false, "internal/workload.Workload": false, "internal/workload.Kernel": false, "internal/platform.Job": false}
	for _, line := range goList(t, "-f", "{{.ImportPath}} {{.Dir}}", "./...") {
		pkg, dir, _ := strings.Cut(line, " ")
		name := strings.TrimPrefix(pkg, "warpbound/")
		for _, room := range spine {
			if !matches(pkg, room) {
				continue
			}
			for of, n := range methodsIn(t, dir) {
				seen[name+"."+of] = true
				if n > maxMethods {
					t.Errorf("%s.%s has %d methods, at most %d are for one type", name, of, n, maxMethods)
				}
			}
		}
	}
	for of, found := range seen {
		if !found {
			t.Errorf("%s has no methods, or is elsewhere", of)
		}
	}
}

// methodsIn counts the methods of each type of a package; of interfaces those that they list.
func methodsIn(t *testing.T, dir string) map[string]int {
	t.Helper()
	count := make(map[string]int)
	for _, name := range sources(t, dir) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					count[receiver(n.Recv.List[0].Type)]++
				}
				return false
			case *ast.TypeSpec:
				if i, ok := n.Type.(*ast.InterfaceType); ok {
					count[n.Name.Name] = i.Methods.NumFields()
				}
			}
			return true
		})
	}
	return count
}

// receiver returns the name of a method's type.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr: // of a generic type
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}

// sources returns the files of a package without its tests.
func sources(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range all {
		if !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
	}
	return names
}
