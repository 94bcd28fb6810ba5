"""docs/results/nex-cv.md: plausible negatives; classes of the data stand for questions that belong to none."""
from .common import RESULTS, percent, read, table

PAGE = "docs/results/nex-cv.md"
ENCODERS = {"bag": "bag of words", "baseline": "`baseline`", "ranker": "`ranker`", "minilm": "MiniLM"}
SMALL = {"none": "nothing", "share:0.15": "small classes, P = 0.15", "below:5": "small classes, K = 5", "real": "real questions"}


def negatives(corpus, encoder):
    """What stands for none -> the kept results of one encoder."""
    return {result["small"]: result for result in read(RESULTS / f"nex-cv/{corpus}-{encoder}.json")["results"]}


def negatives_table(corpus, thresholds):
    rows = []
    for encoder, title in ENCODERS.items():
        for small, result in negatives(corpus, encoder).items():
            for t in (t for t in result["thresholds"] if round(t["threshold"], 2) in thresholds):
                shares = [f"{100 * t['outcomes'][k] / result['tested']:.1f}" for k in ("T", "TO", "FCO", "FO", "F")]
                rest = ["–" if t[k] is None else f"{100 * t[k]:.1f}"
                        for k in ("f1_macro", "f1_weighted", "withheld_wrong", "withheld_right")]
                rows.append([title, SMALL[small], f"{t['threshold']:.1f}"] +
                            [percent(t[k]) for k in ("accuracy", "known_right", "none_withheld")] + shares + rest +
                            [percent(result["auc"])])
    return table(["encoder", "Ø are", "threshold", "right, T + TO", "of a class", "of Ø", "T", "TO", "FCO", "FO", "F", "F1 macro",
                  "weighted", "carefulness, text: wrong", "program: right", "AUC"], rows)


def prediction_table():
    """AUC of both kinds of Ø, the best threshold by either, and what each gives on the real ones."""
    rows = []
    for encoder, title in ENCODERS.items():
        of = negatives("clinc150", encoder)
        plausible, real = of["share:0.15"], of["real"]
        best, best_of_real = (max(x["thresholds"], key=lambda t: t["accuracy"]["value"]) for x in (plausible, real))
        got = next(t for t in real["thresholds"] if t["threshold"] == best["threshold"])
        rows.append([title, percent(plausible["auc"]), percent(real["auc"]), f"{best['threshold']:.1f}", f"{best_of_real['threshold']:.1f}",
                     percent(best["accuracy"]), percent(got["accuracy"]), percent(best_of_real["accuracy"])])
    return table(["encoder", "AUC, small classes", "real", "best threshold, small classes", "real", "right, small classes",
                  "right of the real ones at that threshold", "at their own best"], rows)


TABLES = {"prediction": prediction_table, "clinc150": lambda: negatives_table("clinc150", (0.3, 0.5, 0.7, 0.9)),
          "atis": lambda: negatives_table("atis", (0.5, 0.9))}
FACTS = {}
