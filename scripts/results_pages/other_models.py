"""docs/results/other-models.md: a Transformer, and the attention loss on the mass."""
import functools
import math
from statistics import fmean

from .common import RESULTS, plus_minus, read, spread, table
from .distraction import difference, harms_of_dialogues, over_dialogues, over_seeds, test_dialogues
from .mediation_runs import MEDIATION, TRAININGS

PAGE = "docs/results/other-models.md"
FOLDER = RESULTS / "other-models"
TRAINED = {"none": "as the data are", "insertion": "insertion"} | {
    f"mass{weight}": f"insertion and the loss on the mass, {weight}" for weight in (1, 10, 100, 1000)}
SHOWN = ("random:1.0", "frequent:end", "rare:middle", "rare:end")


@functools.cache
def transformers():
    """Training -> the test sets of its runs, by seed. Each set has "nll" of each dialogue's response; a distracting one has attention
    scores as well. "two turns": contexts are cut to their last two utterances."""
    runs = {training: {} for training in TRAINED}
    for training, seeds in runs.items():
        for path in sorted(FOLDER.glob(f"{training}-seed*.json.gz")):
            kept = read(path)
            assert kept["test_sets"]["none"]["tokens"] == test_dialogues()["tokens"], path
            seeds[path.name.split("seed")[1][0]] = kept["test_sets"] | {"two turns": {"nll": kept["two_turns"]}}
    return runs


def harms(training, test="random:1.0"):
    """Seed -> what the changed contexts of a test set add to the log-perplexity, in thousandths, of each dialogue."""
    return {seed: harms_of_dialogues(sets, test) for seed, sets in transformers()[training].items()}


def harm(training, test="random:1.0"):
    return over_seeds(list(harms(training, test).values()))


def das_of_seeds(training, test):
    means = lambda of: [fmean(x for x in scores if x is not None) for scores in (of["as_distraction"], of["as_history"])]
    return [distraction / history for distraction, history in (means(sets[test]) for sets in transformers()[training].values())]


def perplexity(training):
    tokens = sum(test_dialogues()["tokens"])
    return fmean(math.exp(sum(sets["none"]["nll"]) / tokens) for sets in transformers()[training].values())


def transformer_table():
    rows = [[title, str(len(transformers()[training])), f"{perplexity(training):.1f}", plus_minus(*harm(training)),
             plus_minus(*harm(training, "two turns")), *(spread(das_of_seeds(training, test)) for test in SHOWN)]
            for training, title in TRAINED.items()]
    return table(["trained with", "seeds", "perplexity", "harm of random:1.0", "cut to two turns", "DAS: random:1.0", *SHOWN[1:]], rows)


def heads_table():
    rows = [[title, str(head + 1), *(spread([sets[test]["heads"][head] for sets in transformers()[training].values()]) for test in SHOWN)]
            for training, title in TRAINED.items() for head in (0, 1)]
    return table(["trained with", "head", *SHOWN], rows)


@functools.cache
def non_hier_runs():
    """Training -> seed 1 of non-hier: those of the mediation experiment, and the loss on the mass."""
    folders = {TRAININGS[training]: MEDIATION / f"non-hier-{training}-seed1" for training in ("none", "insertion", "insertion-loss")}
    folders["insertion and the loss on the mass"] = FOLDER / "non-hier-mass-seed1"
    return {title: {name: read(folder / f"{name}.json") for name in ("evaluation", "exchange")} for title, folder in folders.items()}


def non_hier_costs(run):
    """What distractions cost, what an exchanged query and what an exchanged earlier utterance: of each dialogue."""
    return {"harm": run["evaluation"]["test_sets"]["random:1.0"]["harms"]["as it is"]} | {
        which: run["exchange"][which]["harms"] for which in ("query", "history")}


def non_hier_table():
    tests = ("random:1.0", "frequent:end", "rare:end")
    rows = [[title, f"{run['evaluation']['perplexity']:.1f}", *(plus_minus(*over_dialogues(cost)) for cost in non_hier_costs(run).values()),
             f"{run['exchange']['query']['look']:.2f}", *(f"{run['evaluation']['test_sets'][test]['das_ratio']:.2f}" for test in tests)]
            for title, run in non_hier_runs().items()]
    return table(["trained with", "perplexity", "harm of random:1.0", "query exchanged", "an earlier one", "AS of the query",
                  "DAS: random:1.0", *tests[1:]], rows)


TABLES = {"transformer": transformer_table, "heads": heads_table, "non-hier": non_hier_table}


def non_hier_change(which):
    """The loss on the mass less insertion alone."""
    mass, alone = (non_hier_costs(non_hier_runs()[title])[which] for title in ("insertion and the loss on the mass", "insertion"))
    return plus_minus(*over_dialogues([a - b for a, b in zip(mass, alone)]))


def facts():
    ratios = [fmean(das_of_seeds(training, "random:1.0")) for training in transformers()]
    return [
        f"from {plus_minus(*harm('none'))} to {plus_minus(*harm('insertion'))} thousandths",
        f"less that after insertion alone is {plus_minus(*difference(harms('mass1'), harms('insertion')))}",
        "cutting a context costs {:.1f} instead of {:.1f} thousandths, and with larger weights {:.1f}, {:.1f} and {:.1f}".format(
            *(harm(training, "two turns")[0] for training in ("mass1", "insertion", "mass10", "mass100", "mass1000"))),
        "rises from {:.1f} to {:.1f}, and to {:.1f} with".format(*map(perplexity, ("insertion", "mass1", "mass1000"))),
        f"between {min(ratios):.2f} and {max(ratios):.2f} in all rows",
        f"further than insertion alone ({non_hier_change('harm')})",
        f"costs less ({non_hier_change('history')})",
    ]


FACTS = {PAGE: facts}
