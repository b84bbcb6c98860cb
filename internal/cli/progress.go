package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"warpbound"
	"warpbound/internal/report"
)

// display shows how far a command has come: on a terminal with a line that changes, in other files with a line now and
// then.
type display struct {
	out io.Writer
	// texts says how far it has come, in ever fewer words; the first of them may be as long as it likes.
	texts func() []string

	mu    sync.Mutex
	bars  *mpb.Progress // nil if none is shown
	bar   *mpb.Bar
	lines chan struct{} // is closed to end the lines; nil if none are written
}

// newDisplay begins a display, which shows nothing if out is no file.
func newDisplay(out io.Writer, texts func() []string) *display {
	d := &display{out: out, texts: texts}
	d.show()
	return d
}

// show begins to show.
func (d *display) show() {
	file, ok := d.out.(*os.File)
	switch {
	case isTerminal(d.out):
		d.bars = mpb.New(mpb.WithOutput(d.out))
		d.bar = d.bars.New(0, mpb.BarStyle(), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string { return fit(d.texts(), beside(s.AvailableWidth)) })),
			mpb.BarFillerMiddleware(wideEnough))
	case ok:
		d.lines = make(chan struct{})
		go d.write(file, d.lines)
	}
}

// step shows a change.
func (d *display) step(done, total int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bar != nil {
		d.bar.SetTotal(int64(total), false)
		d.bar.SetCurrent(int64(done))
	}
}

// stop ends the display, and leaves nothing of it on a terminal. It may be called again.
func (d *display) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bar != nil {
		d.bar.Abort(true)
		d.bars.Wait()
		d.bars, d.bar = nil, nil
	}
	if d.lines != nil {
		close(d.lines)
		d.lines = nil
	}
}

// write writes a line now and then.
func (d *display) write(to io.Writer, end <-chan struct{}) {
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	at := newSchedule(time.Now())
	for {
		select {
		case <-end:
			return
		case now := <-seconds.C:
			if at.due(now) {
				fmt.Fprintln(to, "warpbound:", d.texts()[0])
			}
		}
	}
}

// schedule says when lines are written: after some seconds, and then ever more rarely.
type schedule struct {
	next  time.Time
	pause time.Duration
}

const (
	firstLine   = 10 * time.Second
	rarestLines = time.Minute
)

func newSchedule(begun time.Time) *schedule { return &schedule{begun.Add(firstLine), firstLine} }

// due reports whether a line is to be written now.
func (s *schedule) due(now time.Time) bool {
	if now.Before(s.next) {
		return false
	}
	s.pause = min(2*s.pause, rarestLines)
	s.next = now.Add(s.pause)
	return true
}

// narrowBar is the least width of a bar, in columns.
const narrowBar = 12

// beside returns how wide the text beside a bar may be on a terminal, all of it if there is no room for a bar.
func beside(width int) int {
	if width < 3*narrowBar {
		return width
	}
	return width - narrowBar - 2
}

// wideEnough leaves out bars that are too narrow.
func wideEnough(bar mpb.BarFiller) mpb.BarFiller {
	return mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
		if s.AvailableWidth < narrowBar {
			return nil
		}
		return bar.Fill(w, s)
	})
}

// fit returns the first text that is not wider, and if all are, the beginning of the last.
func fit(texts []string, width int) string {
	for _, t := range texts {
		if len([]rune(t)) <= width {
			return t
		}
	}
	last := []rune(texts[len(texts)-1])
	return string(last[:max(0, min(width, len(last)))])
}

// pace says how far something has come that is counted, how fast it is and how long it will take.
type pace struct {
	name string
	now  func() time.Time

	mu          sync.Mutex
	phase       string
	begun       time.Time // of the count
	done, total int
}

func newPace(name string, now func() time.Time) *pace {
	return &pace{name: name, now: now, begun: now()}
}

// enter notes what is done now; what is counted then begins anew.
func (p *pace) enter(phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase, p.begun, p.done, p.total = phase, p.now(), 0, 0
}

// step notes how much is done.
func (p *pace) step(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if done < p.done { // something else is counted
		p.begun = p.now()
	}
	p.done, p.total = done, total
}

// texts says it in ever fewer words.
func (p *pace) texts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := p.name
	if p.phase != "" {
		name += ": " + p.phase
	}
	if p.total == 0 {
		return []string{name, p.name}
	}
	count := fmt.Sprintf("%s of %s", report.Group(int64(p.done)), report.Group(int64(p.total)))
	took := p.now().Sub(p.begun)
	if p.done == 0 || took <= 0 {
		return []string{name + ": " + count, count, short(p.done, p.total)}
	}
	left := roughly(times(took, float64(p.total-p.done)/float64(p.done))) + " left"
	rate := speed(p.done, took)
	return []string{
		fmt.Sprintf("%s: %s, %s, %s", name, count, rate, left), fmt.Sprintf("%s, %s, %s", count, rate, left),
		fmt.Sprintf("%s, %s", count, left), count, short(p.done, p.total),
	}
}

// short is a part of a whole in per cent.
func short(done, total int) string { return fmt.Sprintf("%d%%", 100*int64(done)/int64(total)) }

// speed is how many there are in a second, a minute or an hour.
func speed(n int, took time.Duration) string {
	rate := float64(n) / took.Seconds()
	switch {
	case rate < 1.0/60:
		return fmt.Sprintf("%.1f/h", 3600*rate)
	case rate < 1:
		return fmt.Sprintf("%.1f/min", 60*rate)
	case rate < 10:
		return fmt.Sprintf("%.1f/s", rate)
	}
	return fmt.Sprintf("%s/s", report.Group(int64(rate)))
}

// times multiplies a time, up to the longest there is.
func times(d time.Duration, by float64) time.Duration {
	if product := float64(d) * by; product < math.MaxInt64 {
		return time.Duration(product)
	}
	return math.MaxInt64
}

// roughly renders a time in its two largest units.
func roughly(d time.Duration) string {
	s := int64(d.Seconds() + 0.5)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 48*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%s days", report.Group(s/(24*3600)))
}

// progress shows how far something that is counted has come. It returns the function to call after each step with the
// steps done and their total, and the one that ends the display.
func progress(w io.Writer, name string) (step func(done, total int), stop func()) {
	p := newPace(name, time.Now)
	d := newDisplay(w, p.texts)
	step = func(done, total int) {
		p.step(done, total)
		d.step(done, total)
	}
	return step, d.stop
}

// searchLine is the live line of a search.
type searchLine struct {
	mu    sync.Mutex
	at    warpbound.SearchProgress
	first warpbound.SearchProgress // of the strategy
	begun time.Time                // then
	now   time.Time
}

// set notes how far the search has come, and reports whether a strategy has begun.
func (l *searchLine) set(p warpbound.SearchProgress, now time.Time) (began bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun.IsZero() || p.Strategy != l.at.Strategy {
		l.first, l.begun, began = p, now, p.Strategy != ""
	}
	l.at, l.now = p, now
	return began
}

// texts says it in ever fewer words.
func (l *searchLine) texts(name string) []string {
	before, after := strings.TrimSpace(l.before()), l.after()
	if after == "" {
		return []string{name + ": " + before, before}
	}
	whole := before + ": " + after
	return []string{name + ": " + whole, whole, after, l.count()}
}

// before renders what stands before the bar.
func (l *searchLine) before() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.at.Strategy == "" && l.at.Paths == 0:
		return "symbolic execution "
	case l.at.Strategy == "":
		return fmt.Sprintf("symbolic execution, %d paths ", l.at.Paths)
	}
	return fmt.Sprintf("%s, generation %d ", l.at.Strategy, l.at.Generation)
}

// count renders how many runs were made.
func (l *searchLine) count() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs()
}

// runs renders how many runs were made, of how many if that is known.
func (l *searchLine) runs() string {
	if l.at.Budget == 0 {
		return fmt.Sprintf("%d runs", l.at.Runs)
	}
	return fmt.Sprintf("%d of %d", l.at.Runs, l.at.Budget)
}

// after renders what stands after it.
func (l *searchLine) after() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at.Strategy == "" {
		return ""
	}
	text := l.runs()
	if l.at.Best > 0 {
		text += fmt.Sprintf(", best %d cycles", l.at.Best)
	}
	if took := l.now.Sub(l.begun).Seconds(); took > 0 && l.at.Runs > l.first.Runs {
		text += fmt.Sprintf(", %.1f runs/s", float64(l.at.Runs-l.first.Runs)/took)
	}
	return text
}

// isTerminal reports whether what is written to it is shown at once, or what is read from it typed.
func isTerminal(of any) bool {
	f, ok := of.(*os.File)
	if !ok {
		return false
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	terminal := false
	err = raw.Control(func(fd uintptr) { terminal = cwriter.IsTerminal(int(fd)) })
	return err == nil && terminal
}
