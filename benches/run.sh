#!/usr/bin/env bash
# Times Opline, and PHP if there is one (PHP=/path/to/php names it): best of ROUNDS runs (5).
# Needs python3. Both run without configuration; PHP without opcache. The memory shown is at least
# what Python had when it started them (some 10 MB): the system counts it so.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release
exec python3 - "$PWD/target/release/opline" "${PHP:-$(command -v php || true)}" "${ROUNDS:-5}" <<'PYTHON'
import glob, os, subprocess, sys, time

opline, php, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
engines = [opline] + ([php] if php else [])


def measure(engine, arguments):
    """Seconds of the fastest run, peak memory in MB, and the output."""
    best, peak, output = None, 0, b''
    for _ in range(rounds):
        read, write = os.pipe()
        start = time.perf_counter()
        process = subprocess.Popen([engine, '-n', *arguments], stdin=subprocess.DEVNULL, stdout=write)
        os.close(write)
        with os.fdopen(read, 'rb') as pipe:
            output = pipe.read()
        _, _, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        best = seconds if best is None else min(best, seconds)
        peak = usage.ru_maxrss / 1024
    return best, peak, output


print(f'{"":34}' + ''.join(f'{os.path.basename(e):>12} ms {"MB":>7}' for e in engines) + '   ratio')
programs = sorted(glob.glob('benches/php/*.php') + glob.glob('benches/programs/*.php') + glob.glob('examples/*.php'))
for name, arguments in [('start-up', ['-r', ''])] + [(path, [path]) for path in programs]:
    results = [measure(engine, arguments) for engine in engines]
    line = ''.join(f'{s * 1000:12.1f}    {m:7.1f}' for s, m, _ in results)
    if len(results) == 2:
        line += f'{results[0][0] / results[1][0]:8.2f}'
        if results[0][2] != results[1][2]:
            line += '  OUTPUT DIFFERS'
    print(f'{name:34}{line}')
PYTHON
