package job

// Access says what a kernel may do with a buffer. What it must not do is a fault of a run.
type Access uint8

// The kinds of access.
const (
	ReadWrite Access = iota
	ReadOnly
	WriteOnly
)

// accessNames are what a job writes for each; nothing for the first.
var accessNames = [...]string{ReadOnly: "read", WriteOnly: "write"}

// access reads what a kernel may do with a buffer.
func (r *reader) access(t table) Access {
	text, ok := t.text("access")
	for a, name := range accessNames {
		if ok && name == text {
			return Access(a)
		}
	}
	if ok {
		r.errorf(t.pos("access"), `access is %.40q; it must be "read" or "write", or be left out for both`, text)
	}
	return ReadWrite
}
