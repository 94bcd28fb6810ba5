"""docs/results/comprehend.md: questions about a dialogue, and how many earlier turns a reader needs."""
from statistics import fmean

from .common import RESULTS, read

PAGE = "docs/results/comprehend.md"
TABLES = {}


def reader(corpus, name, measure="f1"):
    """The mean over the seeds, in percent."""
    return f"{fmean(100 * read(path)[measure] for path in (RESULTS / 'comprehend' / corpus).glob(f'{name}-seed?/evaluation.json')):.1f}"


def facts():
    frozen = [reader("molweni", name) for name in ("turns-1", "turns-2", "turns-3", "no-questions", "no-answers")]
    return [
        "on the GPU the F1 is {} without them and {}, {} and {} with one, two and three; with four it is {}".format(
            *(reader("molweni-gpu", f"turns-{turns}") for turns in range(5))),
        f"On the processor it is {reader('molweni-fine', 'turns-0')} without and {reader('molweni-fine', 'turns-2')} with two",
        f"The best reader of the processor, with {reader('molweni-fine', 'no-questions')}, reads the answers of two turns",
        f"above the frozen readers without earlier turns ({reader('molweni', 'turns-0')})",
        f"with earlier turns, {min(frozen)} to {max(frozen)}, they do not differ clearly",
        f"gold ones ({reader('molweni', 'turns-3', 'predicted_f1')} and {reader('molweni', 'turns-3')} with three turns)",
    ]


FACTS = {PAGE: facts}
