#!/usr/bin/env python3
"""Prints a Markdown table of what a build took: for each part the number of commands and their seconds, added.

    build_times.py [BUILD]   (build/release)

The times are those of .ninja_log, the last ones of each output. On a machine with nothing else to do they are nearly processor time.
"""

import re
import sys
from pathlib import Path

PARTS = [("linking", r"^(?!.*\.(o|gch)$)"),
         ("kernels, once for each of three levels", r"heed_kernels"),
         ("base to optim", r"heed_core"),
         ("train, dialog", r"heed_responding|Unity/unity_(train|dialog)"),
         ("experiments", r"Unity/unity_experiments|/experiments/"),
         ("the program", r"heed_commands|/heed\.dir|heed_program"),
         ("emulator", r"^emulator/"),
         ("fuzz targets", r"fuzz"),
         ("examples and benchmarks", r"example_|heed_bench"),
         ("tests", r"")]


def table(log):
    seconds = {}
    for line in log.read_text().splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        seconds[output] = (int(end) - int(begin)) / 1000
    found = {name: [] for name, _ in PARTS}
    for output, taken in seconds.items():
        found[next(name for name, pattern in PARTS if re.search(pattern, output))].append(taken)
    rows = [(name, len(found[name]), sum(found[name])) for name, _ in PARTS if found[name]]
    rows.append(("**all**", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    return "\n".join(["| part | commands | seconds |", "| --- | ---: | ---: |"] +
                     [f"| {name} | {count} | {total:.0f} |" for name, count, total in rows])


if __name__ == "__main__":
    log = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release") / ".ninja_log"
    if not log.is_file():
        sys.exit(f"there is no {log}\n{__doc__}")
    print(table(log))
