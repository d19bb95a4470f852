#!/bin/sh
# Installs the build into a private prefix, moves it, and builds hosts against it in every
# supported way: CMake and pkg-config, shared and static, C and C++. Each must run; none
# may build without being told where the library is.
# usage: installed.sh BUILD SOURCE CMAKE CC CXX WORK
set -eu
build=$1 source=$2 cmake=$3 cc=$4 cxx=$5 work=$6
consumer=$source/tests/api/consumer

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$work"
cd "$work" # files of consumers stay there
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log" || fail "install"
mv "$work/first" "$work/prefix" # the installed files must not know their first place
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name 'libpharos.so' | head -n 1)")
version=$(sed -n 's/^Version: //p' "$libdir/pkgconfig/pharos.pc")

echo "== programs"
for program in pharos-replay pharos-config pharos-store pharos-view pharos-node pharos-cluster pharos-bench; do
    # A program that was not built is not installed; the top-level default builds all of them.
    if [ -x "$build/src/tools/$program" ] || [ -x "$build/bench/$program" ]; then
        "$prefix/bin/$program" --version | grep -qF "$version" || fail "$program --version does not tell $version"
        if [ -d "$build/completions" ]; then
            [ -s "$prefix/share/bash-completion/completions/$program" ] || fail "no completion of $program for bash"
            [ -s "$prefix/share/zsh/vendor-completions/_$program" ] || fail "no completion of $program for zsh"
            [ -s "$prefix/share/man/man1/$program.1.gz" ] || fail "no manual page of $program"
        fi
    fi
done

echo "== CMake"
"$cmake" -S "$consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; fail "find_package"; }
"$cmake" --build "$work/cmake" >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; fail "build"; }
stores=
[ ! -e "$libdir/pkgconfig/pharos-store.pc" ] || stores="store_shared store_static"
views=
[ ! -e "$libdir/pkgconfig/pharos-view.pc" ] || views="view_shared view_static"
clusters=
[ ! -e "$libdir/pkgconfig/pharos-cluster.pc" ] || clusters="cluster_shared cluster_static"
for program in consumer_shared consumer_static consumer_shared_cpp consumer_static_cpp config_shared config_static $stores $views $clusters; do
    "$work/cmake/$program" >"$work/out" || fail "cmake $program"
    echo "$program runs"
done
case $(ldd "$work/cmake/consumer_static") in
*libpharos*) fail "consumer_static is linked to the shared library" ;;
esac

echo "== CMake, the lines of docs/packages.md"
mkdir "$work/page"
cp "$source/tests/examples/hello.c" "$work/page"
sed -n '/the test api_installed builds/{n;:line;n;/^```$/q;p;b line}' "$source/docs/packages.md" >"$work/page/CMakeLists.txt"
{ "$cmake" -S "$work/page" -B "$work/page/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" &&
    "$cmake" --build "$work/page/build"; } >"$work/page.log" 2>&1 || { cat "$work/page.log"; fail "the lines of the page"; }
"$work/page/build/game" | grep -q '^tick 1: 1 sees 2$' || fail "the host of the page"

echo "== CMake, a version that is not there"
mkdir "$work/newer"
printf 'cmake_minimum_required(VERSION 3.22)\nproject(newer C)\nfind_package(pharos 0.999 CONFIG REQUIRED)\n' \
    >"$work/newer/CMakeLists.txt"
if "$cmake" -S "$work/newer" -B "$work/newer/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1; then
    fail "find_package(pharos 0.999) found $version"
fi

echo "== pkg-config"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
compile() # compile OUT COMPILER FILE FLAGS...
{
    out=$1 compiler=$2 file=$3
    shift 3
    "$compiler" -DPHAROS_EXPECTED_VERSION="\"$version\"" "$file" -o "$work/$out" "$@" || fail "$out does not build"
    LD_LIBRARY_PATH="$libdir" "$work/$out" >"$work/out" || fail "$out"
    echo "$out runs"
}
# Word splitting of pkg-config's output is wanted.
# shellcheck disable=SC2046
{
    compile pc_shared "$cc" "$consumer/consumer.c" $(pkg-config --cflags --libs pharos)
    compile pc_shared_cpp "$cxx" "$consumer/consumer.cpp" $(pkg-config --cflags --libs pharos)
    compile pc_config "$cc" "$consumer/config.c" $(pkg-config --cflags --libs pharos-config)
    [ -z "$stores" ] || compile pc_store "$cc" "$consumer/store.c" $(pkg-config --cflags --libs pharos-store)
    [ -z "$views" ] || compile pc_view "$cc" "$consumer/view.c" $(pkg-config --cflags --libs pharos-view)
    [ -z "$clusters" ] || compile pc_cluster "$cc" "$consumer/cluster.c" $(pkg-config --cflags --libs pharos-cluster)
    # The archives: hide the shared libraries, so that -lpharos can only mean the archive.
    mkdir "$work/hidden"
    mv "$libdir"/*.so* "$work/hidden"
    compile pc_static "$cc" "$consumer/consumer.c" $(pkg-config --cflags --libs --static pharos)
    compile pc_static_cpp "$cxx" "$consumer/consumer.cpp" $(pkg-config --cflags --libs --static pharos)
    compile pc_config_static "$cc" "$consumer/config.c" $(pkg-config --cflags --libs --static pharos-config)
    [ -z "$stores" ] || compile pc_store_static "$cc" "$consumer/store.c" $(pkg-config --cflags --libs --static pharos-store)
    [ -z "$views" ] || compile pc_view_static "$cc" "$consumer/view.c" $(pkg-config --cflags --libs --static pharos-view)
    [ -z "$clusters" ] || compile pc_cluster_static "$cc" "$consumer/cluster.c" $(pkg-config --cflags --libs --static pharos-cluster)
    mv "$work/hidden"/* "$libdir"
}

echo "== pages: no dead link; code is that of the source"
pages=$prefix/share/doc/pharos
python3 "$source/scripts/docs/links" "$pages" || fail "links of the installed pages"
blocks() # blocks PAGE: its blocks of code
{
    sed -n '/^```/,/^```$/p' "$1"
}
for page in "$source"/README.md "$source"/docs/*.md; do
    installed=$pages/$(basename "$page")
    [ -e "$installed" ] || continue
    blocks "$page" >"$work/blocks"
    blocks "$installed" | cmp - "$work/blocks" || fail "installed code of $page"
done
for recipe in "$source"/tests/pages/recipe_*; do
    cmp "$recipe" "$pages/examples/recipes/$(basename "$recipe")" || fail "the recipe's program is not installed"
done

echo "== examples, by the lines of their page"
cp -R "$prefix/share/doc/pharos/examples" "$work/examples"
if [ -n "$stores" ] && [ -n "$clusters" ]; then # all is there: the top-level default
    sed -n '/^```$/,/^```$/{/^```$/d;p}' "$work/examples/README.md" >"$work/lines"
    [ "$(grep -c '^\(cc\|for\) ' "$work/lines")" -ge 9 ] || fail "the examples' page has no lines"
    # "; ": sh -e passes over a command that fails before &&.
    grep -v '^cc browser_arena' "$work/lines" | sed 's/ && /; /' >"$work/examples/run.sh"
    if pkg-config --exists libwebsockets; then # a server that runs until Ctrl-C: built alone
        sed -n '/^cc browser_arena/s/ && .*//p' "$work/lines" >>"$work/examples/run.sh"
    fi
    (cd "$work/examples" && LD_LIBRARY_PATH="$libdir" sh -eu run.sh) >"$work/examples.log" 2>&1 ||
        { cat "$work/examples.log"; fail "the examples"; }
    grep -q '^tick 1: 1 sees 2$' "$work/examples.log" || fail "the examples print nothing"
fi

echo "== static without concurrencykit: named"
mkdir "$work/bare"
printf 'cmake_minimum_required(VERSION 3.22)\nproject(bare C)\nfind_package(pharos CONFIG REQUIRED COMPONENTS static)\n' \
    >"$work/bare/CMakeLists.txt"
if PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR="$libdir/pkgconfig" "$cmake" -S "$work/bare" -B "$work/bare/build" \
    -DCMAKE_PREFIX_PATH="$prefix" -DPKG_CONFIG_USE_CMAKE_PREFIX_PATH=OFF >"$work/bare.log" 2>&1; then
    fail "find_package(pharos COMPONENTS static) is content without concurrencykit"
fi
tr -s ' \n' ' ' <"$work/bare.log" | grep -qF 'pharos::static needs what is not found: concurrencykit (Debian: libck-dev)' ||
    { cat "$work/bare.log"; fail "find_package() does not name concurrencykit"; }

echo "== without pkg-config's flags"
if "$cc" -DPHAROS_EXPECTED_VERSION='""' "$consumer/consumer.c" -o "$work/none" -lpharos 2>/dev/null; then
    fail "a host builds without pkg-config: the tested library is not the installed one"
fi
echo "all installed consumers run"
