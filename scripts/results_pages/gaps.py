"""docs/results/gaps.md: gaps and pronouns, with MiniLM's words."""
from .common import OF_MINILM, RESULTS, WORDS, of_seeds, read, table, with_student

PAGE = "docs/results/gaps.md"
EQUAL, FIRST = RESULTS / "gaps/weight-1.json", RESULTS / "gaps/zh/both-seed1/evaluation.json"
MEASURES = ["borders F1", "pronouns F1", "labels F1", "P@1", "P@3", "exact", "BLEU"]


def measured(words):
    """What `heed rewrite` found, of each seed: a column, in percent, for each of the measures."""
    rows = []
    for path in sorted(OF_MINILM.glob(f"gaps-{words}-seed?.json")):
        kept = read(path)["model"]
        rows.append([100 * x for x in [kept[kind]["f1"] for kind in ("border", "pronoun", "both")] +
                     [kept[key] for key in ("p1", "p3", "exact", "bleu")]])
    return list(zip(*rows))


def gains():
    """Measure -> what MiniLM's words add, and its interval."""
    pairs = zip(measured("learned"), measured("minilm"))
    return dict(zip(MEASURES, (" ".join(with_student([b - a for a, b in zip(*pair)])) for pair in pairs)))


def words_table():
    rows = [[title, str(len(measured(words)[0])), *map(of_seeds, measured(words))] for words, title in WORDS.items()]
    return table(["words", "seeds", *MEASURES], rows + [["MiniLM less learned", "", *gains().values()]])


def sizes_table():
    """What models of all Chinese training turns have, and those of a quarter of them."""
    columns = {"both: labels F1": ("both", "f1"), "to detect": ("detect", "f1"), "both: P@1": ("both", "p1"), "to rank": ("rank", "p1"),
               "both: exact": ("both", "exact")}
    rows = []
    for turns, folder in (("4,000", "zh-4000"), ("15,998", "zh")):
        found = {}
        for run in map(read, sorted((RESULTS / "gaps" / folder).glob("*/evaluation.json"))):
            for key in ("f1", "p1", "exact"):
                found.setdefault((run["variant"], key), []).append(100 * (run[key] or 0))
        rows.append([turns, str(len(found["both", "f1"])), *(of_seeds(found[column]) for column in columns.values())])
    return table(["training turns", "seeds", *columns], rows)


def weights_table():
    """Seed 1 of both at once, with the paper's weight of the labels and with 1."""
    def row(weight, found):
        return [weight] + [f"{100 * x:.1f}" for x in (found["border"]["f1"], found["pronoun"]["f1"], found["f1"], *(
            found[key] for key in ("p1", "p2", "p3", "exact", "bleu")))]
    equal = read(EQUAL)["model"]
    return table(["weight", "borders F1", "pronouns F1", "labels F1", "P@1", "P@2", "P@3", "exact", "BLEU"], [
        row("20, as in the paper", read(FIRST)),
        row("1", {**equal, "f1": equal["both"]["f1"]})], texts=1)


TABLES = {"words": words_table, "sizes": sizes_table, "weights": weights_table}


def facts():
    return ["adds {labels F1} points to the F1 of the labels, {P@1} to P@1, {P@3} to P@3 and {exact} to the exact turns".format_map(
        gains()), f"P@1 is {100 * read(EQUAL)['model']['p1']:.1f}, as high as the ranker's, and {100 * read(EQUAL)['model']['exact']:.1f} % of the turns "
        f"are rewritten exactly instead of {100 * read(FIRST)['exact']:.1f}"]


FACTS = {PAGE: facts}
