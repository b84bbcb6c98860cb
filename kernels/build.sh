#!/bin/sh
# Makes every PTX file here from its source, with Debian's clang 14, 16 and 19:
#
#   NAME/NAME.ptx                     what the job runs: -O2 for sm_70, for sm_80 if it
#                                     uses tensor cores
#   NAME/ptx/NAME.O?.sm_??.ptx        -O0 and -O2 for sm_20 and sm_70, but not of the
#                                     kernels for searches
#   NAME/corpus/clang??.O?.sm_??.ptx  -O0, -O1 and -O3 of every compiler for sm_20,
#                                     sm_35, sm_70 and sm_90, as far as it can, or
#                                     two of these, or none; without line numbers, to be
#                                     small
#
# OpenCL C needs libclc's bitcode for its builtin functions, that of the
# compiler's own version. The packages libclc-?? cannot be installed together, so
# they are downloaded and unpacked aside, to the directory VERSION of one that
# LIBCLC may name by its absolute path to keep them. The output depends only on
# the sources and these packages.
set -eu
cd "$(dirname "$0")"

if [ -z "${LIBCLC:-}" ]; then
	LIBCLC=$(mktemp -d)
	trap 'rm -rf "$LIBCLC"' EXIT
fi
for version in 14 16 19; do
	[ -d "$LIBCLC/$version" ] && continue
	(cd "$LIBCLC" && apt-get -qq download libclc-$version && dpkg -x libclc-${version}_*.deb $version)
done

# The compilers run in the kernel's directory, so that the PTX names its
# sources by relative paths.

# opencl NAME VERSION ARCH ISA OUTPUT OPTION...
opencl() {
	source=$1.cl clang=clang-$2 arch=$3 isa=$4 output=$5
	bitcode=$LIBCLC/$2/usr/lib/clc/nvptx64--nvidiacl.bc
	shift 5
	$clang -S -fno-crash-diagnostics "$@" \
		-target nvptx64-nvidia-cuda -march=$arch -Xclang -target-feature -Xclang +$isa \
		-x cl -cl-std=CL2.0 -Xclang -finclude-default-header \
		-Xclang -mlink-builtin-bitcode -Xclang "$bitcode" -Wno-linker-warnings \
		"$source" -o "$output"
}

# cuda NAME VERSION ARCH ISA OUTPUT OPTION...
cuda() {
	source=$1.cu clang=clang++-$2 arch=$3 isa=$4 output=$5
	shift 5
	$clang -S -fno-crash-diagnostics "$@" \
		-x cuda --cuda-device-only --cuda-gpu-arch=$arch -Xclang -target-feature -Xclang +$isa \
		-nocudainc -nocudalib -fms-extensions -std=c++17 -I.. \
		"$source" -o "$output"
}

# variants LANGUAGE NAME makes the job's module and NAME/ptx.
variants() {
	mkdir -p ptx
	for level in O0 O2; do
		for target in sm_20:ptx42 sm_70:ptx63; do
			arch=${target%:*}
			$1 $2 19 $arch ${target#*:} ptx/$2.$level.$arch.ptx \
				-$level -gline-tables-only -fdebug-compilation-dir=.
		done
	done
	cp ptx/$2.O2.sm_70.ptx $2.ptx
}

# job LANGUAGE NAME makes the job's module alone.
job() {
	$1 $2 19 sm_70 ptx63 $2.ptx -O2 -gline-tables-only -fdebug-compilation-dir=.
}

# tensor LANGUAGE NAME makes the job's module for a target with the tensor cores that it uses.
tensor() {
	$1 $2 19 sm_80 ptx71 $2.ptx -O2 -gline-tables-only -fdebug-compilation-dir=.
}

# refused NAME VERSION LEVEL ARCH says why a compiler cannot make a file of the
# corpus, or fails where it must.
refused() {
	case "$*" in
	*" 14 "*" sm_90") echo "clang 14 does not know sm_90" ;;
	"reduction 1"[46]" O0 "*) echo "the code generator of clang $2 stops at a __local pointer argument" ;;
	*) return 1 ;;
	esac
}

# corpus LANGUAGE NAME makes NAME/corpus.
corpus() {
	fresh
	for version in 14 16 19; do
		for level in O0 O1 O3; do
			for target in sm_20:ptx32 sm_35:ptx42 sm_70:ptx63 sm_90:ptx78; do
				arch=${target%:*}
				output=corpus/clang$version.$level.$arch.ptx
				if why=$(refused $2 $version $level $arch); then
					echo "no $2/$output: $why"
				else
					$1 $2 $version $arch ${target#*:} $output -$level
				fi
			done
		done
	done
}

# pair LANGUAGE NAME makes a NAME/corpus of two files that differ in all respects.
pair() {
	fresh
	$1 $2 14 sm_35 ptx42 corpus/clang14.O0.sm_35.ptx -O0
	$1 $2 16 sm_90 ptx78 corpus/clang16.O3.sm_90.ptx -O3
}

fresh() {
	mkdir -p corpus
	rm -f corpus/*.ptx
}

# none LANGUAGE NAME makes no corpus.
none() {
	:
}

# all MODULES CORPUS LANGUAGE NAME...
all() {
	modules=$1 corpus=$2 language=$3
	shift 3
	for name; do
		(cd $name && $modules $language $name && $corpus $language $name)
	done
}

all variants corpus opencl vectorAdd reduction histogram64
all variants corpus cuda matrixMul bitonicSort bfs
all variants pair opencl cfdStep cfdAdvance gaussianFactor gaussianUpdate sradCoefficient sradSelect sradUpdate
all variants pair cuda ludDiagonal ludPerimeter ludInternal nwUpper nwLower
all job pair cuda artificial bfsExpand insertionSort knapsack lbm petriSmall substringSearch
all job none cuda petri relaxation blendImages linkedList
all tensor none cuda halfMul
