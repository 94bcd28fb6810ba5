"""`watch`: tests the task at hand whenever one of its files is saved. Times are polled: events of files fail on mounted drives."""
import secrets
import select
import sys
import time

from . import LabError, report
from .progress import HINTS, Progress
from .running import LARGEST_SEED

KEYS = "h hint   n next task   q quit"


class Watch:
    def __init__(self, bench):
        self.bench, self.tasks, self.at, self.hints, self.failed = bench, bench.lab.tasks + bench.lab.assigned, 0, 0, None

    def begin(self):
        """Goes to the first task that is not done."""
        try:
            while self.at + 1 < len(self.tasks) and not self.wrong(self.tasks[self.at].checks):
                self.at += 1
        except LabError:  # test() says what it is
            pass

    def wrong(self, checks, tell=lambda verdict: None):
        return [v for v in self.bench.run(checks, secrets.randbelow(LARGEST_SEED), tell) if not v.passed]

    def test(self):
        task, begin, table, lab = self.tasks[self.at], time.monotonic(), report.Table(self.bench.lab), self.bench.lab
        print()
        try:
            failed = next(iter(self.wrong(task.checks, table.add)), None)
        except LabError as error:
            return print(error)
        table.end()
        if failed is None or self.failed is None or failed.check is not self.failed.check:
            self.hints = 0
        self.failed = failed
        if failed:
            print("\n" + report.failure(lab, failed))
        passed = Progress(self.bench.root, lab).passed  # before; what no longer does, in other tasks than this one, is told
        again = [check for other in self.tasks for check in other.checks if other is not task and check.name in passed]
        if broken := again and self.wrong(again):
            print(f"\nIt passed before, and fails now ({len(broken)} such):\n" + report.failure(lab, broken[0]))
        print(f"{time.monotonic() - begin:.1f} s   {KEYS}, then Enter", flush=True)

    def hint(self):
        if self.failed is None:
            return print("all checks of this task pass: n goes to the next one", flush=True)
        if (other := report.of_another_lab(self.bench.lab, self.failed)) is not None:
            return print(f"no hint of this lab helps: what is not written belongs to lab {other}", flush=True)
        try:
            print(Progress(self.bench.root, self.bench.lab).hint(self.failed.check.name, self.hints % HINTS + 1), flush=True)
        except LabError as error:
            print(error, flush=True)
        self.hints += 1


def key_within(seconds):
    """What was typed (with Enter), "" if nothing was, "q" at the end of the input."""
    if not select.select([sys.stdin], [], [], seconds)[0]:
        return ""
    line = sys.stdin.readline()
    return line.strip()[:1] if line else "q"


def watch(bench):
    state, seen, key = Watch(bench), None, ""
    state.begin()
    while key != "q":
        if (now := [(bench.root / name).stat().st_mtime_ns for name in {*bench.lab.own, *bench.lab.units}]) != seen:
            seen = now
            state.test()
        key = key_within(0.5)
        if key == "h":
            state.hint()
        if key == "n":
            state.at, seen = (state.at + 1) % len(state.tasks), None
