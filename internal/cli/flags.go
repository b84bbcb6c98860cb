package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"warpbound/internal/suggest"
)

// format is the value of a --format flag.
type format string

func (f *format) String() string { return string(*f) }

// Type implements pflag.Value.
func (f *format) Type() string { return "text|json" }

func (f *format) Set(s string) error {
	if s != "text" && s != "json" {
		return fmt.Errorf("want text or json%s", suggest.Mean(s, []string{"text", "json"}))
	}
	*f = format(s)
	return nil
}

func addFormat(c *cobra.Command) *format {
	f := format("text")
	c.Flags().Var(&f, "format", "how to print the result")
	return &f
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

// addNumber adds a flag for an integer of at least least; it is 0 if not given.
func addNumber(c *cobra.Command, name string, minimum int64, usage string) *int64 {
	n := &number{minimum: minimum}
	c.Flags().Var(n, name, usage)
	return &n.value
}
