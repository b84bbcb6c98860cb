// Package launchfacts describes what an analysis may take for granted of how a kernel is started: the
// dimensions of its launch, the words that parameters and special registers can hold, the relations
// between parameters, and what lies in memory.
//
// Whatever is not stated holds for every launch that a device allows.
package launchfacts
