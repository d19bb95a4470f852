#!/bin/sh
# Installs missing packages that the build needs (Debian, Ubuntu); as root or by sudo.
# usage: install_deps.sh [--tests | --packages | --bindings | --browser | --view | --cluster]
#   --tests      also the packages of the tests
#   --packages   also the packages of scripts/packaging
#   --bindings   also the languages of src/bindings: 150 MB of downloads, a minute and a half
#   --view       as --browser, and node with the npm packages of src/view/page, into build/view_modules
#   --cluster    also libraries and servers of a cluster: nats-server, etcd; openssl for their tests; 35 MB of downloads
#   --browser    also the browser of the test `browser_arena`: 233 MB of downloads on a bare machine
set -eu

packages="gcc cmake make pkg-config libck-dev libjemalloc-dev libconfuse-dev zlib1g-dev libzstd-dev libxxhash-dev libwebsockets-dev gnuplot-nox"
modules="ck jemalloc libconfuse zlib libzstd libxxhash"
tools="gcc cmake make pkg-config"
case ${1:-} in
--tests)
    packages="$packages g++ ninja-build mold libcriterion-dev clang clang-format-14 clang-tidy-14 llvm python3 doxygen cmark-gfm mandoc man-db zsh python3-cffi python3-numpy libwebsockets-dev"
    modules="$modules criterion"
    tools="$tools g++ clang python3"
    ;;
--packages)
    packages="$packages doxygen python3 lintian dpkg-dev debootstrap autopkgtest abigail-tools libnats-dev libcurl4-openssl-dev libcjson-dev"
    tools="$tools python3"
    ;;
--bindings)
    packages="$packages lua5.4 liblua5.4-dev luajit golang-go rustc cargo mono-mcs mono-runtime libmono-system-core4.0-cil libnats-dev libcurl4-openssl-dev libcjson-dev"
    modules="$modules libnats libcurl libcjson"
    tools="$tools lua5.4 luajit go rustc cargo mcs mono"
    ;;
--browser)
    packages="$packages libwebsockets-dev python3 chromium"
    tools="$tools python3 chromium"
    ;;
--view)
    packages="$packages libwebsockets-dev python3 chromium webp"
    command -v npm >/dev/null || packages="$packages nodejs npm"
    tools="$tools python3 chromium npm"
    ;;
--cluster)
    packages="$packages libnats-dev libcurl4-openssl-dev libcjson-dev nats-server etcd-server openssl"
    modules="$modules libnats libcurl libcjson"
    tools="$tools nats-server etcd openssl"
    ;;
"") ;;
*)
    echo "usage: $0 [--tests | --packages | --bindings | --browser | --view | --cluster]" >&2
    exit 2
    ;;
esac

# Without apt nothing can be installed here, but it may all be there.
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    for tool in $tools; do
        command -v "$tool" >/dev/null || { echo "$0: no apt-get here, and $tool is missing" >&2; exit 1; }
    done
    for module in $modules; do
        pkg-config --exists "$module" || { echo "$0: no apt-get here, and $module is missing" >&2; exit 1; }
    done
    exit 0
fi

updated=
install()
{
    sudo=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "$0: needs root or sudo to install: $*" >&2; exit 1; }
        sudo=sudo
    fi
    echo "installing: $*"
    if [ -z "$updated" ]; then
        $sudo apt-get -qq -o DPkg::Lock::Timeout=300 update
        updated=yes
    fi
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
        install --no-install-recommends "$@" >/dev/null
}

missing=
for package in $packages; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
    *"ok installed") ;;
    *) missing="$missing $package" ;;
    esac
done
if [ -n "$missing" ]; then
    # shellcheck disable=SC2086
    install $missing
fi

# The sanitizers and libFuzzer of clang: a package named after clang's version.
if [ "${1:-}" = --tests ]; then
    probe=$(mktemp -d)
    trap 'rm -rf "$probe"' EXIT
    echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d == 0 && n == 0; }' >"$probe/probe.c"
    if ! clang -fsanitize=fuzzer,address "$probe/probe.c" -o "$probe/probe" 2>/dev/null; then
        version=$(clang -dumpversion)
        install "libclang-rt-${version%%.*}-dev"
    fi
fi

# npm's packages of the page, as its lock file has them; their scripts are not run.
if [ "${1:-}" = --view ]; then
    modules_folder=$(dirname "$0")/../build/view_modules
    mkdir -p "$modules_folder"
    cp "$(dirname "$0")/../src/view/page/package.json" "$(dirname "$0")/../src/view/page/package-lock.json" "$modules_folder"
    (cd "$modules_folder" && npm ci --ignore-scripts --no-audit --no-fund)
fi
