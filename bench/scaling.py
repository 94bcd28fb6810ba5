#!/usr/bin/env python3
"""What a token costs in batches of different sizes and with different vocabularies.

    bench/scaling.py [--repeat 3] [--plot-only]

Runs `heed bench` (the laptop preset, static, one thread), takes the least processor time of the
repetitions, and writes docs/results/scaling.json, docs/scaling-batch.svg and
docs/scaling-vocabulary.svg.
The arithmetic that a token needs grows with the vocabulary, so the curves show the time and,
beside it, the time that this arithmetic takes at the multiply-add peak.
"""
import argparse
import json
import subprocess
from pathlib import Path

import svg

ROOT = Path(__file__).resolve().parent.parent
BATCHES, VOCABULARIES = [16, 32, 64, 128, 256], [10000, 25000, 50000, 100000]


def point(heed, batch, vocab, repeat):
    command = [heed, "bench", "--structure", "static", "--batch", batch, "--vocab", vocab, "--embed", 256,
               "--hidden", 256, "--layers", 2, "--steps", 3, "--threads", 1]
    runs = [json.loads(subprocess.run([str(c) for c in command], text=True, check=True,
                                      stdout=subprocess.PIPE).stdout) for _ in range(repeat)]
    best = min(runs, key=lambda r: r["cpu_step_s"])
    tokens, peak = best["tokens_per_step"], max(r["peak_gflops"] for r in runs)
    return {"batch": batch, "vocab": vocab, "us_per_token": 1e6 * best["cpu_step_s"] / tokens,
            "us_at_peak": 1e6 * best["gflop_per_step"] / peak / tokens}


def draw(name, key, title, x_label, points):
    lines = {"measured": [p["us_per_token"] for p in points],
             "arithmetic at peak": [p["us_at_peak"] for p in points]}
    (ROOT / "docs" / f"scaling-{name}.svg").write_text(
        svg.curves(title, x_label, "microseconds a token", [p[key] for p in points], lines))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--heed", default=ROOT / "build/release/bin/heed")
    p.add_argument("--plot-only", action="store_true")
    args = p.parse_args()
    path = ROOT / "docs/results/scaling.json"
    if not args.plot_only:
        run = lambda batch, vocab: point(args.heed, batch, vocab, args.repeat)
        data = {"batch": [run(b, 10000) for b in BATCHES],
                "vocabulary": [run(32, v) for v in VOCABULARIES]}
        path.write_text(json.dumps(data, indent=1) + "\n")
    data = json.loads(path.read_text())
    draw("batch", "batch", "A training step: what a token costs", "dialogues in a batch", data["batch"])
    draw("vocabulary", "vocab", "A training step: what a token costs", "words in the vocabulary",
         data["vocabulary"])


if __name__ == "__main__":
    main()
