#!/usr/bin/env python3
"""Makes data/ubuntu-sample: the dialogues that come from the disentanglement corpus (CC-BY-4.0).

    make_sample.py SOURCE OUT

SOURCE holds {train,valid,test}.jsonl.gz with one dialogue a line; those whose id begins with linked/
or slice/ go to the file of the same name in OUT, unchanged and in the same order.
"""

import argparse
import gzip
import json
from pathlib import Path

PREFIXES = ("linked/", "slice/")


def sample(source, target):
    kept = []
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            dialogue = json.loads(line)
            if dialogue["id"].startswith(PREFIXES):
                kept.append((dialogue, line))
    # No file name and no time in the header: the same input gives the same bytes.
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
        for _, line in kept:
            out.write(line.encode("utf-8"))
    return [dialogue for dialogue, _ in kept]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    for part in ("train", "valid", "test"):
        name = f"{part}.jsonl.gz"
        dialogues = sample(args.source / name, args.out / name)
        turns = [turn["text"] for dialogue in dialogues for turn in dialogue["turns"]]
        linked = sum(dialogue["id"].startswith("linked/") for dialogue in dialogues)
        print(f"{name}: {len(dialogues)} dialogues ({linked} linked), {len(turns)} turns, "
              f"{sum(len(text.split()) for text in turns)} words, "
              f"{(args.out / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
