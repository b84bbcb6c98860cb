// Package browser looks at pages of analyses and of papers in headless Chromium. It is a module of its own, so that what it needs is not
// required of programs that import warpbound.
package browser

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// root is the directory of the project.
const root = "../.."

// run makes the program, once, and returns its path.
var program = sync.OnceValues(func() (string, error) {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("warpbound-browser-%d", os.Getpid()))
	c := exec.Command("go", "build", "-o", name, "./cmd/warpbound")
	c.Dir = root
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name, err := program(); err == nil {
		os.Remove(name)
	}
	os.Exit(code)
}

// write makes a page with a command, which runs in the project or in dir.
func write(t *testing.T, dir, command, of string, args ...string) string {
	t.Helper()
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	c := exec.Command(name, append([]string{command, of, "--html", page}, args...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if code := c.ProcessState.ExitCode(); err != nil && code != 1 && code != 3 { // which are verdicts
		t.Fatalf("%v: %s", err, out)
	}
	info, err := os.Stat(page)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 2e6 {
		t.Errorf("the page has %d bytes", info.Size())
	}
	return page
}

// each begins a script that takes each element of a page that has a path in its result.
const each = `(() => {
	const result = JSON.parse(document.getElementById("result").textContent);
	const at = path => path.split(".").reduce((v, key) => v[key], result);
	const bad = [];
	let n = 0;
	for (const e of document.querySelectorAll("[data-path]")) {
		n++;`

// compare holds the figures of the page against its result, and says which differ, and how many there are.
const compare = each + `
		let want = String(Math.round(at(e.dataset.path))), got = e.textContent.trim().replaceAll(",", "");
		if (e.dataset.value !== undefined) {
			got = e.dataset.value;
		} else if (e.dataset.unit === "ms") {
			want = (at(e.dataset.path) / result.hz * 1e3);
			if (Math.abs(parseFloat(got) - want) <= 1.01e-6) continue;
		} else if (e.dataset.of !== undefined) {
			want = 100 * at(e.dataset.path) / at(e.dataset.of);
			if (Math.abs(parseFloat(got) - want) <= 0.0501) continue;
		}
		if (String(want) !== got) bad.push(e.dataset.path + ": " + got + " instead of " + want);
	}
	return JSON.stringify({n, bad: bad.slice(0, 5)});
})()`

// layout says what is wrong with how the page looks.
const layout = `(() => {
	const bad = [];
	if (document.documentElement.scrollWidth > innerWidth + 1) bad.push("the page is wider than the window: " + document.documentElement.scrollWidth);
	for (const svg of document.querySelectorAll("svg.chart")) {
		const box = svg.getBoundingClientRect();
		if (box.width < 50 || box.height < 20) bad.push(svg.getAttribute("class") + " is " + box.width + " x " + box.height);
		for (const text of svg.querySelectorAll(".axis text:not([transform])")) {
			const b = text.getBBox();
			const v = svg.viewBox.baseVal;
			if (b.x < v.x - 1 || b.x + b.width > v.x + v.width + 1 || b.y + b.height > v.y + v.height + 1) bad.push(svg.getAttribute("class") + ": " + text.textContent + " is cut off");
		}
	}
	const colour = getComputedStyle(document.body ?? document.documentElement);
	if (colour.color === colour.backgroundColor) bad.push("text has the colour of the ground");
	return bad.join("\n");
})()`

// zoom presses the first button of each chart that has some, and says which do not change.
const zoom = `(() => {
	const bad = [];
	for (const tools of document.querySelectorAll(".tools")) {
		const svg = tools.parentElement.querySelector("svg.chart");
		const look = () => svg.getAttribute("viewBox") + svg.getAttribute("width");
		const before = look();
		tools.children[0].click();
		if (look() === before) bad.push(svg.getAttribute("class") + " is not enlarged");
		tools.children[2].click();
		if (look() !== before) bad.push(svg.getAttribute("class") + " does not go back");
	}
	return bad.join("\n");
})()`

// TestPages looks at the pages of small and large kernels, on light and dark ground.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	large(t, dir, 3000)
	pictures := os.Getenv("WARPBOUND_PICTURES") // a directory to keep pictures in
	for _, c := range []struct {
		name, dir, job string
		figures        int // at least
		args           []string
	}{
		{"search", root, "kernels/insertionSort/job.toml", 200, []string{"--machine", "predictable-rr", "--budget", "40"}},
		{"bfs", root, "kernels/bfs/job.toml", 200, []string{"--vectors", "60"}},
		{"bitonicSort", root, "kernels/bitonicSort/job.toml", 200, []string{"--vectors", "20", "--holdout", "20"}},
		{"vectorAdd", root, "kernels/vectorAdd/job.toml", 50, nil},
		{"large", dir, "job.toml", 500, []string{"--vectors", "2", "--methods", "hybrid/dynamic"}},
		{"static", root, "kernels/vectorAdd/job.toml", 5, []string{"--methods", "static/greedy"}},
		{"met", root, "docs/tutorial/edges.toml", 100, []string{"--machine", "orin-agx", "--budget", "300us"}},
		{"missed", root, "docs/tutorial/edges.toml", 100, []string{"--machine", "orin-agx", "--budget", "5us"}},
		{"not-shown", root, "docs/tutorial/edges.toml", 100, []string{"--machine", "orin-agx", "--budget", "10us"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			command := "analyze"
			if c.name == "search" {
				command = c.name
			}
			file := write(t, c.dir, command, c.job, c.args...)
			for _, scheme := range []string{"light", "dark"} {
				look(t, file, scheme, compare, c.figures, pictures, c.name)
			}
		})
	}
}

// cells holds the cells of a paper's page against its result, and counts of examples, and says which differ, and how many there are.
const cells = each + `
		if (at(e.dataset.path) !== e.textContent) bad.push(e.dataset.path + ": " + e.textContent + " instead of " + at(e.dataset.path));
	}
	for (const e of document.querySelectorAll("[data-count]")) {
		const label = e.dataset.count;
		const want = result.examples.filter(x => label === "" || x.label === label || label === "NO" && !x.ok).length;
		if (String(want) !== e.textContent) bad.push(label + ": " + e.textContent + " instead of " + want);
	}
	for (const svg of document.querySelectorAll("svg.plot")) {
		const box = svg.getBoundingClientRect();
		if (box.width < 200 || box.height < 100) bad.push("a figure is " + box.width + " x " + box.height);
	}
	return JSON.stringify({n, bad: bad.slice(0, 5)});
})()`

// TestPapers looks at the pages of papers, on light and dark ground.
func TestPapers(t *testing.T) {
	for _, c := range []struct {
		paper   string
		figures int // at least
		args    []string
	}{
		{"cta", 70, nil},
		{"hybrid", 30, []string{"--examples"}},
		{"llc", 500, []string{"--quick"}},
		{"machines", 100, []string{"--quick", "--examples"}},
		{"search", 6, []string{"--examples"}},
		{"split", 60, []string{"--examples"}},
	} {
		t.Run(c.paper, func(t *testing.T) {
			file := write(t, root, "reproduce", c.paper, c.args...)
			for _, scheme := range []string{"light", "dark"} {
				look(t, file, scheme, cells, c.figures, "", c.paper)
			}
		})
	}
}

// TestFiles looks at charts that are files: each is drawn, with no text outside and none over another.
func TestFiles(t *testing.T) {
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.Command(name, "analyze", "kernels/bfs/job.toml", "--vectors", "20", "--plots", dir)
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, chart := range []string{"estimates", "convergence", "flow", "timeline"} {
		look(t, filepath.Join(dir, chart+".svg"), "dark", document, 1, "", chart)
	}
}

// document says what is wrong with a chart that is a file, and how many texts it has.
const document = `(() => {
	const bad = [];
	const root = document.documentElement;
	const v = root.viewBox.baseVal;
	const texts = [...root.querySelectorAll("text")];
	if (getComputedStyle(root.querySelector("rect")).fill !== "rgb(255, 255, 255)") bad.push("the ground is not white");
	const whole = root.getBoundingClientRect();
	for (const text of texts) {
		const b = text.getBoundingClientRect();
		if (b.left < whole.left || b.right > whole.right + 1 || b.top < whole.top || b.bottom > whole.bottom + 1) bad.push(text.textContent + " is cut off");
		if (getComputedStyle(text).fill === "rgb(0, 0, 0)") bad.push(text.textContent + " has no colour");
	}
	const above = texts.filter(t => t.parentElement === root).map(t => t.getBoundingClientRect());
	for (const [i, a] of above.entries()) {
		for (const b of above.slice(0, i)) {
			if (a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom) bad.push("texts above lie over each other");
		}
	}
	return JSON.stringify({n: v.width > 0 ? texts.length : 0, bad: bad.slice(0, 5)});
})()`

// sections are those of pages of which pictures are kept, by name and scheme.
var sections = map[string][]string{
	"bfs-light": {"estimates", "chain", "timeline"}, "bfs-dark": {"source"}, "bitonicSort-dark": {"flow"}, "large-light": {"flow"},
	"met-light": {"verdict"}, "missed-light": {"verdict"}, "not-shown-light": {"verdict"},
}

// look opens a page, and has its figures compared by a script.
func look(t *testing.T, file, scheme, compare string, figures int, pictures, name string) {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1100, 900), chromedp.WSURLReadTimeout(5*60e9))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), opts...)
	defer stop()
	ctx, end := chromedp.NewContext(ctx)
	defer end()
	var mu sync.Mutex
	var wrong []string
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		wrong = append(wrong, fmt.Sprintf(format, args...))
	}
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", scheme, err)
		}
	}
	fail(chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			note("console: %s", e.Type)
		case *runtime.EventExceptionThrown:
			note("exception: %s", e.ExceptionDetails.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file://") {
				note("the page loads %s", e.Request.URL)
			}
		}
	}))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	fail(err)
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	fail(err)
	fail(chromedp.Do(ctx, chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String())))
	ask := func(script string) string {
		t.Helper()
		answer, err := chromedp.Run(ctx, chromedp.Evaluate[string](script))
		fail(err)
		return answer
	}
	compared, looks, zoomed := ask(compare), ask(layout), ask(zoom)
	resize := func(width int64) {
		_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1})
		fail(err)
	}
	resize(400)
	narrow := ask(layout)
	resize(1100)
	for _, at := range sections[name+"-"+scheme] {
		if pictures == "" {
			break
		}
		ask(fmt.Sprintf(`document.getElementById(%q).scrollIntoView(), ""`, at))
		data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		fail(err)
		fail(os.WriteFile(filepath.Join(pictures, fmt.Sprintf("report-%s-%s-%s.png", name, at, scheme)), data, 0o666))
	}
	var n int
	if _, err := fmt.Sscanf(compared, `{"n":%d`, &n); err != nil || n < figures || !strings.HasSuffix(compared, `"bad":[]}`) {
		t.Errorf("%s: figures: %s", scheme, compared)
	}
	for _, text := range append(wrong, looks, narrow, zoomed) {
		if text != "" {
			t.Errorf("%s: %s", scheme, text)
		}
	}
}

// large writes a job of a kernel with so many blocks.
func large(t *testing.T, dir string, blocks int) {
	t.Helper()
	var text strings.Builder
	text.WriteString(".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry large(.param .u32 n)\n{\n\t.reg .pred %p;\n\t.reg .b32 %r<3>;\n\tld.param.u32 %r1, [n];\n\tmov.u32 %r2, 0;\n")
	for b := range blocks / 2 {
		fmt.Fprintf(&text, "L%d:\n\tsetp.gt.u32 %%p, %%r1, %d;\n\t@%%p bra L%d;\n\tadd.u32 %%r2, %%r2, %%r1;\n", b, b%100, b+1)
	}
	fmt.Fprintf(&text, "L%d:\n\tret;\n}\n", blocks/2)
	for name, text := range map[string]string{
		"large.ptx": text.String(),
		"job.toml":  "module = \"large.ptx\"\nmachine = \"fermi-c2050\"\ngrid = [2]\nblock = [64]\n[[param]]\nname = \"n\"\ntype = \"u32\"\nrange = [0, 99]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
