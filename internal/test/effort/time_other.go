//go:build !unix

package effort

import "time"

var start = time.Now()

// ProcessorTime returns the time since the process began, where it is not known how much of that it
// used.
func ProcessorTime() time.Duration { return time.Since(start) }
