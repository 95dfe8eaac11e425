#!/usr/bin/env python3
"""Compares the op arrays of Opline with those of the reference PHP.

Runs `php84-opcache` with its debug dump before the optimizer and Opline's dumper on the same files,
and reports how many op arrays agree: opcode for opcode, and line for line.

    compare_dumps.py [--dumper PATH] [--show N] FILE...

A .phpt file stands for its FILE section. The reference runs the code, for five seconds at most.
"""

import argparse
import collections
import hashlib
import os
import re
import subprocess
import sys
import tempfile

REFERENCE = "php84-opcache"
OPTIONS = ["-n", "-d", "opcache.opt_debug_level=0x10000", "-d", "display_errors=1", "-d", "error_log=/dev/null",
           "-d", "opcache.max_accelerated_files=100000"]
HERE = os.path.dirname(os.path.abspath(__file__))


def source_of(path):
    """The PHP code of a file."""
    data = open(path, "rb").read()
    if not path.endswith(".phpt"):
        return data
    match = re.search(rb"^--FILE(?:EOF)?--\r?\n(.*?)(?=^--[A-Z_]+--\r?$|\Z)", data, re.S | re.M)
    return match.group(1) if match else None


def make_table(directory):
    """The table of what the reference knows, for Opline's compiler."""
    names = subprocess.run([REFERENCE, "-n", "-r", "echo implode(\"\\n\", get_defined_functions()['internal']);"],
                           capture_output=True, text=True).stdout.split()
    path = os.path.join(directory, "frameless.php")
    with open(path, "w") as file:
        file.write("<?php\nfunction f($a) {\n")
        for name in names:
            for arity in range(4):
                file.write(f"\\{name}({', '.join(['$a'] * arity)});\n")
        file.write("}\n")
    dump = subprocess.run([REFERENCE, *OPTIONS, path], capture_output=True, text=True).stderr
    found = sorted(set(re.findall(r"FRAMELESS_ICALL_(\d)\((\w+)\)", dump)))
    lines = "".join(f"{name} {arity}\n" for arity, name in found)
    table = subprocess.run([REFERENCE, "-n", os.path.join(HERE, "make_table.php")], input=lines,
                           capture_output=True, text=True).stdout
    path = os.path.join(directory, "table.txt")
    with open(path, "w") as file:
        file.write(table)
    return path


def parse(text, path):
    """Op arrays of a file by name: opcodes, and whole lines with the header."""
    arrays = collections.OrderedDict()
    name, current = None, None
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.endswith(":") and number + 1 < len(lines) and lines[number + 1].startswith("     ; (lines="):
            if not any(part.startswith(f"     ; {path}:") for part in lines[number + 1:number + 4]):
                current = None
                continue
            name = line[:-1]
            while name in arrays:
                name += "'"
            current = arrays[name] = ([], [])
        elif current is None:
            continue
        elif re.match(r"\d{4} ", line):
            rest = line[5:]
            rest = re.sub(r"^(?:CV|T|V)\d+(?:\(\$[^)]*\))? = ", "", rest)
            current[0].append(rest.split(" ")[0].split("(")[0])
            current[1].append(line)
        elif line.startswith("     ; (lines=") or line in ("LIVE RANGES:", "EXCEPTION TABLE:"):
            current[1].append(line.strip())
        elif line.startswith("     ") and not line.startswith("     ;"):
            current[1].append(line.strip())
    return arrays


def reference_dump(path):
    with tempfile.TemporaryDirectory() as scratch:
        process = subprocess.Popen([REFERENCE, *OPTIONS, path], stdin=subprocess.DEVNULL, cwd=scratch,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            output, dump = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            output, dump = process.communicate()
    return dump, output


def error_of(text):
    match = re.search(r"(?:Fatal|Parse) error: +(.*?) in \S+ on line (\d+)", text)
    return (match.group(1), match.group(2)) if match else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dumper", default=os.path.join(HERE, "../../target/debug/examples/dump"))
    parser.add_argument("--show", type=int, default=0, help="print this many disagreements")
    parser.add_argument("--work", help="directory for generated files, kept")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    directory = arguments.work or tempfile.mkdtemp()
    os.makedirs(directory, exist_ok=True)
    table = os.path.join(directory, "table.txt")
    if not os.path.exists(table):
        table = make_table(directory)
    cache = os.path.join(directory, "reference")
    os.makedirs(cache, exist_ok=True)
    total = collections.Counter()
    shown = 0
    errors, work = [], []
    for path in arguments.files:
        source = source_of(path)
        if source is None:
            continue
        digest = hashlib.sha1(path.encode()).hexdigest()[:8]
        code = os.path.join(cache, re.sub(r"[^A-Za-z0-9]+", "_", os.path.basename(path)) + f"_{digest}.php")
        saved = code + ".dump"
        with open(code, "wb") as file:
            file.write(source)
        if not os.path.exists(saved):
            dump, output = reference_dump(code)
            with open(saved, "wb") as file:
                file.write(dump + b"\n@@@@\n" + output)
        work.append((path, code, saved))
    ours = subprocess.run([arguments.dumper, table, *[code for _, code, _ in work]], capture_output=True)
    if ours.returncode != 0:
        print("dumper failed:", ours.stderr.decode("latin-1")[-2000:])
    sections = re.split(r"^@@ (.*)\n", ours.stdout.decode("utf-8", "replace"), flags=re.M)
    texts = dict(zip(sections[1::2], sections[2::2]))
    for path, code, saved in work:
        text = open(saved, "rb").read().decode("utf-8", "replace")
        dump, output = text.split("\n@@@@\n", 1)
        reference = parse(dump, code)
        text = texts.get(code, "")
        expected_error = error_of(output) if not reference else None
        actual_error = error_of(text)
        if expected_error or actual_error:
            total["errors"] += 1
            if expected_error == actual_error:
                total["errors agreeing"] += 1
            else:
                errors.append((path, expected_error, actual_error))
            if actual_error and reference:
                total["op arrays"] += len(reference)
            continue
        own = parse(text, code)
        for name, (opcodes, lines) in reference.items():
            total["op arrays"] += 1
            mine = own.get(name)
            if mine is None:
                total["missing"] += 1
                agrees = whole = False
            else:
                agrees = mine[0] == opcodes
                whole = mine[1] == lines
            total["opcodes agreeing"] += agrees
            total["lines agreeing"] += whole
            if not whole and shown < arguments.show:
                shown += 1
                kind = "missing" if mine is None else "operands" if agrees else "opcodes"
                print(f"== {path}: {name} ({kind})")
                if mine is not None:
                    for number in range(max(len(lines), len(mine[1]))):
                        left = lines[number] if number < len(lines) else ""
                        right = mine[1][number] if number < len(mine[1]) else ""
                        if left != right:
                            print(f"  - {left}\n  + {right}")
                            break
        for name in own:
            if name not in reference:
                total["extra"] += 1
    for path, expected, actual in errors[:arguments.show]:
        print(f"!! {path}\n  - {expected}\n  + {actual}")
    count = max(total["op arrays"], 1)
    print(f"op arrays: {total['op arrays']}, opcode for opcode: {total['opcodes agreeing']} "
          f"({100 * total['opcodes agreeing'] / count:.2f} %), line for line: {total['lines agreeing']} "
          f"({100 * total['lines agreeing'] / count:.2f} %), missing: {total['missing']}, extra: {total['extra']}")
    print(f"compile errors: {total['errors']}, the same text and line: {total['errors agreeing']}")


if __name__ == "__main__":
    sys.exit(main())
