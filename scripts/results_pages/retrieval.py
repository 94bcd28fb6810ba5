"""docs/results/retrieval.md: choosing responses. The rows of its tables that are made of kept ranks count as sentences."""
import re
from statistics import fmean

from .common import RESULTS, hundredths, percent, read

PAGE = "docs/results/retrieval.md"
TABLES = {}


def kept_ranks(name, scorer=None):
    """Of a scorer in docs/results/NAME.json, the first one unless it is named."""
    scorers = read(RESULTS / f"{name}.json")["scorers"]
    return next(of for of in scorers if scorer in (None, of["name"]))


def cells_of(of, *measures):
    """Cells: recall at these numbers, "mrr" and "auc", an empty one for None; the first recall and MRR with their intervals."""
    def cell(measure):
        if measure is None:
            return ""
        estimate = of["recall"][str(measure)] if isinstance(measure, int) else of[measure]
        return percent(estimate) if measure in (1, "mrr") else hundredths(estimate)
    return " | ".join(map(cell, measures))


LAST, EVERY = "ranks/last-turns-context", "ranks/all-turns-context"
# The rows of the two large tables: their first cells, and what they were made of.
ROWS = {
    "`tf-idf` | last | last turn": (f"{LAST}-last", "tf-idf"), "`bm25` | last | last turn": (f"{LAST}-last", "bm25"),
    "`sim`, MiniLM | last | last turn": (f"{LAST}-last-sim",),
    "`tf-idf` | last | all": (f"{LAST}-all", "tf-idf"), "`bm25` | last | all": (f"{LAST}-all", "bm25"),
    "`bm25`, mean of responses | last | all": (f"{LAST}-all-mean-of-responses",),
    "`sim`, MiniLM | last | all": (f"{LAST}-all-sim",),
    "`tf-idf` | every turn | last turn": (f"{EVERY}-last", "tf-idf"), "`bm25` | every turn | last turn": (f"{EVERY}-last", "bm25"),
    "`tf-idf` | every turn | all": (f"{EVERY}-all", "tf-idf"), "`bm25` | every turn | all": (f"{EVERY}-all", "bm25"),
    "`bm25`, mean of responses | every turn | all": (f"{EVERY}-all-mean-of-responses",),
    "`sim`, MiniLM | every turn | all": (f"{EVERY}-all-sim",),
    "`tf-idf` | counts | last": (f"{LAST}-all", "tf-idf"), "`tf-idf` | counts | every turn": (f"{EVERY}-all", "tf-idf"),
    "bag, from nothing | 221,617 turns, 2 epochs | last": ("ranks/bag-last",),
    "bag, from nothing | 221,617 turns, 2 epochs | every turn": ("ranks/bag-every",),
    "`sim`, MiniLM as it is | | last": (f"{LAST}-all-sim",),
    "`sim`, MiniLM as it is | | every turn": (f"{EVERY}-all-sim",),
    "`map`, MiniLM as it is and a map | 10,000 responses | last": ("minilm/map-last",),
    "`tf-idf` + `sim` | counts | last": ("minilm/sum-tf-idf-sim",),
    "`bm25`, mean of responses, + `sim` | counts | last": ("minilm/sum-bm25-sim",),
    "MiniLM, fine-tuned | 2,500 last turns, 40 steps of 64 | last": ("minilm/tuned-40-steps-last",),
    "MiniLM, fine-tuned | 47,011 last turns, one pass of 735 steps | last": ("minilm/tuned-last",),
    "MiniLM, fine-tuned | 221,617 turns, one pass of 1,732 steps of 128 | last": ("minilm/tuned-on-all-last",),
    "MiniLM, fine-tuned | 47,011 last turns, one pass | every turn": ("minilm/tuned-every",),
    "MiniLM, fine-tuned | 221,617 turns, one pass | every turn": ("minilm/tuned-on-all-every",),
}


def facts_of_ranks():
    """The rows of kept ranks, and the sentences beside them."""
    yield from (f"| {cells} | {cells_of(kept_ranks(*kept), 1, 2, 5, 10, 50, 'mrr', 'auc')} |" for cells, kept in ROWS.items())
    for name, scorer in (("of-2425", "tf-idf"), ("of-2425", "bm25"), ("of-2425-filtered", "bm25")):
        yield cells_of(kept_ranks(f"ranks/{name}", scorer), 1, 10, 100, "mrr")
    for name in ("mutual_dev", "mutual_plus_dev"):
        for scorer in ("tf-idf", "bm25", "sim"):
            yield cells_of(kept_ranks(f"ranks/{name}", scorer), 1, 2, None, "mrr", "auc")
    for scorer in ("tf-idf", "bm25"):
        yield cells_of(kept_ranks("ranks/ubuntu-v2", scorer), 1, 2, 5, "mrr", "auc")
    first = lambda *kept: hundredths(kept_ranks(*kept)["recall"]["1"])
    yield f"({first(f'{LAST}-last-mean-of-responses')} and {first(f'{EVERY}-last-mean-of-responses')} with that of responses)"
    yield "TF-IDF has R@1 {} of 10 and {} of 1,000; BM25 has {} and {}".format(
        *(first(f"ranks/{name}", scorer) for scorer in ("tf-idf", "bm25") for name in ("of-10", "of-1000")))


def facts_of_distractions():
    """What distractions do to trained rankers: test sets by name."""
    rankers = [read(RESULTS / f"ranks/{name}-distracted.json")["test_sets"] for name in ("ranker", "inserted")]
    for name in rankers[0]:
        cells = []
        for of in (ranker[name] for ranker in rankers):
            change = percent(of["mrr_change"]).replace("-0.0", "0.0") if name != "none" else ""
            das = "" if of["das_ratio"] is None else f"{of['das_ratio']:.2f}"
            cells += [hundredths(of["mrr"]), change, hundredths(of["right_probability"]), das]
        yield re.sub(r"\|\s+\|", "| |", f"| {name} | {' | '.join(cells)} |")
    even = read(RESULTS / "ranks/attention-10000-distracted.json")["test_sets"]
    yield f"(`frequent:middle` {even['frequent:middle']['das_ratio']:.2f}, `rare:middle` {even['rare:middle']['das_ratio']:.2f})"
    yield f"(MRR {hundredths(even['none']['mrr'])}, and {hundredths(even['random:1.0']['mrr'])} on `random:1.0`)"


def lstm_against_sru():
    """How many times as long the training of the LSTM took as that of the SRU, seed 3: beside the others other work ran."""
    seconds = lambda ranker: sum(read(RESULTS / f"retrieval/{ranker}-seed3/times.json")["epoch_seconds"])
    return seconds("lstm") / seconds("sru")


def places_apart(seeds):
    """How far apart a ranker's places by five measures are at most, in the means over these seeds."""
    runs = {tuple(path.parent.name.rsplit("-seed", 1)): read(path) for path in (RESULTS / "retrieval").glob("*/evaluation.json")}
    rankers = sorted({name for name, _ in runs} - {"sim", "map"})
    places = []
    for measure in ("first_of_10", "first_of_100", "first_of_1000", "mrr", "auc_05"):
        order = sorted(rankers, key=lambda name: -fmean(runs[name, seed][measure] for seed in seeds))
        places.append([order.index(name) for name in rankers])
    return max(max(of) - min(of) for of in zip(*places))


def facts():
    return [f"took {lstm_against_sru():.1f} times as long as the SRU",
            f"differ by at most {places_apart('123')} place, with a single seed by at most {max(map(places_apart, '123'))}",
            *(" ".join(row.split()) for row in [*facts_of_ranks(), *facts_of_distractions()])]


FACTS = {PAGE: facts}
