package estimate

// RaceVerdict is what is known of the data races of a kernel for all inputs. It rests on buffers of different parameters being
// disjoint and accesses staying in the buffer that their address is computed from.
type RaceVerdict struct {
	// Verdict is "free" if no launch of that shape has a race, "may-race" if threads access the same bytes if they
	// execute some pairs of instructions, and "unknown" if neither was proven.
	Verdict string     `json:"verdict"`
	Pairs   []RacePair `json:"pairs,omitempty"`   // that may race, a thousand at most
	Omitted int        `json:"omitted,omitempty"` // further pairs
	Reason  string     `json:"reason,omitempty"`  // why the verdict is unknown
	Pos     string     `json:"pos,omitempty"`     // of the instruction that the reason concerns
}

// RacePair is the positions of two instructions, which may be one and the same.
type RacePair struct {
	First  string `json:"first"`
	Second string `json:"second"`
}
