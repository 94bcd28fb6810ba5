"""docs/results/comprehend.md: questions about a dialogue, and how many earlier turns a reader needs."""
from statistics import fmean

from .common import RESULTS, read

PAGE = "docs/results/comprehend.md"
TABLES = {}


def reader(corpus, name, measure="f1"):
    """The mean over the seeds, in percent."""
    return f"{fmean(100 * read(path)[measure] for path in (RESULTS / 'comprehend' / corpus).glob(f'{name}-seed?/evaluation.json')):.1f}"


def facts():
    others = [f"turns-{turns}" for turns in range(1, 8)] + ["no-questions", "no-answers", "other-turns"]
    frozen = [reader("molweni", name) for name in others]
    seeds = [100 * read(RESULTS / f"comprehend/molweni/turns-0-seed{seed}/evaluation.json")["f1"] for seed in (1, 2)]
    fewer = read(RESULTS / "comprehend/molweni/turns-7-seed1/read.json")
    return [
        "on the GPU the F1 is {} without them and {}, {} and {} with one, two and three; with four it is {}".format(
            *(reader("molweni-gpu", f"turns-{turns}") for turns in range(5))),
        f"On the processor it is {reader('molweni-fine', 'turns-0')} without and {reader('molweni-fine', 'turns-2')} with two",
        f"The best reader of the processor, with {reader('molweni-fine', 'no-questions')}, reads the answers of two turns",
        f"above the frozen readers without earlier turns ({reader('molweni', 'turns-0')})",
        f"those with earlier turns ({min(frozen)} to {max(frozen)})",
        f"gold ones ({reader('molweni', 'turns-2', 'predicted_f1')} and {reader('molweni', 'turns-2')} with two turns)",
        "without turns, the two have {:.1f} and {:.1f}".format(*seeds),
        "has {:.1f} with seven, {:.1f} with the last three, but {:.1f} with the last two and {:.1f} with none".format(
            *(100 * fewer[f"last:{turns}"] for turns in (7, 3, 2, 0))),
    ]


FACTS = {PAGE: facts}
