"""docs/results/energy.md: states of dialogues by an energy, its sizes, MiniLM's words, and restaurants of MultiWOZ."""
import functools
import re

from .common import OF_MINILM, RESULTS, ROOT, WORDS, of_seeds, read, table, with_student

PAGE = "docs/results/energy.md"
OUTPUTS = {"heads": "heads", "heads-again": "heads again", "energy": "energy"}
SIZES = ["energy-32", "energy", "energy-128"]  # folders of docs/results


@functools.cache
def trackers(words, output="heads"):
    """What `heed track` found, of each seed."""
    return [read(path) for path in sorted(OF_MINILM.glob(f"tracker-{words}-{output}-seed?.json"))]


def tracked(kept, measure):
    """One number of the tracker, in percent but for phi."""
    if measure == "phi":
        return kept["phi_difference"]
    own = kept["trackers"][kept["inputs"]["model"]]
    return 100 * (own["slots"] | own)[measure]


def words_table():
    measures = {"joint": "joint", "above 1/2": "above_half", "changes": "changes", "area": "area", "food": "food",
                "price range": "price_range", "phi": "phi"}
    rows = [[title, name, str(len(trackers(words, output)))] +
            [of_seeds([tracked(kept, m) for kept in trackers(words, output)], 3 if m == "phi" else 1) for m in measures.values()]
            for words, title in WORDS.items() for output, name in OUTPUTS.items()]
    return table(["words", "output", "seeds", *measures], rows)


def accuracies(folder, variant):
    """Joint accuracy of each seed, in percent."""
    return [100 * read(path)["joint"] for path in sorted((RESULTS / folder).glob(f"{variant}-seed?/evaluation.json"))]


def gain(folder, variant, than):
    """What a tracker has more than the other one of its seed."""
    return with_student([a - b for a, b in zip(accuracies(folder, variant), accuracies(folder, than))])


def sizes_table():
    pairs = (("heads-again", "heads"), ("energy", "heads"), ("energy", "heads-again"), ("energy", "logistic"))
    rows = []
    for folder in SIZES:
        settings, heads = read(RESULTS / folder / "energy.json")["settings"], accuracies(folder, "heads")
        rows.append([str(settings["width"]), str(settings["steps"]), str(len(heads)), of_seeds(heads)] +
                    [" ".join(gain(folder, *pair)) for pair in pairs])
    return table(["cells", "inner steps", "seeds", "heads", "heads again", "energy", "energy less heads again",
                  "energy less logistic"], rows)


TABLES = {"words": words_table, "sizes": sizes_table}


def gain_of_minilm(measure, output="heads", than=("learned", "heads")):
    return with_student([tracked(b, measure) - tracked(a, measure) for a, b in zip(trackers(*than), trackers("minilm", output))])


def facts_of_sizes():
    return ["gains {}, then {} and {} points".format(*(gain(folder, "energy", "heads")[0] for folder in SIZES)),
            "for longer {}, then {} and {}".format(*(gain(folder, "energy", "heads-again")[0] for folder in SIZES))]


def facts_of_words():
    return ["adds {} points of joint accuracy** {}".format(*gain_of_minilm("joint")),
            "the slot of many values: {} points {}".format(*gain_of_minilm("food")),
            "the energy adds nothing visible**: {} points to its heads {}".format(
                *gain_of_minilm("joint", "energy", than=("minilm", "heads"))),
            "three seeds say little: {} {}".format(*gain_of_minilm("joint", "heads-again", than=("minilm", "heads")))]


def claimed(rule):
    """What the last table of claims that has this rule says, that of the restaurants: the difference and its interval, in points."""
    row = [line for line in (ROOT / PAGE).read_text().splitlines() if line.startswith("|") and f"(Joint accuracy of {rule}.)" in line][-1]
    return [100 * float(x) for x in re.search(r"([-+][\d.]+) \[(\S+), (\S+)\]", row).groups()]


def facts_of_restaurants():
    """MultiWOZ, of which the page says in words what its tables say, and what its runs have."""
    runs = {path.parent.name: read(path) for path in (RESULTS / "energy-multiwoz").glob("*/evaluation.json")}
    best, first = max(runs, key=lambda name: runs[name]["joint"]), runs["heads-seed1"]
    last_epochs = sum(run["best_epoch"] == run["epochs"] for run in runs.values())
    below, low, high = claimed("energy > heads-again")
    return [
        "is {:.1f} points above its heads [{:.1f}, {:.1f}]".format(*claimed("energy > heads")),
        f"energy is {-below:.1f} below these [{-high:.1f}, {-low:.1f}]",
        f"the words of the value give {100 * first['string_match']:.1f}, the best run "
        f"(logistic regression, seed {best.removeprefix('logistic-seed')}) {100 * runs[best]['joint']:.1f}",
        f"in {'no one two three four five six seven'.split()[last_epochs]} of the twelve runs the last epoch is the best",
        f"most frequent state ({100 * first['joint']:.1f}, and every distraction leaves it as it is: "
        f"{100 * first['survives']:.0f} % survive)",
    ]


def facts():
    return [*facts_of_sizes(), *facts_of_words(), *facts_of_restaurants()]


FACTS = {PAGE: facts}
