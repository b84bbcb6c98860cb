#!/bin/sh
# Makes the modules here from their sources, at -O0 and -O2, with Debian's clang 19.
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
	for level in O0 O2; do
		clang++-19 -S -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 \
			-Xclang -target-feature -Xclang +ptx63 -fms-extensions -std=c++17 -I../../../kernels \
			-$level "$source" -o "${source%.cu}.$level.ptx"
	done
done
