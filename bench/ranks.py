#!/usr/bin/env python3
"""What pieces and ranks cost on this machine: trains the laptop preset on the bundled dialogues, alone and on 1 to 8
ranks, and prints a Markdown table. For figures that mean something the machine must have nothing else to do.

    bench/ranks.py --heed build/release/bin/heed --limit 384
"""
import argparse
import json
import re
import subprocess
import tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--heed", default="build/release/bin/heed")
parser.add_argument("--data", default="data/ubuntu-sample")
parser.add_argument("--preset", default="laptop")
parser.add_argument("--limit", default="384")
parser.add_argument("--batch", default="32")
parser.add_argument("--most", type=int, default=8, help="ranks at most")
args = parser.parse_args()


def train(*more):
    """(seconds a step, tokens a second, MiB that rank 0 sent a step) of all steps but the first."""
    with tempfile.TemporaryDirectory() as folder:
        run = folder + "/run"
        command = [args.heed, "train", "--data", args.data, "--out", run, "--preset", args.preset, "--batch",
                   args.batch, "--limit", args.limit, "--epochs", "1", "--log-steps", "1", *more]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        with open(run + "/steps.jsonl") as lines:
            steps = [json.loads(line) for line in lines]
    seconds = steps[-1]["time"] - steps[0]["time"]
    sent = re.search(r"rank 0 sent (\S+ \S+) a step", text)
    return seconds / (len(steps) - 1), sum(s["tokens"] for s in steps[1:]) / seconds, sent.group(1) if sent else "-"


print("| processes | pieces | threads each | ms a step | tokens/s | sent a step |")
print("| ---: | ---: | ---: | ---: | ---: | ---: |")


def row(ranks, pieces, threads):
    more = ["--threads", str(threads), "--pieces", str(pieces)] + (["--ranks", str(ranks)] if ranks > 1 else [])
    step, speed, sent = train(*more)
    print(f"| {ranks} | {pieces} | {threads} | {1000 * step:.0f} | {speed:.0f} | {sent} |", flush=True)


for pieces in (1, 8):
    for threads in (1, 2):
        row(1, pieces, threads)
ranks = 2
while ranks <= args.most:
    row(ranks, max(8, ranks), 1)
    ranks *= 2
