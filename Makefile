.PHONY: build test bench fuzz soak

build:
	go build ./cmd/warpbound

test:
	./test.sh

# One line for each kernel and mode, NAME functional|cycle N warp-instr/s, after
# the table of the Go benchmark with its allocations.
bench:
	@go test -run '^$$' -bench BenchmarkKernels -benchmem . | awk ' \
		{ print } \
		/^BenchmarkKernels\// { \
			split($$1, name, "/"); sub(/-[0-9]+$$/, "", name[3]); \
			for (i = 2; i < NF; i++) if ($$(i + 1) == "warp-instr/s") rate = $$i; \
			lines[n++] = sprintf("%s %s %.0f warp-instr/s", name[2], name[3], rate) \
		} \
		END { print ""; for (i = 0; i < n; i++) print lines[i] }'

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

# Checks the methods on random kernels until Ctrl-C, which prints what was found and
# how to go on. SEED and FIRST say which kernels.
SEED ?= $(shell date +%s)
FIRST ?= 0
KERNELS ?= 1000000000
soak: build
	./warpbound selfcheck --seed $(SEED) --first $(FIRST) --kernels $(KERNELS)
