"""docs/results/adversarial-chat.md: small discriminators on two corpora of chat, three seeds each."""
import functools
from statistics import fmean

from .adversarial import JUDGES, auc_of, pairs_of
from .common import RESULTS, read, read_lines, spread, table

PAGE = "docs/results/adversarial-chat.md"
FOLDER = RESULTS / "adversarial-chat"
CORPORA = {"DailyDialog": "dailydialog", "PersonaChat": "personachat"}
SEEDS = (1, 2, 3)
FIRST = 4  # epochs that the table of the training shows


@functools.cache
def run(corpus, seed, classifier=""):
    return read(FOLDER / f"{corpus}{classifier}-seed{seed}/evaluation.json")


def generators(corpus):
    return run(corpus, 1)["generators"][corpus]


@functools.cache
def told(corpus, seed, judge, kind):
    """Accuracy, precision, recall and F1 of the class real and of the class fake, AUC, and the share of fake ones that pass."""
    pairs = pairs_of(lambda classifier: run(corpus, seed, classifier), judge, kind)
    real, fake = fmean(real >= 0.5 for real, _ in pairs), fmean(fake < 0.5 for _, fake in pairs)  # recalls
    of_class = lambda mine, other: (mine / (mine + 1 - other) if mine + 1 - other else None, mine, 2 * mine / (1 + mine + 1 - other))
    return (real + fake) / 2, *of_class(real, fake), *of_class(fake, real), auc_of(pairs), 1 - fake


def over_seeds(corpus, judge, kinds):
    """Each number of told(), of all seeds and kinds of fake responses."""
    return list(zip(*(told(corpus, seed, judge, kind) for seed in SEEDS for kind in kinds)))


def mean_of(values):
    return "–" if None in values else f"{fmean(values):.3f}"


def random_table():
    heads = ["corpus", "judged by", "accuracy", "real: precision", "recall", "F1", "fake: precision", "recall", "F1", "AUC"]
    rows = []
    for name, corpus in CORPORA.items():
        for judge in JUDGES:
            accuracy, *classes, auc, _ = over_seeds(corpus, judge, ["random"])
            rows.append([name, judge, spread(accuracy, 3), *map(mean_of, classes), spread(auc, 3)])
    return table(heads, rows)


def generated_table():
    heads = ["corpus", "judged by", "accuracy", "AUC", "pass", *(f"pass: {name}" for name in generators("dailydialog"))]
    rows = []
    for name, corpus in CORPORA.items():
        for judge in JUDGES:
            accuracy, *_, auc, passing = over_seeds(corpus, judge, generators(corpus))
            of_each = [fmean(over_seeds(corpus, judge, [generator])[-1]) for generator in generators(corpus)]
            rows.append([name, judge, *(spread(values, 3) for values in (accuracy, auc, passing)), *(f"{share:.3f}" for share in of_each)])
    return table(heads, rows)


def training_table():
    rows = []
    for name, corpus in CORPORA.items():
        for classifier in ("", "-response-only"):
            logs = [read_lines(FOLDER / f"{corpus}{classifier}-seed{seed}/log.jsonl") for seed in SEEDS]
            best = [min(log, key=lambda row: row["valid_loss"]) for log in logs]
            rows.append([name, "response-only" if classifier else "discriminator",
                         *(accuracies(log[epoch] for log in logs) for epoch in range(FIRST)),
                         " ".join(str(row["epoch"]) for row in best), accuracies(best), " ".join(str(len(log)) for log in logs)])
    return table(["corpus", "classifier", *(f"epoch {epoch + 1}" for epoch in range(FIRST)), "best epoch", "accuracy there", "epochs"], rows)


def accuracies(rows):
    return " ".join(f"{row['valid_accuracy']:.3f}" for row in rows)


def looks_table():
    """Means over classes of the passages with random responses, and over seeds."""
    rows = []
    for name, corpus in CORPORA.items():
        for title, kind in {"judged real": "judged_real", "judged fake": "judged_fake", "real": "real", "fake": "fake"}.items():
            looks = [run(corpus, seed)["looks"][corpus][kind] for seed in SEEDS]
            rows.append([name, title, *(spread([of(look) for look in looks], 3) for of in (
                lambda look: look["attention"]["response"], lambda look: look["tokens"]["response"],
                lambda look: look["response_score"], lambda look: look["cosine"]))])
    return table(["corpus", "passages", "attention on the response", "its share of the tokens", "score", "cosine"], rows)


TABLES = {"training": training_table, "random": random_table, "generated": generated_table, "looks": looks_table}


def facts():
    means = lambda judge, kinds: [fmean(over_seeds(corpus, judge, kinds(corpus))[0]) for corpus in CORPORA.values()]
    random, generated, words = means("discriminator", lambda corpus: ["random"]), means("discriminator", generators), means("unigram", generators)
    seeds = [value for corpus in CORPORA.values() for end in (min, max) for value in [end(over_seeds(corpus, "discriminator", ["random"])[0])]]
    looks = lambda corpus, kind: [run(corpus, seed)["looks"][corpus][kind]["attention"]["response"] for seed in SEEDS]
    judged_real = [share for corpus in CORPORA.values() for share in looks(corpus, "judged_real")]
    masses = [fmean(looks(corpus, kind)) for corpus in CORPORA.values() for kind in ("judged_real", "judged_fake")]
    kept = [generator["kept"] for corpus in CORPORA.values() for generator in generators(corpus).values()]
    wide = accuracies(read_lines(FOLDER / "cells-128/dailydialog-seed1.jsonl")).split()
    return [
        "the accuracy is {:.3f} on DailyDialog and {:.3f} on PersonaChat (seeds: {:.3f} to {:.3f} and {:.3f} to {:.3f})".format(*random, *seeds),
        "never seen any**: {:.3f} and {:.3f}, above chance".format(*generated),
        "far better ({:.3f} and {:.3f})".format(*words),
        f"three seeds have {100 * min(judged_real):.0f} to {100 * max(judged_real):.0f} %",
        f"{min(kept)} to {max(kept)} remain",
        "does not hold: {:.3f} and {:.3f} on DailyDialog, {:.3f} and {:.3f} on PersonaChat".format(*masses),
        "accuracies of {}, {}, {} and {} on the validation part".format(*wide),
    ]


FACTS = {PAGE: facts}
