"""docs/results/probes.md: what linear probes read from encoders."""
import functools
from statistics import fmean

from .common import RESULTS, read, table

PAGE = "docs/results/probes.md"
PROBES = RESULTS / "probes"
TASKS = ["UtteranceLoc", "RecentTopic", "RecentSlots", "NumRecentInfo", "AllTopics", "AllSlots", "ActionSelect", "EntitySlots",
         "IsMultiTask"]
CHOICES = {"best-bleu": "chosen", "best-rouge": "chosen", "best-meteor": "chosen", "best-bert": "judged"}  # the file that has an epoch

def layers_table():
    """F1 of a linear probe on MiniLM's layers, and on a bag of words of the same examples."""
    layers = [read(RESULTS / f"minilm/probe-layer{layer}.json") for layer in range(7)]
    of = [("a bag of its words", layers[0]["baselines"]["bag-of-words"])]
    of += [(f"layer {i}" if i else "embeddings", kept["tasks"]) for i, kept in enumerate(layers)]
    return table(["read from", *TASKS], [[title] + [f"{100 * f1[task]['f1']:.1f}" for task in TASKS] for title, f1 in of])


@functools.cache
def probed(run, file="evaluation", kept=PROBES):
    return read(kept / f"{run}-seed1" / f"{file}.json")


def runs_with(file):
    return sorted(path.parent.name.removesuffix("-seed1") for path in PROBES.glob(f"*-seed1/{file}.json"))


def same_words_table():
    """F1 of linear probes on small models and on MiniLM's layers, which read the same words: 2 hits / (2 hits + errors)."""
    runs = runs_with("evaluation")
    layers = [run for run in runs if run.startswith("pretrained-")]
    titles = {run: f"`{run}`, best epoch" for run in runs if run not in layers}
    widths = {"bag of words": next(iter(titles)), "bag of words, as wide as MiniLM": layers[0]}
    for run in layers:
        layer = run.removeprefix("pretrained-").replace("layer", "layer ")
        titles[run] = f"MiniLM, {'embeddings' if layer == 'layer 0' else layer}"
    rows = []
    for run, title in titles.items():
        scores = probed(run)["checkpoints"]["best"]["standardised"]
        rows.append([title] + [f"{100 * sum(scores[task]['hits']) / sum(scores[task]['counted']):.1f}" for task in TASKS])
    for title, run in widths.items():
        scores = probed(run)["baselines"]["bag-of-words"]["standardised"]
        rows.append([f"*{title}*"] + [f"{100 * scores[task]:.1f}" for task in TASKS])
    return table(["read from", *TASKS], rows)


def chosen_table():
    """The epochs that each metric chooses, and what a probe reads from them."""
    rows, tasks = [], ["RecentTopic", "AllTopics", "ActionSelect"]
    for run in runs_with("judged"):
        for name, file in CHOICES.items():
            of = probed(run, file)[name]
            f1 = {task: score["f1"] for task, score in of["standardised"].items()}
            numbers = [*(of["valid"][key] for key in ("bleu2", "rouge_l", "meteor")), fmean(f1.values()), *(f1[task] for task in tasks)]
            rows.append([f"`{run}`", name, str(of["epoch"]), *(f"{100 * x:.1f}" for x in numbers)])
    return table(["model", "chosen by", "epoch", "BLEU-2", "ROUGE-L", "METEOR", "F1, mean of all tasks", *tasks], rows)


TABLES = {"layers": layers_table, "same words": same_words_table, "chosen": chosen_table}
FACTS = {}
