#!/usr/bin/env bash
# Runs all tests, after installing what they need beyond Go: the integer solver
# cbc, against which the project's own solvers are checked, and the satisfiability
# solvers z3 and cvc5.
set -euo pipefail
cd "$(dirname "$0")"

# Debian package by program.
declare -A packages=([cbc]=coinor-cbc [z3]=z3 [cvc5]=cvc5)
missing=()
for program in "${!packages[@]}"; do
	command -v "$program" >/dev/null || missing+=("${packages[$program]}")
done
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
# The property tests draw the same cases in every run; RAPID_SEED=0 draws others.
export RAPID_SEED="${RAPID_SEED:-1}"
# Where a solver is required, its absence fails a test instead of skipping it.
CI=true go test "$@" ./...
