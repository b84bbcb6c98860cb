package machine

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/tomlpos"
)

// maxBases is how many descriptions can stand on each other.
const maxBases = 8

// Read reads the description in a file, and those of its bases, with read. The errors are Parse's.
func Read(file string, read func(name string) ([]byte, error)) (*Machine, error) {
	src, err := read(file)
	if err != nil {
		return nil, err
	}
	return layers{read: read}.parse(file, src)
}

// layers reads descriptions that stand on each other.
type layers struct {
	read  func(name string) ([]byte, error) // nil if there are no files but the built-in ones
	above []string                          // the files of those that the next one is the base of
}

// layer is what one file states, with what its base states beside it.
type layer struct {
	Machine
	Base string `toml:"base"`

	at *tomlpos.Mark
}

// parse reads a description with its bases and checks it.
func (l layers) parse(file string, src []byte) (*Machine, error) {
	top, err := l.layer(file, src)
	if err != nil {
		return nil, err
	}
	m := &top.Machine
	m.Origins = top.origins()
	m.assumeTensor()
	c := &checker{m: m, file: file, at: top.at.Paths()}
	c.check()
	if err := c.errs.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// layer reads a description with its bases, but for what only the whole can be checked for.
func (l layers) layer(file string, src []byte) (*layer, error) {
	if len(src) > maxFile {
		return nil, diag.Errorf(diag.Pos{File: file}, "machine file of %d bytes is larger than %d", len(src), maxFile)
	}
	root, indexed := tomlpos.Index(file, src, len(src))
	if indexed == nil && root.Keys["module"] != nil && root.Keys["core"] == nil {
		return nil, diag.Errorf(root.Keys["module"].Pos, "this is a job, not a machine: a machine file has name, core, clock, sm")
	}
	own := &layer{at: root}
	if err := tomlpos.Decode(file, src, own); err != nil {
		return nil, err
	}
	if indexed != nil {
		return nil, diag.Errorf(diag.Pos{File: file}, "%w", indexed)
	}
	if err := ranges(root); err != nil {
		return nil, err
	}
	key := root.Keys["base"]
	if key == nil {
		return own, nil
	}
	base, err := l.base(file, own.Base, key.Pos)
	if err != nil {
		return nil, err
	}
	if err := own.inherit(base); err != nil {
		return nil, err
	}
	return own, nil
}

// base reads the description that a file names as its base: a built-in machine, or a path relative
// to the file.
func (l layers) base(file, name string, at diag.Pos) (*layer, error) {
	next := layers{above: append(slices.Clone(l.above), file)}
	from, read := name, builtinSource
	if IsFile(name) {
		if l.read == nil {
			return nil, diag.Errorf(at, "base = %q: only a built-in machine can be the base here; it has no path", name)
		}
		if !path.IsAbs(name) {
			from = path.Join(path.Dir(file), name)
		}
		next.read, read = l.read, l.read
	}
	if slices.Contains(next.above, from) {
		return nil, diag.Errorf(at, "the bases go in a circle: %s stands on itself; remove base = %q, or name another machine", from, name)
	}
	if len(next.above) > maxBases {
		return nil, diag.Errorf(at, "more than %d machines stand on each other; state the numbers in fewer files", maxBases)
	}
	src, err := read(from)
	if err != nil {
		return nil, diag.Errorf(at, "base = %q: %w", name, err)
	}
	return next.layer(from, src)
}

// inherit adds what the base states and the file does not: whole numbers, words and classes. Name
// and about are the file's own.
func (f *layer) inherit(base *layer) error {
	if key := f.at.Keys["core"]; key != nil && f.Core != base.Core {
		return diag.Errorf(key.Pos, "core = %q, but the base %s has core %q; a file has the core of its base", f.Core, f.Base, base.Core)
	}
	if err := errors.Join(base.exact(), f.exact()); err != nil {
		return err
	}
	f.Core = base.Core
	if f.at.Keys["architecture"] == nil {
		f.Architecture = base.Architecture
	}
	for _, short := range sortedKeys(f.Sources) {
		if of, both := base.Sources[short]; both && of != f.Sources[short] {
			return diag.Errorf(f.at.Keys["sources"].Keys[short].Pos, "%q stands for something else in the base %s; take another abbreviation", short, f.Base)
		}
	}
	for _, name := range sortedKeys(base.at.Keys) {
		section, own := base.at.Keys[name], f.at.Keys[name]
		if name == "name" || name == "about" || name == "base" {
			continue
		}
		if name == "mode" { // all of them, or none
			if own == nil {
				f.at.Keys[name], f.Modes = section, base.Modes
			}
			continue
		}
		if own == nil {
			own = &tomlpos.Mark{Pos: section.Pos}
			f.at.Keys[name] = own
		}
		for _, leaf := range sortedKeys(section.Keys) {
			if own.Keys[leaf] != nil {
				continue
			}
			if own.Keys == nil {
				own.Keys = make(map[string]*tomlpos.Mark)
			}
			own.Keys[leaf] = section.Keys[leaf]
			copyLeaf(&f.Machine, &base.Machine, name, leaf)
		}
	}
	return nil
}

// origins names the files of the bases that state what the file itself does not.
func (f *layer) origins() map[string]string {
	var from map[string]string
	note := func(path string, mark *tomlpos.Mark) {
		if mark.Pos.File == f.at.Pos.File {
			return
		}
		if from == nil {
			from = make(map[string]string)
		}
		from[path] = mark.Pos.File
	}
	for name, section := range f.at.Keys {
		switch name {
		case "sources":
		case "mode":
			note(name, section)
		default:
			for leaf, mark := range section.Keys {
				note(name+"."+leaf, mark)
			}
		}
	}
	return from
}

// Origin returns the file of the base that states what stands at a path of Rows, empty if the
// machine's own file does.
func (m *Machine) Origin(path string) string {
	for ; path != ""; path = path[:max(strings.LastIndexByte(path, '.'), 0)] {
		if file, ok := m.Origins[path]; ok {
			return file
		}
	}
	return ""
}

// exact reports keys that are decoded although their letters are of another case: they would be
// taken for others than those of a base or of the file that stands on it.
func (f *layer) exact() error {
	var errs diag.List
	for _, name := range sortedKeys(f.at.Keys) {
		tag, v := byKey(reflect.ValueOf(f).Elem(), name)
		if tag != name {
			errs.Add(diag.Errorf(f.at.Keys[name].Pos, "unknown key %q; did you mean %q?", name, tag))
			continue
		}
		for _, leaf := range sortedKeys(f.at.Keys[name].Keys) {
			if v.Kind() != reflect.Struct {
				break
			}
			if tag, _ := byKey(v, leaf); tag != leaf {
				errs.Add(diag.Errorf(f.at.Keys[name].Keys[leaf].Pos, "unknown key %q; did you mean %q?", leaf, tag))
			}
		}
	}
	return errs.Err()
}

// byKey returns the field of a struct that a key is decoded into, with its own spelling of the key.
func byKey(v reflect.Value, key string) (string, reflect.Value) {
	if tag, field := findKey(v, key); field.IsValid() {
		return tag, field
	}
	panic(fmt.Sprintf("a key %s was decoded that no field has", key))
}

// findKey is byKey, with no field if there is none. It does without reflect.VisibleFields, which
// takes longer than all else that is done to read a machine.
func findKey(v reflect.Value, key string) (string, reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if tag, field := findKey(v.Field(i), key); field.IsValid() {
				return tag, field
			}
		} else if tag := f.Tag.Get("toml"); strings.EqualFold(tag, key) {
			return tag, v.Field(i)
		}
	}
	return "", reflect.Value{}
}

// copyLeaf copies a field of the section of a machine, or an element if the section is a map.
func copyLeaf(to, from *Machine, section, leaf string) {
	_, a := byKey(reflect.ValueOf(to).Elem(), section)
	_, b := byKey(reflect.ValueOf(from).Elem(), section)
	if a.Kind() != reflect.Map {
		_, a = byKey(a, leaf)
		_, b = byKey(b, leaf)
		a.Set(b)
		return
	}
	if a.IsNil() {
		a.Set(reflect.MakeMap(a.Type()))
	}
	key := reflect.ValueOf(leaf)
	a.SetMapIndex(key, b.MapIndex(key))
}
