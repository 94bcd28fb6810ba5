"""What the pages share: where the kept results are, tables, means and intervals."""
import gzip
import json
import math
from pathlib import Path
from statistics import fmean, stdev

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results"
STUDENT = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 8: 2.36}  # 97.5 % point of Student's t, by the number of seeds

# docs/results/words-of-minilm: trackers, rewriters and carriers that learned the vectors of their words, or took MiniLM's.
OF_MINILM = RESULTS / "words-of-minilm"
WORDS = {"learned": "learned", "minilm": "MiniLM, frozen"}


def read(path):
    """What is kept in a file of JSON, compressed or not."""
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def read_lines(path):
    """What is kept in a file with one value of JSON a line."""
    data = path.read_bytes()
    return [json.loads(line) for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()]


def table(heads, rows, texts=2):
    """A table in Markdown; the first columns, `texts` of them, hold texts and the others numbers."""
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * texts + " ---: |" * (len(heads) - texts)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def ratios(seeds, conversations):
    """Of each seed the quotient of the sums over dialogues, and the standard error of their mean over conversations (a ratio estimator).

    A seed is a list with (top, bottom) of each dialogue.
    """
    quotients, groups = [], {}
    for pairs in seeds:
        total = sum(bottom for _, bottom in pairs)
        quotients.append(sum(top for top, _ in pairs) / total)
        for conversation, (top, bottom) in zip(conversations, pairs):
            groups[conversation] = groups.get(conversation, 0) + (top - quotients[-1] * bottom) / total / len(seeds)
    return quotients, math.sqrt(sum(x * x for x in groups.values()))


def interval(tops, bottoms, conversations):
    """The quotient of the sums over dialogues, and half of its 95 % interval over conversations."""
    (quotient,), error = ratios([list(zip(tops, bottoms))], conversations)
    return quotient, 1.96 * error


def student(values):
    """The mean over seeds, and half of its 95 % interval by Student's t."""
    return fmean(values), STUDENT[len(values)] * stdev(values) / math.sqrt(len(values))


def with_student(values, form=".1f"):
    """The mean over seeds and its interval, as "24.3" and "[22.2, 26.5]"."""
    mean, half = student(values)
    return f"{mean:{form}}", f"[{mean - half:{form}}, {mean + half:{form}}]"


def plus_minus(mean, half):
    return f"{mean:+.1f} ± {half:.1f}"


def of_seeds(values, digits=1):
    """The mean over seeds and their standard deviation."""
    return f"{fmean(values):.{digits}f} ± {stdev(values):.{digits}f}"


def spread(values, digits=2):
    """The mean, and the least and the greatest where there are several."""
    low, high = (f"{end(values):.{digits}f}" for end in (min, max))
    return f"{fmean(values):.{digits}f}" + (f" ({low} to {high})" if len(values) > 1 else "")


def hundredths(estimate):
    return f"{100 * estimate['value']:.1f}"


def percent(estimate):
    """An estimate that is kept with its interval, in percent."""
    return "–" if estimate is None else f"{hundredths(estimate)} [{100 * estimate['low']:.1f}, {100 * estimate['high']:.1f}]"
