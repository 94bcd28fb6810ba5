"""docs/results/generators.md: a loss that weighs rare words more (X is its exponent)."""
import math
from collections import Counter

from .common import RESULTS, read, read_lines, table

PAGE = "docs/results/generators.md"
FOLDER = RESULTS / "inverse-frequency"


def measures(x, of="responses"):
    """Of the answers of a model with this exponent, or of people ("human")."""
    return read(FOLDER / f"{x}.json")[of]


def perplexity(x):
    """Of the validation part, after the last epoch."""
    return read_lines(FOLDER / f"{x}-log.jsonl")[-1]["valid_perplexity"]


def kinds_of_answers(x):
    """How many different answers there are, and the share of the most frequent one in percent."""
    counts = Counter(line["response"] for line in read_lines(FOLDER / f"{x}.jsonl.gz"))
    return len(counts), 100 * max(counts.values()) / sum(counts.values())


def cells(of):
    columns = (("mean_length", 1, 1), ("distinct_1", 100, 2), ("distinct_2", 100, 2), ("ent_4", 1, 2), ("repetition", 1, 1),
               ("bleu_2", 100, 2), ("rouge_l", 100, 2), ("meteor_exact_stem", 100, 2))
    return ["–" if of[key] is None else f"{scale * of[key]:.{digits}f}" for key, scale, digits in columns]


def weighed_table():
    rows = [["people", "–", "–", *cells(measures("0", "human")), "–", "–"]]
    for x in ("0", "0.4"):
        different, most = kinds_of_answers(x)
        rows.append(["`static-ui`", x, f"{perplexity(x):.1f}", *cells(measures(x)), str(different), f"{most:.0f}"])
    return table(["answers of", "X", "perplexity", "words", "distinct-1 %", "distinct-2 %", "ent-4", "repetition", "BLEU-2 %", "ROUGE-L %",
                  "METEOR %", "different answers", "most frequent %"], rows)


TABLES = {"inverse-frequency": weighed_table}


def facts():
    people, plain, rare = measures("0", "human"), measures("0"), measures("0.4")
    before, after = perplexity("0"), perplexity("0.4")
    return [
        f"distinct-1 is {rare['distinct_1'] / plain['distinct_1']:.1f} times as high "
        f"and distinct-2 {rare['distinct_2'] / plain['distinct_2']:.1f} times",
        f"to {kinds_of_answers('0.4')[1]:.0f} % of the contexts instead of {kinds_of_answers('0')[1]:.0f} %",
        f"{rare['mean_length']:.1f} words instead of {plain['mean_length']:.1f}, where people write {people['mean_length']:.1f}",
        f"{after:.1f} instead of {before:.1f}: {math.log(after / before):+.3f} nats a word",
    ]


def facts_of_guide():
    return [f"perplexity rises from {perplexity('0'):.0f} to {perplexity('0.4'):.0f}"]


FACTS = {PAGE: facts, "docs/generators.md": facts_of_guide}
