"""What students see: plain text, complete without colour."""
import re

from .running import BLANK, HANGS

ENDLESS = ("a loop whose condition never turns false, or work that doubles with each step. labs/heed-lab debug, then `run`, and Ctrl-C "
           "after a while shows where it is.")


class Table:
    """One line for each check, by task, with its points, printed as it comes."""

    def __init__(self, lab):
        self.lab, self.verdicts = lab, []

    def add(self, verdict):
        task = verdict.check.task
        if not self.verdicts:
            print(f"lab {self.lab.number}, {self.lab.title}")
        if not self.verdicts or task is not self.verdicts[-1].check.task:
            print(f"  {task.name}")
        print(f"    {'+' if verdict.passed else '-'} {verdict.check.name:<28} {verdict.check.worth:>3} points  {verdict.status}", flush=True)
        self.verdicts.append(verdict)

    def end(self):
        """The sums; what a person grades counts where all checks were asked for."""
        passed = [v for v in self.verdicts if v.passed]
        print(f"{len(passed)} of {len(self.verdicts)} checks pass: {points(passed)} of {points(self.verdicts)} points" +
              (f"; graded by hand: {self.lab.said_by_hand}" if len(self.verdicts) == len(self.lab.judged) else ""))


def numbers(task):
    """Those of a variation: "p = 1.5, q = -1.25"."""
    return ", ".join(f"{name} = {value}" for name, value in task.numbers.items())


def points(verdicts):
    return sum(v.check.worth for v in verdicts)


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
