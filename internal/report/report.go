// Package report renders results: text for people, JSON for programs, HTML for
// reviews and DOT for graphs.
//
// It only renders. It computes no figure that is not a ratio of two figures on
// the page, opens no files and must not import the methods, the simulator or
// the command line.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// JSON writes v as one indented JSON object.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Group renders n with a comma between each three digits.
func Group(n int64) string { return group(n) }

func group(n int64) string {
	sign, digits := "", fmt.Sprint(n)
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// Duration converts cycles at hz cycles per second to time, rounding up so that
// a bound stays a bound. The result saturates at the largest Duration.
func Duration(cycles int64, hz float64) time.Duration {
	ns := float64(cycles) * 1e9 / hz
	if ns >= float64(1<<63-1) {
		return 1<<63 - 1
	}
	d := time.Duration(ns)
	if float64(d) < ns {
		d++
	}
	return d
}

// milliseconds renders a time in milliseconds with enough digits to compare.
func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.6f ms", float64(d)/1e6)
}

// above renders how far bound lies above base, in percent.
func above(bound, base int64) string {
	if base <= 0 {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*(float64(bound)-float64(base))/float64(base))
}
