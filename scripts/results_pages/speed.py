"""docs/results/speed.md, speed-bf16.md, speed-bf16-amx.md, gpu.md, decoding.md and decoding-torch.md: the tables that are made of kept
runs by the scripts of bench/ that measured."""
import functools

import compare_decoding  # of bench/, as the next three
import compare_gpu
import compare_torch
import decoding

from .common import RESULTS, read

TABLES, FACTS = {}, {}


def wrong_speed(title):
    if compare_torch.table(read(RESULTS / f"{title}.json")) not in (RESULTS / f"{title}.md").read_text():
        yield f"{title}.md has another table than {title}.json"


def wrong_gpu():
    for runs in ("gpu-1", "gpu-2"):
        if compare_gpu.table(RESULTS / f"{runs}.jsonl") not in (RESULTS / "gpu.md").read_text():
            yield f"gpu.md has another table than {runs}.jsonl"


def wrong_decoding(title, row):
    page, kept = (RESULTS / f"{title}.md").read_text(), read(RESULTS / f"{title}.json")
    for cell in compare_torch.cells_of(kept):
        if row(cell, [run for run in kept if run["cell"] == cell]) not in page:
            yield f"{title}.md has another row than {title}.json: {cell}"


CHECKS = {f"docs/results/{title}.md": functools.partial(wrong_speed, title) for title in ("speed", "speed-bf16", "speed-bf16-amx")} | {
    "docs/results/gpu.md": wrong_gpu, "docs/results/decoding.md": functools.partial(wrong_decoding, "decoding", decoding.row),
    "docs/results/decoding-torch.md": functools.partial(wrong_decoding, "decoding-torch", compare_decoding.row)}
