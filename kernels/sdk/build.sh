#!/bin/sh
# Makes NAME/NAME.ptx of every kernel here from its source, with Debian's clang 14: -O2 for
# sm_20, the architecture of a Tesla C2050. A second run changes no byte.
set -eu
cd "$(dirname "$0")"

for source in */*.cu; do
	name=$(dirname "$source")
	# In the kernel's directory, so that the PTX names its sources by relative paths.
	(cd "$name" && clang++-14 -S -fno-crash-diagnostics -O2 -gline-tables-only -fdebug-compilation-dir=. \
		-x cuda --cuda-device-only --cuda-gpu-arch=sm_20 -Xclang -target-feature -Xclang +ptx32 \
		-nocudainc -nocudalib -fms-extensions -std=c++17 -I.. -I../.. \
		"$name.cu" -o "$name.ptx")
done
