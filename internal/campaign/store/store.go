// Package store keeps the outcomes of a campaign in a directory, so that a campaign which was killed goes on where it
// was, and so that its traces can be analysed again.
//
// The bytes of a record are the same for whoever keeps or sends one. store must not import what runs or bounds jobs.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"warpbound/internal/campaign"
)

// The files of a directory.
const (
	manifestFile = "campaign.json"
	lockFile     = "lock"
	inputsFile   = "inputs.log"
	notesFile    = "notes.log"
	vectorsFile  = "vectors-%09d.log" // with the first of its vectors

	perFile = 256 // consecutive vectors in a file
	maxOpen = 4   // of these files
)

// manifestFormat is the version of a directory.
const manifestFormat = "warpbound-campaign/1"

// manifest says of which campaign a directory is.
type manifest struct {
	Format string `json:"format"`
	campaign.Identity
}

// Dir is a directory of a campaign, which no other process can open meanwhile. Goroutines may share it.
type Dir struct {
	path string
	lock *flock.Flock

	mu     sync.Mutex
	codec  Codec
	open   map[string]*log
	recent []string        // the files of vectors that are open, the last used at the end
	within map[string]*Dir // open campaigns that belong to this one, by name
}

// Open opens a directory, which is made if there is none. Close must follow. It is an error if another process has it open.
func Open(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	foreign := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !own(e.Name()) })
	if _, err := os.Stat(filepath.Join(path, manifestFile)); foreign && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has files and is no campaign: give a directory that is new or empty", path)
	}
	d := &Dir{path: path, lock: flock.New(filepath.Join(path, lockFile)), open: make(map[string]*log), within: make(map[string]*Dir)}
	locked, err := d.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.lock.Path(), err)
	}
	if !locked {
		return nil, fmt.Errorf("%s is in use by another process: wait until that has ended, or give another directory", path)
	}
	return d, nil
}

// own reports whether a file may be one that was left before there is a manifest.
func own(name string) bool { return name == lockFile || strings.HasPrefix(name, manifestFile) }

// Close lets others open the directory.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, l := range d.open {
		errs = append(errs, l.close())
	}
	for _, other := range d.within {
		errs = append(errs, other.Close())
	}
	d.open, d.within = nil, nil
	return errors.Join(append(errs, d.lock.Close())...)
}

// Within implements campaign.Keeper: the other campaign is in a directory of this one.
func (d *Dir) Within(name string) (campaign.Keeper, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		return nil, fmt.Errorf("%s: %w", d.path, fs.ErrClosed)
	}
	if other := d.within[name]; other != nil {
		return other, nil
	}
	other, err := Open(filepath.Join(d.path, name))
	if err != nil {
		return nil, err
	}
	d.within[name] = other
	return other, nil
}

// Open implements campaign.Keeper.
func (d *Dir) Open(of campaign.Identity) error {
	name := filepath.Join(d.path, manifestFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return d.begin(name, &manifest{manifestFormat, of})
	}
	if err != nil {
		return err
	}
	var have manifest
	if err := json.Unmarshal(text, &have); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if have.Format != manifestFormat {
		return fmt.Errorf("%s: the format is %q, not %q: give another directory", name, have.Format, manifestFormat)
	}
	if diffs := have.Differences(&of); diffs != nil {
		return fmt.Errorf("%s is of another campaign: %s; give another directory for this one", d.path, strings.Join(diffs, ", "))
	}
	return nil
}

// begin writes a manifest.
func (d *Dir) begin(name string, m *manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	temp := name + ".tmp" // of whoever holds the lock
	if err := os.WriteFile(temp, append(text, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(temp, name)
}

// Load implements campaign.Keeper.
func (d *Dir) Load(of campaign.Key) (*campaign.Record, error) {
	file := fileOf(of)
	text, err := d.load(file, string(of))
	if err != nil || text == nil {
		return nil, err
	}
	r, err := d.codec.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", filepath.Join(d.path, file), of, err)
	}
	return r, nil
}

// Save implements campaign.Keeper.
func (d *Dir) Save(of campaign.Key, r *campaign.Record) error {
	text, err := d.codec.Encode(r)
	if err != nil {
		return err
	}
	return d.save(fileOf(of), string(of), text)
}

// LoadNote implements campaign.Keeper.
func (d *Dir) LoadNote(name string) ([]byte, error) { return d.load(notesFile, name) }

// SaveNote implements campaign.Keeper.
func (d *Dir) SaveNote(name string, text []byte) error { return d.save(notesFile, name, text) }

// fileOf is the file with a vector.
func fileOf(k campaign.Key) string {
	if n, ok := k.Vector(); ok {
		return fmt.Sprintf(vectorsFile, n-n%perFile)
	}
	return inputsFile
}

func (d *Dir) load(file, key string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l, err := d.log(file)
	if err != nil {
		return nil, err
	}
	return l.load(key)
}

func (d *Dir) save(file, key string, text []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	l, err := d.log(file)
	if err != nil {
		return err
	}
	return l.save(key, text)
}

// log opens a file, and closes one of vectors that was not used for longest if many are open.
func (d *Dir) log(file string) (*log, error) {
	if d.open == nil {
		return nil, fmt.Errorf("%s: %w", d.path, fs.ErrClosed)
	}
	if file != inputsFile && file != notesFile {
		if i := slices.Index(d.recent, file); i >= 0 {
			d.recent = slices.Delete(d.recent, i, i+1)
		}
		d.recent = append(d.recent, file)
		if len(d.recent) > maxOpen {
			oldest := d.recent[0]
			d.recent = d.recent[1:]
			if l := d.open[oldest]; l != nil {
				delete(d.open, oldest)
				if err := l.close(); err != nil {
					return nil, err
				}
			}
		}
	}
	if l := d.open[file]; l != nil {
		return l, nil
	}
	l, err := openLog(filepath.Join(d.path, file))
	if err != nil {
		return nil, err
	}
	d.open[file] = l
	return l, nil
}
