"""docs/results/carryover.md: slot carryover, larger networks and MiniLM's words."""
from .common import OF_MINILM, RESULTS, WORDS, of_seeds, read, table

PAGE = "docs/results/carryover.md"


def words_table():
    """F1 of `heed carry`, candidates of all services, one seed."""
    groups = [">=1", ">=6", "1", "2", "3", "4", "5", "seen", "new"]
    rows = []
    for decoder in ("independent", "pointer"):
        for words, title in WORDS.items():
            kept = read(OF_MINILM / f"carryover-{words}-{decoder}-seed1.json")["decided_by"]["model"]
            of = [kept["both"][group] for group in groups] + [kept["cross"][">=1"]]
            rows.append([decoder, title, *(f"{100 * measured['f1']:.1f}" for measured in of)])
    return table(["decoder", "words", *groups, "other services"], rows)


def sizes_table():
    """F1 of the decoders, in percent, at distances of 1 and more."""
    decoders = {"independent": "independent", "no order": "pointer-none", "by turn": "pointer-turn", "as said": "pointer-temporal",
                "averages": "pointer-average", "self-attention": "self-attention"}
    rows = []
    for folder in (RESULTS / "carryover-32", RESULTS / "carryover"):
        f1 = {}
        for run in map(read, sorted(folder.glob("*/evaluation.json"))):
            f1.setdefault(run["variant"], []).append(100 * run["f1_carried"])
        width = read(folder / "carryover.json")["settings"]["width"]
        rows.append([str(width), str(len(f1["independent"])), *(of_seeds(f1[decoder]) for decoder in decoders.values())])
    return table(["cells", "seeds", *decoders], rows)


TABLES = {"sizes": sizes_table, "words": words_table}
FACTS = {}
