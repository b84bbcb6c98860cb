package warpbound_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// concurrentTest is the name of a test that the race detector runs.
var concurrentTest = regexp.MustCompile(`^Test\w*Concurrent`)

// TestGoroutinesAreTested finds the packages that start goroutines: each has a test with
// "Concurrent" in its name. The race detector runs these tests alone.
func TestGoroutinesAreTested(t *testing.T) {
	starts, tested := map[string]token.Position{}, map[string]bool{}
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || path == "cmd") {
			return fs.SkipDir // programs are tested by what they call
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, "_test.go") {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				tested[folder] = tested[folder] || ok && concurrentTest.MatchString(f.Name.Name)
			}
			return nil
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if startsGoroutine(n) {
				starts[folder] = set.Position(n.Pos())
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, at := range starts {
		if !tested[folder] && !strings.HasPrefix(folder, "internal/test/") {
			t.Errorf("%v: a goroutine is started, and no test of %s has Concurrent in its name", at, folder)
		}
	}
	if len(starts) < 10 {
		t.Errorf("only %d packages start goroutines", len(starts))
	}
}

// startsGoroutine reports whether a node is a go statement or calls what starts one:
// sync.WaitGroup.Go, or AfterFunc of time and context.
func startsGoroutine(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		return ok && (f.Sel.Name == "Go" || f.Sel.Name == "AfterFunc")
	}
	return false
}
