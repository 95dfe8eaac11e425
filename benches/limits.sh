#!/usr/bin/env bash
# What limits cost: instructions of the benchmarks and of start-up with and without the counting of memory
# and the polling of the interrupt word (the feature `unlimited`), interpreted and compiled. Takes the two binaries,
# or builds them. What is compiled is so at once and by the script's own thread: without polls nobody would enter
# what another thread has made.
set -euo pipefail
cd "$(dirname "$0")/.."
with=${1:-} without=${2:-}
if [ -z "$with" ]; then
    cargo build --quiet --profile quick
    cargo build --quiet --profile quick --features unlimited --target-dir target/unlimited
    with=target/quick/opline without=target/unlimited/quick/opline
fi

# Instructions of one run.
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | awk '/Collected/ { print $4 }'
}

empty=$(mktemp --suffix=.php)
trap 'rm -f "$empty"' EXIT
echo '<?php' >"$empty"

# All benchmarks with some options; the word in front of them names the mode.
measure() {
    local mode=$1 script name a b
    shift
    for script in "$empty" benches/php/*.php benches/jit/*.php; do
        name=$(basename "$script" .php)
        [ "$script" != "$empty" ] || name="start-up"
        a=$(count "$with" -n "$@" "$script")
        b=$(count "$without" -n "$@" "$script")
        awk -v m="$mode" -v n="$name" -v a="$a" -v b="$b" \
            'BEGIN { printf "%-12s %-20s %15d %15d  %+.2f %%\n", m, n, a, b, (a / b - 1) * 100 }'
    done | tee /dev/stderr | awk -v m="$mode" '{ sum += $5; n++ } END { printf "%s: mean %+.2f %%\n", m, sum / n }'
}

measure interpreted -d opline.jit=off
measure compiled -d opline.jit=on -d opline.jit_threshold=3 -d opline.jit_budget=0
