# The steps of .ci/run. docs/performance.md says what each takes, and what it has found.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

# Begins the commands of a step: says what it is, and at its end how long it took.
step = @printf '\n== %s\n' "$(1)"; TIMEFORMAT='== $@: %R s, %U + %S s of processor time'; time {

tools := ./.ci/mutants ./.ci/processortime ./.ci/soak

.PHONY: all format compile staticcheck vet test race mutants tags arm64 demo browser
all: format staticcheck vet test race mutants tags arm64 demo browser

format:
	$(call step,format) unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed: $$unformatted" >&2; exit 1; fi; }

# Others use what this leaves in Go's cache, instead of compiling it at the same time.
compile:
	$(call step,compiler) go build ./... $(tools); }

# The tool has a module file of its own, so that what it needs is not required of programs that import warpbound.
staticcheck: compile
	$(call step,staticcheck) go tool -modfile=.ci/tools.mod staticcheck ./...; }

# Numbers of bounds are added up by their methods alone; and what go vet says.
vet: compile
	$(call step,vet and arithmetic of bounds) go test -modfile=.ci/tools.mod ./.ci/arithmetic; \
	go build -modfile=.ci/tools.mod -o .ci/bin/arithmetic ./.ci/arithmetic; go vet -vettool="$$PWD/.ci/bin/arithmetic" ./... $(tools); }

test: compile
	$(call step,tests within their limits of processor time) go build -o .ci/bin/processortime ./.ci/processortime; \
	./test.sh -vet=off -exec "$$PWD/.ci/bin/processortime"; }

# Tests of code that starts goroutines have names with Concurrent.
race: compile
	$(call step,race detector) \
	packages=$$(git grep -lE '^func Test[A-Za-z0-9]*Concurrent' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's,^,./,'); \
	RAPID_SEED=1 RAPID_CHECKS=10 CI=true go test -vet=off -race -timeout 12h -run Concurrent $$packages; }

# .ci/mutants/tried has the commit at which "make mutants" has last killed all that have names.
mutants: compile
	$(call step,mutants whose packages have changed) go test $(tools); \
	go run ./.ci/mutants -drawn 0 -since "$$(cat .ci/mutants/tried)"; }

# The packages that differ with the tags, internal/vec by those that call it, and the results of the suite, which do not. Without the driver of
# GPUs the program is linked statically.
tags: compile
	$(call step,tags purego and nocuda: no assembly and no driver of GPUs) \
	export CGO_ENABLED=0 RAPID_SEED=1; tags='-tags=purego,nocuda'; folder=$$(mktemp -d); \
	go vet $$tags ./internal/vec ./internal/cuda/...; \
	go test $$tags -vet=off -timeout 12h ./internal/alu ./internal/emu ./internal/cuda/...; \
	go test $$tags -vet=off -timeout 12h -run '^TestResultsOfTheSuite$$' .; \
	go build $$tags -o "$$folder/warpbound" ./cmd/warpbound; \
	if ldd "$$folder/warpbound" >/dev/null 2>&1; then echo "built with the tag nocuda, but linked dynamically" >&2; exit 1; fi; \
	"$$folder/warpbound" demo >/dev/null; }

# The packages that have other files there.
arm64: compile
	$(call step,arm64) export GOOS=linux GOARCH=arm64 CGO_ENABLED=0; go vet ./internal/vec ./internal/cuda/...; }

demo: compile
	$(call step,demo and profiles in go tool pprof) folder=$$(mktemp -d); \
	go build -o "$$folder/warpbound" ./cmd/warpbound; go build -o "$$folder/pprof" cmd/pprof; \
	"$$folder/warpbound" demo; \
	for job in kernels/*/job.toml kernels/sdk/*/job.toml; do \
		"$$folder/warpbound" sim "$$job" --pprof "$$folder/profile" >/dev/null; \
		"$$folder/pprof" -top "$$folder/profile" 2>&1 | grep -q '^Type: cycles' || { echo "go tool pprof does not read the profile of $$job" >&2; exit 1; }; \
	done; }

browser: compile
	$(call step,pages in Chromium) cd .ci/browser; go vet .; go test .; }
