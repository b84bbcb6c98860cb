package warpbound_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"
	"testing"
)

// public are the packages that other modules may import. What they export must be made of types that
// these modules can name.
var public = []string{"warpbound", "warpbound/diag", "warpbound/estimate", "warpbound/jobs", "warpbound/kernels"}

// TestExportsNothingInternal looks at every type that the exported part of a public package
// mentions: aliases, exported fields and embedded ones, parameters and results.
func TestExportsNothingInternal(t *testing.T) {
	files := make(map[string]string) // export data by import path
	for _, line := range goList(t, append([]string{"-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, public...)...) {
		pkg, file, _ := strings.Cut(line, " ")
		files[pkg] = file
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	for _, path := range public {
		pkg, err := imports.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			if object := pkg.Scope().Lookup(name); object.Exported() {
				for _, found := range internalTypes(object) {
					t.Errorf("%s.%s mentions %s", path, name, found)
				}
			}
		}
	}
}

// internalTypes returns the types of internal packages that an object mentions.
func internalTypes(object types.Object) []string {
	var found []string
	seen := make(map[types.Type]bool)
	var visit func(types.Type)
	tuple := func(list *types.Tuple) {
		for v := range list.Variables() {
			visit(v.Type())
		}
	}
	visit = func(of types.Type) {
		of = types.Unalias(of)
		if of == nil || seen[of] {
			return
		}
		seen[of] = true
		switch of := of.(type) {
		case *types.Named:
			for arg := range of.TypeArgs().Types() {
				visit(arg)
			}
			own := of.Obj().Pkg()
			if own != nil && strings.HasPrefix(own.Path(), "warpbound/internal/") {
				found = append(found, of.String())
			}
			if own != object.Pkg() || of.Obj() != object && of.Obj().Exported() {
				return // it is looked at on its own, if it is public
			}
			visit(of.Underlying())
			for m := range of.Methods() {
				if m.Exported() {
					visit(m.Type())
				}
			}
		case *types.Struct:
			for f := range of.Fields() {
				if f.Exported() || f.Embedded() {
					visit(f.Type())
				}
			}
		case *types.Interface:
			for m := range of.Methods() {
				if m.Exported() {
					visit(m.Type())
				}
			}
		case *types.Signature:
			tuple(of.Params())
			tuple(of.Results())
		case *types.Map:
			visit(of.Key())
			visit(of.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
			visit(of.Elem())
		}
	}
	visit(object.Type())
	return found
}
