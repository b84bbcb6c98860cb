package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"warpbound"
	"warpbound/internal/machine"
	"warpbound/internal/suggest"
)

// shells are those that have completions.
func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion " + strings.Join(shells(), "|"),
		Short: "Print the script that makes a shell complete commands, flags and values",
		Long: "Print the script that makes a shell complete commands, flags and values: machines, methods, " +
			"kernels of the module, buffers of the job, and files by kind.",
		Example: `  # in this bash, and in all that follow:
  source <(warpbound completion bash)
  warpbound completion bash >> ~/.bash_completion
  # in other shells:
  warpbound completion zsh > "${fpath[1]}/_warpbound"
  warpbound completion fish > ~/.config/fish/completions/warpbound.fish
  warpbound completion powershell >> $PROFILE`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			root, out := c.Root(), c.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return usagef("unknown shell %q%s", args[0], suggest.Hint(args[0], shells()))
		},
	}
}

// completer returns the values that may stand where a user has typed some letters.
type completer = cobra.CompletionFunc

// completeAll gives a command and those below it the completions of their arguments and flags.
func completeAll(c *cobra.Command) {
	for _, b := range c.Commands() {
		completeAll(b)
	}
	if c.ValidArgsFunction == nil && !c.HasSubCommands() {
		c.ValidArgsFunction = completeArgument
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if complete := flagCompleter(f); complete != nil {
			if err := c.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
				panic(err) // the flag is there and has none yet
			}
		}
	})
}

// flagCompleter returns how the value of a flag is completed; nil stands for any file.
func flagCompleter(f *pflag.Flag) completer {
	switch f.Name {
	case "machine":
		return completeMachine
	case "methods":
		return listOf(warpbound.Methods)
	case "strategy":
		return listOf(func() []string { return append(warpbound.SearchStrategies(), "all") })
	case "stage":
		return fixed(strings.Split(stageNames(), ", ")...)
	case "solver":
		if f.DefValue == warpbound.SolverAuto {
			return fixed(warpbound.Solvers()...)
		}
		return fixed("z3", "cvc5")
	case "float-solver":
		return fixed("z3", "cvc5")
	case "quota":
		return fixed("auto")
	case "ipoints":
		return open("blocks", "headers", "every:", "labels:", "none")
	case "kernel":
		return completeKernel
	case "dump":
		return completeBuffer
	case "job":
		return filesOf("toml")
	case "for":
		return filesOf("ptx", "simt")
	case "html":
		return filesOf("html")
	case "lp":
		return filesOf("lp")
	case "times":
		return filesOf("csv")
	case "plot":
		return filesOf("svg")
	case "inputs", "plots", "replay":
		return directories
	case "out", "certificate", "trace", "traces":
		return nil
	}
	if words := strings.Split(f.Value.Type(), "|"); len(words) > 1 {
		return fixed(words...)
	}
	return fixed() // a number, or nothing
}

// completeArgument completes an argument by its name in the usage.
func completeArgument(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	names := positional(c)
	if len(names) == 0 {
		return fixed()(c, args, typed)
	}
	name := names[min(len(args), len(names)-1)]
	switch many := strings.HasSuffix(name, "..."); {
	case len(args) >= len(names) && !many:
		return fixed()(c, args, typed)
	case strings.Contains(name, "|"):
		return fixed(strings.Split(name, "|")...)(c, args, typed)
	case name == "NAME": // of a machine
		return completeMachine(c, args, typed)
	case name == "MODULE":
		return filesOf("ptx", "simt")(c, args, typed)
	case strings.Contains(name, ".toml"):
		return filesOf("toml")(c, args, typed)
	case strings.Contains(name, ".json"):
		return filesOf("json")(c, args, typed)
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// fixed completes to some words.
func fixed(words ...string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// open completes to some words, after which more may stand.
func open(words ...string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// listOf completes to words with commas between them, none of them twice.
func listOf(words func() []string) completer {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var list []string
		for _, w := range words() {
			if !slices.Contains(strings.Split(before, ","), w) {
				list = append(list, before+w)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// filesOf completes to files whose names end so.
func filesOf(extensions ...string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeMachine completes to the built-in machines and to machine files. A shell shows either words or
// files: so the files are listed here.
func completeMachine(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	names := machine.Names()
	dir, _ := filepath.Split(typed)
	entries, _ := os.ReadDir(filepath.Clean(dir + ".")) // a directory that cannot be read has no machines
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case filepath.Ext(e.Name()) == ".toml":
			names = append(names, dir+e.Name())
		case e.IsDir() && strings.HasPrefix(dir+e.Name(), typed):
			names = append(names, dir+e.Name()+"/")
			directive |= cobra.ShellCompDirectiveNoSpace
		}
	}
	return names, directive
}

// completeKernel completes to the kernels of the module that the command line names.
func completeKernel(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if f := c.Flags().Lookup("for"); f != nil {
		args = []string{f.Value.String()}
	}
	var names []string
	if len(args) > 0 {
		if src, err := warpbound.ReadModule(args[0]); err == nil {
			if m, err := warpbound.Inspect(c.Context(), args[0], src, warpbound.InspectOptions{}); err == nil {
				for i := range m.Kernels {
					names = append(names, m.Kernels[i].Name)
				}
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeBuffer completes to the buffers of the job that the command line names.
func completeBuffer(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	if len(args) > 0 {
		if j, err := warpbound.Load(args[0], warpbound.LoadOptions{}); err == nil {
			for _, b := range j.Buffers() {
				names = append(names, b+"=")
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
