package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"warpbound/internal/suggest"
)

// format is the value of a --format flag.
type format string

func addFormat(c *cobra.Command) *format { return addFormats(c, "text", "json") }

// addFormats adds the flag with formats of which the first is the one of a command without the flag.
func addFormats(c *cobra.Command, names ...string) *format {
	return (*format)(addChoice(c, "format", "how to print the result", names...))
}

// choice is the value of a flag that is one of some words.
type choice struct {
	value string
	words []string
}

func (v *choice) String() string { return v.value }

// Type implements pflag.Value.
func (v *choice) Type() string { return strings.Join(v.words, "|") }

func (v *choice) Set(s string) error {
	if !slices.Contains(v.words, s) {
		last := len(v.words) - 1
		return fmt.Errorf("want %s or %s%s", strings.Join(v.words[:last], ", "), v.words[last], suggest.Mean(s, v.words))
	}
	v.value = s
	return nil
}

// addChoice adds a flag that is one of some words, the first of them if it is not given.
func addChoice(c *cobra.Command, name, usage string, words ...string) *string {
	v := &choice{words[0], words}
	c.Flags().Var(v, name, usage)
	return &v.value
}

// word is a choice that is empty if the flag is not given. The help lists the words in its text.
type word struct{ choice }

// Type implements pflag.Value.
func (*word) Type() string { return "string" }

// addWord adds a flag that takes a decision in place of the machine.
func addWord[T ~string](c *cobra.Command, name, usage string, words []T) *string {
	v := &word{}
	for _, w := range words {
		v.words = append(v.words, string(w))
	}
	c.Flags().Var(v, name, usage+": "+strings.Join(v.words, ", ")+" (default: as the machine says)")
	return &v.value
}

// number is the value of a flag that takes an integer of at least least.
type number struct{ value, minimum int64 }

func (n *number) String() string { return strconv.FormatInt(n.value, 10) }

// Type implements pflag.Value.
func (n *number) Type() string { return "int" }

func (n *number) Set(s string) error {
	v, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return errors.New("the number does not fit into 64 bits")
	case err != nil || v < n.minimum:
		return fmt.Errorf("want an integer of at least %d", n.minimum)
	}
	n.value = v
	return nil
}

// factor is the value of a flag that is a number above 0.
type factor float64

func (f *factor) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }

// Type implements pflag.Value.
func (f *factor) Type() string { return "float" }

func (f *factor) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return errors.New("want a number above 0")
	}
	*f = factor(x)
	return nil
}

// addNumber adds a flag for an integer of at least least; it is 0 if not given.
func addNumber(c *cobra.Command, name string, minimum int64, usage string) *int64 {
	n := &number{minimum: minimum}
	c.Flags().Var(n, name, usage)
	return &n.value
}
