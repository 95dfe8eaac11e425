#!/usr/bin/env bash
# Makes profile/release.profdata: an engine that counts runs the programs of the project, and what it counted says
# what release builds optimise for. Needs llvm-profdata of LLVM 19 or later (`rustup component add llvm-tools`, or
# Debian's package llvm-19). OPLINE_PACKAGES names the folder of benches/packages/fetch.sh: with it real packages
# count as well, as they should.
#
#   OPLINE_PACKAGES=FOLDER profile/make.sh
set -euo pipefail
cd "$(dirname "$0")/.."

tool=
for known in "$(rustc --print sysroot)"/lib/rustlib/*/bin/llvm-profdata llvm-profdata-{22,21,20,19} llvm-profdata; do
    if command -v "$known" >/dev/null; then
        tool=$known
        break
    fi
done
[ -n "$tool" ] || { echo "profile/make.sh: there is no llvm-profdata" >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/profile}
export CARGO_TARGET_DIR
# What counts is put into each crate before they are linked: there is no need to optimise all of it together.
CARGO_PROFILE_RELEASE_LTO=off OPLINE_PROFILE_TO=$folder cargo build --release -p opline
engine=$CARGO_TARGET_DIR/release/opline
export LLVM_PROFILE_FILE=$folder/%m_%p.profraw

run() {
    timeout 120 "$engine" -n "$@" >/dev/null 2>&1 </dev/null || true
}

# Not benches/library/wide.php: with it whole programs and packages took 5 % longer.
programs=(benches/php/*.php benches/programs/*.php benches/library/library.php examples/*.php)
if [ -n "${OPLINE_PACKAGES:-}" ]; then
    for program in benches/packages/*.php; do
        case $program in
            */support.php | */document.php) ;;
            *) programs+=("$program") ;;
        esac
    done
fi
for mode in off on; do
    for program in "${programs[@]}"; do
        run -d "opline.jit=$mode" "$program"
    done
done
# What programs seldom do has its place as well.
find tests/php tests/jit -name '*.php' | sort | while read -r program; do
    run "$program"
done
if [ -f ../shared/bench/operations.py ]; then
    python3 ../shared/bench/operations.py -n 1 --turns 5000 --engine "off=$engine -n -d opline.jit=off" >/dev/null
fi

"$tool" merge -sparse -o profile/release.profdata "$folder"/*.profraw
# A test asks whether they are in a release build: tests/dispatch.rs.
"$tool" show --topn=400 profile/release.profdata |
    sed -n 's/.*[ ;]\(_ZN[^,]*\), max count.*/\1/p' >profile/hottest.txt
ls -l profile/release.profdata
