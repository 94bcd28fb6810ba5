"""What docs/results/mediation.md and other-models.md share: the kept runs of docs/results/mediation, and what they cost by seed."""
import functools
import re

from .common import RESULTS, read, table
from .distraction import over_seeds

MEDIATION = RESULTS / "mediation"
READINGS = {"as it is": "all of it", "unseen": "without the distractions' attention",
            "unread": "without their state", "both": "without both"}
STRUCTURES = ["static-ui", "static", "dynamic", "non-hier"]
TRAININGS = {"none": "as it is", "insertion": "insertion", "insertion-loss": "insertion and the loss",
             "placebo": "the loss on own utterances"}


@functools.cache
def mediation_runs():
    """(structure, training) -> its runs, by seed. A run has, of each test set, "harms": what distractions add to the log-perplexity
    of each dialogue under each reading, in thousandths, of all its tokens; and, if they were measured, "exchange" and "places"."""
    found = {}
    for path in sorted(MEDIATION.glob("*/evaluation.json")):  # by seed within a training
        structure, training, seed = re.fullmatch("(.*?)-(none|insertion|insertion-loss|placebo)-seed(.)", path.parent.name).groups()
        more = {name: read(file) if (file := path.with_name(f"{name}.json")).exists() else None for name in ("exchange", "places")}
        found.setdefault((structure, training), []).append(read(path) | more | {"seed": int(seed)})
    return found


def table_of_trainings(heads, cells, has=lambda run: True):
    """A row for each training with runs that have what it shows: their number, and the cells of these runs."""
    rows = []
    for structure in STRUCTURES:
        for training, title in TRAININGS.items():
            if runs := [run for run in mediation_runs().get((structure, training), []) if has(run)]:
                rows.append([structure, title, str(len(runs)), *cells(runs)])
    return table(["structure", "trained with", "seeds", *heads], rows)


def harms(structure, training, test="random:1.0", reading="as it is"):
    """Seed -> what distractions add, of each dialogue."""
    return {run["seed"]: run["test_sets"][test]["harms"][reading] for run in mediation_runs()[structure, training]}


def harm_of_seeds(structure, training, reading="as it is"):
    """What the distractions of random:1.0 add to the log-perplexity, of each seed."""
    return [run["test_sets"]["random:1.0"]["harm"][reading] for run in mediation_runs()[structure, training]]


def exchanged(structure, training, which):
    """Seed -> what an exchanged query, or utterance of the history, adds, of each dialogue; seeds that were measured."""
    return {run["seed"]: run["exchange"][which]["harms"] for run in mediation_runs()[structure, training] if run["exchange"]}


def placed(structure, training):
    """What was measured of utterances at every place, by seed."""
    return [run["places"] for run in mediation_runs()[structure, training] if run["places"]]


def place_change(places, source, top, bottom=None, of=None):
    """A quotient of two lists of utterances of a source, the second one of `of` if it is given; without a second one, of the tokens."""
    return over_seeds([kept[source][top] for kept in places], [kept[of or source][bottom] if bottom else kept["tokens"] for kept in places])
