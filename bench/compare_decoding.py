#!/usr/bin/env python3
"""Greedy and beam search of heed beside PyTorch and CTranslate2, in turn; writes docs/results/decoding-torch.md and .json.

    bench/compare_decoding.py [--rounds 3] [--sizes laptop] [--threads 1,2] [--structures dynamic,transformer] [--table-only]

A batch of contexts of six utterances of 12 random words is read, and 17 tokens are written for each: time is of both. heed runs
`heed bench --work greedy` and `beam` (5 hypotheses), the others bench/decode_torch.py. Needs torch and ctranslate2 for Python
(CPU), which nothing else here does.
"""
import argparse
import json
import platform
import statistics

from compare_torch import add_page_options, cells_of, made_with, name_sizes, write_runs
from decoding import run

WORKS = ["greedy", "beam"]

PAGE = """# Decoding beside PyTorch and CTranslate2

`bench/compare_decoding.py` makes this page; all runs are in [decoding-torch.json](decoding-torch.json).

A batch of contexts (six utterances of 12 words) is read, and 17 tokens are written for each; the seconds are of both, in f32. PyTorch has the same
equations, written as a careful user would write them: everything in batches, the keys and values of a Transformer kept, no gradients.
CTranslate2 has a Transformer of its own of the same sizes, and no LSTM. Weights and words are random, so that no response ends early.
The programs run in turn; a ratio is the median of the ratios within a round, with the range in parentheses: above 1 heed is faster.

- heed {heed}, kernels for {kernels}; PyTorch {torch}; CTranslate2 {ctranslate2}; Python {python}
- machine: {machine}
- sizes: {sizes}; `beam` has 5 hypotheses

| size | structure | work | threads | heed, s | PyTorch, s | CTranslate2, s | PyTorch / heed | CTranslate2 / heed | rounds |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{rows}
"""


def row(cell, runs):
    time_of = {"heed": lambda r: r["heed"]["median_step_s"], "torch": lambda r: r["torch"],
               "ctranslate2": lambda r: r["ctranslate2"]}
    has = lambda name: runs[0][name] is not None

    def median(name):
        return f"{statistics.median(map(time_of[name], runs)):.3f}" if has(name) else "–"

    def ratio(name):
        if not has(name):
            return "–"
        ratios = [time_of[name](r) / time_of["heed"](r) for r in runs]
        return f"**{statistics.median(ratios):.2f}** ({min(ratios):.2f}-{max(ratios):.2f})"

    return (f"| {' | '.join(str(v) for v in cell.values())} | {' | '.join(map(median, time_of))} | {ratio('torch')} | "
            f"{ratio('ctranslate2')} | {len(runs)} |")


def main():
    names = lambda text: text.split(",")
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--sizes", type=names, default=["laptop"])
    p.add_argument("--threads", type=lambda text: [int(t) for t in names(text)], default=[1, 2])
    p.add_argument("--structures", type=names, default=["dynamic", "transformer"])
    p.add_argument("--table-only", action="store_true", help="make the table again from the runs that are kept")
    add_page_options(p)
    args = p.parse_args()
    path = args.out / "decoding-torch.json"
    cells = [{"size": size, "structure": structure, "work": work, "threads": threads}
             for size in args.sizes for structure in args.structures for work in WORKS for threads in args.threads]
    runs = json.loads(path.read_text()) if args.table_only else []
    for cell in [] if args.table_only else cells * args.rounds:
        import decode_torch as others  # who makes the table again needs neither

        transformer = cell["structure"] == "transformer"
        runs.append({"cell": cell, "machine": args.machine, "versions": others.VERSIONS, "heed": run(args.heed, cell, cell["work"]),
                     "torch": others.seconds(others.torch_program, cell),
                     "ctranslate2": others.seconds(others.ctranslate2_program, cell) if transformer else None})
        write_runs(path, runs)
    cells = cells_of(runs)
    version, kernels = made_with(runs[0]["heed"])
    (args.out / "decoding-torch.md").write_text(PAGE.format(
        heed=version, kernels=kernels, torch=runs[0]["versions"][0], ctranslate2=runs[0]["versions"][1],
        python=platform.python_version(), machine=runs[0]["machine"], sizes=name_sizes(cells),
        rows="\n".join(row(cell, [r for r in runs if r["cell"] == cell]) for cell in cells)))


if __name__ == "__main__":
    main()
