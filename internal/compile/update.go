package compile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"warpbound/diag"
	"warpbound/internal/job"
)

// Table returns the table [source] of a job whose module a command compiled from a text.
func Table(file string, command []string, text []byte) string {
	var t strings.Builder
	t.WriteString("\n# What the module was compiled from. warpbound init --update does it again.\n[source]\n")
	fmt.Fprintf(&t, "file    = %s\ncommand = [\n", quote(file))
	line := " "
	for _, word := range command {
		next := " " + quote(word) + ","
		if len(line)+len(next) > 100 {
			t.WriteString(line + "\n")
			line = " "
		}
		line += next
	}
	fmt.Fprintf(&t, "%s\n]\nsha256  = %q\n", line, job.SourceHash(text))
	return t.String()
}

// quote makes a string of TOML, which takes those of JSON.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // to memory
	return strings.TrimSuffix(b.String(), "\n")
}

// Update is a job whose source was compiled again. Nothing of it is written yet.
type Update struct {
	Source string // as the job names it

	Module     string // its path
	ModuleText []byte
	Same       bool // as the module that is there

	JobText []byte // the job with the new hash, and nothing else changed
}

// Again compiles the source of a job again. before is called with the command and its directory before it runs; what the
// compiler says goes to log.
func Again(ctx context.Context, file string, before func(dir string, command []string), log io.Writer) (*Update, error) {
	text, err := job.ReadFile(file, job.MaxText)
	if err != nil {
		return nil, err
	}
	j, err := job.Load(file)
	if err != nil {
		return nil, err
	}
	s := j.Source
	switch {
	case s == nil:
		return nil, fmt.Errorf("%s has no [source], so it is not known what %s was compiled from", file, j.Module)
	case s.Command == nil:
		return nil, diag.Errorf(s.Pos.Table, "[source] has no command that compiles %s", s.File)
	}
	source, err := job.ReadFile(j.Resolve(s.File), job.MaxText)
	if err != nil {
		return nil, diag.Errorf(s.Pos.File, "%w", err)
	}
	u := &Update{Source: s.File, Module: j.Resolve(j.Module)}
	if u.JobText, err = rehashed(text, s, source); err != nil {
		return nil, err
	}
	dir := filepath.Dir(file)
	before(dir, s.Command)
	if u.ModuleText, err = Run(ctx, s.Command, dir, log); err != nil {
		return nil, err
	}
	old, err := job.ReadFile(u.Module, maxModule)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Errorf(j.Pos.Module, "%w", err)
	}
	u.Same = err == nil && bytes.Equal(old, u.ModuleText)
	return u, nil
}

// rehashed replaces the hash in the text of a job.
func rehashed(text []byte, s *job.Source, source []byte) ([]byte, error) {
	at := s.Pos.SHA256
	offset := 0
	for range at.Line - 1 {
		offset += bytes.IndexByte(text[offset:], '\n') + 1
	}
	found := bytes.Index(bytes.ToLower(text[offset:]), []byte(s.SHA256))
	if found < 0 {
		return nil, diag.Errorf(at, "the hash is written with escapes; write its digits")
	}
	out := bytes.Clone(text)
	copy(out[offset+found:], job.SourceHash(source))
	return out, nil
}
