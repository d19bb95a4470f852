#!/bin/sh
# Takes the pictures of docs/viewing.md and README.md anew: docs/viewing.png and docs/viewing.webp, the demo in chromium;
# and the page's main states, to be looked at, into build/viewing. Installs what it needs (install_deps.sh --view). Prints
# the machine's load: the pictures show times of ticks, so it should have nothing else to do.
# usage: viewing_pictures.sh [--jobs N]
set -eu
cd "$(dirname "$0")/../.."

jobs=$(nproc)
case ${1:-} in
--jobs) jobs=$2 ;;
"") ;;
*)
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

scripts/install_deps.sh --view
cmake --preset release -DPHAROS_BUILD_VIEW=ON >/dev/null
cmake --build --preset release -j "$jobs" --target pharos-view pharos-replay
modules=build/view_modules/node_modules
chromium=$(command -v chromium)
programs=build/release/src/tools

echo "load averages: $(cut -d ' ' -f 1-3 /proc/loadavg)"
node scripts/docs/view_recording.mjs "$modules" "$chromium" "$programs/pharos-view" docs/viewing.webp docs/viewing.png
rm -rf build/viewing
mkdir -p build/viewing
for test in browser layers; do
    VIEW_PICTURES=build/viewing node "tests/view/$test.mjs" "$modules" "$chromium" "$programs/pharos-replay" "$programs/pharos-view"
done
echo "docs/viewing.png, docs/viewing.webp; and $(find build/viewing -name '*.png' | wc -l) states in build/viewing"
