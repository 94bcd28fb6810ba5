#!/usr/bin/env python3
"""Where the time of a training step goes: samples of `perf`, by kind of work.

    bench/step_profile.py LABEL [flags of heed bench]      adds a profile to docs/results/profile.json
    bench/step_profile.py                                  draws docs/profile.svg again

Only user time is sampled, on one thread, so that other programs on the machine disturb little. The
start of the program (peak measurement, first random numbers) is taken off by name.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import svg

ROOT = Path(__file__).resolve().parent.parent
HEED = os.environ.get("HEED", str(ROOT / "build/release/bin/heed"))  # another build, to compare
HERTZ = 1000
PAPER = ("--structure static --batch 64 --embed 512 --hidden 512 --layers 4 --vocab 25000 --steps 4 "
         "--threads 1").split()
KINDS = [  # the first that matches
    ("start", r"chains|bf16_tiles|sincos|log_fma|random_normal|random_uniform"),
    ("products: tiles", r"_tile<|avx512_pair_rows"),
    ("products: copies", r"copy_rows|copy_tiles|copy_all_tiles|copy_columns|pair_rows|pair_block|pack|transpose_square|multiply|memmove"),
    ("gates of the LSTM", r"lstm_step"),
    ("cross entropy", r"cross_entropy"),
    ("dropout", r"dropout|uniforms"),
    ("norm and update", r"sum_squares|sgd_update"),
    ("all else", r""),
]


def profile(flags):
    with tempfile.NamedTemporaryFile() as data:
        run = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", str(HERTZ), "-o",
                              data.name, HEED, "bench", *flags],
                             text=True, check=True, stdout=subprocess.PIPE)
        report = subprocess.run(["perf", "report", "-i", data.name, "--stdio", "-F", "sample,symbol"],
                                text=True, check=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL).stdout
    samples = {name: 0 for name, _ in KINDS}
    for line in report.splitlines():
        found = re.match(r"\s*(\d+)\s+\[.\] (.*)", line)
        if found:
            samples[next(n for n, rule in KINDS if re.search(rule, found[2]))] += int(found[1])
    del samples["start"]
    result = json.loads(run.stdout.splitlines()[-1])
    steps = int(flags[flags.index("--steps") + 1]) + 1  # the warm-up is sampled too
    seconds = {name: count / HERTZ / steps for name, count in samples.items()}
    return {"seconds": seconds, "gflop": result["gflop_per_step"], "peak": result["peak_gflops"]}


def main():
    path = ROOT / "docs/results/profile.json"
    profiles = json.loads(path.read_text()) if path.exists() else {}
    if len(sys.argv) > 1:
        profiles[sys.argv[1]] = profile(sys.argv[2:] or PAPER)
        path.write_text(json.dumps(profiles, indent=1) + "\n")
    for label, p in profiles.items():
        total = sum(p["seconds"].values())
        print(f"{label}: {total:.2f} s a step, {100 * p['gflop'] / p['peak'] / total:.0f} % of peak")
        for name, seconds in p["seconds"].items():
            print(f"  {name:20} {seconds:6.3f} s {100 * seconds / total:5.1f} %")
    (ROOT / "docs/profile.svg").write_text(
        svg.bars("A training step of the paper's size on one thread", "s",
                 [(label, p["seconds"]) for label, p in profiles.items()]))


if __name__ == "__main__":
    main()
