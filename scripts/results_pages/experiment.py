"""docs/results/experiment.md: the variants of the paper and their seeds, beside the paper's numbers."""
import functools
import math
import re
from statistics import fmean, stdev, variance

from .common import ROOT, ratios, read, table
from .distraction import EXPERIMENT, SETS, STRUCTURES, Variant, das, harm, history, mean_das, runs, scores, variants

PAGE = "docs/results/experiment.md"
UNTRAINED, TRAINED = Variant("static-ui", 0), Variant("static-ui", 0.7)
NO_LOSS = Variant("static-ui", 0.7, loss=False)
SHOWN = ["random:1.0", "rare:begin", "rare:middle", "rare:end", "frequent:middle"]


@functools.cache
def of_paper():
    return read(ROOT / "data/paper-tables.json")["numbers"]


def printed(variant):
    """Test set -> the paper's numbers of a variant."""
    structure, p, loss = variant
    name = f"{structure}-p{'1.0' if p == 1 else format(p, 'g')}{'' if loss else '-no-loss'}"
    return of_paper().get(name, {}).get("test_sets", {})


def beside(number, of_paper, form):
    return form.format(number) + (f" ({form.format(of_paper)})" if of_paper is not None else "")


def das_table():
    rows = []
    for variant in variants():
        plain, paper = [run["test_sets"]["none"] for run in runs()[variant]], printed(variant)
        none = paper.get("none", {})
        rows.append([variant.title(),
                     beside(fmean(of["perplexity"] for of in plain), none.get("perplexity"), "{:.1f}"),
                     beside(100 * fmean(of["as_history"] for of in plain), none.get("as_history %"), "{:.0f}%"),
                     *(beside(mean_das(variant, test), paper.get(test, {}).get("das_ratio"), "{:.2f}") for test in SHOWN)])
    return table(["structure", "p", "perplexity", "AS of the history", *SHOWN], rows)


def harm_table():
    mean_harm = lambda variant, tests: fmean(fmean(harm(run, test) for test in tests) for run in runs()[variant])
    rows = [[variant.title(), " ".join(f"{harm(run, 'random:1.0'):+.1f}" for run in runs()[variant]),
             f"{mean_harm(variant, SETS):+.1f}", f"{mean_harm(variant, [test for test in SETS if test.endswith('end')]):+.1f}",
             f"{mean_das(variant, 'random:1.0'):.2f}"] for variant in variants()]
    return table(["structure", "p", "random:1.0, each seed", "all nine sets", "the two `end` sets", "DAS ratio on random:1.0"], rows)


def shares(variant, test, where=lambda length: True):
    """The share of dialogues whose distraction D gets more than their history H, and the mean of D / (D + H)."""
    seeds = [scores(run, test, where) for run in runs()[variant]]
    return fmean(fmean(d > h for d, h in seed) for seed in seeds), fmean(fmean(d / (d + h) for d, h in seed) for seed in seeds)


def share_table():
    tests = {"random:1.0": 1, "rare:middle": 2, "frequent:middle": 2}  # and how long a history is at least
    rows = []
    for variant in variants():
        cells = (shares(variant, test, lambda length, least=least: length >= least) for test, least in tests.items())
        rows.append([variant.title()] + [text for more, part in cells for text in (f"{100 * more:.0f}%", f"{part:.3f}")])
    return table(["structure", "p"] + [f"{test}, {what}" for test in tests for what in ("D > H", "D / (D + H)")], rows)


def middle_table():
    every, two, one, five = lambda h: True, lambda h: h >= 2, lambda h: h == 1, lambda h: h >= 5
    columns = {"rare:middle, all": ("rare:middle", every), "rare:middle, H >= 2": ("rare:middle", two),
               "frequent:middle, all": ("frequent:middle", every), "frequent:middle, H >= 2": ("frequent:middle", two),
               "random:1.0, H = 1": ("random:1.0", one), "random:1.0, H >= 5": ("random:1.0", five)}
    return table(["structure", "p", *columns], [[variant.title(), *(f"{mean_das(variant, *column):.2f}" for column in columns.values())]
                                                for variant in variants()])


def words_table():
    """The change of perplexity against p = 0 of the same seed, on the dialogues as they are.

    The interval is change -+ 1.96 s. s^2 is the variance of the mean over conversations (differences of whole
    conversations, a ratio estimator) and, where there are seeds, their variance over their number.
    """
    rows = []
    for variant in variants():
        if variant.p == 0:
            continue
        base = {run["seed"]: run for run in runs()[Variant(variant.structure, 0)]}
        seeds = [[(a - b, tokens) for a, b, tokens in zip(run["nll"], base[run["seed"]]["nll"], run["tokens"])]
                 for run in runs()[variant]]
        changes, error = ratios(seeds, runs()[variant][0]["conversations"])
        half = 1.96 * math.sqrt(error ** 2 + (variance(changes) / len(changes) if len(changes) > 1 else 0))
        change = fmean(changes)
        rows.append([variant.title(), str(len(changes))] +
                    [f"{100 * math.expm1(x):+.1f}%" for x in (change, change - half, change + half)])
    return table(["structure", "p", "seeds", "perplexity", "from", "to"], rows)


def seeds_table():
    rows = []
    for variant in variants():
        if len(runs()[variant]) > 1:
            by_set = [[das(run, test) for run in runs()[variant]] for test in SHOWN]
            rows.append([variant.title()] + [f"{min(x):.2f} to {max(x):.2f}" for x in by_set])
    return table(["structure", "p", *SHOWN], rows)


@functools.cache
def claims():
    """As the program decides them."""
    return read(EXPERIMENT / "tables/claims.json")


def verdict(result):
    if result["holds"] is not None:
        return "**holds**" if result["holds"] else "does not hold"
    return "undecided" if result["figure"] else "not printed"


def decided(word):
    """How many claims are decided so by the ratio of means."""
    return sum(verdict(claim["ratio of means"]) == word for claim in claims())


def claims_table():
    rows = [[claim["claim"], verdict(here := claim["ratio of means"]), here["figure"], claim["paper"]["figure"] or "not printed"]
            for claim in claims()]
    return table(["the paper says", "here", "in numbers", "the paper's numbers"], rows, texts=4)


TABLES = {"das": das_table, "claims": claims_table, "harm": harm_table, "share": share_table, "middle": middle_table,
          "words": words_table, "seeds": seeds_table}


def rises(test):
    """In how many variants with distractions and the loss the DAS ratio is higher than with p = 0."""
    return sum(mean_das(variant, test) > mean_das(Variant(variant.structure, 0), test)
               for variant in variants() if variant.p and variant.loss)


def das_before_and_after():
    return tuple(f"{mean_das(variant, 'random:1.0'):.2f}" for variant in (UNTRAINED, TRAINED))


def facts():
    cells = [mean_das(variant, test) - printed(variant)[test]["das_ratio"] for variant in variants() for test in SETS
             if printed(variant)[test]["das_ratio"] is not None]
    deviation = lambda variant: stdev(math.log(d / h) for d, h in scores(runs()[variant][0], "random:1.0") if d > 0 and h > 0)
    distinct = [fmean(run["responses"]["distinct_2"] for run in runs()[variant]) for variant in variants()]
    of_people = read(EXPERIMENT / "samples.json")["human"]["distinct_2"]
    looks = [100 * fmean(run["test_sets"]["none"]["as_history"] for run in runs()[Variant(structure, 0)]) for structure in STRUCTURES]
    return [
        f"in {sum(x > 0 for x in cells)} of {len(cells)} cells, by {fmean(cells):.2f} on average",
        f"from {deviation(UNTRAINED):.2f} to {deviation(TRAINED):.2f} for `static-ui`",
        f"{history().count(1)} of {len(history()):,} have one utterance of history",
        f"distinct-2 is {min(distinct):.3f} to {max(distinct):.3f}, where people have {of_people:.3f}",
        "falls from {} to {}".format(*das_before_and_after()),
        f"AS of the history {min(looks):.0f} to {max(looks):.0f} %",
        f"`rare:end` is higher in {rises('rare:end')} of the 15 variants",
        f"`rare:middle` in {rises('rare:middle')}",
        f"{decided('**holds**')} hold, {decided('does not hold')} do not, {decided('undecided')} are undecided",
        *facts_of_harm(),
    ]


def facts_of_harm():
    harms = lambda variant: [harm(run, "random:1.0") for run in runs()[variant]]
    at_0 = {structure: fmean(harms(Variant(structure, 0))) for structure in STRUCTURES}
    untrained, trained, no_loss = map(harms, (UNTRAINED, TRAINED, NO_LOSS))
    return [
        f"by {min(untrained):.0f} to {max(untrained):.0f} thousandths at p = 0, "
        f"by {min(trained):.0f} to {max(trained):.0f} with insertion",
        f"p = 0.7: {trained[0]:+.1f} with the loss, {no_loss[0]:+.1f} without it (seed 1 of both), {untrained[0]:+.1f} at p = 0",
        f"({at_0['static-ui']:+.0f} and {at_0['dynamic-ui']:+.0f} against {at_0['static']:+.0f} and {at_0['dynamic']:+.0f})",
    ]


def facts_of_guide():
    return [f"{decided('**holds**')} of the {len(claims())} claims that can be computed hold"]


def facts_of_readme():
    bundled = [row.split("|") for row in (ROOT / "data/models/README.md").read_text().splitlines()
               if re.match(r"\| (random|frequent|rare):", row)]
    before, after = das_before_and_after()
    return [f"a DAS ratio of {after} instead of {before}",
            f"{mean_das(NO_LOSS, 'random:1.0'):.2f} and makes the likelihood of responses as robust",
            "a DAS ratio of {:.2f} against {:.2f} on average".format(*(fmean(float(row[column]) for row in bundled) for column in (7, 6)))]


FACTS = {PAGE: facts, "docs/experiment.md": facts_of_guide, "README.md": facts_of_readme}


def wrong_shares():
    """The program's table of the shares of dialogues, to all digits."""
    rows = {(row["trained with"], row["structure"]): row["cells"] for row in read(EXPERIMENT / "tables/shares.json")["rows"]}
    for variant in variants():
        structure, p, loss = variant
        cells = rows[f"p = {p or 0}", structure + ("" if loss else ", no attention loss")]
        for i, test in enumerate(SETS):
            if any(abs(cell["value"] - x) > 1e-9 for cell, x in zip(cells[2 * i:2 * i + 2], shares(variant, test))):
                yield f"shares.json has other numbers than the kept results: {structure}, p = {p}, {test}"


CHECKS = {PAGE: wrong_shares}
