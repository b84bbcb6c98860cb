package reproduce

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/gcn3"
	"warpbound/internal/method/split/published"
)

// figures holds the kernel of Fig. 5a of Klashtorny and others' paper, and jobs with it.
//
//go:embed figures
var figures embed.FS

// splitFigures works the examples of the paper on wavefront splitting: those of its analysis,
// its instructions, and its hardware.
func splitFigures(ctx context.Context) ([]estimate.Example, error) {
	all, err := published.Examples(ctx)
	if err != nil {
		return nil, err
	}
	for _, work := range []func(context.Context) ([]estimate.Example, error){encodings, figure5, groups} {
		list, err := work(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

func example(name, paper, ours string) estimate.Example {
	return estimate.Example{Name: name, Paper: paper, Ours: ours, OK: ours == paper, Label: estimate.LabelEqual}
}

// fitted is an example whose inputs, or the numbers of a machine, were chosen so.
func fitted(name, paper, ours string) estimate.Example {
	e := example(name, paper, ours)
	e.Label = estimate.LabelFitted
	return e
}

// encodings are the instructions of Fig. 3a. It leaves their opcodes open.
func encodings(context.Context) ([]estimate.Example, error) {
	fields := func(in gcn3.Instr) (string, error) {
		word, err := in.Encode()
		if err != nil {
			return "", err
		}
		again, err := gcn3.Decode(word)
		if err != nil {
			return "", err
		}
		if again.Op != in.Op || gcn3.Op(word>>16) != in.Op {
			return fmt.Sprintf("0x%08x", word), nil
		}
		return fmt.Sprintf("%d %d", word&0xff, word>>8&0xff), nil
	}
	splits, err := fields(gcn3.Instr{Op: gcn3.Split, Low: 5, High: 6})
	if err != nil {
		return nil, err
	}
	merges, err := fields(gcn3.Instr{Op: gcn3.Merge})
	if err != nil {
		return nil, err
	}
	return []estimate.Example{
		example("Fig. 3a: bits 0 to 7 and 8 to 15 of split s5, s6", "5 6", splits),
		example("Fig. 3a: those of merge, which has no operands", "0 0", merges),
	}, nil
}

// figure5 runs the kernel of Fig. 5a, whose wavefront splits with the mask 1101 and again with
// 1100. A mask has a digit for each of 4 work-items, the first one on the left.
func figure5(ctx context.Context) ([]estimate.Example, error) {
	job, err := loadFigure("fig5.toml")
	if err != nil {
		return nil, err
	}
	masks := make(map[string]string)
	step := func(s *estimate.Step) { masks[s.Address] = s.Lanes[:4] }
	if _, err := job.Simulate(ctx, warpbound.SimulateOptions{Step: step}); err != nil {
		return nil, err
	}
	at := func(addresses ...string) string {
		var list []string
		for _, a := range addresses {
			list = append(list, masks[a])
		}
		return strings.Join(list, " ")
	}
	return []estimate.Example{
		example("Figs. 3b and 5: a mask and its negation, SWF1 and SWF2, and all work-items after the merge", "1101 0010 1111",
			at("SWF1", "entry+5", "JOINED")),
		example("Fig. 5: split masks of SWF1, SWF2 and SWF3 after the second split", "1100 0010 0001", at("SWF1AGAIN", "entry+5+1", "SWF1+4")),
		example("Fig. 5: split mask of SWF1 after the first merge", "1101", at("JOINED1")),
	}, nil
}

// groups sets Eq. 4 beside the workgroups of 1024 work-items that the machine executes at a time.
func groups(ctx context.Context) ([]estimate.Example, error) {
	job, err := loadFigure("groups.toml")
	if err != nil {
		return nil, err
	}
	a, err := job.Analyze(ctx, warpbound.AnalyzeOptions{Methods: []string{"split/none"}})
	if err != nil {
		return nil, err
	}
	gpu := published.GPU{CUs: 4, SIMDs: 4, Contexts: 10, Lanes: 64}
	eq4 := gpu.Parallel(published.Launch{Size: 1024}, gpu.SIMDs)
	counted := gpu.CUs * a.Estimates[0].Detail.(*estimate.Split).Slots
	return []estimate.Example{{
		Name: "Eq. 4: workgroups of 1024 work-items at a time", Paper: "10",
		Ours: fmt.Sprintf("%d (%d counted by compute units and wavefronts)", eq4, counted), OK: eq4 == 10 && counted <= eq4, Label: estimate.LabelEqual,
	}}, nil
}

func loadFigure(job string) (*warpbound.Job, error) {
	files, err := fs.Sub(figures, "figures")
	if err != nil {
		return nil, err
	}
	return warpbound.LoadFS(files, job, warpbound.LoadOptions{})
}

// table2 is Table 2, whose DWS column and last line cannot follow from the paper's equations.
func table2(ctx context.Context) (*estimate.Table, error) {
	rows, err := published.Table2(ctx)
	if err != nil {
		return nil, err
	}
	t := &estimate.Table{
		Name: "Table 2, with block times that meet no splitting and PWS at S = 1 and 2 (the paper's are lost): their sum is 59, the shorter\n" +
			"path of branch 1 takes 10, splitting saves 7 at branches 2 and 7. No times agree with the rest: by Eq. 8, DWS at S = 2 less 1 is a\n" +
			"multiple of 3; PWS at S = 3 follows if 2 splits are charged, but SELECT takes 4",
		Label:   estimate.LabelFitted,
		Columns: []string{"S", "|SB|", "edges removed", "no splitting", "paper", "DWS (Eq. 8)", "paper", "PWS (Eq. 6)", "paper"},
	}
	for _, r := range rows {
		var removed []string
		for _, e := range r.Removed {
			removed = append(removed, fmt.Sprintf("%d>%d", e.From+1, e.To+1))
		}
		t.Rows = append(t.Rows, append([]string{fmt.Sprint(r.S), fmt.Sprint(len(r.Selected)), strings.Join(removed, " ")},
			cells(r.None, r.PrintedNone, r.DWS, r.PrintedDWS, r.PWS, r.PrintedPWS)...))
	}
	return t, nil
}

// lemma58 shows forms for which Lemma 5.8 does not follow from the paper's equations.
func lemma58() (*estimate.Table, error) {
	all, err := published.Lemma58()
	if err != nil {
		return nil, err
	}
	t := &estimate.Table{
		Name: "Lemma 5.8, E(PWS) <= E(DWS), does not follow from Eqs. 3, 6 and 8: branches in sequence, without else and with blocks of one\n" +
			"cycle, share one context, so that SELECT takes all of them and Eq. 3 charges all, while Eq. 8 charges S",
		Columns: []string{"branches", "S", "|SB|", "e_s + e_m", "PWS (Eq. 6)", "DWS (Eq. 8)"},
	}
	for _, c := range all {
		t.Rows = append(t.Rows, cells(c.Branches, c.S, c.Selected, c.SplitPerBranch, c.PWS, c.DWS))
	}
	return t, nil
}

func cells(values ...any) []string {
	var list []string
	for _, v := range values {
		list = append(list, fmt.Sprint(v))
	}
	return list
}
