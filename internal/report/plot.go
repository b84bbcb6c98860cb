package report

import (
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"warpbound/estimate"
)

// The sizes of a plot, of all bars at one position together, and of a line of the legend.
const (
	plotWidth   = 16 * vg.Centimeter
	plotHeight  = 9 * vg.Centimeter
	barsShare   = 0.8  // of the distance between positions
	legendShare = 0.15 // of the height that the data take
	gap         = 6    // points between title, legend and what is around them
)

// Plot draws a figure as SVG. Equal figures give equal text. It is an error if a series has
// not one finite value for each position, which may be its own, or none, or if there is no series.
func Plot(w io.Writer, p *estimate.Plot) error {
	fail := func(err error) error { return fmt.Errorf("plot %s: %w", p.File, err) }
	plotted := plot.New()
	plotted.Title.Text, plotted.X.Label.Text, plotted.Y.Label.Text = p.Title, p.X, p.Y
	if p.Positions != nil {
		plotted.NominalX(p.Positions...)
		plotted.X.Min, plotted.X.Max = -0.5, float64(len(p.Positions))-0.5
	}
	plotted.Add(plotter.NewGrid())
	for _, style := range []*text.Style{
		&plotted.Title.TextStyle, &plotted.X.Label.TextStyle, &plotted.Y.Label.TextStyle,
		&plotted.X.Tick.Label, &plotted.Y.Tick.Label, &plotted.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
	}
	plotted.Title.Padding = gap
	plotted.Legend.Top, plotted.Legend.XOffs, plotted.Legend.Padding = true, -gap, gap/2
	if crowded(p.Positions) {
		names := &plotted.X.Tick.Label
		names.Rotation, names.XAlign, names.YAlign = math.Pi/4, text.XRight, text.YCenter
	}
	for i, s := range p.Series {
		positions := len(p.Positions)
		if p.Positions == nil {
			positions = len(s.At)
		}
		if len(s.Values) != positions {
			return fail(fmt.Errorf("series %s has %d values for %d positions", s.Name, len(s.Values), positions))
		}
		var err error
		switch {
		case p.Positions == nil:
			err = addSteps(plotted, s, i)
		case p.Bars:
			err = addBars(plotted, p, i)
		default:
			err = addLine(plotted, s, i)
		}
		if err != nil {
			return fail(fmt.Errorf("series %s: %w", s.Name, err))
		}
	}
	plotted.Y.Min = min(plotted.Y.Min, 0)
	plotted.Y.Max *= 1.05 + legendShare*float64(len(p.Series))
	svg, err := plotted.WriterTo(plotWidth, plotHeight, "svg")
	if err != nil {
		return fail(err)
	}
	_, err = svg.WriteTo(w)
	return err
}

// crowded reports whether names would overlap if they were written side by side.
func crowded(names []string) bool {
	widest := 0
	for _, name := range names {
		widest = max(widest, utf8.RuneCountInString(name))
	}
	return widest*len(names) > 60
}

// addBars draws series i as bars beside those of the others.
func addBars(plotted *plot.Plot, p *estimate.Plot, i int) error {
	all := barsShare * plotWidth / vg.Length(len(p.Positions)+1)
	width := all / vg.Length(len(p.Series))
	bars, err := plotter.NewBarChart(plotter.Values(p.Series[i].Values), width)
	if err != nil {
		return err
	}
	bars.Color, bars.LineStyle.Width = plotutil.Color(i), 0
	bars.Offset = width*vg.Length(i) - (all-width)/2
	plotted.Add(bars)
	plotted.Legend.Add(p.Series[i].Name, bars)
	return nil
}

// addLine draws series i as a line with marks.
func addLine(plotted *plot.Plot, s estimate.Series, i int) error {
	at := make(plotter.XYs, len(s.Values))
	for x, v := range s.Values {
		at[x] = plotter.XY{X: float64(x), Y: v}
	}
	line, marks, err := plotter.NewLinePoints(at)
	if err != nil {
		return err
	}
	line.Color, line.Dashes = plotutil.Color(i), plotutil.Dashes(i)
	marks.Color, marks.Shape = plotutil.Color(i), plotutil.Shape(i)
	plotted.Add(line, marks)
	plotted.Legend.Add(s.Name, line, marks)
	return nil
}

// addSteps draws series i as a line that changes at its own positions.
func addSteps(plotted *plot.Plot, s estimate.Series, i int) error {
	at := make(plotter.XYs, len(s.Values))
	for k, v := range s.Values {
		at[k] = plotter.XY{X: s.At[k], Y: v}
	}
	line, err := plotter.NewLine(at)
	if err != nil {
		return err
	}
	line.StepStyle, line.Color, line.Dashes = plotter.PostStep, plotutil.Color(i), plotutil.Dashes(i)
	plotted.Add(line)
	plotted.Legend.Add(s.Name, line)
	return nil
}
