package warpbound

import (
	"path"

	"warpbound/internal/isa"
	"warpbound/internal/isa/klang"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/isa/ptx"
)

// isPTX reports whether the name of a module is that of one in PTX.
func isPTX(file string) bool { return path.Ext(file) != ".simt" && path.Ext(file) != ".kernel" }

// parseModule reads a module in the language that the extension of its name tells:
// mini-SIMT machine code (.simt), the kernel language that is compiled to it (.kernel),
// else PTX.
func parseModule(file string, src []byte) (*isa.Program, error) {
	switch path.Ext(file) {
	case ".simt":
		m, err := minisimt.Parse(file, src)
		if err != nil {
			return nil, err
		}
		return minisimt.Lower(m)
	case ".kernel":
		m, err := klang.Parse(file, src)
		if err != nil {
			return nil, err
		}
		code, err := klang.Compile(m)
		if err != nil {
			return nil, err
		}
		return minisimt.Lower(code)
	}
	m, err := ptx.Parse(file, src)
	if err != nil {
		return nil, err
	}
	return ptx.Lower(m)
}
