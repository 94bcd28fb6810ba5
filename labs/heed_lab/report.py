"""What students see: plain text, complete without colour."""
import re

from .running import BLANK, HANGS, PASSED

MARKS = {PASSED: "+"}


class Table:
    """One line for each check, by task, with its points, printed as it comes."""

    def __init__(self, lab):
        self.lab, self.task, self.verdicts = lab, None, []

    def add(self, verdict):
        if self.task is None:
            print(f"lab {self.lab.number}, {self.lab.title}")
        if verdict.check.task is not self.task:
            self.task = verdict.check.task
            print(f"  {self.task.name}")
        print(f"    {MARKS.get(verdict.status, '-')} {verdict.check.name:<28} {points([verdict]):>3} points  {verdict.status}", flush=True)
        self.verdicts.append(verdict)

    def end(self):
        """The sums; what a person grades counts where all checks were asked for."""
        passed = [v for v in self.verdicts if v.passed]
        line = f"{len(passed)} of {len(self.verdicts)} checks pass: {points(passed)} of {points(self.verdicts)} points"
        by_hand = ", ".join(f"{name} {most}" for name, most in self.lab.by_hand.items())
        print(line + (f"; graded by hand: {by_hand}" if len(self.verdicts) == len(self.lab.judged) else ""))


def numbers(task):
    """Those of a variation: "p = 1.5, q = -1.25"."""
    return ", ".join(f"{name} = {value}" for name, value in task.numbers.items())


def points(verdicts):
    return sum(sum(v.check.points.values()) for v in verdicts)


ENDLESS = ("a loop whose condition never turns false, or work that doubles with each step. labs/heed-lab debug, then `run`, and Ctrl-C "
           "after a while shows where it is.")


def of_another_lab(lab, verdict):
    """The number of the lab whose function is not written, where that is what the check met."""
    found = re.match(r"not written yet: lab (\d+),", verdict.message) if verdict.status == BLANK else None
    return int(found[1]) if found and int(found[1]) != lab.number else None


def failure(lab, verdict):
    """Everything that is known about one check that did not pass."""
    check = verdict.check
    if (other := of_another_lab(lab, verdict)) is not None:
        return (f"lab {lab.number}, task {check.task.name}, check {check.name}: it needs a function of lab {other} that is not written yet\n"
                f"  {verdict.message}\n"
                f"Write it (labs/heed-lab watch {other}), or put in what your teacher has published: labs/heed-lab catch-up FILE")
    reasons = verdict.reasons[-1:] or [ENDLESS] * (verdict.status == HANGS)
    lines = [f"lab {lab.number}, task {check.task.name}, check {check.name}: {verdict.status}, seed {verdict.seed}",
             *(f"  What it means: {reason}" for reason in reasons),
             *("  " + line for line in verdict.message.splitlines())]
    if check.task in lab.assigned:
        ask = f"the numbers are {numbers(check.task)}"
    else:
        ask = f"hint: labs/heed-lab hint {lab.number} {check.name}"
    lines.append(f"{ask}   again: labs/heed-lab test {lab.number} {check.name} --seed {verdict.seed}")
    return "\n".join(lines)
