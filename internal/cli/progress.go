package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"warpbound"
)

// progress shows a bar on w if that is a terminal. It returns the function to
// call after each step with the steps done and their total, and the one that
// ends the bar.
func progress(w io.Writer, name string) (step func(done, total int), stop func()) {
	if !isTerminal(w) {
		return nil, func() {}
	}
	bars := mpb.New(mpb.WithOutput(w))
	bar := bars.AddBar(0,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name+" ")),
		mpb.AppendDecorators(decor.CountersNoUnit("%d of %d "), decor.AverageETA(decor.ET_STYLE_GO)),
	)
	step = func(done, total int) {
		bar.SetTotal(int64(total), false)
		bar.SetCurrent(int64(done))
	}
	stop = func() {
		bar.Abort(true)
		bars.Wait()
	}
	return step, stop
}

// searchProgress is progress for a search: generation, longest time and runs per second.
func searchProgress(w io.Writer, name string) (step func(warpbound.SearchProgress), stop func()) {
	if !isTerminal(w) {
		return nil, func() {}
	}
	var line searchLine
	bars := mpb.New(mpb.WithOutput(w))
	bar := bars.AddBar(0,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name+" "), decor.Any(func(decor.Statistics) string { return line.before() })),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return line.after() })),
	)
	step = func(p warpbound.SearchProgress) {
		line.set(p, time.Now())
		bar.SetTotal(int64(p.Budget), false)
		bar.SetCurrent(int64(p.Runs))
	}
	stop = func() {
		bar.Abort(true)
		bars.Wait()
	}
	return step, stop
}

// searchLine is the live line of a search.
type searchLine struct {
	mu    sync.Mutex
	at    warpbound.SearchProgress
	first warpbound.SearchProgress // of the strategy
	begun time.Time                // then
	now   time.Time
}

func (l *searchLine) set(p warpbound.SearchProgress, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun.IsZero() || p.Strategy != l.at.Strategy {
		l.first, l.begun = p, now
	}
	l.at, l.now = p, now
}

// before renders what stands before the bar.
func (l *searchLine) before() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at.Strategy == "" {
		return "symbolic execution "
	}
	return fmt.Sprintf("%s, generation %d ", l.at.Strategy, l.at.Generation)
}

// after renders what stands after it.
func (l *searchLine) after() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at.Strategy == "" {
		return ""
	}
	text := fmt.Sprintf("%d of %d, best %d cycles", l.at.Runs, l.at.Budget, l.at.Best)
	if took := l.now.Sub(l.begun).Seconds(); took > 0 && l.at.Runs > l.first.Runs {
		text += fmt.Sprintf(", %.1f runs/s", float64(l.at.Runs-l.first.Runs)/took)
	}
	return text
}

// isTerminal reports whether w shows what is written to it at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
