#!/usr/bin/env bash
# How far the definition reaches: of the oplines that programs execute, the share whose handler has a
# clause, whether it applied or not ("with a lowering"), the share of which a clause did the work, the share that ran
# handlers chosen by types, and what was left to middle and slow paths. With a number it fails if less than
# so many percent of all have a lowering.
#
#   benches/reach.sh [AT-LEAST]        programs of this project, and PHP's own two benchmarks if they are there
#   benches/reach.sh AT-LEAST PROGRAM...        these programs
#   OPLINE_PACKAGES=FOLDER benches/reach.sh     the packages, too, if no programs are named: see benches/packages/fetch.sh
#   OPLINE_BINARY=FILE benches/reach.sh         with a debug build, or one that has the feature `counters`
#   OPLINE_TURNS=N benches/reach.sh             how often the programs do what they do, for those that ask
set -euo pipefail
cd "$(dirname "$0")/.."
engine=${OPLINE_BINARY:-$PWD/target/counters/quick/opline}
if [ -z "${OPLINE_BINARY:-}" ]; then
    cargo build --quiet --profile quick --no-default-features --features counters \
        --target-dir target/counters
fi
least=${1:-0}
shift || true
programs=("$@")
if [ $# -eq 0 ]; then
    programs=(benches/php/*.php benches/jit/*.php examples/*.php)
    [ ! -d ../shared/bench/zend ] || programs+=(../shared/bench/zend/*.php)
    if [ -n "${OPLINE_PACKAGES:-}" ]; then
        for program in benches/packages/*.php; do
            case $program in */support.php | */document.php) ;; *) programs+=("$program") ;; esac
        done
    fi
fi
for program in "${programs[@]}"; do
    line=$(OPLINE_COUNTERS=shares "$engine" -n -d opline.jit=off "$program" ${OPLINE_TURNS:-} 2>&1 >/dev/null </dev/null | grep -a '^executed ' | tail -n 1)
    echo "$(basename "$program" .php) ${line:-executed 0}"
done | awk -v least="$least" '
    {
        gsub(/,/, "")
        printf "%-20s %s\n", $1, substr($0, length($1) + 2)
        executed += $3
        lowered += $3 * $7 / 100
        typed += $3 * $11 / 100
        middle += $3 * $14 / 100
        slow += $3 * $17 / 100
    }
    END {
        share = executed ? 100 * lowered / executed : 0
        printf "TOTAL executed %d, with a lowering %.2f %%, by a clause %.2f %%, by types %.2f %%, middle %.2f %%, slow %.2f %%\n", \
            executed, share, executed ? 100 - 100 * slow / executed : 0, 100 * typed / executed, 100 * middle / executed, 100 * slow / executed
        exit share < least
    }'
