"""docs/results/gaps.md: gaps and pronouns, with MiniLM's words."""
from .common import OF_MINILM, WORDS, of_seeds, read, table, with_student

PAGE = "docs/results/gaps.md"
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


TABLES = {"words": words_table}


def facts():
    return ["adds {labels F1} points to the F1 of the labels, {P@1} to P@1, {P@3} to P@3 and {exact} to the exact turns".format_map(
        gains())]


FACTS = {PAGE: facts}
