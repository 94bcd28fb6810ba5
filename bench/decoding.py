#!/usr/bin/env python3
"""Scoring and beam search beside the training forward, in tokens a second.

    bench/decoding.py [--rounds 3] [--sizes laptop,paper] [--table-only]

Runs `heed bench --work forward`, `score` and `beam` in turn for every structure and number of
threads, and writes docs/results/decoding.json and decoding.md: medians of the tokens a second, and
of the ratios within a round.
"""
import argparse
import json
import statistics
import subprocess

from compare_torch import SIZES, STRUCTURES, add_page_options, cells_of, made_with, name_sizes, write_runs

WORKS = ["forward", "score", "beam"]

PAGE = """# Scoring and decoding beside the training forward

`bench/decoding.py` makes this page; all runs are in [decoding.json](decoding.json).

Tokens are those read and those predicted. Beam search (5 hypotheses) counts one for each hypothesis in each step. `forward` also
computes the gradient of the output layer, as training does. The three run in turn in each round. A ratio is the median of the ratios
within a round, with the range in parentheses.

- heed {heed}, kernels for {kernels}; machine: {machine}
- sizes: {sizes}; fixed lengths: 6 utterances of 12 words and a response of 16; seed 1

| size | structure | threads | forward, tokens/s | score, tokens/s | beam, tokens/s | score / forward | beam / forward | rounds |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{rows}
"""


def run(heed, cell, work):
    flags, steps = SIZES[cell["size"]]
    command = [heed, "bench", "--work", work, "--structure", cell["structure"], *flags.split(),
               "--threads", cell["threads"], "--steps", steps]
    done = subprocess.run([str(c) for c in command], text=True, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def row(cell, runs):
    speed = {work: [r[work]["tokens_per_s"] for r in runs] for work in WORKS}

    def ratio(work):
        all_of = [a / b for a, b in zip(speed[work], speed["forward"])]
        spread = f" ({min(all_of):.2f}-{max(all_of):.2f})" if len(all_of) > 1 else ""
        return f"**{statistics.median(all_of):.2f}**{spread}"

    medians = " | ".join(f"{statistics.median(speed[work]):,.0f}" for work in WORKS)
    return (f"| {' | '.join(str(v) for v in cell.values())} | {medians} | {ratio('score')} | "
            f"{ratio('beam')} | {len(runs)} |")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--sizes", type=lambda text: text.split(","), default=["laptop", "paper"])
    p.add_argument("--table-only", action="store_true", help="make the table again from the runs that are kept")
    add_page_options(p)
    args = p.parse_args()
    path = args.out / "decoding.json"
    if not args.table_only:
        cells = [{"size": size, "structure": structure, "threads": threads}
                 for size in args.sizes for threads in [1, 2] for structure in STRUCTURES]
        runs = []
        for cell in cells * args.rounds:
            runs.append({"cell": cell, "machine": args.machine,
                         **{work: run(args.heed, cell, work) for work in WORKS}})
            write_runs(path, runs)
    runs = json.loads(path.read_text())
    cells = cells_of(runs)
    version, kernels = made_with(runs[0]["forward"])
    (args.out / "decoding.md").write_text(PAGE.format(
        heed=version, kernels=kernels, machine=runs[0]["machine"],
        sizes=name_sizes(cells),
        rows="\n".join(row(cell, [r for r in runs if r["cell"] == cell]) for cell in cells)))


if __name__ == "__main__":
    main()
