package warpbound_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outside is a module that uses this one, as a program that embeds it does.
const outside = "test/outside"

// TestOutside vets and tests that module, which needs no more than what this one is built of.
func TestOutside(t *testing.T) {
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = outside
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=readonly")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestOutsideKnowsAll finds every type of details and every kind of errors in that module.
func TestOutsideKnowsAll(t *testing.T) {
	var text strings.Builder
	names, err := filepath.Glob(outside + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(src)
	}
	files := make(map[string]string) // export data by import path
	for _, line := range goList(t, "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "warpbound/estimate") {
		pkg, file, _ := strings.Cut(line, " ")
		files[pkg] = file
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	implementing := func(path string, contract *types.Interface) (found int) {
		pkg, err := imports.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			object, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || !object.Exported() || types.IsInterface(object.Type()) || !types.Implements(types.NewPointer(object.Type()), contract) {
				continue
			}
			found++
			if use := "*" + pkg.Name() + "." + name; !strings.Contains(text.String(), use) {
				t.Errorf("%s does not use %s", outside, use)
			}
		}
		return found
	}
	results, err := imports.Import("warpbound/estimate")
	if err != nil {
		t.Fatal(err)
	}
	details := results.Scope().Lookup("Detail").Type().Underlying().(*types.Interface)
	errors := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	if d, e := implementing("warpbound/estimate", details), implementing("warpbound/diag", errors); d < 9 || e < 13 {
		t.Errorf("found %d types of details and %d kinds of errors", d, e)
	}
}
