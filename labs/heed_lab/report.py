"""What students see, plain text, complete without colour; what is kept of their work; the form for what they write in words, the derivation by
hand, the figure and the questions; and what a class gets wrong."""
import csv
import json
import re
from collections import defaultdict, namedtuple

from . import LabError, text_of
from .running import BLANK, HANGS

PROGRESS = "labs/progress.json"  # checks that passed, and hints that were taken; git does not see it
HINTS = 3  # of each check
ENDLESS = ("a loop whose condition never turns false, or work that doubles with each step. labs/heed-lab debug, then `run`, and Ctrl-C "
           "after a while shows where it is.")
PHOTOS = [f"by-hand.{kind}" for kind in ("jpg", "jpeg", "png", "pdf", "tex")]
Slip = namedtuple("Slip", "file old new check says")


def line(verdict):
    return f"    {'+' if verdict.passed else '-'} {verdict.check.name:<28} {verdict.check.worth:>3} points  {verdict.status}"


def points(verdicts):
    return sum(v.check.worth for v in verdicts)


def sums(lab, verdicts):
    """What a person grades counts where all checks were asked for."""
    passed = [v for v in verdicts if v.passed]
    by_hand = f"; graded by hand: {lab.said_by_hand}" if len(verdicts) == len(lab.judged) else ""
    return f"{len(passed)} of {len(verdicts)} checks pass: {points(passed)} of {points(verdicts)} points{by_hand}"


def of_another_lab(lab, verdict):
    """The number of the lab whose function is not written, where that is what the check met."""
    found = re.match(r"not written yet: lab (\d+),", verdict.message) if verdict.status == BLANK else None
    return int(found[1]) if found and int(found[1]) != lab.number else None


def failure(lab, verdict):
    """Everything that is known about one check that did not pass."""
    check = verdict.check
    about = f"lab {lab.number}, task {check.task.name}, check {check.name}: "
    if (other := of_another_lab(lab, verdict)) is not None:
        return (f"{about}it needs a function of lab {other} that is not written yet\n  {verdict.message}\n"
                f"Write it (labs/heed-lab watch {other}), or put in what your teacher has published: labs/heed-lab catch-up FILE")
    reasons = [reason for reason in verdict.reasons[-1:] if reason]  # "" takes one back that a check gave before
    lines = [f"What it means: {reason}" for reason in reasons or [ENDLESS] * (verdict.status == HANGS)]
    ask = f"the numbers are {check.task.said}" if check.task in lab.assigned else f"hint: labs/heed-lab hint {lab.number} {check.name}"
    return "\n  ".join([f"{about}{verdict.status}, seed {verdict.seed}", *lines, *verdict.message.splitlines()]) + (
        f"\n{ask}   again: labs/heed-lab test {lab.number} {check.name} --seed {verdict.seed}")


def read_progress(text):
    """{lab: {"passed": [check, ...], "hints": {check: how many}}}; nothing where it is not what Progress wrote."""
    try:
        return {lab: {"passed": list(map(str, row["passed"])), "hints": {str(check): int(count) for check, count in row["hints"].items()}}
                for lab, row in json.loads(text).items()}
    except (ValueError, AttributeError, TypeError, KeyError, OverflowError, RecursionError):
        return {}


class Progress:
    """What a student has done in a lab."""

    def __init__(self, root, lab):
        self.path, self.lab = root / PROGRESS, lab
        self.read()

    def read(self):
        """Anew before each change: `watch` may run beside another command."""
        self.all = read_progress(self.path.read_text(encoding="utf-8", errors="replace")) if self.path.exists() else {}
        row = self.all.get(str(self.lab.number), {"passed": [], "hints": {}})
        self.passed, self.hints = set(row["passed"]), row["hints"]

    def save(self):
        self.all[str(self.lab.number)] = {"passed": sorted(self.passed), "hints": self.hints}
        self.path.write_text(json.dumps(self.all, indent=1) + "\n", encoding="utf-8")

    def add(self, verdicts):
        self.read()
        self.passed -= {v.check.name for v in verdicts}
        self.passed |= {v.check.name for v in verdicts if v.passed}
        self.save()

    def hint(self, check, number):
        """A hint, which counts as taken from now on."""
        hints = self.lab.hints().get(check)
        if hints is None:
            raise LabError("a variation is yours alone and has no hints; the README of the lab says what it is")
        if not 1 <= number <= len(hints):
            raise LabError(f"{check} has the hints 1 to {len(hints)}")
        self.read()
        self.hints[check] = max(number, self.hints.get(check, 0))
        self.save()
        return f"hint {number} of {len(hints)}: {hints[number - 1]}"

    def said(self):
        passed = [check for check in self.lab.judged if check.name in self.passed]
        done = sum(set(task.checks) <= set(passed) for task in self.lab.tasks)
        have, most = (sum(check.worth for check in checks) for checks in (passed, self.lab.judged))
        taken = f", {sum(self.hints.values())} hints" if self.hints else ""
        return f"{done} of {len(self.lab.tasks)} tasks, {have} of {most} points{taken}" if self.passed or self.hints else ""


def path_of(lab, name="answers.md"):
    return f"labs/{lab.folder.name}/{name}"


def sections(text):
    """[(title, what stands below it)] of Markdown."""
    return re.findall(r"^## (.*?)\n(.*?)(?=\n## |\Z)", text, re.M | re.S)


def asked(lab):
    """[(title, what is asked)] of the lab's README."""
    text = (lab.folder / "README.md").read_text(encoding="utf-8")
    found = dict(sections(text))
    questions = re.findall(r"^(\d+)\. (.*?)(?=^\d+\. |\Z)", found.get("Questions", ""), re.M | re.S)
    return [*(("By hand", words) for words in re.findall(r"^(Do by hand[,:].*?)\n\n", text, re.M | re.S)),
            *((f"Question {number}", words) for number, words in questions),
            *((title, found[title]) for title in ("The figure", "A page of claims") if title in found)]


def form(lab):
    parts = [f"# Lab {lab.number}: answers\n\nGraded by hand: {lab.said_by_hand} points.\n"]
    for title, text in asked(lab):
        quoted = "\n".join(f"> {line}" for line in text.strip().splitlines())
        place = f"A photo or a file beside this one, {' or '.join(PHOTOS)}, or here:\n\n" if title == "By hand" else ""
        parts.append(f"## {title}\n\n{quoted}\n\n{place}")
    return "\n".join(parts)


def answers(lab, files):
    """(text, notes) of what a submission has of it; files(names) are those of them that it has, {name: bytes}."""
    has = {name.rpartition("/")[2]: content for name, content in files([path_of(lab, name) for name in ("answers.md", *PHOTOS)] + [PROGRESS]).items()}
    text, photos = has.get("answers.md", b"").decode(errors="replace"), [name for name in PHOTOS if name in has]
    plain = re.sub(r"^(>.*|A photo or a file beside.*)\n", "", text, flags=re.M)
    given = {title for title, said in sections(plain) if said.strip()} | {"By hand" for _ in photos}
    missing = ", ".join(title for title, _ in asked(lab) if title not in given)
    notes = [f"to be graded by hand: {', '.join(photos + [path_of(lab)] * bool(text)) or 'nothing was handed in'}"
             + (f"; not answered: {missing}" if text and missing else "")]
    if lab.tells_hints:
        taken = read_progress(has.get("progress.json", b"").decode(errors="replace")).get(str(lab.number), {}).get("hints", {})
        hints = [f"{taken[check.name]} of {check.name}" for check in lab.checks if taken.get(check.name)]
        notes.append(f"hints taken: {', '.join(hints) or 'none that was kept'}")
    return text, notes


def planted(root, lab):
    """[Slip] that the tests plant; handouts have none."""
    path = root / f"tests/labs/slips/{lab.number:02}.json"
    files = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return [Slip(file, *row) for file, rows in files.items() for row in rows]


def overview(course, folder):
    """Lines about a class: each mistake with who made it, the most frequent first, and the planted one that it looks like."""
    graded, mistakes = (list(csv.DictReader(text_of(folder / name).splitlines())) for name in ("grades.csv", "mistakes.csv"))
    found, of_lab = defaultdict(set), defaultdict(set)
    try:
        for row in mistakes:
            found[int(row["lab"]), row["check"], row["what it means"]].add(row["student"])
        for row in graded:
            of_lab[int(row["lab"])].add(row["student"])
    except (KeyError, TypeError, ValueError) as error:
        raise LabError(f"{folder}: grades.csv and mistakes.csv are not as `grade --out` writes them: {error}") from None
    for (number, check, said), names in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        yield f"{len(names):>3} of {len(of_lab[number])}  lab {number}, {check}: {said or 'no explanation'}  ({', '.join(sorted(names))})"
        for slip in planted(course.root, course.lab(number)):
            if slip.check == check and slip.says and slip.says in said:
                yield f"{'':>10}  like {' '.join(slip.new.split()) or 'nothing'}  for  {' '.join(slip.old.split())}"
