#!/usr/bin/env python3
"""Compare what Reflection says of an engine's extensions with what it says of PHP's.

Usage:
  compare.py --engine target/debug/opline [--reference php84-all] [--extension NAME ...]
             [--kind KIND ...] [--summary] [--missing-only]

Prints what is missing, what differs (with both signatures), what is there under another extension and
what PHP does not have, then a table of the figures. The exit status is 1 if more than three in a
hundred are missing.
"""
import argparse
import collections
import pathlib
import subprocess
import sys

EXTENSIONS = """Core standard date pcre ctype hash json mbstring random Reflection SPL tokenizer filter
libxml dom SimpleXML xml xmlreader xmlwriter iconv posix bcmath calendar zlib session pcntl readline
PDO pdo_sqlite sqlite3 sockets""".split()
KINDS = ['extension', 'function', 'class', 'class constant', 'property', 'method', 'constant', 'setting']
# Values that are of the build or the machine and not of the language.
OF_THE_BUILD = {
    ('constant', name) for name in """PHP_BINARY PHP_BINDIR PHP_LIBDIR PHP_DATADIR PHP_LOCALSTATEDIR
    PHP_SYSCONFDIR PHP_EXTENSION_DIR PHP_PREFIX PHP_SBINDIR PHP_MANDIR PHP_CONFIG_FILE_PATH PHP_OS
    PHP_CONFIG_FILE_SCAN_DIR PHP_VERSION PHP_EXTRA_VERSION PHP_VERSION_ID PHP_RELEASE_VERSION DEFAULT_INCLUDE_PATH
    PEAR_INSTALL_DIR PEAR_EXTENSION_DIR STDIN STDOUT STDERR PHP_SAPI __COMPILER_HALT_OFFSET__ ICONV_VERSION
    ICONV_IMPL PCRE_VERSION PCRE_VERSION_MINOR PCRE_VERSION_MAJOR LIBXML_VERSION LIBXML_DOTTED_VERSION
    LIBXML_LOADED_VERSION READLINE_LIB MB_ONIGURUMA_VERSION ZLIB_VERSION ZLIB_VERNUM""".split()
} | {('setting', name) for name in "extension_dir include_path sendmail_path error_log".split()}


def inventory(engine, extensions):
    """The rows by kind and name."""
    script = pathlib.Path(__file__).with_name('inventory.php')
    run = subprocess.run([*engine.split(), '-n', str(script), *extensions], capture_output=True, text=True,
                         errors='replace')
    rows = {}
    for line in run.stdout.splitlines():
        fields = line.split('\t')
        if len(fields) == 4:
            kind, extension, name, text = fields
            rows[kind, name if kind == 'constant' else name.lower()] = (extension, name, ' '.join(text.split()))
        else:
            print(f'{engine}: {line}')
    if run.returncode:
        print(f'{engine}: status {run.returncode} {run.stderr[-500:]}')
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--engine', required=True)
    parser.add_argument('--reference', default='php84-all')
    parser.add_argument('--extension', action='append')
    parser.add_argument('--kind', action='append')
    parser.add_argument('--summary', action='store_true')
    parser.add_argument('--missing-only', action='store_true')
    options = parser.parse_args()
    extensions = options.extension or EXTENSIONS
    theirs, ours = (inventory(engine, extensions) for engine in (options.reference, options.engine))

    count = collections.Counter()
    for (kind, key), (extension, name, text) in theirs.items():
        if extension not in extensions or (options.kind and kind not in options.kind):
            continue
        count[extension, kind, 'all'] += 1
        found = ours.get((kind, key))
        state, detail = None, ''
        if found is None:
            state, detail = 'missing', text
        elif found[0] != extension:
            state, detail = 'elsewhere', found[0]
        elif (found[1], found[2]) != (name, text) and (kind, name) not in OF_THE_BUILD:
            state, detail = 'differs', f'{text}\n{"ours":>12}: {found[1] if found[1] != name else ""}{found[2]}'
        if state:
            count[extension, kind, state] += 1
            if not options.summary and (state == 'missing' or not options.missing_only):
                print(f'{state:>10}  {extension} {kind} {name}: {detail}')
    for (kind, key), (extension, name, text) in ours.items():
        if (kind, key) not in theirs and extension in extensions and (not options.kind or kind in options.kind):
            count[extension, kind, 'more'] += 1
            if not options.summary and not options.missing_only:
                print(f'{"more":>10}  {extension} {kind} {name}: {text}')

    print(f'\n{"":14}{"of PHP":>8}{"missing":>9}{"differ":>8}{"elsewhere":>11}{"more":>6}')
    states = ('all', 'missing', 'differs', 'elsewhere', 'more')
    for label, chosen in [(kind, lambda k, kind=kind: k[1] == kind) for kind in KINDS] + [
            (extension, lambda k, extension=extension: k[0] == extension) for extension in extensions] + [
            ('everything', lambda k: True)]:
        figures = [sum(n for k, n in count.items() if chosen(k) and k[2] == state) for state in states]
        print('{:14}{:8}{:9}{:8}{:11}{:6}'.format(label, *figures))
    return figures[1] > figures[0] * 0.03


if __name__ == '__main__':
    sys.exit(main())
