package machine

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"warpbound/internal/diag"
)

// maxFile is the size of the largest description that Parse reads, in bytes.
const maxFile = 1 << 20

// Parse reads a description. The error names every finding with its position:
// text that is not TOML, keys that are unknown or missing, units other than the
// expected ones, values out of range, and numbers that contradict each other.
func Parse(file string, src []byte) (*Machine, error) {
	if len(src) > maxFile {
		return nil, diag.Errorf(diag.Pos{File: file}, "machine file of %d bytes is larger than %d", len(src), maxFile)
	}
	m := new(Machine)
	if err := decode(file, src, m); err != nil {
		return nil, err
	}
	c := &checker{m: m, file: file, at: positions(file, src)}
	c.check()
	if err := c.errs.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// decode fills m from the TOML text and turns the decoder's errors into
// diagnostics.
func decode(file string, src []byte, m *Machine) error {
	err := toml.NewDecoder(bytes.NewReader(src)).DisallowUnknownFields().Decode(m)
	if err == nil {
		return nil
	}
	var unknown *toml.StrictMissingError
	var syntax *toml.DecodeError
	var errs diag.List
	switch {
	case errors.As(err, &unknown):
		for i := range unknown.Errors {
			e := &unknown.Errors[i]
			key := e.Key()
			errs.Add(diag.Errorf(place(file, e), "unknown key %q", key[len(key)-1]))
		}
	case errors.As(err, &syntax):
		text := strings.TrimPrefix(syntax.Error(), "toml: ")
		if kind, isType := strings.CutPrefix(text, "cannot decode TOML "); isType {
			kind, _, _ = strings.Cut(kind, " into ")
			text = strings.Join(syntax.Key(), ".") + ": a TOML " + kind + " cannot stand here"
		}
		errs.Add(diag.Errorf(place(file, syntax), "%s", text))
	default:
		errs.Add(diag.Errorf(diag.Pos{File: file}, "%w", err))
	}
	return errs.Err()
}

func place(file string, e *toml.DecodeError) diag.Pos {
	line, col := e.Position()
	return diag.Pos{File: file, Line: int32(line), Col: int32(col)}
}

// positions maps the path of every table and key of a valid document to where
// it is written.
func positions(file string, src []byte) map[string]diag.Pos {
	at := map[string]diag.Pos{}
	var p unstable.Parser
	p.Reset(src)
	name := func(n *unstable.Node, prefix string) string {
		path := prefix
		for it := n.Key(); it.Next(); {
			if path != "" {
				path += "."
			}
			path += string(it.Node().Data)
			start := p.Shape(it.Node().Raw).Start
			if _, known := at[path]; !known {
				at[path] = diag.Pos{File: file, Line: int32(start.Line), Col: int32(start.Column)}
			}
		}
		return path
	}
	var keyValue func(n *unstable.Node, prefix string)
	keyValue = func(n *unstable.Node, prefix string) {
		path := name(n, prefix)
		if v := n.Value(); v.Kind == unstable.InlineTable {
			for it := v.Children(); it.Next(); {
				keyValue(it.Node(), path)
			}
		}
	}
	section := ""
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			section = name(e, "")
		case unstable.KeyValue:
			keyValue(e, section)
		}
	}
	return at
}
