"""docs/results/adversarial.md: discriminators of generated responses, on Ubuntu."""
import bisect
import functools
import re
from random import Random
from statistics import correlation, fmean

from .common import RESULTS, read, student, table

PAGE = "docs/results/adversarial.md"
FOLDER = RESULTS / "adversarial"
JUDGES = ("discriminator", "response-only", "shuffled-context", "length", "unigram")
MEASURES = {"DAS ratio": "das_ratio", "UtteranceLoc": "UtteranceLoc", "WordCont": "WordCont"}


@functools.cache
def run(name):
    return read(FOLDER / f"ubuntu{name}-seed1/evaluation.json")


def generators():
    return run("")["generators"]["ubuntu"]


def pairs_of(run, judge, kind):
    """(p(real) of a passage's own response, of another one) of a judge on a set; run: what is kept of a classifier, by the end of its name."""
    alone = judge == "response-only"
    kept = run("-response-only" if alone else "")["judged"]["discriminator" if alone else judge][kind]
    return [(real, fake) for real, fake in zip(kept["real"], kept["fake"]) if real is not None and fake is not None]


def auc_of(pairs):
    """The area under the ROC curve of [(p(real) of a real response, of a fake one)]: the probability that a real one has more, half of it for equal ones."""
    fakes = sorted(fake for _, fake in pairs)
    return fmean((bisect.bisect_left(fakes, real) + bisect.bisect_right(fakes, real)) / 2 / len(fakes) for real, _ in pairs)


@functools.cache
def told(judge, kind):
    """Accuracy, the share of fake ones that pass, and AUC of a judge on a set."""
    pairs = pairs_of(run, judge, kind)
    passing = fmean(fake >= 0.5 for _, fake in pairs)
    return (fmean(real >= 0.5 for real, _ in pairs) + 1 - passing) / 2, passing, auc_of(pairs)


def told_table():
    rows = []
    for judge in JUDGES:
        row = [judge, f"{told(judge, 'random')[0]:.3f}"]
        for numbers in zip(*(told(judge, generator) for generator in generators())):
            row += [f"{fmean(numbers):.3f}", f"{min(numbers):.3f} to {max(numbers):.3f}"]
        rows.append(row)
    return table(["judged by", "random responses: accuracy", "generated: accuracy", "of the generators", "pass", "of the generators",
                  "AUC", "of the generators"], rows)


def training_of(generator):
    return generator.rpartition("-seed")[0]


def trainings():
    """Training -> its generators, whatever their seed."""
    found = {}
    for generator in generators():
        found.setdefault(training_of(generator), []).append(generator)
    return found


def measured(name, measure):
    return told("discriminator", name)[1] if measure == "pass" else generators()[name][measure]


def within_structures(names, measure):
    """The difference of each of the generators, some of which may stand there more than once, from the mean of those of its structure."""
    of = {}
    for name in names:
        of.setdefault(generators()[name]["structure"], []).append(measured(name, measure))
    means = {structure: fmean(values) for structure, values in of.items()}
    return [measured(name, measure) - means[generators()[name]["structure"]] for name in names]


@functools.cache
def agreement_of(subset, measure):
    """Pearson's correlation within structures of a measure and the share that passes, and its interval: a bootstrap of trainings."""
    groups = [group for names in trainings().values() if (group := [name for name in names if SUBSETS[subset](name)])]
    of = lambda names: correlation(within_structures(names, measure), within_structures(names, "pass"))
    random = Random(1)
    draws = sorted(of([name for group in random.choices(groups, k=len(groups)) for name in group]) for _ in range(2000))
    r, low, high = of(names_of(subset)), draws[50], draws[-51]
    return f"{r:+.2f} [{low:+.2f}, {high:+.2f}]"


def cut_short(name):
    return "-short-" in name or "-narrow-" in name


SUBSETS = {"all 24 trainings": lambda name: True, "without those cut short or narrow": lambda name: not cut_short(name),
           "nor Transformers": lambda name: not cut_short(name) and not name.startswith("transformer")}


def names_of(subset):
    return [name for name in generators() if SUBSETS[subset](name)]


def subsets_table():
    return table(["generators", "number"] + [f"{measure} and pass" for measure in MEASURES],
                 [[subset, str(len(names_of(subset))), *(agreement_of(subset, measure) for measure in MEASURES.values())]
                  for subset in SUBSETS])


def generators_table():
    measures = ("das_ratio", "UtteranceLoc", "WordCont", "greedy_different", "pass")
    rows = [[f"`{training}`", *(" ".join(f"{measured(name, measure):.3f}" for name in names) for measure in measures)]
            for training, names in sorted(trainings().items())]
    return table(["training", "DAS ratio, each seed", "UtteranceLoc", "WordCont", "different greedy responses", "pass"], rows)


TABLES = {"told": told_table, "subsets": subsets_table, "generators": generators_table}


def facts_of_generators():
    kept = [generator["kept"] for generator in generators().values()]
    collapsed = [name for name, generator in generators().items() if generator["greedy_different"] < 0.05]
    passing = [measured(name, "pass") for name in generators() if cut_short(name)]
    located = lambda names: [measured(name, "UtteranceLoc") for name in generators() if re.match(f"(static|dynamic)-{names}", name)]
    placebo, others = located("placebo"), located("(none|insertion)")
    return [
        f"{min(kept):,} to {max(kept):,} of its responses remain",
        f"there are {len(collapsed)}, of {'eight' if len(set(map(training_of, collapsed))) == 8 else '?'} trainings",
        f"pass little ({min(passing):.3f} to {max(passing):.3f})",
        f"`UtteranceLoc` {min(placebo):.2f} to {max(placebo):.2f} in `static` and `dynamic`, "
        f"where the other trainings of that size and length have {min(others):.2f} to {max(others):.2f}",
    ]


def facts_of_judges():
    accuracy = lambda judge: [told(judge, name)[0] for name in generators()]
    own = accuracy("discriminator")
    return [
        f"with an accuracy of {fmean(own):.3f} ({min(own):.3f} to {max(own):.3f} over the generators)",
        f"with the contexts of other conversations with {fmean(accuracy('shuffled-context')):.3f}",
        f"even better** ({fmean(accuracy('unigram')):.3f})",
        f"MiniLM has {told('discriminator', 'random')[0]:.3f} there",
        f"without Transformers, {agreement_of('nor Transformers', 'das_ratio')} is left",
    ]


def facts_of_training():
    """How many points fewer responses pass after a training: six pairs."""
    passing = lambda training: [100 * measured(f"{structure}-{training}-seed{seed}", "pass")
                                for structure in ("static", "dynamic", "non-hier") for seed in (2, 3)]
    insertion, loss = ([a - b for a, b in zip(passing("none"), passing(training))] for training in ("insertion", "insertion-loss"))
    return [
        "{:.1f}, {:.1f}, {:.1f}, {:.1f}, {:.1f} and {:.1f} points, {:.1f} ± {:.1f} in the mean of the six pairs".format(
            *loss, *student(loss)),
        "insertion alone lowers it by {:.1f} ± {:.1f} points".format(*student(insertion)),
        "the share that passes by {:+.1f} ± {:.1f} points".format(*student([a - b for a, b in zip(insertion, loss)])),
    ]


def facts():
    return [*facts_of_generators(), *facts_of_judges(), *facts_of_training()]


FACTS = {PAGE: facts}
