"""What the pages about distractions share: the kept runs of docs/results/experiment, DAS ratios, and what distractions cost."""
import functools
import math
from statistics import fmean
from typing import NamedTuple

from .common import RESULTS, interval, ratios, read, student

EXPERIMENT = RESULTS / "experiment"
STRUCTURES = ["non-hier", "static", "static-ui", "dynamic", "dynamic-ui"]
PROBABILITIES = [0, 0.5, 0.7, 1.0]
SETS = [f"random:{p}" for p in ("0.5", "0.7", "1.0")] + [
    f"{kind}:{place}" for kind in ("frequent", "rare") for place in ("begin", "middle", "end")]


class Variant(NamedTuple):
    """A structure, the probability with which its training inserts, and whether that has the attention loss (it has where p is 0)."""
    structure: str
    p: float
    loss: bool = True

    def title(self):
        return f"{self.structure}{'' if self.loss else ', no attention loss'} | {self.p:g}"


@functools.cache
def runs():
    """Variant -> the evaluations of its seeds, in their order."""
    found = {}
    for path in sorted(EXPERIMENT.glob("*/evaluation.json")):
        run = read(path)
        variant = Variant(run["structure"], run["insert_prob"], run["attention_loss"] or run["insert_prob"] == 0)
        found.setdefault(variant, []).append(run)
    return found


@functools.cache
def variants():
    """All variants, each structure with p = 0 first, and static-ui without the loss behind it."""
    every = (Variant(structure, p, loss) for structure in STRUCTURES for loss in (True, False) for p in PROBABILITIES)
    return [variant for variant in every if variant in runs()]


@functools.cache
def history():
    """The number of utterances of each test dialogue's history: its context without the query, of at most ten turns."""
    return read(EXPERIMENT / "history.json")


def test_dialogues():
    """A run that has, as all have, the test dialogues' "conversations" and their responses' "tokens"."""
    return runs()[Variant("static-ui", 0)][0]


def scores(run, test, where=lambda length: True):
    """AS of the distractions and of the history, of each dialogue that has both and whose history is of such a length."""
    kept = run["test_sets"][test]
    return [(distraction, own) for distraction, own, length in
            zip(kept["dialogues_as_distraction"], kept["dialogues_as_history"], history())
            if distraction is not None and own is not None and where(length)]


def das(run, test, where=lambda length: True):
    pairs = scores(run, test, where)
    return fmean(distraction for distraction, _ in pairs) / fmean(own for _, own in pairs)


def mean_das(variant, test, where=lambda length: True):
    return fmean(das(run, test, where) for run in runs()[variant])


def harm(run, test):
    """What the distractions of a test set add to the log-perplexity, in thousandths."""
    return 1000 * math.log(run["test_sets"][test]["perplexity"] / run["test_sets"]["none"]["perplexity"])


def harms_of_dialogues(sets, test):
    """The same of each dialogue, of all its tokens."""
    return [1000 * (a - b) for a, b in zip(sets[test]["nll"], sets["none"]["nll"])]


def over_dialogues(values):
    """Of a number a test dialogue: the mean over tokens, and half of its interval over conversations."""
    return interval(values, test_dialogues()["tokens"], test_dialogues()["conversations"])


def over_seeds(tops, bottoms=None):
    """Mean over the seeds of a quotient of sums over dialogues (of the tops over the response's tokens, if there are no bottoms),
    and half of a 95 % interval for other conversations and, where there are seeds, other trainings: conversations by 1.96 standard
    errors of the mean over seeds, seeds by Student's t. Dialogues that were not measured have None."""
    kept = test_dialogues()
    seeds = [[(top, bottom) if top is not None else (0, 0) for top, bottom in zip(*pair)]
             for pair in zip(tops, bottoms or [kept["tokens"]] * len(tops))]
    quotients, error = ratios(seeds, kept["conversations"])
    return fmean(quotients), math.hypot(1.96 * error, student(quotients)[1] if len(seeds) > 1 else 0)


def difference(these, those):
    """over_seeds() of what one training has more than the other one. Both: seed -> a number a dialogue; seeds that both have count."""
    return over_seeds([[a - b for a, b in zip(these[seed], those[seed])] for seed in these if seed in those])
