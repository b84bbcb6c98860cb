package job

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// sources hashes what a job is read from.
type sources struct{ sum hash.Hash }

func newSources(text []byte) *sources {
	s := &sources{sha256.New()}
	s.add("", text)
	return s
}

// add enters a file under the name that the job gives it; the job's own has none, so that the
// hash does not depend on where the job is.
func (s *sources) add(name string, data []byte) {
	fmt.Fprintf(s.sum, "%q %d\n", name, len(data))
	s.sum.Write(data)
}

// opening returns open, which also enters what it reads.
func (s *sources) opening(open func(name string) ([]byte, error)) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		data, err := open(name)
		if err == nil {
			s.add(name, data)
		}
		return data, err
	}
}

// hex returns the hash in hexadecimal.
func (s *sources) hex() string { return hex.EncodeToString(s.sum.Sum(nil)) }
