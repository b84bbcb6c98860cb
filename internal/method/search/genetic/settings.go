package genetic

import "fmt"

// Settings say how to search. Two searches with the same settings for the same problem have
// the same result.
type Settings struct {
	Seed int64 `json:"seed"`
	Runs int   `json:"runs"` // to be made at the most

	// Evolve lets generations descend from each other. Otherwise all individuals are sampled.
	Evolve bool `json:"evolve"`

	Population int     `json:"population"` // individuals of a generation
	Elite      float64 `json:"elite"`      // share of the population that is kept as it is
	Special    float64 `json:"special"`    // share of the first population that special individuals may take
	Mutation   float64 `json:"mutation"`   // probability that a gene of a new individual changes
	Bias       float64 `json:"bias"`       // probability that the biased parent is one that is kept; otherwise it is any
	Novelty    int     `json:"novelty"`    // individuals that are kept, the last that had more of a counter than any before them

	// The search ends when the longest time has grown by no more than the share Tolerance in
	// Patience generations in a row; 0 generations for never.
	Patience  int     `json:"patience"`
	Tolerance float64 `json:"tolerance"`
}

// Defaults returns the settings of the paper (Section V). What it leaves open is the bias,
// and when times "do not change substantially": by no more than a thousandth in thirty
// generations.
func Defaults() Settings {
	return Settings{
		Seed: 1, Runs: 10000, Evolve: true,
		Population: 100, Elite: 0.1, Special: 0.3, Mutation: 0.25, Bias: 0.5,
		Patience: 30, Tolerance: 0.001,
	}
}

// check returns what is wrong with the settings.
func (s Settings) check() error {
	shares := []struct {
		name  string
		value float64
	}{{"elite", s.Elite}, {"special", s.Special}, {"mutation", s.Mutation}, {"bias", s.Bias}}
	for _, x := range shares {
		if !(x.value >= 0 && x.value <= 1) {
			return fmt.Errorf("%s is %g: it must be a share from 0 to 1", x.name, x.value)
		}
	}
	switch {
	case s.Runs < 1:
		return fmt.Errorf("the budget is %d runs: it must be at least 1", s.Runs)
	case s.Population < 2:
		return fmt.Errorf("population is %d: it must be at least 2", s.Population)
	case s.elite()+s.Novelty >= s.Population || s.Novelty < 0:
		return fmt.Errorf("a population of %d has no room for new individuals beside %d of the elite and %d novel ones", s.Population, s.elite(), s.Novelty)
	case s.Patience < 0 || !(s.Tolerance >= 0):
		return fmt.Errorf("patience is %d and tolerance %g: they must not be negative", s.Patience, s.Tolerance)
	}
	return nil
}

// elite returns how many individuals are kept for their times.
func (s Settings) elite() int {
	if !s.Evolve {
		return 0
	}
	return min(s.Population, max(1, int(s.Elite*float64(s.Population))))
}
