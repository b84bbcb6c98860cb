//go:build !linux || nocuda || !(amd64 || arm64)

package driver

import (
	"fmt"

	"warpbound/internal/cuda"
)

// New returns an error: this build has no access to a driver.
func New() (cuda.Driver, error) {
	return nil, fmt.Errorf("%w: this program was built without access to it (tag nocuda, or neither Linux on amd64 nor on arm64)", cuda.ErrNoDriver)
}
