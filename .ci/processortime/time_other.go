//go:build !unix

package main

import "time"

var start = time.Now()

// processorTime returns the time since the process began, where it is not known how much of that it used.
func processorTime() time.Duration { return time.Since(start) }
