#!/usr/bin/env python3
"""Makes the tables of docs/results/adversarial.md, carryover.md, energy.md, experiment.md, gaps.md, generators.md, mediation.md, other-models.md, probes.md, scale.md and nex-cv.md from the kept results.

    scripts/experiment_tables.py           writes the tables into the pages, between their <!-- table NAME --> marks
    scripts/experiment_tables.py --check   exits with 1 and the differences if a page says something else

A page's sentences are checked as well: facts() says which numbers they must have. So are the tables of speed, against the
runs that are kept; and every page of results says whether its raw data are. The program whose results it reads is not called, and shares no code with it.
"""
import bisect
import functools
import gzip
import json
import math
import pathlib
import re
import sys
from collections import Counter
from random import Random
from statistics import correlation, fmean, stdev, variance

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs/results/experiment"
MEDIATION = ROOT / "docs/results/mediation"
ADVERSARIAL = ROOT / "docs/results/adversarial"
sys.path.insert(0, str(ROOT / "bench"))
import compare_gpu  # noqa: E402
import compare_torch  # noqa: E402
import decoding  # noqa: E402
import svg  # noqa: E402

STRUCTURES = ["non-hier", "static", "static-ui", "dynamic", "dynamic-ui"]
PROBABILITIES = [0, 0.5, 0.7, 1.0]
SETS = [f"random:{p}" for p in ("0.5", "0.7", "1.0")] + [
    f"{kind}:{place}" for kind in ("frequent", "rare") for place in ("begin", "middle", "end")]


def load():
    """(structure, p, with the loss) -> the evaluations of its seeds, in their order."""
    found = {}
    for path in sorted(RESULTS.glob("*/evaluation.json")):
        run = json.loads(path.read_text())
        key = (run["structure"], run["insert_prob"], run["attention_loss"] or run["insert_prob"] == 0)
        found.setdefault(key, []).append(run)
    return found


RUNS = load()
PRINTED = json.loads((ROOT / "data/paper-tables.json").read_text())["numbers"]
# Utterances of each test dialogue's history: its context without the query, of at most ten turns.
HISTORY = json.loads((RESULTS / "history.json").read_text())


def variants():
    """The keys of all variants, each structure with p = 0 first, and static-ui without the loss behind it."""
    for structure in STRUCTURES:
        for loss in (True, False):
            for p in PROBABILITIES:
                if (structure, p, loss) in RUNS:
                    yield structure, p, loss


def printed(key):
    """Test set -> the paper's numbers of a variant."""
    structure, p, loss = key
    variant = f"{structure}-p{'1.0' if p == 1 else format(p, 'g')}{'' if loss else '-no-loss'}"
    return PRINTED.get(variant, {}).get("test_sets", {})


def name(key):
    structure, p, loss = key
    return f"{structure}{'' if loss else ', no attention loss'} | {p:g}"


def scores(run, test, where=lambda history: True):
    """AS of the distractions and of the history, of each dialogue that has both and whose history is as asked for."""
    kept = run["test_sets"][test]
    return [(d, h) for d, h, utterances in
            zip(kept["dialogues_as_distraction"], kept["dialogues_as_history"], HISTORY)
            if d is not None and h is not None and where(utterances)]


def das(run, test, where=lambda history: True):
    pairs = scores(run, test, where)
    return fmean(d for d, _ in pairs) / fmean(h for _, h in pairs)


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "| --- | --- |" + " ---: |" * (len(heads) - 2)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def das_table():
    tests = ["random:1.0", "rare:begin", "rare:middle", "rare:end", "frequent:middle"]
    rows = []
    for key in variants():
        runs, paper = RUNS[key], printed(key)

        def cell(text, number, form):
            return text + (f" ({format(number, form)})" if number is not None else "")

        row = [name(key),
               cell(f"{fmean([r['test_sets']['none']['perplexity'] for r in runs]):.1f}", paper.get("none", {}).get("perplexity"), ".1f"),
               cell(f"{100 * fmean([r['test_sets']['none']['as_history'] for r in runs]):.0f}%",
                    paper.get("none", {}).get("as_history %"), ".0f") .replace(")", "%)")]
        for test in tests:
            row.append(cell(f"{fmean([das(r, test) for r in runs]):.2f}", paper.get(test, {}).get("das_ratio"), ".2f"))
        rows.append(row)
    return table(["structure", "p", "perplexity", "AS of the history"] + tests, rows)


def harm(run, test):
    return 1000 * math.log(run["test_sets"][test]["perplexity"] / run["test_sets"]["none"]["perplexity"])


def harm_table():
    rows = []
    for key in variants():
        runs = RUNS[key]
        by_seed = [f"{harm(r, 'random:1.0'):+.1f}" for r in runs]
        rows.append([name(key), " ".join(by_seed), f"{fmean([fmean([harm(r, t) for t in SETS]) for r in runs]):+.1f}",
                     f"{fmean([fmean([harm(r, t) for t in SETS if t.endswith('end')]) for r in runs]):+.1f}",
                     f"{fmean([das(r, 'random:1.0') for r in runs]):.2f}"])
    return table(["structure", "p", "random:1.0, each seed", "all nine sets", "the two `end` sets", "DAS ratio on random:1.0"], rows)


TURNS = ROOT / "docs/results/turns"


@functools.cache
def inserted():
    """Test set -> how many utterances it inserts into each test dialogue: none, one or two."""
    return {test: [int(count) for count in counts] for test, counts in json.loads((TURNS / "inserted.json").read_text()).items()}


def one_inserted(run):
    """The harm of exactly one utterance: random:P adds share(1) harm(1) + share(2) harm(2), of tokens, and random:1.0 harm(2). By P = 0.5, and by 0.7.
    The responses have the same tokens for all models."""
    tokens = scale_runs(range(len(HISTORY)))["4x512", "p0", "4"]["tokens"]
    share = lambda test, count: sum(t for t, n in zip(tokens, inserted()[test]) if n == count) / sum(tokens)
    return [(harm(run, test) - share(test, 2) * harm(run, "random:1.0")) / share(test, 1) for test in inserted()]


def one_and_two_table():
    rows = []
    for key in variants():
        if key[1] in (0, 0.7):
            columns = zip(*([*one_inserted(run), harm(run, "random:1.0")] for run in RUNS[key]))
            rows.append([name(key)] + [" ".join(f"{x:+.1f}" for x in column) for column in columns])
    return table(["structure", "p", "one, by `random:0.5`, each seed", "one, by `random:0.7`", "two (`random:1.0`)"], rows)


def counted_table():
    """Harm by the number of utterances that a test set inserted, of the large models."""
    rows, runs = [], scale_runs(range(len(HISTORY)))
    for training, epoch in (("p0", "3"), ("p0", "4"), ("ins", "3"), ("loss", "4")):
        row, run = [TRAINED[training], epoch], runs["4x512", training, epoch]
        for test, count in (("random:0.5", 1), ("random:0.7", 1), ("random:0.5", 2), ("random:0.7", 2), ("random:1.0", 2)):
            where = [i for i in range(len(HISTORY)) if test not in inserted() or inserted()[test][i] == count]
            of = lambda values: [values[i] for i in where]
            added = [a - b for a, b in zip(*(of(run["test_sets"][t]["nll"]) for t in (test, "none")))]
            row.append("{:+.1f} ± {:.1f}".format(*(1000 * x for x in interval(added, of(run["tokens"]), of(run["conversations"])))))
        rows.append(row)
    return table(["trained", "epoch", "one, `random:0.5`", "one, `random:0.7`", "two, `random:0.5`", "two, `random:0.7`", "two, `random:1.0`"], rows)


# The models of docs/results/turns.md, by the names of their kept files -> structure and p.
TURN_MODELS = {"baseline": "static-ui | 0, seed 1", "static-ui-seed2": "static-ui | 0, seed 2", "static-ui-seed3": "static-ui | 0, seed 3",
            "dynamic-ui-seed1": "dynamic-ui | 0", "static-seed1": "static | 0", "dynamic-seed1": "dynamic | 0", "non-hier-seed1": "non-hier | 0",
            "trained": "static-ui | 0.7, seed 1"}
QUERIES = ("query left out", "query and the turn before left out")


@functools.cache
def turns_of(model):
    return json.loads(gzip.decompress((TURNS / f"{model}.json.gz").read_bytes()))


def turns_change(model, change, than="none", where=lambda behind: True):
    """What a change of the contexts adds to the log-perplexity, in thousandths, and its interval over dialogues; of those whose numbers of own
    turns behind the inserted ones are as asked for."""
    kept = turns_of(model)
    chosen = [(a - b, tokens) for a, b, tokens, behind in zip(kept["nll"][change], kept["nll"][than], kept["tokens"], kept["own turns behind"]) if where(behind)]
    return [1000 * x for x in interval(*zip(*chosen), range(len(chosen)))]


def resynchronised_table():
    """The harm of one inserted turn by the dialogue's own turns behind it, and of two by those between them."""
    bounds = {"1 or 2": (1, 2), "3 or 4": (3, 4), "5 or more": (5, 10)}
    one = {f"one, {name} behind it": ("1 inserted", lambda behind, low=low, high=high: low <= behind[0] <= high) for name, (low, high) in bounds.items()}
    two = {"two, at most 1 between": ("2 inserted", lambda behind: abs(behind[0] - behind[1]) <= 1), "two, 2 or more between": ("2 inserted", lambda behind: abs(behind[0] - behind[1]) > 1)}
    columns = one | two
    return table(["structure", "p", *columns], [[title, *("{:+.1f} ± {:.1f}".format(*turns_change(model, change, where=where)) for change, where in columns.values())]
                                                for model, title in TURN_MODELS.items()])


def turns_figure():
    """docs/turns.svg: what one to four inserted turns cost, a curve for each structure."""
    curves = {}
    for model, title in TURN_MODELS.items():
        structure, p = title.split(", ")[0].split(" | ")
        harms = [turns_change(model, f"{count} inserted")[0] for count in (1, 2, 3, 4)]
        curves.setdefault(structure + (", trained with insertion" if p != "0" else ""), []).append([0, *harms])
    return svg.curves("What inserted turns of other dialogues cost", "turns inserted", "thousandths of log-perplexity", [0, 1, 2, 3, 4],
                      {label: [fmean(column) for column in zip(*seeds)] for label, seeds in curves.items()})


def turns_table(changes):
    return table(["structure", "p", *changes], [[title, *("{:+.1f} ± {:.1f}".format(*turns_change(model, change)) for change in changes)] for model, title in TURN_MODELS.items()])


def share_table():
    tests = ["random:1.0", "rare:middle", "frequent:middle"]
    rows = []
    for key in variants():
        row = [name(key)]
        for test in tests:
            least = 2 if test.endswith("middle") else 1
            pairs = [scores(run, test, lambda history: history >= least) for run in RUNS[key]]
            row += [f"{100 * fmean([fmean(d > h for d, h in seed) for seed in pairs]):.0f}%",
                    f"{fmean([fmean(d / (d + h) for d, h in seed) for seed in pairs]):.3f}"]
        rows.append(row)
    return table(["structure", "p"] + [f"{t}, {what}" for t in tests for what in ("D > H", "D / (D + H)")], rows)


def middle_table():
    rows = []
    for key in variants():
        row = [name(key)]
        for test in ("rare:middle", "frequent:middle"):
            row.append(f"{fmean([das(r, test) for r in RUNS[key]]):.2f}")
            row.append(f"{fmean([das(r, test, lambda history: history >= 2) for r in RUNS[key]]):.2f}")
        for where in (lambda history: history == 1, lambda history: history >= 5):
            row.append(f"{fmean([das(r, 'random:1.0', where) for r in RUNS[key]]):.2f}")
        rows.append(row)
    return table(["structure", "p", "rare:middle, all", "rare:middle, H >= 2", "frequent:middle, all", "frequent:middle, H >= 2",
                  "random:1.0, H = 1", "random:1.0, H >= 5"], rows)


def words_table():
    """The change of perplexity against p = 0 of the same seed, on the dialogues as they are.

    The interval is change -+ 1.96 s. s^2 is the variance of the mean over conversations (differences of whole
    conversations, a ratio estimator) and, where there are seeds, their variance over their number.
    """
    rows = []
    for key in variants():
        if key[1] == 0:
            continue
        base = {r["seed"]: r for r in RUNS[(key[0], 0, True)]}
        changes, by_conversation, tokens = [], {}, sum(RUNS[key][0]["tokens"])
        for run in RUNS[key]:
            differences = [a - b for a, b in zip(run["nll"], base[run["seed"]]["nll"])]
            changes.append(sum(differences) / tokens)
            for conversation, difference, length in zip(run["conversations"], differences, run["tokens"]):
                by_conversation.setdefault(conversation, []).append((difference, length))
        change = fmean(changes)
        s2 = sum((sum(d - change * n for d, n in parts) / len(changes) / tokens) ** 2 for parts in by_conversation.values())
        if len(changes) > 1:
            s2 += variance(changes) / len(changes)
        half = 1.96 * math.sqrt(s2)
        rows.append([name(key), str(len(changes))] +
                    [f"{100 * math.expm1(x):+.1f}%" for x in (change, change - half, change + half)])
    return table(["structure", "p", "seeds", "perplexity", "from", "to"], rows)


def interval(differences, tokens, conversations):
    """Mean over tokens, and 1.96 standard errors of it over conversations (a ratio estimator)."""
    total = sum(tokens)
    change = sum(differences) / total
    groups = {}
    for conversation, difference, length in zip(conversations, differences, tokens):
        groups[conversation] = groups.get(conversation, 0) + difference - change * length
    return change, 1.96 * math.sqrt(sum(x * x for x in groups.values())) / total


READINGS = [("as it is", "all of it"), ("unseen", "without the distractions' attention"),
            ("unread", "without their state"), ("both", "without both")]
MEDIATED = ["static-ui", "static", "dynamic", "non-hier"]
TRAININGS = {"none": "as it is", "insertion": "insertion", "insertion-loss": "insertion and the loss",
             "placebo": "the loss on own utterances"}
STUDENT = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 8: 2.36}  # 97.5 % point of Student's t, by the number of seeds


@functools.cache
def mediation_runs():
    """(structure, training) -> its runs, by seed. A run has, of each test set, "harms": what distractions add to the
    log-perplexity of each dialogue under each reading, in thousandths, of all its tokens; and, if they were measured, "exchange" and "places"."""
    found = {}
    for path in sorted(MEDIATION.glob("*/evaluation.json")):  # by seed within a training
        structure, training, seed = re.fullmatch("(.*?)-(none|insertion|insertion-loss|placebo)-seed(.)", path.parent.name).groups()
        run = json.loads(path.read_text())
        more = {name: json.loads(file.read_text()) if (file := path.with_name(f"{name}.json")).exists() else None for name in ("exchange", "places")}
        found.setdefault((structure, training), []).append(run | more | {"seed": int(seed), "sets": run["test_sets"]})
    return found


def over_seeds(tops, bottoms=None):
    """Mean over the seeds of a quotient of sums over dialogues (of the tops over the response's tokens, if there are no bottoms),
    and half of a 95 % interval for other conversations and, where there are seeds, other trainings: conversations by 1.96 standard
    errors (a ratio estimator) of the mean over seeds, seeds by Student's t. Dialogues that were not measured have None."""
    kept = RUNS["static-ui", 0, True][0]
    lists = [[(t, b) if t is not None else (0, 0) for t, b in zip(*pair)] for pair in zip(tops, bottoms or [kept["tokens"]] * len(tops))]
    totals = [[sum(column) for column in zip(*pairs)] for pairs in lists]
    quotients = [top / bottom for top, bottom in totals]
    groups = Counter()
    for pairs, (_, total), quotient in zip(lists, totals, quotients):
        for conversation, (top, bottom) in zip(kept["conversations"], pairs):
            groups[conversation] += (top - quotient * bottom) / total / len(lists)
    of_conversations = 1.96 * math.sqrt(sum(x * x for x in groups.values()))
    of_seeds = STUDENT[len(lists)] * stdev(quotients) / math.sqrt(len(lists)) if len(lists) > 1 else 0
    return fmean(quotients), math.hypot(of_conversations, of_seeds)


def plus_minus(mean, half):
    return f"{mean:+.1f} ± {half:.1f}"


def mediation_table(test):
    rows, found = [], mediation_runs()
    for structure in MEDIATED:
        for training, name in TRAININGS.items():
            runs = found.get((structure, training))
            if runs:
                rows.append([structure, name, str(len(runs)), f"{fmean(r['sets'][test]['das_ratio'] for r in runs):.2f}"] +
                            [plus_minus(*over_seeds([r["sets"][test]["harms"][reading] for r in runs])) for reading, _ in READINGS])
    return table(["structure", "trained with", "seeds", "DAS ratio"] + [head for _, head in READINGS], rows)


def mediation_change(structure, training, other, test="random:1.0", reading="as it is", other_reading="as it is"):
    """The harm of a training less that of the other one, of the seeds that both have; or of one reading less another."""
    found = mediation_runs()
    harms = [{r["seed"]: r["sets"][test]["harms"][which] for r in found[structure, name]}
             for name, which in ((training, reading), (other, other_reading))]
    return over_seeds([[a - b for a, b in zip(harms[0][seed], harms[1][seed])] for seed in harms[0] if seed in harms[1]])


def mediation_changes():
    """What a training changes, and which way the harm goes."""
    rows, found = [], mediation_runs()
    for structure in MEDIATED:
        if not all((structure, training) in found for training in TRAININGS):
            continue
        rows.append([structure, str(len(found[structure, "none"]))] + [plus_minus(*change) for change in (
            mediation_change(structure, "insertion", "none"), mediation_change(structure, "insertion-loss", "insertion"),
            mediation_change(structure, "placebo", "none"),
            mediation_change(structure, "none", "none", reading="unread", other_reading="unseen"))])
    return table(["structure", "seeds", "insertion less none", "the loss less insertion alone", "placebo less none",
                  "none: without their state less without their attention"], rows)


def mediation_end_changes():
    """What the attention loss changes by phrases next to the query, against insertion alone and against training on the data as they are."""
    return table(["structure", "seeds", *(f"`{test}`: the loss less {than}" for test in ("frequent:end", "rare:end") for than in ("insertion alone", "none"))],
                 [[structure, str(len(mediation_runs()[structure, "none"]))] +
                  [plus_minus(*mediation_change(structure, "insertion-loss", than, test)) for test in ("frequent:end", "rare:end") for than in ("insertion", "none")]
                  for structure in MEDIATED])


def mediation_responses():
    """Greedy responses without and with the distractions of random:1.0, means over the seeds that wrote any."""
    rows = []
    for (structure, training), runs in sorted(mediation_runs().items(), key=lambda run: (MEDIATED.index(run[0][0]), list(TRAININGS).index(run[0][1]))):
        written = [run["responses"] for run in runs if run.get("responses", {}).get("share_changed") is not None]
        if written:
            cells = [f"{scale * fmean(r[when][what] for r in written):.{digits}f}" for what, scale, digits in (("bleu", 100, 2), ("distinct_2", 1, 4))
                     for when in ("clean", "distracted")]
            rows.append([structure, TRAININGS[training], str(len(written))] + cells + [f"{100 * fmean(r['share_changed'] for r in written):.0f}%"])
    return table(["structure", "trained with", "seeds", "BLEU", "distracted", "distinct-2", "distracted", "changed"], rows)


def exchanges(structure, training):
    """query and history -> what an exchanged utterance adds to the log-perplexity, of each seed that was measured, and its attention score."""
    runs = [run["exchange"] for run in mediation_runs()[structure, training] if run["exchange"]]
    return {which: ([run[which]["harms"] for run in runs], fmean(run[which]["look"] for run in runs)) for which in ("query", "history")}


def exchange_table():
    rows, found = [], mediation_runs()
    for structure in MEDIATED:
        for training, name in TRAININGS.items():
            if any(run["exchange"] for run in found.get((structure, training), [])):
                of = exchanges(structure, training)
                rows.append([structure, name, str(len(of["query"][0]))] + [plus_minus(*over_seeds(of[which][0])) for which in of] +
                            [f"{of[which][1]:.2f}" for which in of])
    return table(["structure", "trained with", "seeds", "query exchanged", "an earlier one", "AS of the query", "of the earlier one"], rows)


def exchange_change(structure, training, other, which):
    """What an exchanged utterance costs after a training less what it costs after the other one, of the seeds that both have."""
    found = mediation_runs()
    costs = [{run["seed"]: run["exchange"][which]["harms"] for run in found[structure, name] if run["exchange"]} for name in (training, other)]
    return plus_minus(*over_seeds([[a - b for a, b in zip(costs[0][seed], costs[1][seed])] for seed in costs[0] if seed in costs[1]]))


SOURCES = ["own", "duplicate", "nearest", "matched", "foreign"]


def placed(structure, training):
    """What was measured of utterances at every place, by seed."""
    return [run["places"] for run in mediation_runs().get((structure, training), []) if run["places"]]


def place_change(structure, training, source, top, bottom=None, of=None):
    """A quotient of two lists of utterances of a source, the second one of `of` if it is given; without a second one, of the tokens."""
    runs = placed(structure, training)
    return over_seeds([run[source][top] for run in runs], [run[of or source][bottom] if bottom else run["tokens"] for run in runs])


def places_table(columns):
    """A row for each training with a cell for each of (head, its text for a structure and a training)."""
    rows = [[structure, name, str(len(placed(structure, training)))] + [cell(structure, training) for _, cell in columns]
            for structure in MEDIATED for training, name in TRAININGS.items() if placed(structure, training)]
    return table(["structure", "trained with", "seeds"] + [head for head, _ in columns], rows)


def place_attention():
    das = [(source, lambda *run, source=source: f"{place_change(*run, source, 'looks', 'history_looks')[0]:.2f}") for source in SOURCES]
    beside = [(f"{source} / own", lambda *run, source=source: "{:.2f} ± {:.2f}".format(*place_change(*run, source, "looks", "looks", "own")))
              for source in ("nearest", "foreign")]
    return places_table(das + beside)


def place_harm():
    harm = [(source, lambda *run, source=source: plus_minus(*place_change(*run, source, "harms"))) for source in SOURCES]
    return places_table(harm + [("foreign less own", lambda *run: plus_minus(*place_change(*run, "foreign", "harms_less_own")))])


def place_map(structure, source, training="none"):
    """A row for each length of the history, a column for each number of utterances before the inserted one: DAS ratios, means over the seeds."""
    maps = [run[source]["map"] for run in placed(structure, training)]
    cell = lambda at: f"{fmean(m[at[0]][at[1]]['look'] / m[at[0]][at[1]]['history_look'] for m in maps):.2f}"
    most = max(map(int, maps[0]))
    rows = [[history, f"{row['0']['dialogues']:.0f}"] + [cell((history, place)) for place in row] + [""] * (most + 1 - len(row))
            for history, row in maps[0].items()]
    return table(["history", "dialogues"] + list(map(str, range(most + 1))), rows)


TRANSFORMER = ROOT / "docs/results/other-models"
OF_TRANSFORMER = {"none": "as the data are", "insertion": "insertion"} | {
    f"mass{weight}": f"insertion and the loss on the mass, {weight}" for weight in (1, 10, 100, 1000)}


@functools.cache
def transformers():
    """training -> the test sets of its runs, by seed. Each set has "nll" of each dialogue's response; a distracting one "as_distraction" and "as_history".
    "two turns": contexts are cut to their last two utterances."""
    read = lambda path: json.loads(gzip.decompress(path.read_bytes()))
    runs = {training: {path.name.split("seed")[1][0]: (kept := read(path))["test_sets"] | {"two turns": {"nll": kept["two_turns"]}}
                       for path in sorted(TRANSFORMER.glob(f"{training}-seed*.json.gz"))} for training in OF_TRANSFORMER}
    tokens = RUNS["static-ui", 0, True][0]["tokens"]
    assert all(sets["none"]["tokens"] == tokens for seeds in runs.values() for sets in seeds.values())
    return {training: seeds for training, seeds in runs.items() if seeds}


def transformer_harm(training, other=None, test="random:1.0"):
    """Thousandths that distractions add to the log-perplexity after a training, or that less the same after the other one, of the seeds that both have."""
    harms = [{seed: [1000 * (a - b) for a, b in zip(sets[test]["nll"], sets["none"]["nll"])] for seed, sets in transformers()[name].items()}
             for name in (training, other or training)]
    lists = [[a - (b if other else 0) for a, b in zip(harms[0][seed], harms[1][seed])] for seed in harms[0] if seed in harms[1]]
    return over_seeds(lists)


def transformer_das(training, test):
    return [fmean(d for d in sets[test]["as_distraction"] if d is not None) / fmean(h for h in sets[test]["as_history"] if h is not None)
            for sets in transformers()[training].values()]


def spread(values, digits=2):
    """The mean, and the least and the greatest where there are several."""
    low, high = (f"{end(values):.{digits}f}" for end in (min, max))
    return f"{fmean(values):.{digits}f}" + (f" ({low} to {high})" if len(values) > 1 else "")


def transformer_perplexity(training):
    tokens = sum(RUNS["static-ui", 0, True][0]["tokens"])
    return fmean(math.exp(sum(sets["none"]["nll"]) / tokens) for sets in transformers()[training].values())


def transformer_table():
    rows = []
    for training, seeds in transformers().items():
        rows.append([OF_TRANSFORMER[training], str(len(seeds)), f"{transformer_perplexity(training):.1f}",
                     plus_minus(*transformer_harm(training)), plus_minus(*transformer_harm(training, test="two turns"))] +
                    [spread(transformer_das(training, test)) for test in ("random:1.0", "frequent:end", "rare:middle", "rare:end")])
    return table(["trained with", "seeds", "perplexity", "harm of random:1.0", "cut to two turns", "DAS: random:1.0", "frequent:end", "rare:middle", "rare:end"], rows)


def of_non_hier(training):
    """Numbers of the seeds of non-hier on random:1.0."""
    runs = mediation_runs()["non-hier", training]
    harm = lambda reading: [run["sets"]["random:1.0"]["harm"][reading] for run in runs]
    return {"perplexity": [run["perplexity"] for run in runs], "harm": harm("as it is"), "unseen": harm("unseen"),
            "history": [run["exchange"]["history"]["harm"] for run in runs]}


def non_hier_runs():
    """training -> seed 1 of non-hier: those of the mediation experiment, and the loss on the mass."""
    read = lambda folder: {name: json.loads((folder / f"{name}.json").read_text()) for name in ("evaluation", "exchange")}
    return {name: read(MEDIATION / f"non-hier-{training}-seed1") for training, name in list(TRAININGS.items())[:3]} | {
        "insertion and the loss on the mass": read(TRANSFORMER / "non-hier-mass-seed1")}


def non_hier_costs(run):
    """What distractions cost, what an exchanged query and what an exchanged earlier utterance: of each dialogue."""
    return {"harm": run["evaluation"]["test_sets"]["random:1.0"]["harms"]["as it is"]} | {
        which: run["exchange"][which]["harms"] for which in ("query", "history")}


def non_hier_table():
    rows = []
    for training, run in non_hier_runs().items():
        costs, sets = non_hier_costs(run), run["evaluation"]["test_sets"]
        rows.append([training, f"{run['evaluation']['perplexity']:.1f}"] + [plus_minus(*over_seeds([costs[which]])) for which in costs] +
                    [f"{run['exchange']['query']['look']:.2f}"] + [f"{sets[test]['das_ratio']:.2f}" for test in ("random:1.0", "frequent:end", "rare:end")])
    return table(["trained with", "perplexity", "harm of random:1.0", "query exchanged", "an earlier one", "AS of the query", "DAS: random:1.0", "frequent:end", "rare:end"], rows)


def non_hier_change(which):
    """The loss on the mass less insertion alone."""
    runs = non_hier_runs()
    mass, alone = (non_hier_costs(runs[name])[which] for name in ("insertion and the loss on the mass", "insertion"))
    return plus_minus(*over_seeds([[a - b for a, b in zip(mass, alone)]]))


def heads_table():
    rows = []
    for training, seeds in transformers().items():
        for head in (0, 1):
            rows.append([OF_TRANSFORMER[training], str(head + 1)] + [spread([sets[test]["heads"][head] for sets in seeds.values()])
                                                                     for test in ("random:1.0", "frequent:end", "rare:middle", "rare:end")])
    return table(["trained with", "head", "random:1.0", "frequent:end", "rare:middle", "rare:end"], rows)


def verdict(result):
    if result["holds"] is not None:
        return "**holds**" if result["holds"] else "does not hold"
    return "undecided" if result["figure"] else "not printed"


def claims_table():
    """As the program decides them, by the ratio of means."""
    claims = json.loads((RESULTS / "tables/claims.json").read_text())
    heads = ["the paper says", "here", "in numbers", "the paper's numbers"]
    rows = [[c["claim"], verdict(c["ratio of means"]), c["ratio of means"]["figure"], c["paper"]["figure"] or "not printed"]
            for c in claims]
    lines = ["| " + " | ".join(row) + " |" for row in [heads, ["---"] * 4] + rows]
    return "\n".join(lines)


def seeds_table():
    tests = ["random:1.0", "rare:begin", "rare:middle", "rare:end", "frequent:middle"]
    rows = []
    for key in variants():
        if len(RUNS[key]) > 1:
            by_set = [[das(r, test) for r in RUNS[key]] for test in tests]
            rows.append([name(key)] + [f"{min(x):.2f} to {max(x):.2f}" for x in by_set])
    return table(["structure", "p"] + tests, rows)


NEX = ROOT / "docs/results/nex-cv"
ENCODERS = {"bag": "bag of words", "baseline": "`baseline`", "ranker": "`ranker`", "minilm": "MiniLM"}
SMALL = {"none": "nothing", "share:0.15": "small classes, P = 0.15", "below:5": "small classes, K = 5", "real": "real questions"}


def negatives(corpus, encoder):
    """What stands for none -> the kept results of one encoder."""
    return {r["small"]: r for r in json.loads((NEX / f"{corpus}-{encoder}.json").read_text())["results"]}


def percent(estimate):
    return "–" if estimate is None else f"{100 * estimate['value']:.1f} [{100 * estimate['low']:.1f}, {100 * estimate['high']:.1f}]"


def negatives_table(corpus, thresholds):
    rows = []
    for encoder, name in ENCODERS.items():
        for small, result in negatives(corpus, encoder).items():
            for t in (t for t in result["thresholds"] if round(t["threshold"], 2) in thresholds):
                shares = [f"{100 * t['outcomes'][k] / result['tested']:.1f}" for k in ("T", "TO", "FCO", "FO", "F")]
                rest = ["–" if x is None else f"{100 * x:.1f}"
                        for x in (t["f1_macro"], t["f1_weighted"], t["withheld_wrong"], t["withheld_right"])]
                rows.append([name, SMALL[small], f"{t['threshold']:.1f}"] +
                            [percent(t[k]) for k in ("accuracy", "known_right", "none_withheld")] + shares + rest +
                            [percent(result["auc"])])
    return table(["encoder", "Ø are", "threshold", "right, T + TO", "of a class", "of Ø", "T", "TO", "FCO", "FO", "F", "F1 macro",
                  "weighted", "carefulness, text: wrong", "program: right", "AUC"], rows)


def prediction(encoder):
    """AUC of both kinds of Ø, the best threshold by either, and what each gives on the real ones."""
    of = negatives("clinc150", encoder)
    plausible, real = of["share:0.15"], of["real"]
    best = [max(x["thresholds"], key=lambda t: t["accuracy"]["value"]) for x in (plausible, real)]
    got = next(t for t in real["thresholds"] if t["threshold"] == best[0]["threshold"])
    return plausible, real, best, got


def prediction_table():
    rows = []
    for encoder, name in ENCODERS.items():
        plausible, real, best, got = prediction(encoder)
        rows.append([name, percent(plausible["auc"]), percent(real["auc"]), f"{best[0]['threshold']:.1f}", f"{best[1]['threshold']:.1f}",
                     percent(best[0]["accuracy"]), percent(got["accuracy"]), percent(best[1]["accuracy"])])
    return table(["encoder", "AUC, small classes", "real", "best threshold, small classes", "real", "right, small classes",
                  "right of the real ones at that threshold", "at their own best"], rows)


def explanations_table():
    rows = []
    for what, name in (("because", "explanation"), ("why", "answer to why")):
        for turns in (1, 6):
            for seed in (1, 2):
                kept = json.loads((ROOT / f"docs/results/explanations/{what}-turns{turns}-seed{seed}.json").read_text())
                row = [name, f"{turns}", f"{seed}"]
                for measure, form in (("perplexity", "{:.1f}"), ("accuracy", "{:.3f}")):
                    lstm, transformer = next(r["runs"] for r in kept["rows"] if r["measure"] == measure)
                    change = transformer["change"]
                    row += [form.format(x["estimate"]["value"]) for x in (lstm, transformer)]
                    row.append(f"{{:+{form[2:]} [{{:+{form[2:]}, {{:+{form[2:]}]".format(*(change[k] for k in ("value", "low", "high"))))
                rows.append(row)
    return table(["response", "turns read", "seed", "perplexity, LSTM", "Transformer", "change", "next token right, LSTM", "Transformer",
                  "change"], rows)


def context_table():
    """What a model writes when it reads six turns instead of one, of kept comparisons."""
    rows = []
    for what, name in (("because", "explanation"), ("why", "answer to why")):
        for model in ("baseline", "larger", "dynamic", "non-hier"):
            kept = json.loads((ROOT / f"docs/results/explanations/{what}-context-{model}.json").read_text())
            row = [name, f"`{model}`"]
            for measure, scale, digits in (("perplexity", 1, 1), ("bleu_2", 100, 1), ("rouge_l", 100, 1), ("meteor_exact_stem", 100, 1)):
                one, six = next(r["runs"] for r in kept["rows"] if r["measure"] == measure)
                number = lambda x, sign="": f"{scale * x:{sign}.{digits}f}"
                row.append(f"{number(one['estimate']['value'])}, {number(six['estimate']['value'])}: " + "{} [{}, {}]".format(
                    *(number(six["change"][k], "+") for k in ("value", "low", "high"))))
            rows.append(row)
    return table(["response", "model", "perplexity", "BLEU-2 %", "ROUGE-L %", "METEOR %"], rows)


SCALE = ROOT / "docs/results/scale"
TRAINED = {"p0": "as the data are", "ins": "insertion", "loss": "insertion and the loss"}


# Dialogues of which the bounds of the training (10 utterances of 50 words, 50 words of a response) cut nothing: in them epochs
# that were measured without bounds are like the others.
WITHIN = json.loads((SCALE / "within-bounds.json").read_text())


def scale_runs(dialogues):
    """(sizes, training, epoch) -> what `heed evaluate` found on the last turns of these test dialogues."""
    runs = {}
    for path in sorted(SCALE.glob("*.json.gz")):
        kept = json.loads(gzip.decompress(path.read_bytes()))
        of = lambda values: [values[i] for i in dialogues]
        sets = {test: {key: of(values) if isinstance(values, list) else values for key, values in numbers.items()}
                for test, numbers in kept["test_sets"].items()}
        conversations = of(RUNS["static-ui", 0, True][0]["conversations"])
        runs[tuple(path.name.removesuffix(".json.gz").replace("epoch", "").split("-"))] = {
            "test_sets": sets, "tokens": of(kept["tokens"]), "conversations": conversations}
    return runs


def scale_harm(kept, test, than=None):
    """What distractions add to the log-perplexity, in thousandths, with its interval; or how much more than in another model."""
    added = [[a - b for a, b in zip(of["test_sets"][test]["nll"], of["test_sets"]["none"]["nll"])] for of in (kept, than) if of]
    return [1000 * x for x in interval([row[0] - sum(row[1:]) for row in zip(*added)], kept["tokens"], kept["conversations"])]


def perplexity(kept):
    return math.exp(sum(kept["test_sets"]["none"]["nll"]) / sum(kept["tokens"]))


def scale_table(sizes, dialogues):
    rows = []
    runs = scale_runs(dialogues)
    for training, title in TRAINED.items():
        for epoch in sorted((epoch for of, name, epoch in runs if (of, name) == (sizes, training)), key=int):
            kept = runs[sizes, training, epoch]
            row = [title, epoch, f"{perplexity(kept):.1f}"]
            row.append("{:+.1f} ± {:.1f}".format(*scale_harm(kept, "random:1.0")))
            for test in ("random:1.0", "frequent:begin", "frequent:middle", "frequent:end", "rare:begin", "rare:middle", "rare:end"):
                row.append(f"{das(kept, test):.2f}" if test in kept["test_sets"] else "-")
            rows.append(row)
    return table(["trained", "epoch", "perplexity", "random:1.0: harm", "DAS", "frequent:begin", "middle", "end", "rare:begin", "middle",
                  "end"], rows)


TASKS = ["UtteranceLoc", "RecentTopic", "RecentSlots", "NumRecentInfo", "AllTopics", "AllSlots", "ActionSelect", "EntitySlots", "IsMultiTask"]
PROBES = ROOT / "docs/results/probes"


def layers_table():
    """F1 of a linear probe on MiniLM's layers, and on a bag of words of the same examples."""
    tasks = TASKS
    layers = [json.loads((ROOT / f"docs/results/minilm/probe-layer{layer}.json").read_text()) for layer in range(7)]
    of = [("a bag of its words", layers[0]["baselines"]["bag-of-words"])]
    of += [(f"layer {i}" if i else "embeddings", kept["tasks"]) for i, kept in enumerate(layers)]
    return table(["read from"] + tasks, [[title] + [f"{100 * f1[task]['f1']:.1f}" for task in tasks] for title, f1 in of])


def probed(run, file="evaluation"):
    return json.loads((PROBES / f"{run}-seed1" / f"{file}.json").read_text())


def same_words_table():
    """F1 of linear probes on small models and on MiniLM's layers, which read the same words: 2 hits / (2 hits + errors)."""
    models = sorted(p.name[:-len("-seed1")] for p in PROBES.glob("*-seed1") if not p.name.startswith("pretrained"))
    layers = sorted(p.name[:-len("-seed1")] for p in PROBES.glob("pretrained-*-seed1"))
    rows = []
    for run in models + layers:
        scores = probed(run)["checkpoints"]["best"]["standardised"]
        title = f"MiniLM, {run.removeprefix('pretrained-').replace('layer', 'layer ')}" if run in layers else f"`{run}`, best epoch"
        rows.append([title.replace("layer 0", "embeddings")] +
                    [f"{100 * sum(scores[task]['hits']) / sum(scores[task]['counted']):.1f}" for task in TASKS])
    for title, run in (("bag of words", models[0]), ("bag of words, as wide as MiniLM", layers[0])):
        rows.append([f"*{title}*"] + [f"{100 * probed(run)['baselines']['bag-of-words']['standardised'][task]:.1f}" for task in TASKS])
    return table(["read from"] + TASKS, rows)


def chosen_table():
    """The epochs that each metric chooses, and what a probe reads from them."""
    rows = []
    for run in sorted(p.parent.name[:-len("-seed1")] for p in PROBES.glob("*/judged.json")):
        chosen = probed(run, "chosen") | {"best-bert": probed(run, "judged")["best-bert"]}
        for name in ("best-bleu", "best-rouge", "best-meteor", "best-bert"):
            of = chosen[name]
            valid, f1 = of["valid"], {task: score["f1"] for task, score in of["standardised"].items()}
            rows.append([f"`{run}`", name, f"{of['epoch']}"] + [f"{100 * valid[key]:.1f}" for key in ("bleu2", "rouge_l", "meteor")] +
                        [f"{100 * fmean(f1.values()):.1f}"] + [f"{100 * f1[task]:.1f}" for task in ("RecentTopic", "AllTopics", "ActionSelect")])
    return table(["model", "chosen by", "epoch", "BLEU-2", "ROUGE-L", "METEOR", "F1, mean of all tasks", "RecentTopic", "AllTopics", "ActionSelect"], rows)


WEIGHED = ROOT / "docs/results/inverse-frequency"


def weighed(x):
    """Measures of the answers of people and of a model with this exponent, and its perplexity of the validation part."""
    kept = json.loads((WEIGHED / f"{x}.json").read_text())
    log = [json.loads(line) for line in (WEIGHED / f"{x}-log.jsonl").read_text().splitlines()]
    return kept["human"], kept["responses"], log[-1]["valid_perplexity"]


def kinds_of_answers(x):
    """How many different answers there are, and the share of the most frequent one in percent."""
    with gzip.open(WEIGHED / f"{x}.jsonl.gz", "rt") as lines:
        counts = Counter(json.loads(line)["response"] for line in lines)
    return len(counts), 100 * max(counts.values()) / sum(counts.values())


def weighed_table():
    rows = []
    for who, x, of in [("people", "–", (weighed("0")[0], None))] + [("`static-ui`", x, weighed(x)[1:]) for x in ("0", "0.4")]:
        measures, perplexity = of
        row = [who, x, f"{perplexity:.1f}" if perplexity else "–"]
        for key, scale, digits in (("mean_length", 1, 1), ("distinct_1", 100, 2), ("distinct_2", 100, 2), ("ent_4", 1, 2), ("repetition", 1, 1),
                                   ("bleu_2", 100, 2), ("rouge_l", 100, 2), ("meteor_exact_stem", 100, 2)):
            row.append("–" if measures[key] is None else f"{scale * measures[key]:.{digits}f}")
        rows.append(row + (["–", "–"] if who == "people" else [f"{kinds_of_answers(x)[0]}", f"{kinds_of_answers(x)[1]:.0f}"]))
    return table(["answers of", "X", "perplexity", "words", "distinct-1 %", "distinct-2 %", "ent-4", "repetition", "BLEU-2 %", "ROUGE-L %",
                  "METEOR %", "different answers", "most frequent %"], rows)


OF_MINILM = ROOT / "docs/results/words-of-minilm"
WORDS = {"learned": "learned", "minilm": "MiniLM, frozen"}
OUTPUTS = {"heads": "heads", "heads-again": "heads again", "energy": "energy"}


def trackers(words, output="heads"):
    """What `heed track` found, of each seed."""
    return [json.loads(path.read_text()) for path in sorted(OF_MINILM.glob(f"tracker-{words}-{output}-seed?.json"))]


def tracked(kept, measure):
    """One number of the tracker, in percent but for phi."""
    if measure == "phi":
        return kept["phi_difference"]
    own = kept["trackers"][kept["inputs"]["model"]]
    return 100 * (own["slots"] | own)[measure]


def of_seeds(values, digits=1):
    return f"{fmean(values):.{digits}f} ± {stdev(values):.{digits}f}"


def trackers_table():
    measures = ["joint", "above_half", "changes", "area", "food", "price_range", "phi"]
    rows = [[title, name, f"{len(trackers(words, output))}"] +
            [of_seeds([tracked(kept, m) for kept in trackers(words, output)], 3 if m == "phi" else 1) for m in measures]
            for words, title in WORDS.items() for output, name in OUTPUTS.items()]
    return table(["words", "output", "seeds", "joint", "above 1/2", "changes", "area", "food", "price range", "phi"], rows)


def with_student(values, form=".1f"):
    """Mean and interval over seeds, as "24.3" and "[22.2, 26.5]"."""
    half = STUDENT[len(values)] * stdev(values) / math.sqrt(len(values))
    return f"{fmean(values):{form}}", f"[{fmean(values) - half:{form}}, {fmean(values) + half:{form}}]"


def gaps(words):
    """What `heed rewrite` found, of each seed, as columns of a table."""
    def numbers(of):
        return [of[kind]["f1"] for kind in ("border", "pronoun", "both")] + [of[key] for key in ("p1", "p3", "exact", "bleu")]
    return list(zip(*([100 * x for x in numbers(json.loads(path.read_text())["model"])]
                      for path in sorted(OF_MINILM.glob(f"gaps-{words}-seed?.json")))))


def gaps_words_table():
    rows = [[title, f"{len(gaps(words)[0])}"] + [of_seeds(column) for column in gaps(words)] for words, title in WORDS.items()]
    rows.append(["MiniLM less learned", ""] + gain_of_gaps())
    return table(["words", "seeds", "borders F1", "pronouns F1", "labels F1", "P@1", "P@3", "exact", "BLEU"], rows)


def gain_of_gaps():
    """What MiniLM's words add, of each measure of the table."""
    return [" ".join(with_student([b - a for a, b in zip(*pair)])) for pair in zip(gaps("learned"), gaps("minilm"))]


def gain_of_minilm(measure, words="minilm", output="heads", than=("learned", "heads")):
    return with_student([tracked(b, measure) - tracked(a, measure) for a, b in zip(trackers(*than), trackers(words, output))])


ENERGY_SIZES = ["energy-32", "energy", "energy-128"]  # folders of docs/results


def energy_runs(folder, variant, measure="joint"):
    """Of each seed, in percent but for phi."""
    paths = sorted((ROOT / "docs/results" / folder).glob(f"{variant}-seed?/evaluation.json"))
    return [json.loads(path.read_text())[measure] * (1 if measure == "phi_difference" else 100) for path in paths]


def energy_gain(folder, variant, other, measure="joint"):
    """What a tracker has more than the other one of its seed."""
    return with_student([a - b for a, b in zip(energy_runs(folder, variant, measure), energy_runs(folder, other, measure))], ".3f" if "phi" in measure else ".1f")


def energy_sizes_table():
    rows = []
    for folder in ENERGY_SIZES:
        settings = json.loads((ROOT / "docs/results" / folder / "energy.json").read_text())["settings"]
        heads = energy_runs(folder, "heads")
        rows.append([str(settings["width"]), str(settings["steps"]), str(len(heads)), of_seeds(heads)] +
                    [" ".join(energy_gain(folder, *pair)) for pair in (("heads-again", "heads"), ("energy", "heads"), ("energy", "heads-again"), ("energy", "logistic"))])
    return table(["cells", "inner steps", "seeds", "heads", "heads again", "energy", "energy less heads again", "energy less logistic"], rows)


def claimed(page, rule):
    """What the last table of claims that has this rule says: the difference and its interval, in points, as words."""
    row = [line for line in (ROOT / page).read_text().splitlines() if line.startswith("|") and rule in line][-1]
    return ["{:.1f}".format(100 * float(x)) for x in re.search(r"([-+][\d.]+) \[(\S+), (\S+)\]", row).groups()]


def readers(corpus, name, measure="f1"):
    """Of each seed, in percent."""
    return [100 * json.loads(path.read_text())[measure] for path in sorted((ROOT / "docs/results/comprehend" / corpus).glob(f"{name}-seed?/evaluation.json"))]


def reader(*which):
    return f"{fmean(readers(*which)):.1f}"


def carryover_words_table():
    """F1 of `heed carry`, candidates of all services, one seed."""
    groups = [">=1", ">=6", "1", "2", "3", "4", "5", "seen", "new"]
    rows = []
    for decoder in ("independent", "pointer"):
        for words, title in WORDS.items():
            kept = json.loads((OF_MINILM / f"carryover-{words}-{decoder}-seed1.json").read_text())["decided_by"]["model"]
            rows.append([decoder, title] + [f"{100 * kept['both'][group]['f1']:.1f}" for group in groups] + [f"{100 * kept['cross']['>=1']['f1']:.1f}"])
    return table(["decoder", "words"] + groups + ["other services"], rows)


def carryover_sizes_table():
    """F1 of the decoders, in percent, at distances of 1 and more."""
    rows = []
    for folder in ["carryover-32", "carryover"]:
        runs = {}
        for path in sorted((ROOT / "docs/results" / folder).glob("*/evaluation.json")):
            run = json.loads(path.read_text())
            runs.setdefault(run["variant"], []).append(100 * run["f1_carried"])
        settings = json.loads((ROOT / "docs/results" / folder / "carryover.json").read_text())["settings"]
        rows.append([str(settings["width"]), str(len(runs["independent"]))] + [of_seeds(runs[name]) for name in (
            "independent", "pointer-none", "pointer-turn", "pointer-temporal", "pointer-average", "self-attention")])
    return table(["cells", "seeds", "independent", "no order", "by turn", "as said", "averages", "self-attention"], rows)


CHOICES = ROOT / "docs/results/history-choices/ranks.json"
READ = {"turns-1": "1", "turns-2": "2", "turns-4": "4", "turns-8": "8", "turns-4-shuffled": "4, shuffled", "turns-8-shuffled": "8, shuffled"}


def first_and_reciprocal(ranks):
    """R@1 and 1 / rank of each response, where it shares the places with those of the same score."""
    return [(rank == 1) / (1 + ties) for rank, ties in ranks], [fmean(1 / (rank + t) for t in range(ties + 1)) for rank, ties in ranks]


def with_interval(values, conversations, sign=""):
    value, half = interval(values, [1] * len(values), conversations)
    return f"{100 * value:{sign}.1f} [{100 * (value - half):.1f}, {100 * (value + half):.1f}]"


def choices_table():
    rows = []
    for model, of_model in json.loads(CHOICES.read_text()).items():
        whole = first_and_reciprocal(of_model["turns-8"]["less its mean"])[1]
        for name, read in READ.items():
            kept = of_model[name]
            row = [f"`{model}`", read]
            for scores in ("ln p", "less its mean"):
                row += [with_interval(values, kept["conversation"]) for values in first_and_reciprocal(kept[scores])]
            change = [a - b for a, b in zip(first_and_reciprocal(kept["less its mean"])[1], whole)]
            rows.append(row + ["–" if name == "turns-8" else with_interval(change, kept["conversation"], "+")])
    return table(["model", "turns read", "by ln p: R@1 %", "MRR %", "less its mean: R@1 %", "MRR %", "MRR against 8"], rows)


def worth_of_history():
    of_model = json.loads(CHOICES.read_text())["baseline"]
    reciprocal = {name: first_and_reciprocal(of_model[name]["less its mean"])[1] for name in READ}
    conversations = of_model["turns-8"]["conversation"]
    less = lambda name, than: with_interval([a - b for a, b in zip(reciprocal[than], reciprocal[name])], conversations)
    mean = {name: 100 * fmean(values) for name, values in reciprocal.items()}
    return [f"worth {less('turns-1', 'turns-8').replace(' [', ' points of MRR** [')}",
            f"{mean['turns-8']:.1f} with eight turns, {mean['turns-1']:.1f} with the query alone",
            f"gives {mean['turns-2'] - mean['turns-1']:.1f} of them",
            f"MRR falls by {less('turns-8-shuffled', 'turns-8')}",
            f"over {len(set(conversations))} conversations"]


@functools.cache
def judged():
    """Of the discriminators on Ubuntu: (judge, set) -> p(real) of the passages' own responses and of others; and the generators."""
    runs = {name: json.loads((ADVERSARIAL / f"ubuntu{name}-seed1/evaluation.json").read_text()) for name in ("", "-response-only")}
    of = {(judge, kind): kept for judge, sets in runs[""]["judged"].items() for kind, kept in sets.items()}
    of |= {("response-only", kind): kept for kind, kept in runs["-response-only"]["judged"]["discriminator"].items()}
    return ({key: [(real, fake) for real, fake in zip(kept["real"], kept["fake"]) if real is not None and fake is not None]
             for key, kept in of.items()}, runs[""]["generators"]["ubuntu"])


def told(judge, kind):
    """Accuracy, the share of fake ones that pass, and AUC of a judge on a set."""
    pairs = judged()[0][judge, kind]
    passing = fmean(fake >= 0.5 for _, fake in pairs)
    fakes = sorted(fake for _, fake in pairs)
    auc = fmean((bisect.bisect_left(fakes, real) + bisect.bisect_right(fakes, real)) / 2 / len(fakes) for real, _ in pairs)
    return (fmean(real >= 0.5 for real, _ in pairs) + 1 - passing) / 2, passing, auc


def told_table():
    rows = []
    for judge in ("discriminator", "response-only", "shuffled-context", "length", "unigram"):
        row = [judge, f"{told(judge, 'random')[0]:.3f}"]
        for numbers in zip(*(told(judge, generator) for generator in judged()[1])):
            row += [f"{fmean(numbers):.3f}", f"{min(numbers):.3f} to {max(numbers):.3f}"]
        rows.append(row)
    return table(["judged by", "random responses: accuracy", "generated: accuracy", "of the generators", "pass", "of the generators",
                  "AUC", "of the generators"], rows)


def trainings():
    """Training -> its generators, whatever their seed."""
    found = {}
    for generator in judged()[1]:
        found.setdefault(generator.rpartition("-seed")[0], []).append(generator)
    return found


MEASURES = {"DAS ratio": "das_ratio", "UtteranceLoc": "UtteranceLoc", "WordCont": "WordCont"}


@functools.cache
def measured(name, measure):
    return told("discriminator", name)[1] if measure == "pass" else judged()[1][name][measure]


def within_structures(names, measure):
    """The difference of each of the generators, some of which may stand there more than once, from the mean of those of its structure."""
    of = {}
    for name in names:
        of.setdefault(judged()[1][name]["structure"], []).append(measured(name, measure))
    means = {structure: fmean(values) for structure, values in of.items()}
    return [measured(name, measure) - means[judged()[1][name]["structure"]] for name in names]


def agreement_of(names, measure):
    """Pearson's correlation within structures of a measure and the share that passes, and its interval: a bootstrap of trainings."""
    groups, random = [[name for name in group if name in names] for group in trainings().values()], Random(1)
    groups = [group for group in groups if group]
    of = lambda some: correlation(within_structures(some, measure), within_structures(some, "pass"))
    draws = sorted(of([name for group in random.choices(groups, k=len(groups)) for name in group]) for _ in range(2000))
    return of(names), draws[50], draws[-51]


def cut_short(name):
    return "-short-" in name or "-narrow-" in name


SUBSETS = {"all 24 trainings": lambda name: True, "without those cut short or narrow": lambda name: not cut_short(name),
           "nor Transformers": lambda name: not cut_short(name) and not name.startswith("transformer")}


def subset(of):
    return [name for name in judged()[1] if SUBSETS[of](name)]


def subsets_table():
    return table(["generators", "number"] + [f"{measure} and pass" for measure in MEASURES],
                 [[of, str(len(subset(of)))] + [f"{r:+.2f} [{low:+.2f}, {high:+.2f}]" for r, low, high in (agreement_of(subset(of), measure) for measure in MEASURES.values())]
                  for of in SUBSETS])


def generators_table():
    of, generators = judged()
    rows = []
    for training, names in sorted(trainings().items()):
        rows.append([f"`{training}`"] + [" ".join(f"{generators[name][number]:.3f}" for name in names)
                                         for number in ("das_ratio", "UtteranceLoc", "WordCont", "greedy_different")] +
                    [" ".join(f"{told('discriminator', name)[1]:.3f}" for name in names)])
    return table(["training", "DAS ratio, each seed", "UtteranceLoc", "WordCont", "different greedy responses", "pass"], rows)


def told_facts():
    of, generators = judged()
    kept = [generator["kept"] for generator in generators.values()]
    collapsed = [name for name, generator in generators.items() if generator["greedy_different"] < 0.05]
    passing = sorted(measured(name, "pass") for name in generators if cut_short(name))
    placed = sorted(generator["UtteranceLoc"] for name, generator in generators.items() if re.match("(static|dynamic)-placebo", name))
    others = sorted(generator["UtteranceLoc"] for name, generator in generators.items() if re.match("(static|dynamic)-(none|insertion)", name))
    accuracy = [told("discriminator", name)[0] for name in generators]
    mean = lambda judge: fmean(told(judge, name)[0] for name in generators)
    fewer = lambda training: [100 * (measured(f"{structure}-none-seed{seed}", "pass") - measured(f"{structure}-{training}-seed{seed}", "pass"))
                              for structure in ("static", "dynamic", "non-hier") for seed in (2, 3)]
    mean_of_pairs = lambda pairs: (fmean(pairs), STUDENT[len(pairs)] * stdev(pairs) / math.sqrt(len(pairs)))
    return ["{:,} to {:,} of its responses remain".format(min(kept), max(kept)),
            f"there are {len(collapsed)}, of {'eight' if len({name.rpartition('-seed')[0] for name in collapsed}) == 8 else '?'} trainings",
            "pass little ({:.3f} to {:.3f})".format(passing[0], passing[-1]),
            "`UtteranceLoc` {:.2f} to {:.2f} in `static` and `dynamic`, where the other trainings of that size and length have {:.2f} to {:.2f}".format(
                placed[0], placed[-1], others[0], others[-1]),
            f"with an accuracy of {fmean(accuracy):.3f} ({min(accuracy):.3f} to {max(accuracy):.3f} over the generators)",
            f"with the contexts of other conversations with {mean('shuffled-context'):.3f}", f"even better** ({mean('unigram'):.3f})",
            f"MiniLM has {told('discriminator', 'random')[0]:.3f} there", "without Transformers, {:+.2f} [{:+.2f}, {:+.2f}] is left".format(
                *agreement_of(subset("nor Transformers"), "das_ratio")),
            "{}, {}, {}, {}, {} and {} points, {:.1f} ± {:.1f} in the mean of the six pairs".format(*(f"{x:.1f}" for x in fewer("insertion-loss")), *mean_of_pairs(fewer("insertion-loss"))),
            "insertion alone lowers it by {:.1f} ± {:.1f} points".format(*mean_of_pairs(fewer("insertion"))),
            "the share that passes by {:+.1f} ± {:.1f} points".format(*mean_of_pairs([a - b for a, b in zip(fewer("insertion"), fewer("insertion-loss"))]))]


PAGES = {
    "turns": {"one and two": one_and_two_table, "resynchronised": resynchronised_table, "counted": counted_table, "inserted": lambda: turns_table([f"{n} inserted" for n in (1, 2, 3, 4)]),
              "left out": lambda: turns_table(["1 left out", "2 left out", *QUERIES, "query exchanged"])},
    "adversarial": {"told": told_table, "subsets": subsets_table, "generators": generators_table},
    "history": {"choices": choices_table},
    "carryover": {"sizes": carryover_sizes_table, "words": carryover_words_table},
    "energy": {"words": trackers_table, "sizes": energy_sizes_table},
    "gaps": {"words": gaps_words_table},
    "generators": {"inverse-frequency": weighed_table},
    "probes": {"layers": layers_table, "same words": same_words_table, "chosen": chosen_table},
    "other-models": {"transformer": transformer_table, "heads": heads_table, "non-hier": non_hier_table},
    "scale": {"4x512": lambda: scale_table("4x512", WITHIN), "1x128": lambda: scale_table("1x128", range(len(HISTORY))),
              "1x128seed2": lambda: scale_table("1x128seed2", range(len(HISTORY))), "1x128sgd": lambda: scale_table("1x128sgd", range(len(HISTORY)))},
    "explanations": {"trained": explanations_table, "context": context_table},
    "nex-cv": {"prediction": prediction_table, "clinc150": lambda: negatives_table("clinc150", (0.3, 0.5, 0.7, 0.9)),
               "atis": lambda: negatives_table("atis", (0.5, 0.9))},
    "experiment": {"das": das_table, "claims": claims_table, "harm": harm_table, "share": share_table, "middle": middle_table,
                   "words": words_table, "seeds": seeds_table},
    "mediation": {"end changes": mediation_end_changes, "changes": mediation_changes, "exchange": exchange_table, "responses": mediation_responses,
                  "places attention": place_attention, "places harm": place_harm, "map own": lambda: place_map("static", "own"),
                  "map foreign": lambda: place_map("static", "foreign")} | {
        test.replace(":", "-"): lambda test=test: mediation_table(test) for test in ("random:1.0", "frequent:end", "rare:end")},
}


def mean_das(key, test):
    return fmean([das(r, test) for r in RUNS[key]])


def rises(test):
    """In how many variants with distractions and the loss the DAS ratio is higher than with p = 0."""
    return sum(mean_das(key, test) > mean_das((key[0], 0, True), test) for key in variants() if key[1] > 0 and key[2])


def facts():
    """Page -> what it must say: numbers of its sentences, from the kept results."""
    untrained, trained, no_loss = [("static-ui", p, loss) for p, loss in ((0, True), (0.7, True), (0.7, False))]
    cells = [mean_das(key, test) - printed(key)[test]["das_ratio"] for key in variants() for test in SETS
             if printed(key)[test]["das_ratio"] is not None]
    spread = [stdev([math.log(d / h) for d, h in scores(RUNS[key][0], "random:1.0") if d > 0 and h > 0])
              for key in (untrained, trained)]
    of_seeds = lambda key: [harm(r, "random:1.0") for r in RUNS[key]]
    at_0 = {s: fmean(of_seeds((s, 0, True))) for s in STRUCTURES}
    distinct = [fmean([r["responses"]["distinct_2"] for r in RUNS[key]]) for key in variants()]
    human = json.loads((RESULTS / "samples.json").read_text())["human"]["distinct_2"]
    ours = [100 * fmean([r["test_sets"]["none"]["as_history"] for r in RUNS[s, 0, True]]) for s in STRUCTURES]
    claims = json.loads((RESULTS / "tables/claims.json").read_text())
    of_verdict = lambda word: sum(verdict(c["ratio of means"]) == word for c in claims)
    bundled = [row.split("|") for row in (ROOT / "data/models/README.md").read_text().splitlines()
               if re.match(r"\| (random|frequent|rare):", row)]
    within, whole = scale_runs(WITHIN), scale_runs(range(len(HISTORY)))
    at = lambda training, epoch, test="random:1.0", of=within: f"{das(of['4x512', training, str(epoch)], test):.2f}"
    words = lambda training, epoch, of=within: f"{perplexity(of['4x512', training, str(epoch)]):.1f}"
    cost = lambda training, epoch: scale_harm(within["4x512", training, str(epoch)], "random:1.0")
    last = [("p0", 4), ("ins", 3), ("loss", 4)]
    epochs = lambda training: sorted(int(epoch) for sizes, name, epoch in whole if (sizes, name) == ("1x128", training))
    small = lambda training, at: whole["1x128", training, str(epochs(training)[at])]
    small_das = lambda training, at, test="random:1.0": f"{das(small(training, at), test):.2f}"
    small_cost = lambda training, at: scale_harm(small(training, at), "random:1.0")
    again = lambda training, epoch=17: whole["1x128seed2", training, str(epoch)]
    by_sgd = lambda training, epoch: whole["1x128sgd", training, str(epoch)]
    again_das = lambda training: f"{das(again(training), 'random:1.0'):.2f}"
    log = lambda training: [json.loads(line) for line in (SCALE / f"1x128-{training}-log.jsonl").read_text().splitlines()]
    validated = lambda training, *of: [f"{log(training)[epoch - 1]['valid_perplexity']:.2f}" for epoch in of]
    halved = lambda training: [str(a["epoch"]) for a, b in zip(log(training), log(training)[1:]) if a["rate"] > b["rate"] and a["epoch"] < 18]
    mediated = lambda *change, of="static-ui", **readings: "{:+.1f} ± {:.1f}".format(*mediation_change(of, *change, **readings))
    harms_of_static = lambda training: [json.loads((MEDIATION / f"static-{training}-seed{seed}/evaluation.json").read_text())["test_sets"]["random:1.0"]["harm"]["as it is"]
                                        for seed in range(1, 6)]
    place_quotient = lambda structure, training, source: "{:.2f} ± {:.2f}".format(*place_change(structure, training, source, "looks", "looks", "own"))
    place_cost = lambda structure, training, source, which="harms": plus_minus(*place_change(structure, training, source, which))
    cost_of_history = lambda *run: over_seeds(exchanges(*run)["history"][0])[0]
    read_as = lambda training, reading: mediated(training, training, reading=reading)
    das_change = f"{mean_das(untrained, 'random:1.0'):.2f}", f"{mean_das(trained, 'random:1.0'):.2f}"
    frozen = [reader("molweni", name) for name in ("turns-1", "turns-2", "turns-3", "no-questions", "no-answers")]
    of_restaurants = lambda rule: claimed("docs/results/energy.md", f"(Joint accuracy of {rule}.)")
    restaurants = {path.parent.name: json.loads(path.read_text()) for path in (ROOT / "docs/results/energy-multiwoz").glob("*/evaluation.json")}
    best_restaurants = max(restaurants, key=lambda name: restaurants[name]["joint"])
    of_baseline = [turns_change("baseline", change)[0] for change in (*QUERIES, "query exchanged")]
    people, plain, plain_perplexity = weighed("0")
    _, rare, rare_perplexity = weighed("0.4")
    return {
        "docs/results/history.md": worth_of_history() + ["without its query it loses {:.0f} thousandths, without the query and the turn before {:.0f}, and {:.0f} if".format(*of_baseline)],
        "docs/results/turns.md": ["Without its query `baseline` loses {:.0f} thousandths a token; without the query *and* the turn before it {:.0f}".format(*of_baseline),
                                  "Without its query `trained` loses {:.1f}, without the turn before as well {:.1f}".format(*(turns_change("trained", change)[0] for change in QUERIES))],
        "docs/results/energy.md": [
            "adds {} points of joint accuracy** {}".format(*gain_of_minilm("joint")),
            "the slot of many values: {} points {}".format(*gain_of_minilm("food")),
            "the energy adds nothing visible**: {} points to its heads {}".format(*gain_of_minilm("joint", output="energy", than=("minilm", "heads"))),
            "three seeds say little: {} {}".format(*gain_of_minilm("joint", output="heads-again", than=("minilm", "heads"))),
            "is {} points above its heads [{}, {}]".format(*of_restaurants("energy > heads")),
            "energy is {} below these [{}, {}]".format(*(f"{-float(x):.1f}" for x in (of_restaurants("energy > heads-again")[i] for i in (0, 2, 1)))),
            "the words of the value give {:.1f}, the best run (logistic regression, seed {}) {:.1f}".format(
                100 * restaurants["heads-seed1"]["string_match"], best_restaurants.removeprefix("logistic-seed"), 100 * restaurants[best_restaurants]["joint"]),
            "in {} of the twelve runs the last epoch is the best".format(
                "no one two three four five six seven".split()[sum(run["best_epoch"] == run["epochs"] for run in restaurants.values())]),
            "most frequent state ({:.1f}, and every distraction leaves it as it is: {:.0f} % survive)".format(
                *(100 * restaurants["heads-seed1"][measure] for measure in ("joint", "survives"))),
            "gains {}, then {} and {} points".format(*(energy_gain(folder, "energy", "heads")[0] for folder in ENERGY_SIZES)),
            "for longer {}, then {} and {}".format(*(energy_gain(folder, "energy", "heads-again")[0] for folder in ENERGY_SIZES)),
        ],
        "docs/results/adversarial.md": told_facts(),
        "docs/results/comprehend.md": [
            "on the GPU the F1 is {} without them and {}, {} and {} with one, two and three; with four it is {}".format(
                *(reader("molweni-gpu", f"turns-{turns}") for turns in range(5))),
            "On the processor it is {} without and {} with two".format(*(reader("molweni-fine", f"turns-{turns}") for turns in (0, 2))),
            f"The best reader of the processor, with {reader('molweni-fine', 'no-questions')}, reads the answers of two turns",
            f"above the frozen readers without earlier turns ({reader('molweni', 'turns-0')})",
            "with earlier turns, {} to {}, they do not differ clearly".format(*(f(frozen) for f in (min, max))),
            "gold ones ({} and {} with three turns)".format(reader("molweni", "turns-3", "predicted_f1"), reader("molweni", "turns-3")),
        ],
        "docs/results/gaps.md": [
            "adds {} points to the F1 of the labels, {} to P@1, {} to P@3 and {} to the exact turns".format(*(gain_of_gaps()[i] for i in (2, 3, 4, 5))),
        ],
        "docs/results/generators.md": [
            "distinct-1 is {:.1f} times as high and distinct-2 {:.1f} times".format(*(rare[k] / plain[k] for k in ("distinct_1", "distinct_2"))),
            f"to {kinds_of_answers('0.4')[1]:.0f} % of the contexts instead of {kinds_of_answers('0')[1]:.0f} %",
            f"{rare['mean_length']:.1f} words instead of {plain['mean_length']:.1f}, where people write {people['mean_length']:.1f}",
            f"{rare_perplexity:.1f} instead of {plain_perplexity:.1f}: {math.log(rare_perplexity / plain_perplexity):+.3f} nats a word",
        ],
        "docs/results/retrieval.md": [
            f"took {lstm_against_sru():.1f} times as long as the SRU",
            f"differ by at most {places_apart([1, 2, 3])} place, with a single seed by at most {max(places_apart([s]) for s in (1, 2, 3))}",
            *facts_of_ranks(),
        ],
        "docs/generators.md": [f"perplexity rises from {plain_perplexity:.0f} to {rare_perplexity:.0f}"],
        "docs/results/experiment.md": [
            f"in {sum(x > 0 for x in cells)} of {len(cells)} cells, by {fmean(cells):.2f} on average",
            f"from {spread[0]:.2f} to {spread[1]:.2f} for `static-ui`",
            f"{HISTORY.count(1)} of {len(HISTORY):,} have one utterance of history",
            f"distinct-2 is {min(distinct):.3f} to {max(distinct):.3f}, where people have {human:.3f}",
            f"falls from {das_change[0]} to {das_change[1]}",
            f"by {min(of_seeds(untrained)):.0f} to {max(of_seeds(untrained)):.0f} thousandths at p = 0, "
            f"by {min(of_seeds(trained)):.0f} to {max(of_seeds(trained)):.0f} with insertion",
            f"p = 0.7: {of_seeds(trained)[0]:+.1f} with the loss, {of_seeds(no_loss)[0]:+.1f} without it (seed 1 of both), "
            f"{of_seeds(untrained)[0]:+.1f} at p = 0",
            f"({at_0['static-ui']:+.0f} and {at_0['dynamic-ui']:+.0f} against {at_0['static']:+.0f} and {at_0['dynamic']:+.0f})",
            f"AS of the history {min(ours):.0f} to {max(ours):.0f} %",
            f"`rare:end` is higher in {rises('rare:end')} of the 15 variants",
            f"`rare:middle` in {rises('rare:middle')}",
            f"{of_verdict('**holds**')} hold, {of_verdict('does not hold')} do not, {of_verdict('undecided')} are undecided",
        ],
        "docs/experiment.md": [f"{of_verdict('**holds**')} of the {len(claims)} claims that can be computed hold"],
        "docs/results/mediation.md": [
            f"The difference is {mediated('none', 'none', reading='unread', other_reading='unseen')}",
            f"of `static-ui`: {mediated('insertion', 'none')}",
            f"the harm less that with insertion alone is {mediated('insertion-loss', 'insertion')}",
            f"it falls by {read_as('insertion', 'unseen')[1:]} thousandths",
            f"it falls by only {read_as('insertion-loss', 'unseen')[1:]}",
            "is undecided in all three ({}, {} and {})".format(*(mediated("placebo", "none", of=of) for of in MEDIATED[:3])),
            f"two fifths of that of `static`: {mediated('insertion', 'none', of='static')}, half of that of `dynamic`: {mediated('insertion', 'none', of='dynamic')}",
            "In `static` it is {} and in `dynamic` {}".format(*(mediated("insertion-loss", "insertion", of=of) for of in MEDIATED[1:3])),
            "In `static` the difference is {} over five seeds, in `dynamic` {} and in `non-hier` {} over three".format(
                *(mediated("none", "none", of=of, reading="unread", other_reading="unseen") for of in MEDIATED[1:])),
            "three fifths of that of `non-hier`: {}".format(mediated("insertion", "none", of="non-hier")),
            "In `non-hier` it changes nothing ({})".format(mediated("placebo", "none", of="non-hier")),
            "of the loss nothing is decided ({})".format(mediated("insertion-loss", "insertion", of="non-hier")),
            "its harm is {:.1f} and {:.1f} with insertion alone and {:.1f} and {:.1f} with the loss".format(
                *(of_non_hier(training)["harm"][seed] for training in ("insertion", "insertion-loss") for seed in (0, 1))),
            "at a perplexity of {2:.1f}, where the others have {0:.1f} and {1:.1f}".format(*of_non_hier("insertion")["perplexity"]),
            "with a harm of {2:.1f}".format(*of_non_hier("insertion")["harm"]),
            "with a harm of {2:.1f} if the attention does not look at".format(*of_non_hier("insertion")["unseen"]),
            "({:.1f}, {:.1f} and {:.1f}). Therefore".format(*(of_non_hier("insertion-loss")[number][2] for number in ("perplexity", "harm", "unseen"))),
            "After insertion the latter is {:.1f}, {:.1f} and {:.1f} in its three seeds".format(*of_non_hier("insertion")["history"]),
            "the harm is {:.1f}, {:.1f}, {:.1f}, {:.1f} and {:.1f}, where all".format(*harms_of_static("placebo")),
            "where it grows by {:.1f}, {:.1f}, {:.1f} and {:.1f}".format(*(a - b for a, b in list(zip(harms_of_static("placebo"), harms_of_static("none")))[1:])),
            "({} as the data are)".format(place_quotient("static", "none", "foreign")), f"more than an own one ({place_quotient('static', 'none', 'nearest')})",
            "{} and {}. It teaches".format(*(place_quotient("static", "insertion-loss", source) for source in ("foreign", "nearest"))),
            "({} and {} for a foreign one; two seeds each)".format(*(place_quotient(structure, "none", "foreign") for structure in ("dynamic", "non-hier"))),
            f"helps** ({place_cost('static', 'none', 'own')} thousandths",
            f"a foreign one {place_cost('static', 'none', 'foreign')}", f"of all, {place_cost('static', 'none', 'nearest')}",
            f"costs {place_cost('static', 'none', 'foreign', 'harms_less_own')[1:]} more", f"and {place_cost('dynamic', 'none', 'foreign', 'harms_less_own')[1:]} in `dynamic`",
            f"its own utterance among it ({place_cost('static', 'placebo', 'own')})",
            f"the {sum(x is not None for x in placed('static', 'none')[0]['tokens']):,} test dialogues whose history",
            "by {}, {} and {} thousandths in `static-ui`, `static` and `dynamic`".format(*(exchange_change(of, "insertion", "none", "history")[1:] for of in MEDIATED[:3])),
            "({}, {} and {}), **but the query counts more**".format(*(exchange_change(of, "insertion-loss", "insertion", "history") for of in MEDIATED[:3])),
            "and lose {:.1f} and {:.1f} thousandths with it".format(*(cost_of_history(of, "none") for of in MEDIATED[:2])),
            "about 0.2, and lose {:.1f} and {:.1f}".format(*(cost_of_history(of, "placebo") for of in MEDIATED[:2])),
            "exchanging it costs {}, {} and {} more".format(*(exchange_change(of, "insertion-loss", "insertion", "query")[1:] for of in MEDIATED[:3])),
            f"(*both*: {mediated('insertion-loss', 'insertion', reading='both', other_reading='both')[1:]} more)",
        ],
        "docs/results/other-models.md": [
            "from {} to {} thousandths".format(*(plus_minus(*transformer_harm(training)) for training in ("none", "insertion"))),
            f"less that after insertion alone is {plus_minus(*transformer_harm('mass1', 'insertion'))}",
            "cutting a context costs {:.1f} instead of {:.1f} thousandths, and with larger weights {:.1f}, {:.1f} and {:.1f}".format(
                *(transformer_harm(training, test="two turns")[0] for training in ("mass1", "insertion", "mass10", "mass100", "mass1000"))),
            "rises from {:.1f} to {:.1f}, and to {:.1f} with".format(*map(transformer_perplexity, ("insertion", "mass1", "mass1000"))),
            "between {:.2f} and {:.2f} in all rows".format(*(end(fmean(transformer_das(training, "random:1.0")) for training in transformers()) for end in (min, max))),
            f"further than insertion alone ({non_hier_change('harm')})", f"costs less ({non_hier_change('history')})",
        ],
        "docs/results/scale.md": [
            "costs {:.1f} thousandths after four epochs, {:.1f} after eight and {:.1f} after twelve, at DAS ratios of {}, {} and {}".format(
                *(scale_harm(by_sgd("p0", epoch), "random:1.0")[0] for epoch in (4, 8, 12)), *(f"{das(by_sgd('p0', epoch), 'random:1.0'):.2f}" for epoch in (4, 8, 12))),
            "That is {}, {} and {} more than with insertion alone, whose ratios are no lower than {:.2f}. With Adam it costs {:.1f} after twelve, at a ratio of {:.2f}".format(
                *("{:.1f} ± {:.1f}".format(*scale_harm(by_sgd("p0", epoch), "random:1.0", by_sgd("ins", epoch))) for epoch in (4, 8, 12)),
                min(das(by_sgd("ins", epoch), "random:1.0") for epoch in (4, 8, 12)), small_cost("p0", 3)[0], das(small("p0", 3), "random:1.0")),
            "(`frequent:middle` {:+.1f} ± {:.1f}, `frequent:end` {:+.1f} ± {:.1f})".format(
                *scale_harm(by_sgd("p0", 12), "frequent:middle"), *scale_harm(by_sgd("p0", 12), "frequent:end")),
            "less that with insertion alone it is {}, {} and {} after four, eight and twelve epochs".format(
                *("{:+.1f} ± {:.1f}".format(*scale_harm(whole["1x128sgd", "loss", epoch], "random:1.0", whole["1x128sgd", "ins", epoch])) for epoch in ("4", "8", "12"))),
            "With insertion alone it is {}, {} and {} after four, eight and twelve.".format(
                *(f"{das(whole['1x128sgd', 'ins', epoch], 'random:1.0'):.2f}" for epoch in ("4", "8", "12"))),
            f"(DAS ratio {at('p0', 1)}, {at('p0', 2)}). Then its attention moves: {at('p0', 3)} after three epochs, {at('p0', 4)} after four",
            f"here they are {at('ins', 3)} and {at('loss', 4)}",
            f"(`frequent:begin` {at('loss', 4, 'frequent:begin')}, `frequent:end` {at('loss', 4, 'frequent:end')}",
            f"{at('p0', 4, 'frequent:begin')} and {at('p0', 4, 'frequent:end')} in the first model",
            f"({words('p0', 4)} against {words('loss', 4)}) and what distractions cost it grows from {cost('p0', 1)[0]:.0f} to {cost('p0', 4)[0]:.0f}",
            "({:.1f} ± {:.1f} and {:.1f} ± {:.1f})".format(*cost("ins", 3), *cost("loss", 4)),
            f"{len(WITHIN):,} of the 2,425 test dialogues",
            "perplexities {}, {} and {} and the DAS ratios {}, {} and {}".format(
                *(words(*run, of=whole) for run in last), *(at(*run, of=whole) for run in last)),
            f"{small_das('loss', 0)} after two epochs, {small_das('loss', 1)} after four, {small_das('loss', -1)} at the end",
            f"ends at {small_das('ins', -1)}, training without distractions at {small_das('p0', -1)}",
            f"from {small_cost('p0', 0)[0]:.0f} to {small_cost('p0', -1)[0]:.0f} thousandths, while its perplexity falls from "
            f"{perplexity(small('p0', 0)):.1f} to {perplexity(small('p0', -1)):.1f}",
            "{:.1f} ± {:.1f} with insertion, and {:.1f} ± {:.1f} with the loss as well".format(*small_cost("ins", -1), *small_cost("loss", -1)),
            "the difference of these two is {:+.1f} ± {:.1f}".format(*scale_harm(small("loss", -1), "random:1.0", small("ins", -1))),
            f"(`frequent:begin` {small_das('p0', -1, 'frequent:begin')}, `frequent:end` {small_das('p0', -1, 'frequent:end')})",
            f"{perplexity(small('ins', -1)):.1f} and {perplexity(small('loss', -1)):.1f} against {perplexity(small('p0', -1)):.1f}",
            "validation perplexity was {}, {}, {} and {} after epochs 16, 18, 19 and 20, with insertion {}, {} and {} after 15, 17 and 18".format(
                *validated("p0", 16, 18, 19, 20), *validated("ins", 15, 17, 18)),
            "with the loss {} and {} after 16 and 18".format(*validated("loss", 16, 18)),
            "(after {}, {} and {}; {}, {} and {}; {}, {}, {} and {})".format(*(epoch for training in ("p0", "ins", "loss") for epoch in halved(training))),
            f"after four epochs it has {small_das('ins', 1)}, as has training without distractions ({small_das('p0', 1)})",
            f"ends at {again_das('ins')} with insertion and at {again_das('loss')} with the loss as well ({small_das('ins', -1)} and {small_das('loss', -1)} with the first seed)",
            "costs is {:.1f} ± {:.1f} and {:.1f} ± {:.1f}: a difference of {:+.1f} ± {:.1f} by the loss".format(
                *scale_harm(again("ins"), "random:1.0"), *scale_harm(again("loss"), "random:1.0"), *scale_harm(again("loss"), "random:1.0", again("ins"))),
            f"after eight epochs insertion costs {scale_harm(again('ins', 8), 'random:1.0')[0]:.1f} here and {small_cost('ins', 2)[0]:.1f} there",
        ],
        "README.md": [
            f"a DAS ratio of {das_change[1]} instead of {das_change[0]}",
            f"({small_das('p0', -1)} without distractions, {small_das('ins', -1)} with insertion, {small_das('loss', -1)} with the loss as well); still the loss adds nothing",
            f"{mean_das(no_loss, 'random:1.0'):.2f} and makes the likelihood of responses as robust",
            f"a DAS ratio of {fmean(float(row[7]) for row in bundled):.2f} against {fmean(float(row[6]) for row in bundled):.2f} on average",
        ],
    }


RANKERS = ROOT / "docs/results/retrieval"


def lstm_against_sru():
    """How many times as long the training of the LSTM took as that of the SRU, seed 3: beside the others other work ran."""
    seconds = {run.parent.name: sum(json.loads(run.read_text())["epoch_seconds"]) for run in RANKERS.glob("*/times.json")}
    return seconds["lstm-seed3"] / seconds["sru-seed3"]


def places_apart(seeds):
    """How far apart a ranker's places by five measures are at most, in the means over these seeds."""
    runs = {(p.parent.name.rsplit("-seed", 1)[0], int(p.parent.name[-1])): json.loads(p.read_text()) for p in RANKERS.glob("*/evaluation.json")}
    rankers = sorted({name for name, _ in runs} - {"sim", "map"})
    places = []
    for key in ("first_of_10", "first_of_100", "first_of_1000", "mrr", "auc_05"):
        order = sorted(rankers, key=lambda name: -fmean(runs[name, seed][key] for seed in seeds))
        places.append([order.index(name) for name in rankers])
    return max(max(of) - min(of) for of in zip(*places))


def hundredths(estimate):
    return f"{100 * estimate['value']:.1f}"


def kept_ranks(name, scorer=0):
    kept = json.loads((ROOT / f"docs/results/{name}.json").read_text())
    return kept["scorers"][scorer] if "scorers" in kept else kept["test_sets"]


def ranks_row(of, *cells):
    """A row's cells: recall at these, "mrr" and "auc"; the first recall and MRR with their intervals."""
    def cell(c):
        estimate = of["recall"][str(c)] if isinstance(c, int) else of.get(c)
        return percent(estimate) if c in (1, "mrr") else hundredths(estimate) if c else ""
    return " | ".join(map(cell, cells))


# The rows of the two large tables of docs/results/retrieval.md: their first cells, and what they were made of.
RANKED = {
    "`tf-idf` | last | last turn": ("ranks/last-turns-context-last", 0), "`bm25` | last | last turn": ("ranks/last-turns-context-last", 1),
    "`sim`, MiniLM | last | last turn": ("ranks/last-turns-context-last-sim", 0),
    "`tf-idf` | last | all": ("ranks/last-turns-context-all", 0), "`bm25` | last | all": ("ranks/last-turns-context-all", 1),
    "`bm25`, mean of responses | last | all": ("ranks/last-turns-context-all-mean-of-responses", 0),
    "`sim`, MiniLM | last | all": ("ranks/last-turns-context-all-sim", 0),
    "`tf-idf` | every turn | last turn": ("ranks/all-turns-context-last", 0), "`bm25` | every turn | last turn": ("ranks/all-turns-context-last", 1),
    "`tf-idf` | every turn | all": ("ranks/all-turns-context-all", 0), "`bm25` | every turn | all": ("ranks/all-turns-context-all", 1),
    "`bm25`, mean of responses | every turn | all": ("ranks/all-turns-context-all-mean-of-responses", 0),
    "`sim`, MiniLM | every turn | all": ("ranks/all-turns-context-all-sim", 0),
    "`tf-idf` | counts | last": ("ranks/last-turns-context-all", 0), "`tf-idf` | counts | every turn": ("ranks/all-turns-context-all", 0),
    "bag, from nothing | 221,617 turns, 2 epochs | last": ("ranks/bag-last", 0),
    "bag, from nothing | 221,617 turns, 2 epochs | every turn": ("ranks/bag-every", 0),
    "`sim`, MiniLM as it is | | last": ("ranks/last-turns-context-all-sim", 0),
    "`sim`, MiniLM as it is | | every turn": ("ranks/all-turns-context-all-sim", 0),
    "`map`, MiniLM as it is and a map | 10,000 responses | last": ("minilm/map-last", 0),
    "`tf-idf` + `sim` | counts | last": ("minilm/sum-tf-idf-sim", 0),
    "`bm25`, mean of responses, + `sim` | counts | last": ("minilm/sum-bm25-sim", 0),
    "MiniLM, fine-tuned | 2,500 last turns, 40 steps of 64 | last": ("minilm/tuned-40-steps-last", 0),
    "MiniLM, fine-tuned | 47,011 last turns, one pass of 735 steps | last": ("minilm/tuned-last", 0),
    "MiniLM, fine-tuned | 221,617 turns, one pass of 1,732 steps of 128 | last": ("minilm/tuned-on-all-last", 0),
    "MiniLM, fine-tuned | 47,011 last turns, one pass | every turn": ("minilm/tuned-every", 0),
    "MiniLM, fine-tuned | 221,617 turns, one pass | every turn": ("minilm/tuned-on-all-every", 0),
}


def facts_of_ranks():
    """What docs/results/retrieval.md prints of ranks that are kept."""
    rows = [f"| {cells} | {ranks_row(kept_ranks(*kept), 1, 2, 5, 10, 50, 'mrr', 'auc')} |" for cells, kept in RANKED.items()]
    rows += [ranks_row(kept_ranks(f"ranks/{name}", i), 1, 10, 100, "mrr") for name, i in (("of-2425", 0), ("of-2425", 1), ("of-2425-filtered", 0))]
    rows += [ranks_row(kept_ranks(f"ranks/{name}_dev", i), 1, 2, "", "mrr", "auc") for name in ("mutual", "mutual_plus") for i in range(3)]
    rows += [ranks_row(kept_ranks("ranks/ubuntu-v2", i), 1, 2, 5, "mrr", "auc") for i in range(2)]
    first = lambda name, i=0: hundredths(kept_ranks(f"ranks/{name}", i)["recall"]["1"])
    rows.append(f"({first('last-turns-context-last-mean-of-responses')} and {first('all-turns-context-last-mean-of-responses')} with that of responses)")
    rows.append("TF-IDF has R@1 {} of 10 and {} of 1,000; BM25 has {} and {}".format(
        *(first(name, i) for i in range(2) for name in ("of-10", "of-1000"))))
    rankers = [kept_ranks(f"ranks/{name}-distracted") for name in ("ranker", "inserted")]
    for name in rankers[0]:
        of = [r[name] for r in rankers]
        change = lambda x: percent(x["mrr_change"]).replace("-0.0", "0.0") if name != "none" else ""
        cells = [f"{hundredths(x['mrr'])} | {change(x)} | {hundredths(x['right_probability'])} | " +
                 ("" if x["das_ratio"] is None else f"{x['das_ratio']:.2f}") for x in of]
        rows.append(re.sub(r"\|\s+\|", "| |", f"| {name} | {' | '.join(cells)} |"))
    even = kept_ranks("ranks/attention-10000-distracted")
    rows.append(f"(`frequent:middle` {even['frequent:middle']['das_ratio']:.2f}, `rare:middle` {even['rare:middle']['das_ratio']:.2f})")
    rows.append("(MRR {}, and {} on `random:1.0`)".format(*(hundredths(even[name]["mrr"]) for name in ("none", "random:1.0"))))
    return [" ".join(row.split()) for row in rows]


def wrong_facts():
    for page, sentences in facts().items():
        text = " ".join((ROOT / page).read_text().split())
        yield from (f"{page} does not say: {sentence}" for sentence in sentences if sentence not in text)


def wrong_shares():
    """The program's table of the shares of dialogues, to all digits."""
    rows = {(r["trained with"], r["structure"]): r["cells"]
            for r in json.loads((RESULTS / "tables/shares.json").read_text())["rows"]}
    for structure, p, loss in variants():
        cells = rows[f"p = {p or 0}", structure + ("" if loss else ", no attention loss")]
        for i, test in enumerate(SETS):
            seeds = [scores(run, test) for run in RUNS[structure, p, loss]]
            wanted = (fmean([fmean(d > h for d, h in seed) for seed in seeds]),
                      fmean([fmean(d / (d + h) for d, h in seed) for seed in seeds]))
            if any(abs(cell["value"] - x) > 1e-9 for cell, x in zip(cells[2 * i:2 * i + 2], wanted)):
                yield f"shares.json has other numbers than the kept results: {structure}, p = {p}, {test}"


def wrong_speeds():
    """The tables that are made of kept runs by the scripts that measured."""
    folder = ROOT / "docs/results"
    runs = lambda title: json.loads((folder / f"{title}.json").read_text())
    for title in ("speed", "speed-bf16", "speed-bf16-amx"):
        if compare_torch.table(runs(title)) not in (folder / f"{title}.md").read_text():
            yield f"{title}.md has another table than {title}.json"
    for runs_of_gpu in ("gpu-1", "gpu-2"):
        if compare_gpu.table(folder / f"{runs_of_gpu}.jsonl") not in (folder / "gpu.md").read_text():
            yield f"gpu.md has another table than {runs_of_gpu}.jsonl"
    page, kept = (folder / "decoding.md").read_text(), runs("decoding")
    for run in kept:
        if decoding.row(run["cell"], [r for r in kept if r["cell"] == run["cell"]]) not in page:
            yield f"decoding.md has another row than decoding.json: {run['cell']}"


def silent_pages():
    """Each page of results says whether its raw data are kept, or links them."""
    for page in sorted((ROOT / "docs/results").glob("*.md")):
        if not re.search(r"\bkept\b|\]\([\w-]+\.json\)", page.read_text()):
            yield f"{page.name} does not say whether its raw data are kept"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    wrong = []
    for name, tables in PAGES.items():
        path = ROOT / f"docs/results/{name}.md"
        text = page = path.read_text()
        for title, make in tables.items():
            mark = re.compile(rf"(<!-- table {title} -->\n).*?(\n<!-- end -->)", re.S)
            if len(mark.findall(text)) != 1:
                sys.exit(f"{path.name}: expected one <!-- table {title} --> ... <!-- end -->")
            made = make()
            text = mark.sub(lambda m: m[1] + made + m[2], text)
        if "--check" not in sys.argv:
            path.write_text(text)
        wrong += [f"{path.name} says\n  {was}\nand the kept results\n  {now}"
                  for was, now in zip(page.splitlines(), text.splitlines()) if was != now]
    figure, drawn = ROOT / "docs/turns.svg", turns_figure()
    if "--check" not in sys.argv:
        figure.write_text(drawn)
    if figure.read_text() != drawn:
        wrong.append("docs/turns.svg shows something else than the kept results")
    wrong = (wrong if "--check" in sys.argv else []) + [*wrong_facts(), *wrong_shares(), *wrong_speeds(), *silent_pages()]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{sum(len(tables) for tables in PAGES.values())} tables " +
          ("agree with the kept results" if "--check" in sys.argv else "written"))


main()
