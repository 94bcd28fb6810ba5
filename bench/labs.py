#!/usr/bin/env python3
"""From save to verdict: what `labs/heed-lab test N` takes after one file was saved. Prints a Markdown table.

    bench/labs.py [--rounds 3] [LAB...]

Compiling, linking and all checks of the lab, medians; the library is built before. For figures that mean something the
machine must have nothing else to do.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "labs"))
from heed_lab.course import Course  # noqa: E402


def test(number):
    """(seconds, seconds of processor time) of one verdict."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([ROOT / "labs/heed-lab", "test", str(number)], capture_output=True, text=True,
                          env=dict(os.environ, CCACHE_DISABLE="1"))
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    red = re.findall(r"^ +- .*", done.stdout, re.M)  # the variation is the student's own
    if done.stderr or not all(line.endswith("not written") for line in red):
        sys.exit(f"labs.py: lab {number} does not pass here: {(done.stdout + done.stderr).strip()[-500:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("labs", type=int, nargs="*", metavar="LAB")
    options = parser.parse_args()
    course, walls = Course(ROOT), []
    print("| lab | file that was saved | wall | processor |\n| ---: | --- | ---: | ---: |")
    for number, lab in sorted(course.labs.items()):
        if options.labs and number not in options.labs:
            continue
        test(number)
        for name in sorted({cut["file"] for task in lab.tasks for cut in task.cuts if cut["kind"] != "hide"}):
            rounds = []
            text, saved = (ROOT / name).read_bytes(), (ROOT / name).stat().st_mtime_ns
            try:
                for n in range(options.rounds):
                    (ROOT / name).write_bytes(text + b"// %d\n" % n)  # what has not changed is not compiled
                    rounds.append(test(number))
            finally:
                (ROOT / name).write_bytes(text)
                os.utime(ROOT / name, ns=(saved, saved))  # the library is as it was
            wall, processor = (statistics.median(column) for column in zip(*rounds))
            walls.append(wall)
            print(f"| {number} | `{name}` | {wall:.1f} s | {processor:.1f} s |", flush=True)
    walls.sort()
    print(f"\nmedian {statistics.median(walls):.1f} s, 95 % within {walls[int(0.95 * (len(walls) - 1))]:.1f} s, "
          f"{len(walls)} files", file=sys.stderr)


if __name__ == "__main__":
    main()
