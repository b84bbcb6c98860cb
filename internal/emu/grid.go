package emu

// Grid is one launch being executed. It may be used by one goroutine at a time.
type Grid struct {
	code   *Code
	launch Launch
	mem    *Memory
	width  int
}

// NewGrid prepares a launch of code over mem, in warps of width lanes. The
// kernel's variables in global and constant memory become buffers of mem with
// their initial contents. It is an error if the launch does not fit the kernel:
// its parameter block has another size, its CTAs have other threads than the
// kernel demands or more than 64 warps, its shared memory exceeds the window.
func NewGrid(code *Code, launch Launch, mem *Memory, width int) (*Grid, error) {
	return &Grid{code: code, launch: launch, mem: mem, width: width}, nil
}

// CTAs returns the number of CTAs of the launch.
func (g *Grid) CTAs() int { return g.launch.Grid[0] * g.launch.Grid[1] * g.launch.Grid[2] }

// Threads returns the number of threads of a CTA.
func (g *Grid) Threads() int { return g.launch.Block[0] * g.launch.Block[1] * g.launch.Block[2] }

// Warps returns the number of warps of a CTA.
func (g *Grid) Warps() int { return (g.Threads() + g.width - 1) / g.width }
