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

// Checked says what came of a job and its budget: the verdict first, and on a line of its own each further reason. Of a job that failed it
// says why.
func Checked(j *estimate.CheckedJob, name string) string {
	if j.Failed {
		return joinReasons(j.Reasons)
	}
	line := verdictLine(j.Verdict, name+" on "+j.Machine, j.Budget.ClockHz)
	conditions := within(j.Alone, j.ClockMode) + scheduled(j.Threads) + registers(j.Registers)
	if j.Verdict.Status == estimate.Missed {
		line += conditions
	} else if basis := verdictBasis(j.Verdict, j.Budget.ClockHz); basis != "" {
		line += " (" + basis + assumedNumbers(j.Bound) + conditions + ")"
	}
	lines := []string{line}
	for _, r := range j.Reasons {
		if r.Text != j.Verdict.Because {
			lines = append(lines, r.Text)
		}
	}
	return strings.Join(lines, "\n  ")
}

// assumedNumbers continues what a bound rests on where numbers of the machine are assumed.
func assumedNumbers(e *estimate.Estimate) string {
	if n := e.Numbers; n != nil && n.Assumed > 0 {
		return fmt.Sprintf(", %s of %s assumed", group(int64(n.Assumed)), counted(n.All(), "number"))
	}
	return ""
}

// joinReasons lists reasons, each on a line of its own.
func joinReasons(all []estimate.Remark) string {
	var lines []string
	for _, r := range all {
		lines = append(lines, r.Text)
	}
	return strings.Join(lines, "\n  ")
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

// CheckSummary counts verdicts in one line.
func CheckSummary(c *estimate.Check) string {
	parts := []string{counted(len(c.Jobs), "job") + ":"}
	for _, v := range []struct {
		n    int
		word string
	}{{c.Missed, "missed"}, {c.Failed, "failed"}, {c.NotShown, "not shown"}, {c.Met, "met"}} {
		if v.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s,", v.n, v.word))
		}
	}
	return strings.TrimSuffix(strings.Join(parts, " "), ",")
}

// checkRules are the rules of a check in SARIF, with the kind and the level of their results.
var checkRules = [...]struct {
	is                    func(j *estimate.CheckedJob) bool
	id, kind, level, text string
	help                  string // what to do
}{
	{func(j *estimate.CheckedJob) bool { return j.Failed }, "failed-job", "fail", sarif.LevelError, "A job cannot be read, run or bounded.",
		"Correct the job or its module where the message says."},
	{statusIs(estimate.Missed), "missed-deadline", "fail", sarif.LevelError, "A run of a kernel takes longer than its budget.",
		"Make the lines faster that the run spends its time on (warpbound analyze lists them), or raise the budget."},
	{statusIs(estimate.NotShown), "not-shown", "open", sarif.LevelNone, "It is not shown that a kernel meets its budget.",
		"Annotate the loops that have no bound, state what inputs can be, or accept weaker evidence (--require)."},
	{statusIs(estimate.Met), "met-deadline", "pass", sarif.LevelNone, "A kernel meets its budget.",
		"Nothing is to be done."},
}

// statusIs returns whether verdicts on jobs have a status.
func statusIs(s estimate.Status) func(*estimate.CheckedJob) bool {
	return func(j *estimate.CheckedJob) bool { return j.Verdict.Status == s }
}

// SARIF writes the verdicts on jobs as SARIF 2.1.0, each as a result of kind pass, fail or open.
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

// addResult adds the verdict on a job to a run in SARIF.
func addResult(run *sarif.Run, j *estimate.CheckedJob) {
	for _, rule := range checkRules {
		if !rule.is(j) {
			continue
		}
		result := run.CreateResultForRule(rule.id).WithKind(rule.kind).WithLevel(rule.level).
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
		return
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

// JUnit writes a check as a JUnit report: a test for each job, which fails unless its budget is shown to be met, by type
// missed or not_shown, and has an error if the job failed. took is how long the checks of the jobs took.
func JUnit(w io.Writer, c *estimate.Check, took []time.Duration) error {
	suite := junitSuite{Name: c.Tool.Name + " check", Tests: len(c.Jobs), Failures: c.Missed + c.NotShown, Errors: c.Failed}
	var all time.Duration
	for i := range c.Jobs {
		j := &c.Jobs[i]
		all += took[i]
		one := junitCase{Name: j.Job, Class: c.Tool.Name + ".check", Time: seconds(took[i])}
		line := Checked(j, symbol.Readable(j.Kernel))
		first, _, _ := strings.Cut(line, "\n")
		problem := &junitProblem{Message: first, Type: string(j.Verdict.Status), Text: line}
		switch {
		case j.Failed:
			problem.Type, one.Error = "failed", problem
		case j.Verdict.Status == estimate.Met:
			one.Out = line
		default:
			one.Failure = problem
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
