#!/usr/bin/env python3
"""Runs heed and PyTorch in turn on the same training steps and writes docs/results/speed.md.

    bench/compare_torch.py [--minutes 20] [--sizes laptop,paper] [--threads 1,2] ...
    bench/compare_torch.py --matmul bf16 ...     products of bf16, and autocast; speed-bf16.md and .json

Both get the same sizes, the same lengths and the same number of threads. A round runs one pair for
every cell of the table; rounds go on until the time is used up. All runs are kept in
docs/results/speed.json: call it again for more pairs, --fresh to begin anew, --minutes 0 to make
the table again. Needs torch for Python (CPU), which nothing else here does.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STRUCTURES = ["non-hier", "static", "static-ui", "dynamic", "dynamic-ui"]
LENGTHS = ["fixed", "real", "bucketed"]
SIZES = {  # flags of both programs, and the steps timed
    "laptop": ("--batch 32 --embed 256 --hidden 256 --layers 2 --vocab 10000", 8),
    "paper": ("--batch 64 --embed 512 --hidden 512 --layers 4 --vocab 25000", 2),
    "paper-256": ("--batch 256 --embed 512 --hidden 512 --layers 4 --vocab 25000", 1),
}


def command(program, cell, heed):
    flags, steps = SIZES[cell["size"]]
    start = [sys.executable, ROOT / "bench/bench_torch.py"] if program == "torch" else [heed, "bench"]
    result = [*start, *flags.split(), "--structure", cell["structure"], "--steps", str(steps),
              "--threads", str(cell["threads"])]
    if cell.get("matmul") == "bf16" and program != "heed_f32":
        result += ["--matmul", "bf16"]
    if cell["lengths"] != "fixed":
        result += ["--lengths", "bench/lengths.jsonl.gz"]
    return result + (["--bucket"] if cell["lengths"] == "bucketed" and program == "torch" else [])


def run(program, cell, heed):
    done = subprocess.run([str(part) for part in command(program, cell, heed)], text=True, cwd=ROOT,
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def made_with(result):
    """Version and kernels of a result of `heed bench`; runs that are kept may be older than the key "heed"."""
    heed = result["heed"]
    return (heed["version"], heed["kernels"]) if isinstance(heed, dict) else (heed, result["kernels"])


def write_runs(path, runs):
    path.write_text("[\n" + ",\n".join(json.dumps(r) for r in runs) + "\n]\n")


def cells_of(runs):
    """The different cells of the runs, in the order of the first run of each."""
    return list({json.dumps(r["cell"]): r["cell"] for r in runs}.values())


def name_sizes(cells):
    return "; ".join(f"`{size}` is `{SIZES[size][0]}`" for size in SIZES if any(c["size"] == size for c in cells))


def add_page_options(parser):
    """Options of all programs here that make a page of rounds."""
    parser.add_argument("--heed", type=lambda text: Path(text).resolve(), default=ROOT / "build/release/bin/heed",
                        help="the program")
    parser.add_argument("--machine", default=f"{os.cpu_count()} cores, {processor()}",
                        help="what to call the machine in the page")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/results", help="where the page and the runs go")


def measure(args, path, runs):
    bf16 = {"matmul": "bf16"} if args.matmul == "bf16" else {}
    programs = ["heed", "torch"] + (["heed_f32"] if bf16 else [])
    cells = [{"size": size, "lengths": lengths, "structure": structure, "threads": threads, **bf16}
             for size in args.sizes for lengths in args.lengths
             for structure in args.structures for threads in args.threads]
    pairs = lambda cell: sum(run["cell"] == cell for run in runs)
    end = time.monotonic() + 60 * args.minutes
    while args.minutes and any(pairs(cell) < args.pairs for cell in cells):
        cell = min(cells, key=pairs)  # the first of those that have been run least often
        if time.monotonic() > end:
            break
        order = programs if pairs(cell) % 2 == 0 else programs[::-1]
        result = {program: run(program, cell, args.heed) for program in order}
        runs.append({"cell": cell, "machine": args.machine, **result})
        ratio = result["heed"]["tokens_per_s"] / result["torch"]["tokens_per_s"]
        print(*cell.values(), f"{ratio:.2f}", flush=True)
        write_runs(path, runs)


def row(cell, runs):
    middle = lambda program, key: statistics.median(r[program][key] for r in runs)
    ratios = [r["heed"]["tokens_per_s"] / r["torch"]["tokens_per_s"] for r in runs]
    spread = f" ({min(ratios):.2f}-{max(ratios):.2f})" if len(ratios) > 1 else ""
    memory = middle("heed", "peak_rss_mb") / middle("torch", "peak_rss_mb")
    share = middle("heed", "share_of_peak")
    torch_share = statistics.median(r["heed"]["share_of_peak"] / ratio for r, ratio in zip(runs, ratios))
    return (f"| {' | '.join(str(v) for v in cell.values())} | {middle('heed', 'tokens_per_s'):,.0f} | "
            f"{middle('torch', 'tokens_per_s'):,.0f} | **{statistics.median(ratios):.2f}**{spread} | "
            f"{len(ratios)} | {100 * share:.0f} % | {100 * torch_share:.0f} % | "
            f"{middle('heed', 'peak_rss_mb'):.0f} | {middle('torch', 'peak_rss_mb'):.0f} | "
            f"{memory:.2f} |")


def row_bf16(cell, runs):
    middle = lambda program, key: statistics.median(r[program][key] for r in runs)
    ratio = lambda a, b: statistics.median(r[a]["tokens_per_s"] / r[b]["tokens_per_s"] for r in runs)
    names = [cell[key] for key in ("size", "lengths", "structure", "threads")]
    return (f"| {' | '.join(str(v) for v in names)} | {middle('heed', 'tokens_per_s'):,.0f} | "
            f"{middle('torch', 'tokens_per_s'):,.0f} | **{ratio('heed', 'torch'):.2f}** | "
            f"{middle('heed_f32', 'tokens_per_s'):,.0f} | **{ratio('heed', 'heed_f32'):.2f}** | {len(runs)} | "
            f"{100 * middle('heed', 'share_of_peak'):.0f} % | {100 * middle('heed_f32', 'share_of_peak'):.0f} % |")


def table(runs):
    cells = cells_of(runs)
    rank = lambda c: (list(SIZES).index(c["size"]), LENGTHS.index(c["lengths"]),
                      STRUCTURES.index(c["structure"]), c["threads"])
    if "matmul" in cells[0]:
        lines = ["| size | lengths | structure | threads | heed bf16, tokens/s | PyTorch autocast, tokens/s | "
                 "heed / PyTorch | heed f32, tokens/s | bf16 / f32 | rounds | bf16, share of its peak | "
                 "f32, share of its peak |",
                 "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
        lines += [row_bf16(c, [r for r in runs if r["cell"] == c]) for c in sorted(cells, key=rank)]
        return "\n".join(lines)
    lines = ["| size | lengths | structure | threads | heed, tokens/s | PyTorch, tokens/s | heed / PyTorch "
             "| pairs | heed, share of peak | PyTorch, share | heed, MB | PyTorch, MB | MB ratio |",
             "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    lines += [row(c, [r for r in runs if r["cell"] == c]) for c in sorted(cells, key=rank)]
    return "\n".join(lines)


PAGE = """# heed and PyTorch on the same training step

`bench/compare_torch.py` makes this page; all runs are in [speed.json](speed.json). [Performance](../performance.md#against-pytorch)
sums the numbers up.

A step is forward, loss with attention loss, backward, clipping and SGD, with dropout 0.2, in f32. PyTorch runs
[bench_torch.py](../../bench/bench_torch.py), which is written as a careful user would write it: batched, with packed sequences and
one output projection for all steps. Both programs get the same sizes, lengths and threads, and run in turn. The ratio is that of
tokens per second without padding: the median of the pairs, with the range in parentheses.

Each program draws its own words, dropout and parameters with seed 1, from the same distributions. With the learning rate 1 a repeated batch
overshoots after about eight steps, a step sooner with some seeds than with others. There the last losses in speed.json differ much.
Other tests check that heed computes the same as PyTorch ([numerics.md](../numerics.md)).

- heed {heed}, kernels for {kernels}; PyTorch {torch}; Python {python}
- machine: {machine}
- sizes: {sizes}
- fixed lengths: 6 utterances of 12 words and a response of 16; real lengths: those of 2,560 Ubuntu dialogues
  ([lengths.jsonl.gz](../../bench/lengths.jsonl.gz))
- share of peak: the step's floating-point operations, counted from the shapes, against the multiply-add peak that `heed bench`
  measures first with the same threads. Only operations that heed does are counted. PyTorch does more (on padding, and for static
  structures with the same context in every step). A program that does at least the counted operations cannot be more than
  1 / (PyTorch's share) times as fast as PyTorch
- MB: peak resident memory of the whole process; importing PyTorch alone takes {imported} MB

{table}
"""


PAGE_BF16 = """# heed and PyTorch with products of bf16

`bench/compare_torch.py --matmul bf16` makes this page; all runs are in [speed-bf16.json](speed-bf16.json).

The step is that of [speed.md](speed.md). heed runs with `--matmul bf16`, and again in f32. PyTorch runs forward and loss under
`torch.autocast` with bfloat16; its parameters stay f32. The three run in turn. A ratio is the median of the ratios within a round.

- heed {heed}, kernels for {kernels}, bf16 by {tile}; PyTorch {torch}; Python {python}
- machine: {machine}
- sizes: {sizes}
- fixed and real lengths: as in [speed.md](speed.md). Bucketed: PyTorch gets the real lengths sorted before they are cut into
  batches, and the batches in random order, so that it pads less; heed gets the lengths in the order of the file
- share of its peak: against the peak that `heed bench` measures first with the same threads. In f32 this is multiply-adds in
  registers, in bf16 tiles whose factors are in the L1 cache

{table}
"""


def processor():
    """Its name, and which instructions for bf16 it has, by /proc/cpuinfo."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.machine()
    fields = dict(line.split("\t: ", 1) for line in text.split("\n\n")[0].replace("\t\t", "\t").splitlines()
                  if "\t: " in line)
    flags = fields.get("flags", "").split()
    has = [name for flag, name in [("amx_bf16", "AMX"), ("avx512_bf16", "AVX512-BF16")] if flag in flags]
    return (f"{fields.get('model name', platform.machine())} (family {fields.get('cpu family', '?')}, model "
            f"{fields.get('model', '?')}; {' and '.join(has) or 'no instructions for bf16'})")


def write_page(runs, path):
    imported = subprocess.run(
        [sys.executable, "-c", "import torch, resource;"
         "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"],
        text=True, stdout=subprocess.PIPE).stdout.strip()
    last = runs[-1]
    version, kernels = made_with(last["heed"])
    bf16 = "matmul" in last["cell"]
    path.write_text((PAGE_BF16 if bf16 else PAGE).format(
        tile=last["heed"].get("bf16_tile"), heed=version, kernels=kernels, torch=last["torch"]["torch"],
        python=platform.python_version(), machine=last["machine"], imported=imported or "?",
        sizes=name_sizes(cells_of(runs)),
        table=table(runs)))


def main():
    some = lambda known: lambda text: [known[[str(k) for k in known].index(t)] for t in text.split(",")]
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--minutes", type=float, default=20, help="begin no new pair after this time")
    p.add_argument("--pairs", type=int, default=5, help="of every cell, earlier runs counted")
    p.add_argument("--sizes", type=some(list(SIZES)), default=["laptop", "paper"])
    p.add_argument("--lengths", type=some(LENGTHS), help="default: fixed,real; with bf16 bucketed too")
    p.add_argument("--matmul", choices=["f32", "bf16"], default="f32")
    p.add_argument("--structures", type=some(STRUCTURES), default=STRUCTURES)
    p.add_argument("--threads", type=lambda text: [int(t) for t in text.split(",")], default=[1, 2])
    add_page_options(p)
    p.add_argument("--fresh", action="store_true", help="forget earlier runs")
    args = p.parse_args()
    args.lengths = args.lengths or (LENGTHS if args.matmul == "bf16" else LENGTHS[:2])
    name = "speed-bf16" if args.matmul == "bf16" else "speed"
    raw = args.out / f"{name}.json"
    runs = json.loads(raw.read_text()) if raw.exists() and not args.fresh else []
    measure(args, raw, runs)
    if not runs:
        sys.exit("no runs: give it some --minutes")
    write_page(runs, args.out / f"{name}.md")


if __name__ == "__main__":
    main()
