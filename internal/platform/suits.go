package platform

import "strings"

// For returns the built-in machine that suits the modules of a language and a target best, and why in a few words.
func For(language, target string) (name, why string) {
	switch {
	case target != "" && !strings.HasPrefix(target, "sm_"):
		return "mini-simt", "the machine of this language"
	case strings.HasPrefix(target, "sm_2"):
		return standInFor, "the module is for " + target + ", which is this generation"
	}
	return standInFor, "the module is for " + target + ", newer than any built-in machine: describe yours in a file"
}
