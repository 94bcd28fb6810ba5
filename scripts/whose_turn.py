#!/usr/bin/env python3
"""Does a model count whose turn it is? Measures models on contexts with turns of other dialogues in them, or turns left out.

    whose_turn.py HEED OUT MODEL...   (folders of different names)

The dialogues are those of the bundled sample's test part that have four turns before their response or more, of which the last ten are
read. Each is written once as it is and once for each change; the changes of a dialogue that insert more contain those that insert fewer.
`heed evaluate --examples last` gives the negative log-likelihoods of the responses, and OUT/NAME.json.gz, NAME that of the model's folder,
keeps them: for each change a list with a number a dialogue, beside the responses' tokens and, of each dialogue's inserted turns, how many
of its own turns stand behind them. docs/results/turns.md has the tables, which scripts/experiment_tables.py makes.
"""

import gzip
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "data/ubuntu-sample"
INSERTED = 4
SEED = 1


def dialogues(part):
    with gzip.open(SAMPLE / f"{part}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def changed(context, foreign, draw):
    """Change -> the context after it, and the number of own turns behind each inserted one. `context` ends with the query."""
    changes, query, behind = {"none": context}, len(context) - 1, []
    more = [(turn, True) for turn in context]
    for count in range(1, INSERTED + 1):
        at = draw.randrange(len(more))  # anywhere before the query
        behind.append(sum(own for _, own in more[at:]))
        more = more[:at] + [(foreign(), False)] + more[at:]
        changes[f"{count} inserted"] = [turn for turn, _ in more]
    at = draw.randrange(query - 1)
    changes["1 left out"] = context[:at] + context[at + 1:]
    changes["2 left out"] = context[:at] + context[at + 2:]
    changes["query left out"] = context[:-1]
    changes["query and the turn before left out"] = context[:-2]
    changes["query exchanged"] = context[:-1] + [foreign()]
    return changes, behind


def main(heed, out, *models):
    draw = random.Random(SEED)
    pool = [turn["text"] for dialogue in dialogues("train") for turn in dialogue["turns"] if turn["text"].strip()]
    files, places, alternate, neighbours = {}, [], 0, 0
    for dialogue in dialogues("test"):
        *context, response = dialogue["turns"][-11:]
        speakers = [turn["speaker"] for turn in context + [response]]
        if len(context) < 4:
            continue
        neighbours += len(context)
        alternate += sum(a != b for a, b in zip(speakers, speakers[1:]))
        changes, behind = changed(context, lambda: {"speaker": "-", "text": draw.choice(pool)}, draw)
        places.append(behind)
        for change, turns in changes.items():
            files.setdefault(change, []).append({"id": dialogue["id"], "turns": turns + [response]})
    print(f"{len(files['none'])} dialogues; {alternate} of {neighbours} neighbours have two speakers")
    Path(out).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for change, lines in files.items():
            Path(folder, change).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        for model in models:
            name = Path(model).name
            kept = {"model": name, "seed": SEED, "own turns behind": places, "nll": {}}
            for change in files:
                subprocess.run([heed, "evaluate", "--model", model, "--data", Path(folder, change), "--test", "none",
                                "--examples", "last", "--max-turns", "0", "--min-turns", "2", "--per-example", "--json", Path(folder, "out.json")],
                               check=True, stdout=subprocess.DEVNULL)
                examples = json.loads(Path(folder, "out.json").read_text())["test_sets"]["none"]["per_example"]
                tokens = [example["tokens"] for example in examples]
                if kept.setdefault("tokens", tokens) != tokens:
                    sys.exit(f"{name}: the responses of '{change}' are others")
                kept["nll"][change] = [float(f"{example['nll']:.7g}") for example in examples]
            data = json.dumps(kept, separators=(",", ":")).encode()
            Path(out, f"{name}.json.gz").write_bytes(gzip.compress(data, mtime=0))
            print(name)


if __name__ == "__main__":
    if len(sys.argv) < 4 or len({Path(model).name for model in sys.argv[3:]}) < len(sys.argv) - 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
