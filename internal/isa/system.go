package isa

// System is a function that the CUDA runtime provides to kernels, which modules
// declare and do not define.
type System uint8

// The functions of the runtime.
const (
	NoSystem       System = iota
	SysPrint              // int vprintf(const char *format, void *arguments), of OpenCL printf
	SysAlloc              // void *malloc(size_t size)
	SysFree               // void free(void *pointer)
	SysAssert             // void __assertfail(const char *message, *file, unsigned line, const char *function, size_t charSize)
	SysStop               // ends the run with the error Instr.Reason; modules cannot call it
	numSystemCalls        // how many there are
)

// systems are the functions by their names in modules, with the numbers of
// their arguments and results.
var systems = [numSystemCalls]struct {
	name          string
	args, results int
}{
	SysPrint:  {"vprintf", 2, 1},
	SysAlloc:  {"malloc", 1, 1},
	SysFree:   {"free", 1, 0},
	SysAssert: {"__assertfail", 5, 0},
	SysStop:   {"stop", 0, 0},
}

// String returns the name of the function in modules.
func (s System) String() string { return systems[s].name }

// SystemByName finds a function of the runtime.
func SystemByName(name string) (System, bool) {
	if name == "printf" {
		return SysPrint, true
	}
	for s := SysPrint; s < SysStop; s++ {
		if systems[s].name == name {
			return s, true
		}
	}
	return NoSystem, false
}
