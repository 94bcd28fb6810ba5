"""docs/results/mediation.md: which way distractions do harm, through the attention or through the state."""
from statistics import fmean

from .common import plus_minus, table
from .distraction import difference, over_seeds
from .mediation_runs import (READINGS, STRUCTURES, exchanged, harm_of_seeds, harms, mediation_runs, place_change, placed,
                             table_of_trainings)

PAGE = "docs/results/mediation.md"
ENDS = ("frequent:end", "rare:end")
SOURCES = ["own", "duplicate", "nearest", "matched", "foreign"]


def harm_table(test):
    def cells(runs):
        sets = [run["test_sets"][test] for run in runs]
        return [f"{fmean(of['das_ratio'] for of in sets):.2f}"] + [
            plus_minus(*over_seeds([of["harms"][reading] for of in sets])) for reading in READINGS]
    return table_of_trainings(["DAS ratio", *READINGS.values()], cells)


def change(structure, training, than, test="random:1.0", reading="as it is"):
    """The harm of a training less that of the other one."""
    return plus_minus(*difference(harms(structure, training, test, reading), harms(structure, than, test, reading)))


def change_of_reading(structure, training, reading, than="as it is"):
    """The harm of one reading less that of the other one."""
    return plus_minus(*difference(harms(structure, training, reading=reading), harms(structure, training, reading=than)))


def seeds_of(structure):
    return str(len(mediation_runs()[structure, "none"]))


def changes_table():
    """What a training changes, and which way the harm goes."""
    return table(["structure", "seeds", "insertion less none", "the loss less insertion alone", "placebo less none",
                  "none: without their state less without their attention"],
                 [[structure, seeds_of(structure),
                   change(structure, "insertion", "none"), change(structure, "insertion-loss", "insertion"),
                   change(structure, "placebo", "none"), change_of_reading(structure, "none", "unread", "unseen")]
                  for structure in STRUCTURES])


def end_changes_table():
    """What the attention loss changes by phrases next to the query, against insertion alone and the data as they are."""
    columns = {f"`{test}`: the loss less {title}": (than, test)
               for test in ENDS for than, title in (("insertion", "insertion alone"), ("none", "none"))}
    return table(["structure", "seeds", *columns],
                 [[structure, seeds_of(structure), *(change(structure, "insertion-loss", *column) for column in columns.values())]
                  for structure in STRUCTURES])


def responses_table():
    """Greedy responses without and with the distractions of random:1.0, means over the seeds that wrote any."""
    def cells(runs):
        mean = lambda measure, when: fmean(run["responses"][when][measure] for run in runs)
        return [*(f"{100 * mean('bleu', when):.2f}" for when in ("clean", "distracted")),
                *(f"{mean('distinct_2', when):.4f}" for when in ("clean", "distracted")),
                f"{100 * fmean(run['responses']['share_changed'] for run in runs):.0f}%"]
    return table_of_trainings(["BLEU", "distracted", "distinct-2", "distracted", "changed"], cells,
                              has=lambda run: run.get("responses", {}).get("share_changed") is not None)


def exchange_table():
    def cells(runs):
        exchanges = [[run["exchange"][which] for run in runs] for which in ("query", "history")]
        return [plus_minus(*over_seeds([kept["harms"] for kept in seeds])) for seeds in exchanges] + [
            f"{fmean(kept['look'] for kept in seeds):.2f}" for seeds in exchanges]
    return table_of_trainings(["query exchanged", "an earlier one", "AS of the query", "of the earlier one"], cells,
                              has=lambda run: run["exchange"])


def table_of_places(heads, cells):
    return table_of_trainings(heads, lambda runs: cells([run["places"] for run in runs]), has=lambda run: run["places"])


def beside_own(places, source):
    """The attention on utterances of a source over that on the dialogue's own ones."""
    return "{:.2f} ± {:.2f}".format(*place_change(places, source, "looks", "looks", "own"))


def place_cost(places, source, which="harms"):
    return plus_minus(*place_change(places, source, which))


def places_attention_table():
    das = lambda places: [f"{place_change(places, source, 'looks', 'history_looks')[0]:.2f}" for source in SOURCES]
    return table_of_places(SOURCES + ["nearest / own", "foreign / own"],
                           lambda places: das(places) + [beside_own(places, source) for source in ("nearest", "foreign")])


def places_harm_table():
    return table_of_places(SOURCES + ["foreign less own"], lambda places: [place_cost(places, source) for source in SOURCES] + [
        place_cost(places, "foreign", "harms_less_own")])


def place_map(source):
    """DAS ratios of `static` as the data are, means over the seeds: a row for each length of the history, a column for each number of
    utterances before the inserted one."""
    maps = [places[source]["map"] for places in placed("static", "none")]
    most = max(map(int, maps[0]))
    rows = []
    for history, row in maps[0].items():
        das = [fmean(kept[history][place]["look"] / kept[history][place]["history_look"] for kept in maps) for place in row]
        rows.append([history, f"{row['0']['dialogues']:.0f}", *(f"{x:.2f}" for x in das), *[""] * (most + 1 - len(row))])
    return table(["history", "dialogues", *map(str, range(most + 1))], rows)


TABLES = {"end changes": end_changes_table, "changes": changes_table, "exchange": exchange_table, "responses": responses_table,
          "places attention": places_attention_table, "places harm": places_harm_table, "map own": lambda: place_map("own"),
          "map foreign": lambda: place_map("foreign"), "random-1.0": lambda: harm_table("random:1.0"),
          "frequent-end": lambda: harm_table("frequent:end"), "rare-end": lambda: harm_table("rare:end")}


# Where a sentence says which way it goes, its number has no sign; one with another sign keeps it, and is not on the page.
def facts_of_static_ui():
    return [
        f"The difference is {change_of_reading('static-ui', 'none', 'unread', 'unseen')}",
        f"of `static-ui`: {change('static-ui', 'insertion', 'none')}",
        f"the harm less that with insertion alone is {change('static-ui', 'insertion-loss', 'insertion')}",
        f"it falls by {change_of_reading('static-ui', 'insertion', 'unseen').removeprefix('-')} thousandths",
        f"it falls by only {change_of_reading('static-ui', 'insertion-loss', 'unseen').removeprefix('-')}",
        f"(*both*: {change('static-ui', 'insertion-loss', 'insertion', reading='both').removeprefix('+')} more)",
    ]


def facts_of_structures():
    """static-ui, static and dynamic, and the last three: what holds of them alike."""
    return [
        "is undecided in all three ({}, {} and {})".format(*(change(structure, "placebo", "none") for structure in STRUCTURES[:3])),
        "two fifths of that of `static`: {}, half of that of `dynamic`: {}".format(
            *(change(structure, "insertion", "none") for structure in STRUCTURES[1:3])),
        "In `static` it is {} and in `dynamic` {}".format(
            *(change(structure, "insertion-loss", "insertion") for structure in STRUCTURES[1:3])),
        "In `static` the difference is {} over five seeds, in `dynamic` {} and in `non-hier` {} over three".format(
            *(change_of_reading(structure, "none", "unread", "unseen") for structure in STRUCTURES[1:])),
        f"three fifths of that of `non-hier`: {change('non-hier', 'insertion', 'none')}",
        f"In `non-hier` it changes nothing ({change('non-hier', 'placebo', 'none')})",
        f"of the loss nothing is decided ({change('non-hier', 'insertion-loss', 'insertion')})",
    ]


def facts_of_seeds():
    """What single seeds have: three of non-hier, five of static."""
    of = {training: mediation_runs()["non-hier", training] for training in ("insertion", "insertion-loss")}
    harm = {training: harm_of_seeds("non-hier", training) for training in of}
    unseen = {training: harm_of_seeds("non-hier", training, "unseen") for training in of}
    placebo, none = (harm_of_seeds("static", training) for training in ("placebo", "none"))
    return [
        "its harm is {:.1f} and {:.1f} with insertion alone and {:.1f} and {:.1f} with the loss".format(
            *harm["insertion"][:2], *harm["insertion-loss"][:2]),
        "at a perplexity of {2:.1f}, where the others have {0:.1f} and {1:.1f}".format(*(run["perplexity"] for run in of["insertion"])),
        f"with a harm of {harm['insertion'][2]:.1f}",
        f"with a harm of {unseen['insertion'][2]:.1f} if the attention does not look at",
        "({:.1f}, {:.1f} and {:.1f}). Therefore".format(
            of["insertion-loss"][2]["perplexity"], harm["insertion-loss"][2], unseen["insertion-loss"][2]),
        "After insertion the latter is {:.1f}, {:.1f} and {:.1f} in its three seeds".format(
            *(run["exchange"]["history"]["harm"] for run in of["insertion"])),
        "the harm is {:.1f}, {:.1f}, {:.1f}, {:.1f} and {:.1f}, where all".format(*placebo),
        "where it grows by {:.1f}, {:.1f}, {:.1f} and {:.1f}".format(*(a - b for a, b in list(zip(placebo, none))[1:])),
    ]


def facts_of_places():
    none, loss, placebo = (placed("static", training) for training in ("none", "insertion-loss", "placebo"))
    dynamic, non_hier = (placed(structure, "none") for structure in ("dynamic", "non-hier"))
    return [
        f"({beside_own(none, 'foreign')} as the data are)",
        f"more than an own one ({beside_own(none, 'nearest')})",
        f"{beside_own(loss, 'foreign')} and {beside_own(loss, 'nearest')}. It teaches",
        f"({beside_own(dynamic, 'foreign')} and {beside_own(non_hier, 'foreign')} for a foreign one; two seeds each)",
        f"helps** ({place_cost(none, 'own')} thousandths",
        f"a foreign one {place_cost(none, 'foreign')}",
        f"of all, {place_cost(none, 'nearest')}",
        f"costs {place_cost(none, 'foreign', 'harms_less_own').removeprefix('+')} more",
        f"and {place_cost(dynamic, 'foreign', 'harms_less_own').removeprefix('+')} in `dynamic`",
        f"its own utterance among it ({place_cost(placebo, 'own')})",
        f"the {sum(x is not None for x in none[0]['tokens']):,} test dialogues whose history",
    ]


def facts_of_exchanges():
    less = lambda structure, training, than, which: plus_minus(*difference(
        exchanged(structure, training, which), exchanged(structure, than, which)))
    cost_of_history = lambda structure, training: over_seeds(list(exchanged(structure, training, "history").values()))[0]
    return [
        "by {}, {} and {} thousandths in `static-ui`, `static` and `dynamic`".format(
            *(less(structure, "insertion", "none", "history").removeprefix("-") for structure in STRUCTURES[:3])),
        "({}, {} and {}), **but the query counts more**".format(
            *(less(structure, "insertion-loss", "insertion", "history") for structure in STRUCTURES[:3])),
        "and lose {:.1f} and {:.1f} thousandths with it".format(*(cost_of_history(structure, "none") for structure in STRUCTURES[:2])),
        "about 0.2, and lose {:.1f} and {:.1f}".format(*(cost_of_history(structure, "placebo") for structure in STRUCTURES[:2])),
        "exchanging it costs {}, {} and {} more".format(
            *(less(structure, "insertion-loss", "insertion", "query").removeprefix("+") for structure in STRUCTURES[:3])),
    ]


def facts():
    return [*facts_of_static_ui(), *facts_of_structures(), *facts_of_seeds(), *facts_of_places(), *facts_of_exchanges()]


FACTS = {PAGE: facts}
