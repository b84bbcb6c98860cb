package job

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"warpbound/diag"
)

// What stands in Source.Command for names that are known only when it runs.
const (
	ModulePlace  = "{module}"  // the file that the compiler is to write
	IncludePlace = "{include}" // the directory with the headers that take the place of a toolkit's
)

// Source says what a job's module was compiled from. Nothing of it is needed to run the job.
type Source struct {
	File    string   // as written; see Resolve
	Command []string // that compiled it, and its arguments; nil if left out
	SHA256  string   // of the file when it was compiled, in hexadecimal
	Pos     SourcePositions
}

// SourcePositions tells where the keys of [source] stand: the table if a key is left out.
type SourcePositions struct {
	Table, File, Command, SHA256 diag.Pos
}

// Is reports whether a text is the one that was compiled.
func (s *Source) Is(text []byte) bool { return s.SHA256 == SourceHash(text) }

// SourceHash returns the hash by which Source knows a text.
func SourceHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// source reads [source]; nil if there is none. It does not read the file, which is no part of the job and of its
// hash.
func (r *reader) source(root table) *Source {
	const key = "source"
	t, ok := root.table(key)
	if !ok {
		return nil
	}
	t.only("[source]", "file", "command", "sha256")
	s := &Source{Pos: SourcePositions{Table: t.mark.Pos, File: t.pos("file"), Command: t.pos("command"), SHA256: t.pos("sha256")}}
	s.File, _ = t.required("file", "saxpy.cu")
	s.SHA256, ok = t.required("sha256", "9f86d081884c7d65...")
	if _, err := hex.DecodeString(s.SHA256); ok && (err != nil || len(s.SHA256) != 2*sha256.Size) {
		r.errorf(s.Pos.SHA256, "sha256 must be %d hexadecimal digits", 2*sha256.Size)
	}
	s.SHA256 = strings.ToLower(s.SHA256)
	list, ok := t.list("command")
	if !ok {
		return s
	}
	for _, v := range list {
		word, ok := v.(string)
		if !ok {
			r.errorf(s.Pos.Command, "command holds %s; it must hold strings: a program and its arguments", kindOf(v))
			return s
		}
		s.Command = append(s.Command, word)
	}
	named := func(word string) bool { return strings.Contains(word, ModulePlace) }
	if len(s.Command) == 0 || !slices.ContainsFunc(s.Command[1:], named) {
		r.errorf(s.Pos.Command, `command does not say where the module goes; for example: ["nvcc", "-ptx", "saxpy.cu", "-o", %q]`, ModulePlace)
	}
	return s
}

// sourceTable returns the entry of [source]; nil for none.
func sourceTable(s *Source) *sourceEntry {
	if s == nil {
		return nil
	}
	return &sourceEntry{File: s.File, Command: s.Command, SHA256: s.SHA256}
}
