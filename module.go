package warpbound

import (
	"path"

	"warpbound/internal/isa"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/isa/ptx"
)

// parseModule reads a module in the language that the extension of its name tells:
// mini-SIMT machine code (.simt), else PTX.
func parseModule(file string, src []byte) (*isa.Program, error) {
	if path.Ext(file) == ".simt" {
		m, err := minisimt.Parse(file, src)
		if err != nil {
			return nil, err
		}
		return minisimt.Lower(m)
	}
	m, err := ptx.Parse(file, src)
	if err != nil {
		return nil, err
	}
	return ptx.Lower(m)
}
