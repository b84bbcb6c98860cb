package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/report"
)

// costly is how long runs may take before a user is asked whether they are to.
const costly = 10 * time.Minute

// addYes adds --yes to a command that makes runs.
func addYes(c *cobra.Command) {
	c.Flags().Bool(yesFlag, false, fmt.Sprintf("make all runs, also where they take longer than %.0f minutes; so does --%s", costly.Minutes(), timeoutFlag))
}

const yesFlag = "yes"

// watched is how long runs of workers are watched before it is estimated how long the others take: the first must wait for
// the workers to start, and how many there are is not known.
const watched = costly / 20

// cost estimates after the first of several runs how long the others take, and asks whether to go on if that is long.
// Where nobody can be asked the runs end.
type cost struct {
	now  func() time.Time
	ask  func(question string) bool // nil if nobody can be asked
	stop context.CancelCauseFunc
	less string // the flag for fewer runs
	away bool   // workers make the runs

	mu      sync.Mutex
	begun   time.Time // of workers, when the first run had ended
	ended   int       // runs until then
	atOnce  int
	settled bool // that runs go on, or that they end
}

// newCost returns the context of the runs of a command, and what tells if they take too long. The display makes room
// for the question. away says that workers make the runs.
func newCost(c *cobra.Command, d *display, less string, away bool) (context.Context, *cost) {
	ctx, stop := context.WithCancelCause(c.Context())
	yes, err := c.Flags().GetBool(yesFlag)
	out := &cost{now: time.Now, stop: stop, less: less, away: away, settled: err == nil && yes || timeout(c) > 0}
	if in, to := c.InOrStdin(), c.ErrOrStderr(); isTerminal(in) && isTerminal(to) {
		out.ask = func(question string) bool {
			d.stop()
			defer d.show()
			return confirmed(ctx, in, to, question)
		}
	}
	return ctx, out
}

// begin notes that runs begin, so many of them at a time.
func (c *cost) begin(atOnce int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun, c.ended, c.atOnce = c.now(), 0, max(1, atOnce)
}

// step looks at the cost after the first run, or after some runs of workers.
func (c *cost) step(done, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled || c.begun.IsZero() {
		return
	}
	now, together := c.now(), c.atOnce
	if c.away {
		if c.ended == 0 {
			c.begun, c.ended = now, done
		}
		if together = done - c.ended; together == 0 || now.Sub(c.begun) < watched {
			return
		}
	}
	left := total - done
	took := times(now.Sub(c.begun), float64(left)/float64(together))
	if c.begun = (time.Time{}); took <= costly {
		return
	}
	c.settled = true
	text := fmt.Sprintf("%s more runs take about %s", report.Group(int64(left)), roughly(took))
	if c.ask != nil && c.ask(text) {
		return
	}
	c.stop(&halt.Cause{Reason: estimate.ByCost, Text: fmt.Sprintf("%s: give fewer (%s), a --%s, or --%s to make them all", text, c.less, timeoutFlag, yesFlag)})
}

// why is the error of a command whose runs ended with one: the cost if they ended because of it.
func (c *cost) why(ctx context.Context, err error) error {
	if halt.Ended(ctx, err) && halt.Reason(ctx) == estimate.ByCost {
		return context.Cause(ctx)
	}
	return err
}

// confirmed asks a question on a terminal. Anything but yes is no, and so is the end of ctx.
func confirmed(ctx context.Context, in io.Reader, out io.Writer, question string) bool {
	fmt.Fprintf(out, "%s. Go on? [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // an error is no answer
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case a := <-answer:
		return a == "y" || a == "yes"
	case <-ctx.Done():
		return false
	}
}
