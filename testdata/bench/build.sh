#!/bin/sh
# Makes NAME/NAME.ptx of every kernel here but filter from its source, with clang 19 for sm_70. That of filter is by clang 14,
# with the same options.
# The output depends only on the sources.
set -eu
cd "$(dirname "$0")"

# cuda NAME OPTION...
cuda() {
	name=$1
	shift
	(cd "$name" && clang++-19 -S -O2 -fno-crash-diagnostics \
		-x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -Xclang -target-feature -Xclang +ptx63 \
		-nocudainc -nocudalib -fms-extensions -std=c++17 -I../../../kernels \
		-gline-tables-only -fdebug-compilation-dir=. "$@" "$name.cu" -o "$name.ptx")
}

cuda fastMath -fgpu-flush-denormals-to-zero
cuda halfPrecision
cuda nbody
cuda vectorLoads
