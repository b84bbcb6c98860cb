package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// drawnMutant is a function with a change.
type drawnMutant struct {
	place
	seed uint64 // of the draw
	name string // FILE:LINE:COL: what is changed
	identity
}

// overlay makes one program of many mutants, by their numbers: each is a copy of a function with a change, which the function calls
// if it is chosen. What is compiled for one is compiled for all.
type overlay struct {
	folder string
	// spans tell by file which lines are of a mutant's function.
	spans map[string][]span
}

type span struct{ from, to, mutant int }

// table is the name of the file for go build -overlay.
func (o *overlay) table() string { return filepath.Join(o.folder, "overlay.json") }

// write writes the files of the mutants but those that are nil.
func (o *overlay) write(mutants []*drawnMutant) error {
	of := map[string][]int{}
	for i, m := range mutants {
		if m != nil {
			of[m.file] = append(of[m.file], i)
		}
	}
	o.spans = map[string][]span{}
	replace := map[string]string{}
	for file, numbers := range of {
		text, spans, err := withMutants(file, numbers, func(i int) int { return mutants[i].number })
		if err != nil {
			return err
		}
		replace[file] = filepath.Join(o.folder, strconv.Itoa(len(replace))+".go")
		o.spans[file], o.spans[replace[file]] = spans, spans // the compiler names either
		if err := os.WriteFile(replace[file], text, 0o644); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(o.table(), text, 0o644)
}

// complaint is a line of the compiler: FILE:LINE:COL: what is wrong.
var complaint = regexp.MustCompile(`(?m)^(.+\.go):(\d+):\d+: `)

// build compiles packages and returns the mutants that the compiler refuses; none if it takes all.
func (o *overlay) build(ctx context.Context, packages []string) (refused []int, err error) {
	build := exec.CommandContext(ctx, "go", append([]string{"build", "-gcflags=-e", "-overlay", o.table()}, packages...)...)
	out, err := build.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	for _, m := range complaint.FindAllStringSubmatch(string(out), -1) {
		file, err := filepath.Abs(m[1])
		if err != nil {
			return nil, err
		}
		line, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, err
		}
		for _, s := range o.spans[file] {
			if s.from <= line && line < s.to && !slices.Contains(refused, s.mutant) {
				refused = append(refused, s.mutant)
			}
		}
	}
	if len(refused) == 0 {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return refused, nil
}

// withMutants returns a file with copies of its functions for mutants, and the lines of these. numberOf tells which change a mutant is.
func withMutants(file string, mutants []int, numberOf func(mutant int) int) ([]byte, []span, error) {
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, code, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	insert := insertions{}
	at := func(pos token.Pos) int { return set.Position(pos).Offset }
	insert.add(at(tree.Name.End()), `; import chosenMutant "warpbound/.ci/mutants/chosen"`)
	named := map[*ast.FuncDecl]bool{}
	var copies bytes.Buffer
	behind := bytes.Count(code, []byte("\n")) + 2 // the first line of the copies; what is inserted is no line
	var spans []span
	for _, m := range mutants {
		c, _, err := change(file, code, number(numberOf(m)))
		if err != nil {
			return nil, nil, err
		}
		original := tree.Decls[c.at].(*ast.FuncDecl)
		if !named[original] {
			nameParameters(original, at, insert)
			named[original] = true
		}
		name := fmt.Sprintf("%s_mutant%d", original.Name.Name, m)
		insert.add(at(original.Body.Lbrace)+1, fmt.Sprintf(" if chosenMutant.Is(%d) { %s }; ", m, call(original, name)))
		c.function.Name, c.function.Doc = ast.NewIdent(name), nil
		from := behind + bytes.Count(copies.Bytes(), []byte("\n"))
		if err := format.Node(&copies, c.set, c.function); err != nil {
			return nil, nil, err
		}
		copies.WriteString("\n\n")
		spans = append(spans, span{from, behind + bytes.Count(copies.Bytes(), []byte("\n")), m})
	}
	return append(append(insert.into(code), '\n'), copies.Bytes()...), spans, nil
}

// insertions are texts that are inserted, by offset.
type insertions map[int]string

func (x insertions) add(offset int, text string) { x[offset] += text }

func (x insertions) into(code []byte) []byte {
	var out []byte
	last := 0
	for offset := range code {
		if text, ok := x[offset]; ok {
			out = append(append(out, code[last:offset]...), text...)
			last = offset
		}
	}
	return append(out, code[last:]...)
}

// nameParameters names the parameters of a function that have no name, and inserts these names.
func nameParameters(f *ast.FuncDecl, at func(token.Pos) int, insert insertions) {
	lists := []*ast.FieldList{f.Type.Params}
	if f.Recv != nil {
		lists = append(lists, f.Recv)
	}
	n := 0
	name := func() string { n++; return "p_" + strconv.Itoa(n) }
	for _, list := range lists {
		for _, field := range list.List {
			if len(field.Names) == 0 {
				field.Names = []*ast.Ident{ast.NewIdent(name())}
				insert.add(at(field.Type.Pos()), field.Names[0].Name+" ")
				continue
			}
			for _, x := range field.Names {
				if x.Name == "_" {
					// The name is an underscore and what is inserted behind it.
					x.Name = "_" + name()
					insert.add(at(x.Pos())+1, x.Name[1:])
				}
			}
		}
	}
}

// call is what calls a copy of a function, of another name, with its parameters.
func call(f *ast.FuncDecl, name string) string {
	var args []string
	for _, field := range f.Type.Params.List {
		for _, x := range field.Names {
			arg := x.Name
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	callee := name
	if f.Recv != nil {
		callee = f.Recv.List[0].Names[0].Name + "." + name
	}
	if p := f.Type.TypeParams; p != nil {
		var types []string
		for _, field := range p.List {
			for _, x := range field.Names {
				types = append(types, x.Name)
			}
		}
		callee += "[" + strings.Join(types, ", ") + "]"
	}
	text := callee + "(" + strings.Join(args, ", ") + ")"
	if f.Type.Results != nil {
		return "return " + text
	}
	return text + "; return"
}
