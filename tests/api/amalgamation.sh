#!/bin/sh
# Writes the library as one source file, compiles it with a host as the script's help says, and runs the examples: they
# print the same as with the library.
# usage: amalgamation.sh SOURCE CC WORK PROGRAM...    PROGRAM: an example that is linked to the library
set -eu
source=$1 cc=$2 work=$3
shift 3

rm -rf "$work"
mkdir -p "$work/include/pharos"
"$source/scripts/packaging/amalgamate" "$work"
version=$(sed -n 's/^#define PHAROS_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' "$source/include/pharos/base.h" | paste -sd.)
for file in pharos.c pharos.h; do # both begin with the version of the headers
    head -n 1 "$work/$file" | grep -qF "/* Pharos $version, one "
done
"$cc" -std=gnu17 -O1 -ffp-contract=off -Wall -Werror -Wno-unused-function -Wno-unneeded-internal-declaration -c "$work/pharos.c" -o "$work/pharos.o"
printf '#include "../../pharos.h"\n' >"$work/include/pharos/pharos.h" # hosts of one header include "pharos.h"
for program in "$@"; do
    name=${program##*/example_}
    "$cc" -std=gnu17 -I"$work/include" "$source/tests/examples/$name.c" "$work/pharos.o" -o "$work/$name" -lck -pthread -lm
    "$work/$name" >"$work/$name.one"
    "$program" >"$work/$name.library"
    cmp "$work/$name.one" "$work/$name.library"
    echo "$name: the same output"
done
