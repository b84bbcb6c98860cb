package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"warpbound/internal/campaign"
)

var identity = campaign.Identity{
	Tool: "warpbound v1", Job: "job", Module: "module", Machine: "m", Numbers: "numbers", Seed: 1, Changes: "launch", MaxCycles: 9,
	Ipoints: campaign.EveryBlock, Points: "points",
}

// open opens a directory for the tests' campaign.
func open(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if err := d.Open(identity); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDirectory keeps vectors in many files, in an order in which files close meanwhile.
func TestDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "campaign")
	d := open(t, path)
	const n = perFile * (maxOpen + 3)
	record := func(i int) *campaign.Record {
		return &campaign.Record{Cycles: int64(i), Launches: []campaign.Executed{{Runs: 1}}, Traces: [][]byte{{byte(i)}}}
	}
	save := func(k campaign.Key, i int) {
		if err := d.Save(k, record(i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < n; i += 2 {
		save(campaign.VectorKey(i*7919%n), i)
	}
	save("inputs-1", 5)
	if err := d.SaveNote("races", []byte("none")); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = open(t, path)
	for i := range n {
		want := record(i)
		if i%2 > 0 {
			want = nil
		}
		if got, err := d.Load(campaign.VectorKey(i * 7919 % n)); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("vector %d is %+v, %v", i, got, err)
		}
	}
	if r, err := d.Load("inputs-1"); err != nil || r == nil || r.Cycles != 5 {
		t.Errorf("%+v, %v", r, err)
	}
	if text, err := d.LoadNote("races"); string(text) != "none" || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	if text, err := d.LoadNote("other"); text != nil || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	d.Close()
	if _, err := d.Load("0"); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

// TestOtherCampaigns opens the directory of one campaign for others.
func TestOtherCampaigns(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	for _, c := range []struct {
		change func(*campaign.Identity)
		want   string // "" if it is the same for the directory
	}{
		{func(i *campaign.Identity) { i.Tool = "warpbound v2" }, "the version of the tool is warpbound v1 there and warpbound v2 here"},
		{func(i *campaign.Identity) { i.Job = "other" }, "the hash of the job is job there and other here"},
		{func(i *campaign.Identity) { i.Module = "other" }, "the hash of the module is module there and other here"},
		{func(i *campaign.Identity) { i.Machine, i.Numbers = "n", "other" }, "the machine is m there and n here"},
		{func(i *campaign.Identity) { i.Numbers = "other" }, "the hash of the machine's numbers is numbers there and other here"},
		{func(i *campaign.Identity) { i.Numbers = "numbers+" }, "the hash of the machine's numbers is numbers there and numbers+ here"},
		{func(i *campaign.Identity) { i.Seed = 2 }, "the seed is 1 there and 2 here"},
		{func(i *campaign.Identity) { i.Seed, i.MaxCycles = 2, 3 }, "the seed is 1 there and 2 here, the limit of a run in cycles is 9 there and 3 here"},
		{func(i *campaign.Identity) { i.Changes = "other" }, "the hash of the launch is launch there and other here"},
		{func(i *campaign.Identity) { i.Points = "other" }, "the hash of the Ipoints is points there and other here"},
		{func(i *campaign.Identity) { i.Ipoints, i.Points = campaign.NoIpoints, "" }, ""},
	} {
		other := identity
		c.change(&other)
		if c.want != "" {
			c.want = path + " is of another campaign: " + c.want + "; give another directory for this one"
		}
		err := d.Open(other)
		if err == nil && c.want != "" || err != nil && err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	bare := identity
	bare.Ipoints, bare.Points = campaign.NoIpoints, ""
	less, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer less.Close()
	if err := less.Open(bare); err != nil {
		t.Fatal(err)
	}
	if err := less.Open(identity); err == nil || !strings.Contains(err.Error(), "what is recorded is nothing there and every block here") {
		t.Error(err)
	}
}

// TestLock opens a directory that is open.
func TestLock(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	if _, err := Open(path); err == nil || err.Error() != path+" is in use by another process: wait until that has ended, or give another directory" {
		t.Error(err)
	}
	d.Close()
	open(t, path)
}

// TestWithin keeps another campaign in the directory of one, with which it is locked and closed.
func TestWithin(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	if err := d.Open(identity); err != nil {
		t.Fatal(err)
	}
	save := func(d campaign.Keeper, cycles int64) {
		t.Helper()
		if err := d.Save(campaign.VectorKey(0), &campaign.Record{Cycles: cycles}); err != nil {
			t.Fatal(err)
		}
	}
	save(d, 1)
	within := func(seed int64) (campaign.Keeper, error) {
		t.Helper()
		other, err := d.Within("other")
		if err != nil {
			t.Fatal(err)
		}
		of := identity
		of.Seed = seed
		return other, other.Open(of)
	}
	other, err := within(7)
	if err != nil {
		t.Fatal(err)
	}
	save(other, 2)
	if _, err := Open(filepath.Join(path, "other")); err == nil {
		t.Error("another process can open it")
	}
	d.Close()
	if _, err := d.Within("third"); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}

	d = open(t, path)
	if err := d.Open(identity); err != nil {
		t.Fatal(err)
	}
	if _, err := within(8); err == nil || !strings.Contains(err.Error(), "the seed is 7 there and 8 here") {
		t.Error(err)
	}
	other, err = within(7)
	if err != nil {
		t.Fatal(err)
	}
	for want, from := range map[int64]campaign.Keeper{1: d, 2: other} {
		if r, err := from.Load(campaign.VectorKey(0)); err != nil || r == nil || r.Cycles != want {
			t.Errorf("%v, %v instead of %d cycles", r, err, want)
		}
	}
}

// TestForeignDirectories opens what is no campaign, or one of a later version.
func TestForeignDirectories(t *testing.T) {
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "has files and is no campaign") {
		t.Error(err)
	}
	for text, want := range map[string]string{
		`{"format": "warpbound-campaign/2"}`: `the format is "warpbound-campaign/2", not "warpbound-campaign/1"`,
		`{`:                                  "unexpected end of JSON input",
	} {
		path := t.TempDir()
		name := filepath.Join(path, manifestFile)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Open(identity); err == nil || !strings.HasPrefix(err.Error(), name) || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
		d.Close()
	}
	// What a process leaves that was killed before there was a manifest.
	path = t.TempDir()
	for _, name := range []string{lockFile, manifestFile + ".tmp"} {
		if err := os.WriteFile(filepath.Join(path, name), []byte("{"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	open(t, path)
}
