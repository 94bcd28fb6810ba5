"""What students see: plain text, complete without colour."""
from .running import PASSED

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


def failure(lab, verdict):
    """Everything that is known about one check that did not pass."""
    check = verdict.check
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
