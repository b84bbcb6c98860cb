// Package certify holds the format of certificates: what an estimate claims, and the facts from
// which the claim follows.
//
// It says what a certificate is made of and reads and writes it, no more. What makes one is
// internal/certify/maker, what believes nothing of one is internal/certify/check. certify imports
// estimate and diag, and nothing else of this project.
package certify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"

	"warpbound/diag"
	"warpbound/estimate"
)

// Format names the format that Write writes.
const Format = "warpbound-certificate/3"

// Certificate says what an estimate claims of a launch, and why.
type Certificate struct {
	Format string `json:"format"`
	estimate.Provenance
	Job         string `json:"job"` // the name of its file, without directories
	Kernel      string `json:"kernel"`
	Machine     string `json:"machine"`
	ModuleHash  string `json:"module_hash"`
	JobHash     string `json:"job_hash"`
	MachineHash string `json:"machine_hash"`
	Claim       Claim  `json:"claim"`
	// Runs says in which runs facts were observed; nil if there are none.
	Runs *Runs `json:"runs,omitempty"`
	// Replay is the run that stands for all, of a method that needs one; nil of others.
	Replay *Replay `json:"replay,omitempty"`
	Facts  []Fact  `json:"facts"`
	// Omitted says why there are no facts about places, of a static method; empty if there are some.
	Omitted string `json:"omitted,omitempty"`
	// Path proves the longest path of a warp between instrumentation points, of a measured
	// method (ipet.Certificate); nil of others, whose path is among the facts.
	Path json.RawMessage `json:"path,omitempty"`
}

// Claim is what a certificate is there to prove.
type Claim struct {
	Method      string            `json:"method"`
	Cycles      int64             `json:"cycles"`
	Evidence    estimate.Evidence `json:"evidence"`
	What        string            `json:"what"` // Cycles is a bound of
	Assumptions []string          `json:"assumptions"`
}

// Runs are the runs of a measured method.
type Runs struct {
	Seed    int64  `json:"seed"`
	Vectors int    `json:"vectors"` // the first random test vectors
	Ipoints string `json:"ipoints"` // where records were made, as analyze --ipoints takes it
	// Others says which runs there were besides, so that they cannot be made again from the job
	// alone; empty if there were none.
	Others string `json:"others,omitempty"`
}

// Replay is a run of the first test vector in which no input reaches whether an instruction is executed, or an address of
// one, so that all runs take as long.
type Replay struct {
	Cycles       int64 `json:"cycles"`
	Instructions int64 `json:"instructions"` // that warps issued
	// Digest is a SHA-256, in hexadecimal, of what was executed: of each instruction by how many warps and lanes, and which
	// inputs reach that and its addresses, which are none.
	Digest string `json:"digest"`
}

// Kind says what a fact states.
type Kind string

// The kinds of facts. A place is a block, by its first instruction.
const (
	// Invariant states what registers can hold whenever a thread comes to a place.
	Invariant Kind = "invariant"
	// Loop states that a thread returns at most Value times to the place, the header of a loop,
	// for one entry of the loop. Its Ranking, if it has one, is the proof.
	Loop Kind = "loop"
	// Time states that the instructions of the block at the place have latencies of at most Value
	// cycles together, each access taken for one request.
	Time Kind = "time"
	// Price and Potential are the dual solution of the path problem of a thread: the multiplier
	// of the loop with the header at the place, and the potential of the place.
	Price     Kind = "price"
	Potential Kind = "potential"
	// Path states that no path of a thread has latencies of more than Value cycles together.
	Path Kind = "path"
	// Sum states that no run of the launch takes more than Value cycles, which a sum over blocks of what each thread needs
	// there shows, on machines with barrel cores and on those that share a cache with a CPU.
	Sum Kind = "sum"
	// Edge states that the transition At between instrumentation points takes at most Value cycles.
	Edge Kind = "edge"
	// Iterations states that a warp returns to the header At of a loop at most Value times for one
	// entry, in the path problem between instrumentation points.
	Iterations Kind = "iterations"
	// Figure states a number of the method's own, which At names as the detail of the estimate does.
	Figure Kind = "figure"
)

// Fact is something that a claim rests on.
type Fact struct {
	Kind Kind `json:"kind"`
	// At is the source position of a place (Place), or another name.
	At string `json:"at"`
	// PC is the first instruction of a place, counted in the linked kernel; nil of other facts.
	PC        *int              `json:"pc,omitempty"`
	Value     int64             `json:"value"`
	Evidence  estimate.Evidence `json:"evidence"`
	Invariant []Range           `json:"invariant,omitempty"`
	Ranking   *Ranking          `json:"ranking,omitempty"`
	// Seed is that of the runs in which the fact was observed; nil if it was not.
	Seed *int64 `json:"seed,omitempty"`
}

// Range states that a register holds one of the words Low, Low+Step, ... Low+Count*Step, modulo 2 to
// the power of Bits.
type Range struct {
	Register int    `json:"register"` // its number in the linked kernel
	Name     string `json:"name"`
	Bits     int    `json:"bits"`
	Low      uint64 `json:"low,string"`
	Step     uint64 `json:"step,string"`
	Count    uint64 `json:"count,string"`
}

// Ranking is a ranking function of a loop: Coefficient, 1 or -1, times a register, read as a signed
// or an unsigned number. Each way around the loop decreases it by Decrease or more.
type Ranking struct {
	Register    int    `json:"register"`
	Name        string `json:"name"`
	Coefficient int    `json:"coefficient"`
	Signed      bool   `json:"signed"`
	Decrease    int64  `json:"decrease"`
}

// Place names a position without the directory of its file, which is another one where job and module are moved to.
func Place(p diag.Pos) string {
	if p.File != "" {
		p.File = path.Base(p.File)
	}
	return p.String()
}

// String names the fact in messages.
func (f *Fact) String() string {
	name := string(f.Kind)
	if f.At != "" {
		name += " " + f.At
	}
	switch f.Kind {
	case Invariant:
		return name
	case Loop:
		return fmt.Sprintf("%s: at most %d back edges", name, f.Value)
	}
	return fmt.Sprintf("%s: %d", name, f.Value)
}

// Write writes a certificate as JSON.
func Write(w io.Writer, c *Certificate) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(c)
}

// ErrOtherFormat is the error of a file in another format.
var ErrOtherFormat = errors.New("the certificate has another format")

// Parse reads what Write wrote, nothing more and nothing less. What it says is for others to check.
func Parse(text []byte) (*Certificate, error) {
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil || head.Format != Format {
		return nil, ErrOtherFormat
	}
	c := &Certificate{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	if c.Schema != estimate.Schema {
		return nil, fmt.Errorf("read certificate: schema %d is not %d", c.Schema, estimate.Schema)
	}
	var written bytes.Buffer
	if err := Write(&written, c); err != nil {
		return nil, err
	}
	if err := Same(text, written.Bytes()); err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	return c, nil
}
