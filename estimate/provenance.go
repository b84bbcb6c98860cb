package estimate

// Schema is the number of the JSON format of results, which docs/schema.json describes. It grows
// when a name goes or changes its meaning, not when one is added.
const Schema = 1

// Provenance tells what made a result. Every result that is printed on its own has it; the same
// build makes the same of it.
type Provenance struct {
	Schema int  `json:"schema"`
	Tool   Tool `json:"tool"`
}

// Tool is a build of the program, or of one that embeds it.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"` // of the module; "(devel)" if the build has none
	Commit  string `json:"commit"`  // with "+modified" behind it if files differed; empty if not known
}

// String renders the tool in one line.
func (t Tool) String() string {
	text := t.Name + " " + t.Version
	if t.Commit != "" {
		text += ", commit " + t.Commit
	}
	return text
}
