"""What students see: plain text, complete without colour."""
import re

from .running import BLANK, PASSED

MARKS = {PASSED: "+"}


def table(lab, verdicts):
    """One line for each check, by task, with its points."""
    lines = [f"lab {lab.number}, {lab.title}: {sum(v.passed for v in verdicts)} of {len(verdicts)} checks pass"]
    task = None
    for verdict in verdicts:
        if verdict.check.task is not task:
            task = verdict.check.task
            lines.append(f"  {task.name}")
        points = sum(verdict.check.points.values())
        lines.append(f"    {MARKS.get(verdict.status, '-')} {verdict.check.name:<28} {points:>3} points  {verdict.status}")
    return "\n".join(lines)


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
    lines = [f"lab {lab.number}, task {check.task.name}, check {check.name}: {verdict.status}, seed {verdict.seed}",
             *("  " + line for line in verdict.message.splitlines())]
    lines += [f"  What it means: {reason}" for reason in verdict.reasons[-1:]]
    if check.task in lab.assigned:
        numbers = ", ".join(f"{name} = {value}" for name, value in check.task.numbers.items())
        ask = f"the numbers are {numbers}"
    else:
        ask = f"hint: labs/heed-lab hint {lab.number} {check.name}"
    lines.append(f"{ask}   again: labs/heed-lab test {lab.number} {check.name} --seed {verdict.seed}")
    return "\n".join(lines)
