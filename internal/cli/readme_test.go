package cli

import "testing"

// TestREADME runs the command whose output the README shows, in the root of the repository, and compares.
func TestREADME(t *testing.T) { testPages(t, "../../README.md", "../..") }

// TestReaderPages does so for the pages for engineers and for researchers.
func TestReaderPages(t *testing.T) { testPages(t, "../../docs/for-*.md", "../..") }
