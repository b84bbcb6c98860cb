package provenance

import (
	"runtime/debug"
	"testing"

	"warpbound/estimate"
)

func TestTool(t *testing.T) {
	settings := func(revision, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}, {Key: "GOOS", Value: "linux"}}
	}
	module := func(path, version string) *debug.Module { return &debug.Module{Path: path, Version: version} }
	for _, c := range []struct {
		info debug.BuildInfo
		want estimate.Tool
	}{
		{debug.BuildInfo{}, estimate.Tool{Version: "(devel)"}},
		{debug.BuildInfo{Main: *module(name, "")}, estimate.Tool{Version: "(devel)"}},
		{debug.BuildInfo{Main: *module(name, "v1.2.3"), Settings: settings("abc", "false")}, estimate.Tool{Version: "v1.2.3", Commit: "abc"}},
		{debug.BuildInfo{Main: *module(name, "v1.2.3+dirty"), Settings: settings("abc", "true")}, estimate.Tool{Version: "v1.2.3+dirty", Commit: "abc+modified"}},
		{debug.BuildInfo{Main: *module("other", "v9"), Settings: settings("abc", "false"), Deps: []*debug.Module{module("x", "v8"), module(name, "v1.0.0")}},
			estimate.Tool{Version: "v1.0.0"}},
		{debug.BuildInfo{Main: *module("other", "v9"), Deps: []*debug.Module{{Path: name, Version: "v1.0.0", Replace: module("../warpbound", "")}}},
			estimate.Tool{Version: "(devel)"}},
	} {
		c.want.Name = name
		if got := tool(&c.info); got != c.want {
			t.Errorf("%+v: got %+v, want %+v", c.info, got, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	p := Of()
	if p.Schema != estimate.Schema || p.Tool.Name != name || p.Tool.Version == "" || p != Of() {
		t.Errorf("%+v", p)
	}
}
