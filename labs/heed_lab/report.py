"""What students see: plain text, complete without colour; and what is kept of their work."""
import json
import re

from . import LabError
from .running import BLANK, HANGS

PROGRESS = "labs/progress.json"  # checks that passed, and hints that were taken; git does not see it
HINTS = 3  # of each check
ENDLESS = ("a loop whose condition never turns false, or work that doubles with each step. labs/heed-lab debug, then `run`, and Ctrl-C "
           "after a while shows where it is.")


def line(verdict):
    return f"    {'+' if verdict.passed else '-'} {verdict.check.name:<28} {verdict.check.worth:>3} points  {verdict.status}"


def sums(lab, verdicts):
    """What a person grades counts where all checks were asked for."""
    passed = [v for v in verdicts if v.passed]
    by_hand = f"; graded by hand: {lab.said_by_hand}" if len(verdicts) == len(lab.judged) else ""
    return f"{len(passed)} of {len(verdicts)} checks pass: {points(passed)} of {points(verdicts)} points{by_hand}"


def points(verdicts):
    return sum(v.check.worth for v in verdicts)


def numbers(task):
    """Those of a variation: "p = 1.5, q = -1.25"."""
    return ", ".join(f"{name} = {value}" for name, value in task.numbers.items())


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
    lines = [f"What it means: {reason}" for reason in verdict.reasons[-1:] or [ENDLESS] * (verdict.status == HANGS)]
    of_a_name = check.task in lab.assigned
    ask = f"the numbers are {numbers(check.task)}" if of_a_name else f"hint: labs/heed-lab hint {lab.number} {check.name}"
    return "\n  ".join([f"{about}{verdict.status}, seed {verdict.seed}", *lines, *verdict.message.splitlines()]) + (
        f"\n{ask}   again: labs/heed-lab test {lab.number} {check.name} --seed {verdict.seed}")


def read_progress(text):
    """{lab: {"passed": [check, ...], "hints": {check: how many}}}; nothing where it is not what Progress wrote."""
    try:
        return {lab: {"passed": list(map(str, row["passed"])), "hints": {str(check): int(count) for check, count in row["hints"].items()}}
                for lab, row in json.loads(text).items()}
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return {}


class Progress:
    """What a student has done in a lab."""

    def __init__(self, root, lab):
        self.path, self.lab = root / PROGRESS, lab
        self.all = read_progress(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
        row = self.all.get(str(lab.number), {})
        self.passed, self.hints = set(row.get("passed", [])), row.get("hints", {})

    def save(self):
        self.all[str(self.lab.number)] = {"passed": sorted(self.passed), "hints": self.hints}
        self.path.write_text(json.dumps(self.all, indent=1) + "\n", encoding="utf-8")

    def add(self, verdicts):
        for verdict in verdicts:
            (self.passed.add if verdict.passed else self.passed.discard)(verdict.check.name)
        self.save()

    def hint(self, check, number):
        """A hint, which counts as taken from now on."""
        hints = self.lab.hints().get(check)
        if hints is None:
            raise LabError("a variation is yours alone and has no hints; the README of the lab says what it is")
        if not 1 <= number <= len(hints):
            raise LabError(f"{check} has the hints 1 to {len(hints)}")
        self.hints[check] = max(number, self.hints.get(check, 0))
        self.save()
        return f"hint {number} of {len(hints)}: {hints[number - 1]}"

    def said(self):
        checks = self.lab.judged
        have, most = sum(check.worth for check in checks if check.name in self.passed), sum(check.worth for check in checks)
        done = sum(all(check.name in self.passed for check in task.checks) for task in self.lab.tasks)
        taken = f", {sum(self.hints.values())} hints" if self.hints else ""
        return f"{done} of {len(self.lab.tasks)} tasks, {have} of {most} points{taken}" if self.passed or self.hints else ""
