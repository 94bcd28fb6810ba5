#!/usr/bin/env python3
"""Training steps on a GPU: heed and PyTorch in turn, one cell of the table after the other.

    bench/compare_gpu.py HEED [--batch 64,256] [--lengths fixed,real] [--structures ...] [--matmul tf32,bf16] [--json FILE]
    bench/compare_gpu.py --table FILE         the table of what was kept, which docs/results/gpu.md shows

Both train 4 layers x 512 with 25,000 words (`heed bench --count`, bench_torch.py). PyTorch stays in this process, so that
it is loaded once. Kept is a line of JSON for each result. HEED_LIBRARIES: where heed finds its libraries, if that is to be
kept from PyTorch, which has its own. Without PyTorch, or with --alone, heed is measured alone. Ends with 1 if heed fails.
"""
import argparse
import contextlib
import importlib.util
import io
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STRUCTURES = "non-hier,static,static-ui,dynamic,dynamic-ui"
SIZES = "--embed 512 --hidden 512 --layers 4 --vocab 25000".split()


def of_heed(heed, matmul, flags):
    environment = {**os.environ, "LD_LIBRARY_PATH": os.environ.get("HEED_LIBRARIES", os.environ.get("LD_LIBRARY_PATH", ""))}
    line = subprocess.run([heed, "bench", "--device", "cuda", "--count", "--matmul", matmul, *flags], text=True, check=True,
                          stdout=subprocess.PIPE, env=environment).stdout
    return json.loads(line)


def of_torch(matmul, flags):
    precision = {"f32": [], "tf32": ["--tf32"], "bf16": ["--matmul", "bf16"]}[matmul]
    sys.argv = ["bench_torch.py", "--device", "cuda", *precision, *flags]
    line = io.StringIO()
    with contextlib.redirect_stdout(line):
        runpy.run_path(str(HERE / "bench_torch.py"), run_name="__main__")
    return json.loads(line.getvalue())


def measure(args, cell, flags, to):
    """Whether heed did all of it."""
    right = True
    for matmul in args.matmul.split(","):
        runs = [("heed", lambda: of_heed(args.heed, matmul, flags)), ("torch", lambda: of_torch(matmul, flags))]
        for program, run in runs[:1] if args.alone else runs:
            try:
                result = run()
            except Exception as error:  # the other cells count
                result = {"error": str(error)[-200:]}
                right &= program != "heed"
            record = {**cell, "program": program, "matmul": matmul, "result": result}
            print(json.dumps(record), file=to, flush=True)
    return right


def milliseconds(results, program, matmul):
    result = results.get((program, matmul), {})
    return 1000 * result["median_step_s"] if "median_step_s" in result else None


def text(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def table(path):
    """A row a cell: milliseconds of a step, and how many times as long PyTorch takes in its faster precision."""
    cells = {}
    for line in Path(path).read_text().splitlines():
        r = json.loads(line)
        cells.setdefault((r["batch"], r["lengths"], r["structure"]), {})[r["program"], r["matmul"]] = r["result"]
    rows = ["| dialogues | lengths | structure | heed tf32, ms | bf16 | PyTorch tf32, ms | bf16 | PyTorch / heed"
            " | heed f32, ms | PyTorch f32 | launches | memory, MiB |",
            "| ---: | --- | --- |" + " ---: |" * 9]
    for (batch, lengths, structure), results in cells.items():
        heed, torch = ([milliseconds(results, p, m) for m in ("tf32", "bf16")] for p in ("heed", "torch"))
        known = None not in heed and None not in torch
        counts = results.get(("heed", "tf32"), {})
        columns = [*map(text, heed + torch), text(min(torch) / min(heed) if known else None, 2),
                   *(text(milliseconds(results, p, "f32")) for p in ("heed", "torch")),
                   *(text(counts.get(key), 0) for key in ("launches", "peak_tensor_mb"))]
        rows.append(f"| {batch} | {lengths} | {structure} | " + " | ".join(columns) + " |")
    return "\n".join(rows) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("heed", nargs="?")
    for name, value in [("batch", "64,256"), ("lengths", "fixed,real"), ("structures", STRUCTURES), ("matmul", "tf32,bf16")]:
        p.add_argument("--" + name, default=value)
    p.add_argument("--steps", type=int, default=10)
    p.add_argument("--alone", action="store_true", help="heed alone")
    p.add_argument("--json", default="-")
    p.add_argument("--table")
    args = p.parse_args()
    if args.table:
        return print(table(args.table), end="")
    if not args.heed:
        p.error("the program heed is missing")
    args.alone |= importlib.util.find_spec("torch") is None
    right = True
    with contextlib.nullcontext(sys.stdout) if args.json == "-" else open(args.json, "a") as to:
        for batch in args.batch.split(","):
            for lengths in args.lengths.split(","):
                for structure in args.structures.split(","):
                    flags = ["--structure", structure, "--batch", batch, *SIZES, "--steps", str(args.steps)]
                    if lengths == "real":
                        flags += ["--lengths", str(HERE / "lengths.jsonl.gz")]
                    right &= measure(args, {"batch": int(batch), "lengths": lengths, "structure": structure}, flags, to)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
