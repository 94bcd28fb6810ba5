"""docs/results/explanations.md: comparisons of models that explain, as `heed compare` keeps them."""
from .common import RESULTS, read, table

PAGE = "docs/results/explanations.md"
RESPONSES = {"because": "explanation", "why": "answer to why"}


def compared(name, measure):
    """The two runs of a kept comparison."""
    kept = read(RESULTS / f"explanations/{name}.json")
    return next(row["runs"] for row in kept["rows"] if row["measure"] == measure)


def change(run, show):
    return "{} [{}, {}]".format(*(show(run["change"][key], "+") for key in ("value", "low", "high")))


def trained_table():
    """A Transformer against an LSTM."""
    rows = []
    for what, title in RESPONSES.items():
        for turns in (1, 6):
            for seed in (1, 2):
                row = [title, str(turns), str(seed)]
                for measure, digits in (("perplexity", 1), ("accuracy", 3)):
                    lstm, transformer = compared(f"{what}-turns{turns}-seed{seed}", measure)
                    show = lambda x, sign="": f"{x:{sign}.{digits}f}"
                    row += [show(lstm["estimate"]["value"]), show(transformer["estimate"]["value"]), change(transformer, show)]
                rows.append(row)
    return table(["response", "turns read", "seed", "perplexity, LSTM", "Transformer", "change", "next token right, LSTM", "Transformer",
                  "change"], rows)


def context_table():
    """What a model writes when it reads six turns instead of one."""
    rows = []
    for what, title in RESPONSES.items():
        for model in ("baseline", "larger", "dynamic", "non-hier"):
            row = [title, f"`{model}`"]
            for measure, scale in (("perplexity", 1), ("bleu_2", 100), ("rouge_l", 100), ("meteor_exact_stem", 100)):
                one, six = compared(f"{what}-context-{model}", measure)
                show = lambda x, sign="": f"{scale * x:{sign}.1f}"
                row.append(f"{show(one['estimate']['value'])}, {show(six['estimate']['value'])}: {change(six, show)}")
            rows.append(row)
    return table(["response", "model", "perplexity", "BLEU-2 %", "ROUGE-L %", "METEOR %"], rows)


TABLES = {"trained": trained_table, "context": context_table}
FACTS = {}
