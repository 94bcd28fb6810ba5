"""What a student has done, kept in labs/progress.json, which git does not see: checks that passed, and hints that were taken."""
import json

from . import LabError

FILE = "labs/progress.json"
HINTS = 3  # of each check


def read(text):
    """{lab: {"passed": [check, ...], "hints": {check: how many}}}; nothing where it is not what this wrote."""
    try:
        rows = json.loads(text)
        return {lab: {"passed": list(map(str, row["passed"])), "hints": {str(check): int(count) for check, count in row["hints"].items()}}
                for lab, row in rows.items()}
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return {}


class Progress:
    def __init__(self, root, lab):
        self.path, self.lab = root / FILE, lab
        self.all = read(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
        row = self.all.get(str(lab.number), {})
        self.passed, self.hints = set(row.get("passed", [])), row.get("hints", {})

    def save(self):
        self.all[str(self.lab.number)] = {"passed": sorted(self.passed), "hints": self.hints}
        self.path.write_text(json.dumps(self.all, indent=1) + "\n", encoding="utf-8")

    def add(self, verdict):
        (self.passed.add if verdict.passed else self.passed.discard)(verdict.check.name)

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
