"""docs/results/scale.md: models at the paper's size, and small ones that were trained for longer."""
import functools
import math

from .common import RESULTS, interval, plus_minus, read, read_lines, table
from .distraction import das, test_dialogues

PAGE = "docs/results/scale.md"
SCALE = RESULTS / "scale"
LARGE, SMALL, AGAIN, SGD = "4x512", "1x128", "1x128seed2", "1x128sgd"
TRAINED = {"p0": "as the data are", "ins": "insertion", "loss": "insertion and the loss"}


@functools.cache
def within_bounds():
    """Dialogues of which the bounds of the training (10 utterances of 50 words, 50 words of a response) cut nothing: in them epochs
    that were measured without bounds are like the others."""
    return read(SCALE / "within-bounds.json")


@functools.cache
def run(sizes, training, epoch, within=False):
    """What `heed evaluate` found on the last turns of the test dialogues; or of those within the bounds."""
    kept = read(SCALE / f"{sizes}-{training}-epoch{epoch}.json.gz")
    of = (lambda values: [values[i] for i in within_bounds()]) if within else (lambda values: values)
    sets = {test: {key: of(values) if isinstance(values, list) else values for key, values in numbers.items()}
            for test, numbers in kept["test_sets"].items()}
    return {"test_sets": sets, "tokens": of(kept["tokens"]), "conversations": of(test_dialogues()["conversations"])}


def epochs(sizes, training):
    return sorted(int(path.name.split("-epoch")[1].split(".")[0]) for path in SCALE.glob(f"{sizes}-{training}-epoch*.json.gz"))


def cost(kept, test="random:1.0", than=None):
    """What distractions add to the log-perplexity, in thousandths, with its interval; or how much more than in another model."""
    added = [[1000 * (a - b) for a, b in zip(of["test_sets"][test]["nll"], of["test_sets"]["none"]["nll"])] for of in (kept, than) if of]
    return interval([row[0] - sum(row[1:]) for row in zip(*added)], kept["tokens"], kept["conversations"])


def perplexity(kept):
    return math.exp(sum(kept["test_sets"]["none"]["nll"]) / sum(kept["tokens"]))


def scale_table(sizes, within=False):
    tests = ("random:1.0", "frequent:begin", "frequent:middle", "frequent:end", "rare:begin", "rare:middle", "rare:end")
    rows = []
    for training, title in TRAINED.items():
        for epoch in epochs(sizes, training):
            kept = run(sizes, training, epoch, within)
            rows.append([title, str(epoch), f"{perplexity(kept):.1f}", plus_minus(*cost(kept)),
                         *(f"{das(kept, test):.2f}" if test in kept["test_sets"] else "-" for test in tests)])
    return table(["trained", "epoch", "perplexity", "random:1.0: harm", "DAS", "frequent:begin", "middle", "end", "rare:begin", "middle",
                  "end"], rows)


TABLES = {sizes: functools.partial(scale_table, sizes, within=sizes == LARGE) for sizes in (LARGE, SMALL, AGAIN, SGD)}


def look(kept, test="random:1.0"):
    return f"{das(kept, test):.2f}"


def unsigned(mean, half):
    return f"{mean:.1f} ± {half:.1f}"


def facts_of_large():
    within = functools.partial(run, LARGE, within=True)
    at = lambda training, epoch, test="random:1.0": look(within(training, epoch), test)
    whole = [run(LARGE, *last) for last in (("p0", 4), ("ins", 3), ("loss", 4))]
    return [
        f"(DAS ratio {at('p0', 1)}, {at('p0', 2)}). Then its attention moves: {at('p0', 3)} after three epochs, {at('p0', 4)} after four",
        f"here they are {at('ins', 3)} and {at('loss', 4)}",
        f"(`frequent:begin` {at('loss', 4, 'frequent:begin')}, `frequent:end` {at('loss', 4, 'frequent:end')}",
        f"{at('p0', 4, 'frequent:begin')} and {at('p0', 4, 'frequent:end')} in the first model",
        "({:.1f} against {:.1f}) and what distractions cost it grows from {:.0f} to {:.0f}".format(
            perplexity(within("p0", 4)), perplexity(within("loss", 4)), cost(within("p0", 1))[0], cost(within("p0", 4))[0]),
        "({} and {})".format(unsigned(*cost(within("ins", 3))), unsigned(*cost(within("loss", 4)))),
        f"{len(within_bounds()):,} of the 2,425 test dialogues",
        "perplexities {:.1f}, {:.1f} and {:.1f} and the DAS ratios {}, {} and {}".format(*map(perplexity, whole), *map(look, whole)),
    ]


def facts_of_small():
    """The models of 1 x 128 after their last epoch, the 18th, and on the way there."""
    small = functools.partial(run, SMALL)
    p0, insertion, loss = (small(training, 18) for training in TRAINED)
    return [
        f"{look(small('loss', 2))} after two epochs, {look(small('loss', 4))} after four, {look(loss)} at the end",
        f"ends at {look(insertion)}, training without distractions at {look(p0)}",
        f"from {cost(small('p0', 2))[0]:.0f} to {cost(p0)[0]:.0f} thousandths, while its perplexity falls from "
        f"{perplexity(small('p0', 2)):.1f} to {perplexity(p0):.1f}",
        f"{unsigned(*cost(insertion))} with insertion, and {unsigned(*cost(loss))} with the loss as well",
        f"the difference of these two is {plus_minus(*cost(loss, than=insertion))}",
        f"(`frequent:begin` {look(p0, 'frequent:begin')}, `frequent:end` {look(p0, 'frequent:end')})",
        f"{perplexity(insertion):.1f} and {perplexity(loss):.1f} against {perplexity(p0):.1f}",
        f"after four epochs it has {look(small('ins', 4))}, as has training without distractions ({look(small('p0', 4))})",
    ]


def facts_of_rates():
    """Validation perplexities, and the epochs after which the rate was halved."""
    logs = {training: read_lines(SCALE / f"{SMALL}-{training}-log.jsonl") for training in TRAINED}
    validated = lambda training, *at: [f"{logs[training][epoch - 1]['valid_perplexity']:.2f}" for epoch in at]
    halved = [str(a["epoch"]) for log in logs.values() for a, b in zip(log, log[1:]) if a["rate"] > b["rate"] and a["epoch"] < 18]
    return [
        "validation perplexity was {}, {}, {} and {} after epochs 16, 18, 19 and 20".format(*validated("p0", 16, 18, 19, 20)) +
        ", with insertion {}, {} and {} after 15, 17 and 18".format(*validated("ins", 15, 17, 18)),
        "with the loss {} and {} after 16 and 18".format(*validated("loss", 16, 18)),
        "(after {}, {} and {}; {}, {} and {}; {}, {}, {} and {})".format(*halved),
    ]


def facts_of_second_seed():
    insertion, loss = (run(AGAIN, training, 17) for training in ("ins", "loss"))
    first, first_loss = (run(SMALL, training, 18) for training in ("ins", "loss"))
    return [
        f"ends at {look(insertion)} with insertion and at {look(loss)} with the loss as well "
        f"({look(first)} and {look(first_loss)} with the first seed)",
        f"costs is {unsigned(*cost(insertion))} and {unsigned(*cost(loss))}: "
        f"a difference of {plus_minus(*cost(loss, than=insertion))} by the loss",
        f"after eight epochs insertion costs {cost(run(AGAIN, 'ins', 8))[0]:.1f} here and {cost(run(SMALL, 'ins', 8))[0]:.1f} there",
    ]


def facts_of_sgd():
    """The models that SGD trained, after 4, 8 and 12 epochs."""
    p0, insertion, loss = ([run(SGD, training, epoch) for epoch in (4, 8, 12)] for training in TRAINED)
    adam = run(SMALL, "p0", 12)
    return [
        "costs {:.1f} thousandths after four epochs, {:.1f} after eight and {:.1f} after twelve, at DAS ratios of {}, {} and {}".format(
            *(cost(kept)[0] for kept in p0), *map(look, p0)),
        "That is {}, {} and {} more than with insertion alone, whose ratios are no lower than {:.2f}. "
        "With Adam it costs {:.1f} after twelve, at a ratio of {}".format(
            *(unsigned(*cost(kept, than=than)) for kept, than in zip(p0, insertion)),
            min(das(kept, "random:1.0") for kept in insertion), cost(adam)[0], look(adam)),
        f"(`frequent:middle` {plus_minus(*cost(p0[2], 'frequent:middle'))}, `frequent:end` {plus_minus(*cost(p0[2], 'frequent:end'))})",
        "less that with insertion alone it is {}, {} and {} after four, eight and twelve epochs".format(
            *(plus_minus(*cost(kept, than=than)) for kept, than in zip(loss, insertion))),
        "With insertion alone it is {}, {} and {} after four, eight and twelve.".format(*map(look, insertion)),
    ]


def facts():
    return [*facts_of_large(), *facts_of_small(), *facts_of_rates(), *facts_of_second_seed(), *facts_of_sgd()]


def facts_of_readme():
    return ["({} without distractions, {} with insertion, {} with the loss as well); still the loss adds nothing".format(
        *(look(run(SMALL, training, 18)) for training in TRAINED))]


FACTS = {PAGE: facts, "README.md": facts_of_readme}
