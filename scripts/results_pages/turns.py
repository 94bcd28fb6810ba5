"""docs/results/turns.md: whose turn it is. Models on contexts with turns of other dialogues in them, or turns left out."""
import functools
from statistics import fmean

import svg  # of bench/

from . import scale
from .common import RESULTS, interval, plus_minus, read, table
from .distraction import harm, runs, test_dialogues, variants

PAGE = "docs/results/turns.md"
TURNS = RESULTS / "turns"


@functools.cache
def inserted():
    """Test set -> how many utterances it inserts into each test dialogue: none, one or two."""
    return {test: [int(count) for count in counts] for test, counts in read(TURNS / "inserted.json").items()}


@functools.cache
def share(test, count):
    """The share of tokens whose dialogues have so many inserted utterances."""
    tokens = test_dialogues()["tokens"]
    return sum(t for t, n in zip(tokens, inserted()[test]) if n == count) / sum(tokens)


def one_inserted(run):
    """The harm of exactly one utterance: random:P adds share(1) harm(1) + share(2) harm(2), of tokens, and random:1.0 harm(2).
    By P = 0.5, and by 0.7. The responses have the same tokens for all models."""
    return [(harm(run, test) - share(test, 2) * harm(run, "random:1.0")) / share(test, 1) for test in inserted()]


def one_and_two_table():
    rows = []
    for variant in variants():
        if variant.p in (0, 0.7):
            columns = zip(*([*one_inserted(run), harm(run, "random:1.0")] for run in runs()[variant]))
            rows.append([variant.title()] + [" ".join(f"{x:+.1f}" for x in column) for column in columns])
    return table(["structure", "p", "one, by `random:0.5`, each seed", "one, by `random:0.7`", "two (`random:1.0`)"], rows)


def counted_table():
    """Harm by the number of utterances that a test set inserted, of the large models."""
    columns = {"one, `random:0.5`": ("random:0.5", 1), "one, `random:0.7`": ("random:0.7", 1), "two, `random:0.5`": ("random:0.5", 2),
               "two, `random:0.7`": ("random:0.7", 2), "two, `random:1.0`": ("random:1.0", 2)}
    every = [2] * len(test_dialogues()["tokens"])  # random:1.0 inserts two into each
    rows = []
    for training, epoch in (("p0", 3), ("p0", 4), ("ins", 3), ("loss", 4)):
        run, row = scale.run(scale.LARGE, training, epoch), [scale.TRAINED[training], str(epoch)]
        for test, count in columns.values():
            lists = run["test_sets"][test]["nll"], run["test_sets"]["none"]["nll"], run["tokens"], run["conversations"]
            chosen = [of for of, n in zip(zip(*lists), inserted().get(test, every)) if n == count]
            row.append(plus_minus(*interval([1000 * (a - b) for a, b, _, _ in chosen], *list(zip(*chosen))[2:])))
        rows.append(row)
    return table(["trained", "epoch", *columns], rows)


# The models whose turns were inserted and left out, by the names of their kept files -> structure and p.
MODELS = {"baseline": ("static-ui", "0, seed 1"), "static-ui-seed2": ("static-ui", "0, seed 2"),
          "static-ui-seed3": ("static-ui", "0, seed 3"), "dynamic-ui-seed1": ("dynamic-ui", "0, seed 1"),
          "dynamic-ui-seed2": ("dynamic-ui", "0, seed 2"), "static-seed1": ("static", "0"), "dynamic-seed1": ("dynamic", "0"), "non-hier-seed1": ("non-hier", "0"), "trained": ("static-ui", "0.7, seed 1")}
QUERIES = ("query left out", "query and the turn before left out")
COUNTS = (1, 2, 3, 4)


@functools.cache
def turns_of(model):
    return read(TURNS / f"{model}.json.gz")


def turns_change(model, change, where=lambda behind: True):
    """What a change of the contexts adds to the log-perplexity, in thousandths, and its interval over dialogues; of those whose
    numbers of own turns behind the inserted ones are as asked for."""
    kept = turns_of(model)
    lists = kept["nll"][change], kept["nll"]["none"], kept["tokens"], kept["own turns behind"]
    chosen = [(1000 * (a - b), tokens) for a, b, tokens, behind in zip(*lists) if where(behind)]
    return interval(*zip(*chosen), range(len(chosen)))


def turns_table(columns):
    """A column for each head: turns_change() of its arguments."""
    return table(["structure", "p", *columns], [[*of, *(plus_minus(*turns_change(model, *column)) for column in columns.values())]
                                                for model, of in MODELS.items()])


def inserted_table():
    return turns_table({f"{count} inserted": (f"{count} inserted",) for count in COUNTS})


def left_out_table():
    return turns_table({change: (change,) for change in ("1 left out", "2 left out", *QUERIES, "query exchanged")})


def resynchronised_table():
    """The harm of one inserted turn by the dialogue's own turns behind it, and of two by those between them."""
    return turns_table({
        "one, 1 or 2 behind it": ("1 inserted", lambda behind: 1 <= behind[0] <= 2),
        "one, 3 or 4 behind it": ("1 inserted", lambda behind: 3 <= behind[0] <= 4),
        "one, 5 or more behind it": ("1 inserted", lambda behind: behind[0] >= 5),
        "two, at most 1 between": ("2 inserted", lambda behind: abs(behind[0] - behind[1]) <= 1),
        "two, 2 or more between": ("2 inserted", lambda behind: abs(behind[0] - behind[1]) > 1)})


TABLES = {"one and two": one_and_two_table, "resynchronised": resynchronised_table, "counted": counted_table,
          "inserted": inserted_table, "left out": left_out_table}


def turns_figure():
    """What one to four inserted turns cost, a curve for each structure."""
    curves = {}
    for model, (structure, p) in MODELS.items():
        label = structure + ("" if p.split(",")[0] == "0" else ", trained with insertion")
        curves.setdefault(label, []).append([0] + [turns_change(model, f"{count} inserted")[0] for count in COUNTS])
    return svg.curves("What inserted turns of other dialogues cost", "turns inserted", "thousandths of log-perplexity", [0, *COUNTS],
                      {label: [fmean(column) for column in zip(*seeds)] for label, seeds in curves.items()})


FIGURES = {"docs/turns.svg": turns_figure}


def cost_of_queries(model, *changes):
    return [turns_change(model, change)[0] for change in (*QUERIES, *changes)]


def facts():
    return ["Without its query `baseline` loses {:.0f} thousandths a token; without the query *and* the turn before it {:.0f}".format(
                *cost_of_queries("baseline")),
            "Without its query `trained` loses {:.1f}, without the turn before as well {:.1f}".format(*cost_of_queries("trained"))]


FACTS = {PAGE: facts}
