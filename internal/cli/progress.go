package cli

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress shows a bar on w if that is a terminal. It returns the function to
// call after each step with the steps done and their total, and the one that
// ends the bar.
func progress(w io.Writer, name string) (step func(done, total int), stop func()) {
	f, ok := w.(*os.File)
	if !ok {
		return nil, func() {}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
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
