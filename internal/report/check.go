package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// Checked says in one line what came of a job and its budget: the answer first.
func Checked(j *estimate.CheckedJob, name string) string {
	if j.Budget == nil || j.Verdict == estimate.Unknown || j.Verdict == estimate.Failed {
		return whyUnknown(j)
	}
	relation := "within"
	if j.Verdict == estimate.Over {
		relation = "over"
	}
	hz := j.Budget.ClockHz
	if j.Bound == nil || j.Verdict == estimate.Over && *j.Margin >= 0 { // a run says more than the bound
		line := fmt.Sprintf("%s: a run is %s the budget of %s", name, relation, j.Budget.Text) // that of a reason below
		if j.Observed != nil {
			line = fmt.Sprintf("%s: a run of %s (%s) is %s the budget of %s", name, Duration(j.Observed.Max, hz), wholeCycles(j.Observed.Max)+within(j.Alone, j.ClockMode)+scheduled(j.Threads), relation, j.Budget.Text)
		}
		for _, r := range j.Reasons {
			line += "\n  " + r.Text
		}
		return line
	}
	return fmt.Sprintf("%s: %s of %s (%s, evidence: %s%s) is %s the budget of %s",
		name, j.Bound.Method, Duration(j.Bound.Cycles, hz), wholeCycles(j.Bound.Cycles), Standing(j.Bound.Evidence, j.Bound.Numbers), within(j.Alone, j.ClockMode)+scheduled(j.Threads)+registers(j.Registers), relation, j.Budget.Text)
}

// registers continues what a bound rests on where several numbers of registers were tried.
func registers(s *estimate.RegisterSweep) string {
	switch {
	case s == nil:
		return ""
	case len(s.Tried) == 1:
		return ", for any number of registers"
	}
	return fmt.Sprintf(", with %d registers, the worst of %d numbers", s.Worst, len(s.Tried))
}

// wholeCycles renders a number of cycles for a line that programs may read.
func wholeCycles(n int64) string {
	if n == 1 {
		return "1 cycle"
	}
	return fmt.Sprintf("%d cycles", n)
}

// whyUnknown says why there is no answer, with each further reason on a line of its own.
func whyUnknown(j *estimate.CheckedJob) string {
	var b strings.Builder
	if j.Verdict == estimate.Unknown {
		b.WriteString("unknown: ")
	}
	for i, r := range j.Reasons {
		if i > 0 {
			b.WriteString("\n  ")
		}
		b.WriteString(r.Text)
	}
	return b.String()
}

// CheckSummary counts verdicts in one line.
func CheckSummary(c *estimate.Check) string {
	parts := []string{counted(len(c.Jobs), "job") + ":"}
	for _, v := range []struct {
		n       int
		verdict estimate.Verdict
	}{{c.Over, estimate.Over}, {c.Unknown, estimate.Unknown}, {c.Failed, estimate.Failed}, {c.Within, estimate.Within}} {
		if v.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s,", v.n, v.verdict))
		}
	}
	return strings.TrimSuffix(strings.Join(parts, " "), ",")
}

// checkRules are the rules of a check in SARIF, with the level of their results.
var checkRules = [...]struct {
	verdict         estimate.Verdict
	id, level, text string
	help            string // what to do
}{
	{estimate.Over, "over-budget", sarif.LevelError, "A kernel is over its budget of time.",
		"Make the blocks faster that carry the bound (warpbound analyze lists them), or raise the budget."},
	{estimate.Unknown, "unknown-bound", sarif.LevelWarning, "No bound of a kernel's execution time counts.",
		"Annotate the loops that have no bound, or accept weaker evidence (--require)."},
	{estimate.Failed, "failed-job", sarif.LevelError, "A job cannot be read, run or bounded.",
		"Correct the job or its module where the message says."},
}

// SARIF writes what is wrong with jobs as SARIF 2.1.0. Jobs that keep to their budgets have no results.
func SARIF(w io.Writer, c *estimate.Check) error {
	run := sarif.NewRun().WithTool(sarif.NewTool().WithDriver(sarif.NewToolComponent().WithName(c.Tool.Name).WithVersion(c.Tool.Version)))
	for _, rule := range checkRules {
		run.AddRule(rule.id).WithDescription(rule.text).
			WithFullDescription(sarif.NewMultiformatMessageString().WithText(rule.text + " " + rule.help)).
			WithHelp(sarif.NewMultiformatMessageString().WithText(rule.help)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(rule.level))
	}
	for i := range c.Jobs {
		addResult(run, &c.Jobs[i])
	}
	if err := sarif.NewReport().AddRun(run).PrettyWrite(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// addResult adds what is wrong with a job to a run in SARIF.
func addResult(run *sarif.Run, j *estimate.CheckedJob) {
	for _, rule := range checkRules {
		if rule.verdict != j.Verdict {
			continue
		}
		result := run.CreateResultForRule(rule.id).WithLevel(rule.level).
			WithMessage(sarif.NewTextMessage(Checked(j, symbol.Readable(j.Kernel)) + " (" + j.Job + ")")).
			WithLocations([]*sarif.Location{sarifLocation(j.Pos)})
		for _, r := range j.Reasons {
			if r.Pos != "" && r.Pos != j.Pos {
				addRelated(result, r.Pos, r.Text)
			}
		}
		if j.Bound != nil && len(j.Bound.Breakdown) > 0 && j.Bound.Cycles > 0 {
			if s := j.Bound.Breakdown[0]; s.Pos != "" {
				addRelated(result, s.Pos, fmt.Sprintf("%s carries %.1f %% of %s.", s.Name, 100*float64(s.Cycles)/float64(j.Bound.Cycles), j.Bound.Method))
			}
		}
	}
}

// addRelated adds another place to a result, numbered from 1.
func addRelated(result *sarif.Result, pos, text string) {
	at := sarifLocation(pos).WithID(len(result.RelatedLocations) + 1).WithMessage(sarif.NewTextMessage(text))
	result.RelatedLocations = append(result.RelatedLocations, at)
}

// position is file:line:col, with the numbers left out that are not known.
var position = regexp.MustCompile(`^(.*?)(?::([0-9]+))?(?::([0-9]+))?$`)

// sarifLocation is a place as a location, whose line is the first one if it is not known: there are viewers that do
// not show results without a line.
func sarifLocation(pos string) *sarif.Location {
	parts := position.FindStringSubmatch(pos)
	region := sarif.NewRegion().WithStartLine(1)
	if line, err := strconv.Atoi(parts[2]); err == nil && line > 0 {
		region.WithStartLine(line)
	}
	if col, err := strconv.Atoi(parts[3]); err == nil && col > 0 {
		region.WithStartColumn(col)
	}
	file := sarif.NewSimpleArtifactLocation(fileURI(parts[1]))
	return sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(file).WithRegion(region))
}

// fileURI returns the URI of a file; a relative one of a relative path.
func fileURI(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	if path.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: file}).String()
	}
	return (&url.URL{Path: path.Clean(file)}).String()
}

// The elements of a JUnit report.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   junitSuite
	}
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a check as a JUnit report: a test for each job, which fails if the job is over its budget and has an
// error if there is no answer. took is how long the checks of the jobs took.
func JUnit(w io.Writer, c *estimate.Check, took []time.Duration) error {
	suite := junitSuite{Name: c.Tool.Name + " check", Tests: len(c.Jobs), Failures: c.Over, Errors: c.Unknown + c.Failed}
	var all time.Duration
	for i := range c.Jobs {
		j := &c.Jobs[i]
		all += took[i]
		one := junitCase{Name: j.Job, Class: c.Tool.Name + ".check", Time: seconds(took[i])}
		line := Checked(j, symbol.Readable(j.Kernel))
		first, _, _ := strings.Cut(line, "\n")
		problem := &junitProblem{Message: first, Type: string(j.Verdict), Text: line}
		switch j.Verdict {
		case estimate.Over:
			one.Failure = problem
		case estimate.Unknown, estimate.Failed:
			one.Error = problem
		default:
			one.Out = line
		}
		suite.Cases = append(suite.Cases, one)
	}
	suite.Time = seconds(all)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
