package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaFile is made of the types of package estimate by its tests.
const schemaFile = "../../docs/schema.json"

// schemas returns the schema of a part of what is printed as JSON, all of it for "".
func schemas(t *testing.T) func(of string) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaFile, doc); err != nil {
		t.Fatal(err)
	}
	return func(of string) *jsonschema.Schema {
		s, err := compiler.Compile(schemaFile + of)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// TestSchema holds what every command prints as JSON against the schema.
func TestSchema(t *testing.T) {
	schema := schemas(t)
	whole := schema("")
	finding := filepath.Join(t.TempDir(), "findings")
	saved := filepath.Join(t.TempDir(), "saved.json")
	save(t, saved, "analyze ../../kernels/reduction/job.toml --vectors 1 --format json")
	proof := filepath.Join(t.TempDir(), "proof.json")
	save(t, filepath.Join(t.TempDir(), "analysis.json"), "analyze ../../kernels/reduction/job.toml --machine predictable-rr --methods static/cta --format json --certificate "+proof)
	covered := map[string]bool{"synthetic": true, "completion": true, "init": true, "worker": true} // these print text alone
	for _, c := range []struct{ of, args string }{
		{"Analysis", "demo --vectors 2"},
		{"Analysis", "analyze KERNELS/reduction/job.toml --vectors 2"},
		{"Analysis", "analyze KERNELS/reduction/job.toml --vectors 2 --ipoints none"},
		{"Analysis", "analyze KERNELS/reduction/job.toml --vectors 1 --placements 1"},
		{"Analysis", "analyze KERNELS/bitonicSort/job.toml --vectors 1 --machine predictable-rr"},
		{"Analysis", "analyze KERNELS/bitonicSort/job.toml --methods static/cta --machine predictable-rr"},
		{"Analysis", "analyze KERNELS/reduction/job.toml --vectors 1 --machine integrated-fermi"},
		{"Analysis", "analyze KERNELS/reduction/job.toml --vectors 1 --machine gcn3-split"},
		{"Analysis", "analyze KERNELS/reduction/job.toml --vectors 1 --machine cuda:standin"},
		{"Analysis", "analyze KERNELS/artificial/tiny.toml --vectors 2 --if-convert " + filepath.Join(t.TempDir(), "converted.ptx")},
		{"Analysis", "search KERNELS/reduction/job.toml --budget 30 --population 10 --threads 1 --vectors 2"},
		{"Simulation", "sim KERNELS/reduction/job.toml"},
		{"Simulation", "sim KERNELS/reduction/job.toml --machine integrated-fermi"},
		{"Simulation", "sim KERNELS/reduction/job.toml --machine cuda:standin"},
		{"Module", "inspect KERNELS/reduction/reduction.ptx"},
		{"Module", "inspect KERNELS/reduction/reduction.ptx --job KERNELS/reduction/job.toml"},
		{"Splitting", "split KERNELS/reduction/job.toml --vectors 1"},
		{"Splitting", "split KERNELS/artificial/job.toml --vectors 1 --choose --measured"},
		{"Check", "check KERNELS/vectorAdd/job.toml KERNELS/reduction/job.toml --vectors 1 --machine predictable-rr --budget 1s"},
		{"Comparison", "compare " + saved + " " + saved},
		{"Quotas", "quota KERNELS/reduction/job.toml --from 1 --to 3"},
		{"Reproduction", "reproduce hybrid --examples"},
		{"Selfcheck", "selfcheck --kernels 2 --machine predictable-rr --out " + finding},
		{"Calibration", "calibrate --machine cuda:standin --quick --compare KERNELS/reduction/job.toml"},
		{"Machines", "machines --for KERNELS/reduction/reduction.ptx"},
		{"Proof", "verify " + proof},
		{"Proof", "verify " + proof + " --job KERNELS/reduction/job.toml --machine predictable-rr"},
		{"Facts", "facts KERNELS/reduction/job.toml --smt " + t.TempDir()},
		{"Provenance", "version"},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "KERNELS", "../../kernels"))
		covered[args[0]] = true
		var out, complaints bytes.Buffer
		if code := Main(append(args, "--format", "json"), &out, &complaints); code != exitFine && (code != exitNotShown || complaints.Len() > 0) { // which is a result
			t.Errorf("%s: exit code %d: %s", c.args, code, &complaints)
			continue
		}
		result, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		for _, s := range []*jsonschema.Schema{whole, schema("#/$defs/" + c.of)} {
			if err := s.Validate(result); err != nil {
				t.Errorf("%s: %v", c.args, err)
			}
		}
		result.(map[string]any)["another"] = 1
		if whole.Validate(result) == nil {
			t.Errorf("%s: a name that the schema does not have is accepted", c.args)
		}
	}
	for _, c := range command().Commands() {
		if !covered[c.Name()] {
			t.Errorf("nothing that %s prints is held against the schema", c.Name())
		}
	}
}

// save writes what a command prints to a file.
func save(t *testing.T, file, args string) {
	t.Helper()
	var out, complaints bytes.Buffer
	if code := Main(strings.Fields(args), &out, &complaints); code != exitFine {
		t.Fatalf("%s: exit code %d: %s", args, code, &complaints)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSameBytes prints results twice.
func TestSameBytes(t *testing.T) {
	for _, args := range []string{
		"analyze KERNELS/bitonicSort/job.toml --vectors 3 --machine predictable-rr --format json --html PAGE",
		"analyze KERNELS/reduction/job.toml --vectors 2 --machine cuda:standin --format json",
		"sim KERNELS/reduction/job.toml --format json",
		"inspect KERNELS/reduction/reduction.ptx --format json",
		"version --format json",
	} {
		var printed [2]string
		for i := range printed {
			page := filepath.Join(t.TempDir(), "page.html")
			var out bytes.Buffer
			run := strings.NewReplacer("KERNELS", "../../kernels", "PAGE", page).Replace(args)
			if code := Main(strings.Fields(run), &out, &bytes.Buffer{}); code != exitFine {
				t.Fatalf("%s: exit code %d", args, code)
			}
			html, err := os.ReadFile(page)
			if err == nil && !bytes.Contains(html, []byte("SHA-256")) {
				t.Errorf("%s: no hashes in\n%s", args, html)
			}
			printed[i] = out.String() + string(html)
		}
		if printed[0] != printed[1] {
			t.Errorf("%s: the second result is another", args)
		}
	}
}
