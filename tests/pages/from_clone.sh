#!/bin/sh
# The tutorial's command for a clone that is not installed builds its first step, which prints the line of the page.
# usage: from_clone.sh SOURCE BUILD WORK
set -eu
source=$1 build=$2 work=$3
command=$(sed -n 's/^\(cc tests\/examples.*\) && .*$/\1/p' "$source/docs/tutorial.md" | sed "s|-Lbuild/release|-L$build|; s|[$]PWD/build/release|$build|; s|-o build/meet|-o $work/meet|")
[ -n "$command" ] || { echo "FAILED: docs/tutorial.md has no command that begins with \"cc tests/examples\"" >&2; exit 1; }
mkdir -p "$work"
cd "$source"
sh -c "$command"
[ "$("$work/meet")" = "tick 1: 1 sees 2" ] || { echo "FAILED: $command" >&2; exit 1; }
