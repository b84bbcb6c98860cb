package selfcheck

import (
	"fmt"
	"strings"
)

// Describe says what was found and how to see it again, with commands for the directory in
// which the files are.
func (f *Finding) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\nReduced from kernel %d of seed %d. To see it again, here:\n\n", f.Kind, f.Text, f.Kernel, f.Seed)
	fmt.Fprintf(&b, "    warpbound selfcheck --replay .\n")
	if f.Kind == kindBound {
		fmt.Fprintf(&b, "    warpbound analyze %s --methods %s --vectors %d\n", jobFile, f.Method, vectors)
	}
	fmt.Fprintf(&b, "    warpbound sim %s --vector %d\n", f.Job, f.Vector)
	fmt.Fprintf(&b, "\nand the kernel as it was sampled, with the same --machine and --methods as then:\n\n")
	fmt.Fprintf(&b, "    warpbound selfcheck --seed %d --first %d --kernels 1\n", f.Seed, f.Kernel)
	return b.String()
}
