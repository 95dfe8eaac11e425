#!/usr/bin/env python3
"""Writes the dumps that php-frontend/tests/dumps expects, from the reference PHP, and the table of the
functions and constants that the cases use."""

import glob
import os
import re
import subprocess
import sys

from compare_dumps import HERE, OPTIONS, REFERENCE, make_table

DIRECTORY = os.path.join(HERE, "../../php-frontend/tests/dumps")


def main():
    words = {"shell_exec", "exit"}
    for path in sorted(glob.glob(os.path.join(DIRECTORY, "*.php"))):
        path = os.path.abspath(path)
        words.update(word.lower() for word in re.findall(r"\w+", open(path).read()))
        # The reference names the file by its whole path.
        result = subprocess.run([REFERENCE, *OPTIONS, path], capture_output=True, text=True)
        dump = result.stderr.replace(path, os.path.basename(path))
        dump = dump.replace(f'"{os.path.dirname(path)}"', '"."')
        with open(path.replace(".php", ".dump"), "w") as file:
            file.write(dump.strip("\n") + "\n")
    table = make_table("/tmp")
    with open(os.path.join(DIRECTORY, "world.txt"), "w") as file:
        for line in open(table):
            kind, name = line.split("\t")[:2]
            if kind in "FK" and name.strip().lower() in words:
                file.write(line)
    os.remove(table)


if __name__ == "__main__":
    sys.exit(main())
