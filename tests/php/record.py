#!/usr/bin/env python3
"""Writes what the reference PHP prints into files of cases: record.py FILE.programs|FILE.phpt...

The settings are those of tests/php_cases.rs. Look at what was written: it is the expectation."""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCE = os.environ.get("REFERENCE_PHP", "php84")


def settings():
    source = open(os.path.join(HERE, "../php_cases.rs")).read()
    listed = source.split("const SETTINGS", 1)[1].split("];", 1)[0]
    return re.findall(r'"([^"]+=[^"]*)"', listed)


def run(code, more=()):
    """What the reference prints, and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "case.php"), "w") as file:
            file.write(code)
        options = [word for setting in [*settings(), *more] for word in ("-d", setting)]
        command = [REFERENCE, "-n", *options, "case.php"]
        result = subprocess.run(command, cwd=folder, capture_output=True, timeout=60)
        text = result.stdout.decode("utf-8", "surrogateescape")
        return text.replace(folder + "/", "").strip("\n"), result.returncode


def record_programs(text):
    head, *parts = re.split(r"^=== ", text, flags=re.M)
    recorded = [head.strip()] if head.strip() else []
    for part in parts:
        title, rest = part.split("\n", 1)
        code = re.split(r"^---$", rest, maxsplit=1, flags=re.M)[0].strip("\n")
        output, _ = run(f"<?php {code}\n")
        recorded.append(f"=== {title}\n{code}\n---\n{output}")
    return "\n\n".join(recorded) + "\n"


def record_phpt(text):
    sections = dict(re.findall(r"^--([A-Z]+)--\n(.*?)(?=^--[A-Z]+--\n|\Z)", text, re.M | re.S))
    output, status = run(sections["FILE"], sections.get("INI", "").split())
    head = text.split("--EXPECT", 1)[0]
    head = re.sub(r"^--STATUS--\n.*\n", "", head, flags=re.M)
    if status:
        head += f"--STATUS--\n{status}\n"
    return f"{head}--EXPECT--\n{output}\n"


def main():
    for path in sys.argv[1:]:
        text = open(path).read()
        record = record_programs if path.endswith(".programs") else record_phpt
        with open(path, "w", errors="surrogateescape") as file:
            file.write(record(text))


if __name__ == "__main__":
    sys.exit(main())
