// Package symbol reads the names of functions and variables as compilers write them into modules:
// it turns symbols into the names that their source has, and finds symbols by these.
//
// Compilers mangle C++ names by the rules of the Itanium C++ ABI: _Z5scalePfi is scale(float*, int).
// Names of C and OpenCL C are symbols as they are.
package symbol

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxLength is the length in characters, as a power of 2, up to which names are shown.
const maxLength = 12

// Readable returns the name that a symbol has in its source, with template arguments and parameters, or
// the symbol itself if it is not mangled.
func Readable(symbol string) string { return demangled(symbol) }

// Short returns the readable name of a symbol without result and parameters: scale<float>.
func Short(symbol string) string { return demangled(symbol, demangle.NoParams) }

// Demangled returns the readable name of a symbol if it is another than the symbol, and else nothing.
func Demangled(symbol string) string {
	if name := Readable(symbol); name != symbol {
		return name
	}
	return ""
}

// ShortAll returns the short names of symbols, and the readable names of those whose short names others share.
func ShortAll(symbols []string) []string {
	of := make(map[string]string) // a symbol with the short name
	shared := make(map[string]bool)
	for _, s := range symbols {
		name := Short(s)
		other, seen := of[name]
		shared[name] = shared[name] || seen && other != s
		of[name] = s
	}
	var names []string
	for _, s := range symbols {
		name := Short(s)
		if shared[name] {
			name = Readable(s)
		}
		names = append(names, name)
	}
	return names
}

// ReadableAll returns the readable names of symbols. Those that others share have their symbols beside them.
func ReadableAll(symbols []string) []string {
	count := make(map[string]int)
	for _, s := range symbols {
		count[Readable(s)]++
	}
	var names []string
	for _, s := range symbols {
		name := Readable(s)
		if count[name] > 1 && name != s {
			name += " [" + s + "]"
		}
		names = append(names, name)
	}
	return names
}

// Find returns which of the symbols a name means: the symbol that it is, or else all whose readable names
// it is, or what these are without result, parameters, template arguments or the first of their scopes.
// Spaces that C++ does not need are of no account.
func Find(name string, symbols []string) []string {
	if slices.Contains(symbols, name) {
		return []string{name}
	}
	var found []string
	for _, s := range symbols {
		if Is(name, s) && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	return found
}

// Is reports whether a name is one of those by which Find finds the symbol.
func Is(name, symbol string) bool {
	if name == symbol {
		return true
	}
	full, short := Readable(symbol), Short(symbol)
	if full == symbol {
		return false
	}
	wanted := compact(name)
	if wanted == compact(full) {
		return true
	}
	bare := short
	if at := strings.Index(full, short); at >= 0 {
		bare = full[at:]
	}
	plain := demangled(symbol, demangle.NoParams, demangle.NoTemplateParams)
	return slices.ContainsFunc([]string{bare, short, plain}, func(form string) bool { return endsWith(compact(form), wanted) })
}

// called matches the name of a function in a label of code that was expanded at a call (isa.Link).
var called = regexp.MustCompile(`_Z[A-Za-z0-9_$]+@`)

// Label returns a label with the short names of the functions from which its code comes: area<float>@1.$L__BB0_2.
func Label(label string) string {
	return called.ReplaceAllStringFunc(label, func(of string) string { return Short(of[:len(of)-1]) + "@" })
}

func demangled(symbol string, options ...demangle.Option) string {
	if !strings.HasPrefix(symbol, "_Z") && !strings.HasPrefix(symbol, "_R") {
		return symbol
	}
	name := demangle.Filter(symbol, append(options, demangle.MaxLength(maxLength))...)
	if len(name) >= 1<<maxLength {
		return symbol // cut off
	}
	return name
}

// endsWith reports whether a name is another, or what that is in one of its scopes.
func endsWith(name, end string) bool {
	rest, ok := strings.CutSuffix(name, end)
	if !ok || end == "" {
		return false
	}
	if rest == "" {
		return true
	}
	depth := 0
	for _, c := range rest {
		switch c {
		case '(', '<', '{', '[':
			depth++
		case ')', '>', '}', ']':
			depth--
		}
	}
	return depth == 0 && strings.HasSuffix(rest, "::")
}

// compact removes the spaces of a name but those between two words.
func compact(name string) string {
	var out []byte
	for i := range len(name) {
		if name[i] != ' ' {
			if n := len(out); i > 0 && name[i-1] == ' ' && n > 0 && word(out[n-1]) && word(name[i]) {
				out = append(out, ' ')
			}
			out = append(out, name[i])
		}
	}
	return string(out)
}

func word(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
