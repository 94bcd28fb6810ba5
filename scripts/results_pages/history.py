"""docs/results/history.md: what history is worth to a model that chooses among responses."""
import functools
from statistics import fmean

from .common import RESULTS, interval, read, table
from .turns import cost_of_queries

PAGE = "docs/results/history.md"
TURNS_READ = {"turns-1": "1", "turns-2": "2", "turns-4": "4", "turns-8": "8",
              "turns-4-shuffled": "4, shuffled", "turns-8-shuffled": "8, shuffled"}


@functools.cache
def choices():
    """Model -> turns read -> scores -> the rank of each response and with how many others it shares its score."""
    return read(RESULTS / "history-choices/ranks.json")


def first(ranks):
    """R@1 of each response, where it shares the places with those of the same score."""
    return [(rank == 1) / (1 + ties) for rank, ties in ranks]


def reciprocal(ranks):
    """1 / rank of each, likewise."""
    return [fmean(1 / (rank + t) for t in range(ties + 1)) for rank, ties in ranks]


def with_interval(values, conversations, sign=""):
    value, half = interval(values, [1] * len(values), conversations)
    return f"{100 * value:{sign}.1f} [{100 * (value - half):.1f}, {100 * (value + half):.1f}]"


def change(model, turns, than, sign=""):
    """What MRR has more with some turns than with others."""
    these, those = (reciprocal(choices()[model][read]["less its mean"]) for read in (turns, than))
    return with_interval([a - b for a, b in zip(these, those)], choices()[model][turns]["conversation"], sign)


def choices_table():
    rows = []
    for model, of_model in choices().items():
        for turns, title in TURNS_READ.items():
            kept = of_model[turns]
            cells = [with_interval(of(kept[scores]), kept["conversation"])
                     for scores in ("ln p", "less its mean") for of in (first, reciprocal)]
            rows.append([f"`{model}`", title, *cells, "–" if turns == "turns-8" else change(model, turns, "turns-8", "+")])
    return table(["model", "turns read", "by ln p: R@1 %", "MRR %", "less its mean: R@1 %", "MRR %", "MRR against 8"], rows)


TABLES = {"choices": choices_table}


def facts():
    of_model = choices()["baseline"]
    mean = {turns: 100 * fmean(reciprocal(of_model[turns]["less its mean"])) for turns in ("turns-1", "turns-2", "turns-8")}
    return [
        f"worth {change('baseline', 'turns-8', 'turns-1').replace(' [', ' points of MRR** [')}",
        f"{mean['turns-8']:.1f} with eight turns, {mean['turns-1']:.1f} with the query alone",
        f"gives {mean['turns-2'] - mean['turns-1']:.1f} of them",
        f"MRR falls by {change('baseline', 'turns-8', 'turns-8-shuffled')}",
        f"over {len(set(of_model['turns-8']['conversation']))} conversations",
        "without its query it loses {:.0f} thousandths, without the query and the turn before {:.0f}, and {:.0f} if".format(
            *cost_of_queries("baseline", "query exchanged")),
    ]


FACTS = {PAGE: facts}
