#!/bin/sh
# Makes every PTX file here from its source, with Debian's clang-19:
#
#   NAME/NAME.ptx               what the job runs: -O2 for sm_70
#   NAME/ptx/NAME.O?.sm_??.ptx  -O0 and -O2 for sm_20 and sm_70
#
# OpenCL C needs libclc's bitcode for its builtin functions. LIBCLC may give
# the absolute path of nvptx64--nvidiacl.bc; otherwise the package libclc-19 is
# downloaded and unpacked aside, since it cannot be installed beside another
# version's. The output depends only on the sources and these two packages.
set -eu
cd "$(dirname "$0")"

if [ -z "${LIBCLC:-}" ]; then
	unpacked=$(mktemp -d)
	trap 'rm -rf "$unpacked"' EXIT
	(cd "$unpacked" && apt-get -qq download libclc-19 && dpkg -x libclc-19_*.deb .)
	LIBCLC=$unpacked/usr/lib/clc/nvptx64--nvidiacl.bc
fi

# The compilers run in the kernel's directory, so that the PTX names its
# sources by relative paths.
common='-S -gline-tables-only -fdebug-compilation-dir=.'

# opencl NAME LEVEL ARCH ISA
opencl() {
	(cd "$1" && clang-19 $common -$2 \
		-target nvptx64-nvidia-cuda -march=$3 -Xclang -target-feature -Xclang +$4 \
		-x cl -cl-std=CL2.0 -Xclang -finclude-default-header \
		-Xclang -mlink-builtin-bitcode -Xclang "$LIBCLC" -Wno-linker-warnings \
		"$1.cl" -o "ptx/$1.$2.$3.ptx")
}

# cuda NAME LEVEL ARCH ISA
cuda() {
	(cd "$1" && clang++-19 $common -$2 \
		-x cuda --cuda-device-only --cuda-gpu-arch=$3 --cuda-feature=+$4 \
		-nocudainc -nocudalib -fms-extensions -std=c++17 -I.. \
		"$1.cu" -o "ptx/$1.$2.$3.ptx")
}

# variants LANGUAGE NAME...
variants() {
	language=$1
	shift
	for name; do
		mkdir -p "$name/ptx"
		for level in O0 O2; do
			$language "$name" $level sm_20 ptx42
			$language "$name" $level sm_70 ptx63
		done
		cp "$name/ptx/$name.O2.sm_70.ptx" "$name/$name.ptx"
	done
}

variants opencl vectorAdd reduction histogram64
variants cuda matrixMul bitonicSort bfs
