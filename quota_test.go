package warpbound_test

import (
	"testing"

	"warpbound"
	"warpbound/kernels"
)

// TestBestQuota compares the search with all quotas, on a kernel whose SMs make few accesses.
func TestBestQuota(t *testing.T) {
	j, err := warpbound.LoadFS(kernels.Suite(), "gaussianFactor/job.toml", warpbound.LoadOptions{Machine: "integrated-fermi"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := warpbound.BestQuota(t.Context(), []*warpbound.Job{j}, warpbound.QuotaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := warpbound.BestQuota(t.Context(), []*warpbound.Job{j}, warpbound.QuotaOptions{First: 1, Last: found.Last + 3})
	if err != nil {
		t.Fatal(err)
	}
	cycles := make(map[int64]int64)
	for _, b := range all.Tried {
		cycles[b.Quota] = b.Sum
	}
	minimum := found.Tried[found.Best].Sum
	for i, b := range found.Tried {
		if cycles[b.Quota] != b.Sum || b.Sum < minimum || i > 0 && found.Tried[i-1].Quota >= b.Quota {
			t.Errorf("quota %d: %d, and %d among all", b.Quota, b.Sum, cycles[b.Quota])
		}
	}
	if got := all.Tried[all.Best].Sum; got > minimum {
		t.Errorf("all quotas: %d, a search: %d", got, minimum)
	}
	if last := cycles[found.Last]; cycles[found.Last+3] < last {
		t.Errorf("a quota of %d gives %d, of %d less", found.Last, last, found.Last+3)
	}
	if own := found.Jobs[0]; cycles[own.Quota] != 0 && cycles[own.Quota] != own.Cycles {
		t.Errorf("%d with the job's quota, and %d", own.Cycles, cycles[own.Quota])
	}
}
