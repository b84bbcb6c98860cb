package machine

import (
	"warpbound/diag"
	"warpbound/internal/tomlpos"
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
	if err := tomlpos.Decode(file, src, m); err != nil {
		return nil, err
	}
	root, err := tomlpos.Index(file, src, len(src))
	if err != nil {
		return nil, diag.Errorf(diag.Pos{File: file}, "%w", err)
	}
	c := &checker{m: m, file: file, at: root.Paths()}
	c.check()
	if err := c.errs.Err(); err != nil {
		return nil, err
	}
	return m, nil
}
