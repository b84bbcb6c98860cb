#!/usr/bin/env bash
# Runs all tests, after installing what they need beyond Go: the integer solver
# cbc, against which the project's own solvers are checked, and the satisfiability
# solvers z3 and cvc5. Arguments are passed to go test.
#
# No test has a limit of time that a slow or busy computer reaches. Checks of many random
# items try a hundredth of these: WARPBOUND_EFFORT=N tries N hundredths, WARPBOUND_DRAW=TEXT
# draws others, and "make soak" tries all. RAPID_CHECKS=100*N makes N times as many cases of
# property tests, and RAPID_SEED=0 draws others.
set -euo pipefail
cd "$(dirname "$0")"

# Debian package by program.
declare -A packages=([cbc]=coinor-cbc [z3]=z3 [cvc5]=cvc5)
missing=()
for program in "${!packages[@]}"; do
	command -v "$program" >/dev/null || missing+=("${packages[$program]}")
done
cat <<END
test.sh: vets and tests all packages, with the solvers cbc, z3 and cvc5${missing:+; installs ${missing[*]} first}.
This takes about eight minutes of processor time, and three more to compile if
nothing is in Go's cache. Packages without changes are not tested again.
END
if [ ${#missing[@]} -gt 0 ]; then
	if ! command -v apt-get >/dev/null; then
		echo "test.sh: please install the programs of these Debian packages: ${missing[*]}" >&2
		exit 1
	fi
	as_root=
	[ "$(id -u)" = 0 ] || as_root=sudo
	$as_root apt-get update -qq
	$as_root apt-get install -y -qq "${missing[@]}"
fi
# The property tests draw the same cases in every run.
export RAPID_SEED="${RAPID_SEED:-1}"
# Collecting garbage less often takes a quarter off the time.
export GOGC="${GOGC:-400}"
# Where a solver is required, its absence fails a test instead of skipping it.
# go test's own limit is ten minutes for each package, which a busy computer can
# exceed; this one only ends what hangs.
CI=true go test -timeout 12h "$@" ./...
