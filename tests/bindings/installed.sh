#!/bin/sh
# Installs a build into a private prefix; there it builds and runs the first program of each binding's page and the recipes
# of docs/recipes.md, as the pages say, and compares their output with the page. A language that is not installed is named
# and passed over.
# usage: installed.sh BUILD SOURCE CMAKE CC CXX WORK
set -eu
build=$1 source=$2 cmake=$3 cc=$4 cxx=$5 work=$6
prefix=$work/prefix
share=$prefix/share/pharos
rm -rf "$work"
for component in runtime config store view cluster dev; do
    "$cmake" --install "$build" --prefix "$prefix" --component "$component" >/dev/null
done
libdir=$(dirname "$(find "$prefix" -name 'libpharos.so' | head -n 1)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"
cd "$work"

# The block of a page that names the installed library, with the prefix at hand.
installed_block() # installed_block LANGUAGE
{
    sed -n '/^<!-- not run: needs an installed library -->$/{n;:line;n;/^```$/q;p;b line}' "$source/src/bindings/$1/README.md" |
        sed "s|/usr/share/pharos|$share|g; s|^c++ |$cxx |; s|^cc |$cc |"
}

# The output of the command is that of the page.
compare() # compare LANGUAGE COMMAND...
{
    language=$1
    shift
    sed -n '/^<!-- prints '"$language"'_hello -->$/{n;:line;n;/^```$/q;p;b line}' "$source/src/bindings/$language/README.md" >expected
    if ! [ -s expected ] || ! "$@" >printed 2>errors || ! diff expected printed; then
        cat errors
        echo "FAILED: the installed binding of $language" >&2
        exit 1
    fi
    echo "$language runs"
}

# Are all programs there?
have() # have LANGUAGE PROGRAM...
{
    language=$1
    shift
    for program in "$@"; do
        command -v "$program" >/dev/null || {
            echo "$language is left out: no $program"
            return 1
        }
    done
}

programs=$source/tests/bindings
cp "$programs/hello.cpp" game.cpp
sh -eu -c "$(installed_block cpp)"
compare cpp ./game

python=/usr/bin/python3 # the one that Debian's packages are for
if "$python" -c 'import cffi, numpy' 2>/dev/null; then
    compare python env "PYTHONPATH=$share/python" "$python" -B "$programs/hello.py"
else
    echo "python is left out: no python3-cffi or python3-numpy"
fi
if have lua lua5.4 && pkg-config --exists lua5.4; then
    cp -R "$share/lua" lua
    (cd lua && sh -eu -c "$(installed_block lua)")
    compare lua env "LUA_CPATH=lua/?.so" lua5.4 "$programs/hello.lua"
fi
if have luajit luajit; then
    compare luajit env "LUA_PATH=$share/luajit/?.lua" luajit "$programs/hello.lua"
fi
if have csharp mcs mono; then
    cp "$programs/hello.cs" game.cs
    sh -eu -c "$(installed_block csharp)"
    compare csharp mono game.exe
fi
if have go go; then
    mkdir go
    cp "$programs/hello.go" go/game.go
    { printf 'module game\ngo 1.18\n'; installed_block go; } >go/go.mod
    (cd go && GOPROXY=off GOFLAGS=-mod=mod CGO_CFLAGS=$(pkg-config --cflags pharos) CGO_LDFLAGS=$(pkg-config --libs pharos) \
        GOCACHE=$work/go_cache go build -o game game.go)
    compare go go/game
fi
if have rust cargo; then
    cargo init --offline -q --vcs none --name game rust
    cp "$programs/hello.rs" rust/src/main.rs
    sed -i '/^\[dependencies\]$/d' rust/Cargo.toml # the page's lines have it
    installed_block rust >>rust/Cargo.toml
    (cd rust && RUSTFLAGS="-L native=$libdir" cargo build --offline -q)
    compare rust rust/target/debug/game
fi

# The recipes, each by its line of docs/recipes.md in a copy of the installed folder.
cp -R "$prefix/share/doc/pharos/examples/recipes" recipes
cd recipes
sed -n '/^<!-- not run: the test binding_installed runs each line/{n;:line;n;/^```$/q;p;b line}' "$source/docs/recipes.md" |
    sed "s|/usr/share/pharos|$share|g; s|^c++ |$cxx |; s|^cc |$cc |" >lines
[ "$(wc -l <lines)" -eq "$(find . -name 'recipe_*' | wc -l)" ] || { echo "FAILED: a recipe has no line" >&2; exit 1; }
recipe() # recipe NAME: runs the line that names it
{
    sed -n '/^<!-- prints '"$1"' -->$/{n;:line;n;/^```$/q;p;b line}' "$source/docs/recipes.md" | grep -vxF ... >expected
    GOPROXY=off GOCACHE=$work/go_cache CGO_CFLAGS=$(pkg-config --cflags pharos) CGO_LDFLAGS=$(pkg-config --libs pharos) \
        sh -eu -c "$(grep -F "$1." lines)" >printed 2>errors || printf '' >printed
    if ! [ -s expected ] || ! diff expected - <<END; then
$(grep -xF -f expected printed)
END
        cat errors printed
        echo "FAILED: the installed $1, by the line of docs/recipes.md" >&2
        exit 1
    fi
    echo "$1 runs"
}
recipe recipe_core
! have recipe_skynet lua5.4 || ! pkg-config --exists lua5.4 || recipe recipe_skynet
! have recipe_gateway go || recipe recipe_gateway
! have recipe_server mcs mono || recipe recipe_server
