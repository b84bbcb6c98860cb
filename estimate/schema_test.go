package estimate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/schema.json")

// results are the types of what commands print, and what prints them.
var results = []struct {
	of       reflect.Type
	commands string
}{
	{reflect.TypeFor[Analysis](), "analyze, demo and search"},
	{reflect.TypeFor[Simulation](), "sim"},
	{reflect.TypeFor[Module](), "inspect"},
	{reflect.TypeFor[Check](), "check"},
	{reflect.TypeFor[Comparison](), "compare"},
	{reflect.TypeFor[Splitting](), "split"},
	{reflect.TypeFor[Quotas](), "quota"},
	{reflect.TypeFor[Reproduction](), "reproduce"},
	{reflect.TypeFor[Selfcheck](), "selfcheck"},
	{reflect.TypeFor[Calibration](), "calibrate"},
	{reflect.TypeFor[Machines](), "machines --for"},
	{reflect.TypeFor[Proof](), "verify"},
	{reflect.TypeFor[Facts](), "facts"},
	{reflect.TypeFor[Provenance](), "version"},
}

// details are the types that a Detail can have.
var details = []reflect.Type{
	reflect.TypeFor[HybridWarp](), reflect.TypeFor[HybridDynamic](), reflect.TypeFor[HybridWaves](), reflect.TypeFor[HybridList](), reflect.TypeFor[HybridPlacements](), reflect.TypeFor[HybridPhases](), reflect.TypeFor[Oblivious](), reflect.TypeFor[Greedy](), reflect.TypeFor[CTA](),
	reflect.TypeFor[LLC](), reflect.TypeFor[Split](), reflect.TypeFor[SplitMeasured](), reflect.TypeFor[Search](), reflect.TypeFor[Sum](), reflect.TypeFor[Figures](),
}

// TestSchema holds docs/schema.json against the types of this package: -update writes it anew. What
// the commands print is held against it in internal/cli.
func TestSchema(t *testing.T) {
	const file = "../docs/schema.json"
	s := schemer{comments: comments(t), defs: make(map[string]bool)}
	got, err := json.MarshalIndent(s.schema(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the types: run go test ./estimate -update, and see whether Schema has to grow", file)
	}
}

// TestDetails finds the types that are details in the list, and only those.
func TestDetails(t *testing.T) {
	listed := make(map[string]bool)
	for _, d := range details {
		listed[d.Name()] = true
	}
	for _, file := range parsed(t) {
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || method.Recv == nil || method.Name.Name != "detail" {
				continue
			}
			of, ok := method.Recv.List[0].Type.(*ast.StarExpr)
			if !ok {
				t.Error("a type is a detail that is no pointer")
				continue
			}
			if name := of.X.(*ast.Ident).Name; !listed[name] {
				t.Errorf("%s is not in the list", name)
			} else {
				delete(listed, name)
			}
		}
	}
	if len(listed) > 0 {
		t.Errorf("no details: %v", listed)
	}
}

// parsed returns the files of the package, but for tests.
func parsed(t *testing.T) []*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// comments returns the comments of types, by name, and of their fields, by type.field.
func comments(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	text := func(groups ...*ast.CommentGroup) string {
		for _, g := range groups {
			if s := strings.Join(strings.Fields(g.Text()), " "); s != "" {
				return s
			}
		}
		return ""
	}
	for _, file := range parsed(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				return true
			}
			for _, spec := range decl.Specs {
				of := spec.(*ast.TypeSpec)
				all[of.Name.Name] = text(decl.Doc)
				if body, ok := of.Type.(*ast.StructType); ok {
					for _, f := range body.Fields.List {
						for _, field := range f.Names {
							all[of.Name.Name+"."+field.Name] = text(f.Doc, f.Comment)
						}
					}
				}
			}
			return true
		})
	}
	return all
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(&b, m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encode(&b, m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// schemer makes a JSON Schema of types.
type schemer struct {
	comments map[string]string
	defs     map[string]bool // that were begun
	list     object
}

// schema returns the schema of all results.
func (s *schemer) schema() object {
	var any []object
	for _, r := range results {
		any = append(any, s.of(r.of))
	}
	return object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "Results of warpbound"},
		{"description", fmt.Sprintf("What the commands of warpbound print with --format json, schema %d.", Schema)},
		{"anyOf", any},
		{"$defs", s.list},
	}
}

// of returns the schema of a type.
func (s *schemer) of(t reflect.Type) object {
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(s.of(t.Elem()))
	case reflect.Interface:
		var any []object
		for _, d := range details {
			any = append(any, s.of(d))
		}
		return nullable(object{{"anyOf", any}})
	case reflect.Struct:
		s.define(t)
		return object{{"$ref", "#/$defs/" + t.Name()}}
	case reflect.Slice:
		return object{{"type", []string{"array", "null"}}, {"items", s.of(t.Elem())}}
	case reflect.Array:
		return object{{"type", "array"}, {"items", s.of(t.Elem())}, {"minItems", t.Len()}, {"maxItems", t.Len()}}
	case reflect.Map:
		return object{{"type", []string{"object", "null"}}, {"additionalProperties", s.of(t.Elem())}}
	case reflect.String:
		switch t {
		case reflect.TypeFor[Evidence]():
			return object{{"enum", strength}}
		case reflect.TypeFor[Basis]():
			return object{{"enum", []Basis{Asserted, Basis(Observed), Basis(Annotated), Basis(Proven)}}}
		case reflect.TypeFor[Label]():
			return object{{"enum", Labels()}}
		case reflect.TypeFor[Source]():
			return object{{"enum", []Source{ByInputs, ByDevice, ByLaunch, ByOrder}}}
		case reflect.TypeFor[Status]():
			return object{{"enum", []Status{Met, Missed, NotShown}}}
		}
		return object{{"type", "string"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Float64:
		return object{{"type", "number"}}
	}
	return object{{"type", "integer"}}
}

// nullable allows null, too.
func nullable(o object) object { return object{{"anyOf", []object{o, {{"type", "null"}}}}} }

// define adds the definition of a struct, before those that it mentions.
func (s *schemer) define(t reflect.Type) {
	if s.defs[t.Name()] {
		return
	}
	s.defs[t.Name()] = true
	at := len(s.list)
	s.list = append(s.list, member{t.Name(), nil})
	description := s.comments[t.Name()]
	for _, r := range results {
		if r.of == t {
			description += " Printed by " + r.commands + "."
		}
	}
	required := []string{}
	var properties object
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		name = cmp.Or(name, f.Name)
		of := s.of(f.Type)
		if name == "schema" {
			of = object{{"const", Schema}}
		}
		if text := s.comments[s.owner(t, f)+"."+f.Name]; text != "" {
			of = append(object{{"description", text}}, of...)
		}
		properties = append(properties, member{name, of})
		if options != "omitempty" && options != "omitzero" {
			required = append(required, name)
		}
	}
	s.list[at].value = object{
		{"description", description},
		{"type", "object"},
		{"properties", properties},
		{"required", required},
		{"additionalProperties", false},
	}
}

// owner names the type that declares a field, which may be embedded in t.
func (s *schemer) owner(t reflect.Type, f reflect.StructField) string {
	for _, i := range f.Index[:len(f.Index)-1] {
		t = t.Field(i).Type
	}
	return t.Name()
}
