.PHONY: build test bench fuzz soak mutants

build:
	go build ./cmd/warpbound

test:
	./test.sh

# After the tables of the Go benchmarks, with the allocations of kernels: one line for each kernel and
# mode, NAME functional|cycle N warp-instr/s, and for each operation, the least of seven runs,
# TEXT RATIO of LIMIT. It fails if an operation takes longer than its limit allows.
bench:
	@log=$$(mktemp); trap 'rm -f $$log' EXIT; status=0; \
	go test -run '^$$' -bench BenchmarkKernels -benchmem . >$$log || status=1; \
	go test -run '^$$' -bench BenchmarkOperations -benchtime 7x . >>$$log || status=1; \
	awk ' \
		{ print } \
		function metric(unit,  i) { for (i = 2; i < NF; i++) if ($$(i + 1) == unit) return $$i } \
		/^Benchmark.*\// && NF > 1 { \
			split($$1, name, "/"); sub(/-[0-9]+$$/, "", name[3]); sub(/-[0-9]+$$/, "", name[2]) \
		} \
		/^BenchmarkKernels\// && NF > 1 { lines[n++] = sprintf("%s %s %.0f warp-instr/s", name[2], name[3], metric("warp-instr/s")) } \
		/^BenchmarkOperations\// && NF > 1 { gsub(/_/, " ", name[2]); lines[n++] = sprintf("%s: %.1f of %d", name[2], metric("times-reference"), metric("limit")) } \
		END { print ""; for (i = 0; i < n; i++) print lines[i] }' $$log; \
	exit $$status

# Runs every fuzz target for FUZZTIME each. A worker that is busy with an input when the time is over makes
# go test fail with "context deadline exceeded", which is no finding.
FUZZTIME ?= 1m
fuzz:
	@log=$$(mktemp); trap 'rm -f $$log' EXIT; grep -rl --include='*_test.go' '^func Fuzz' . | while read file; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' $$file); do \
			echo "$$file $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$(dirname $$file) >$$log 2>&1; status=$$?; cat $$log; \
			test $$status = 0 || { grep -q 'context deadline exceeded' $$log && ! grep -qE 'Failing input|panic' $$log; } || exit 1; \
		done; \
	done

# Changes the code in small ways, one at a time, and fails if a named change, or more than a tenth of those that are
# drawn, make no test fail. .ci/run tries the named ones that have changed since all were killed.
MUTANTS_SEED ?= 1
DRAWN ?= 200
mutants:
	go run ./.ci/mutants -drawn 0
	git rev-parse HEAD >.ci/mutants/tried
	go run ./.ci/mutants -named '^$$' -seed $(MUTANTS_SEED) -drawn $(DRAWN)

# Tries all random items of the checks that otherwise draw a hundredth, for an hour on two cores, and keeps in
# docs/results/soak.md what they found. SEED=N has other items tried, RUN=REGEXP some of the checks.
SEED ?= 0
RUN ?= .
soak:
	go run ./.ci/soak -seed $(SEED) -run '$(RUN)'
