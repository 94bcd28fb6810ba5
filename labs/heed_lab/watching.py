"""`watch`: tests the task at hand whenever one of its files is saved. Times are polled: events of files fail on mounted drives."""
import contextlib
import select
import sys
import time

from . import LabError, report
from .running import any_seed


class Watch:
    def __init__(self, bench):
        self.bench, self.lab, self.tasks = bench, bench.lab, bench.lab.tasks + bench.lab.assigned
        self.at, self.hints, self.failed = 0, 0, None

    def wrong(self, checks, shown=False):
        return [v for v in self.bench.run(checks, any_seed(), shown) if not v.passed]

    def begin(self):
        """Goes to the first task that is not done."""
        while self.at + 1 < len(self.tasks) and not self.wrong(self.tasks[self.at].checks):
            self.at += 1

    def test(self):
        """Tests the task at hand; what passed before in others, and no longer does, is told."""
        task, begin, last = self.tasks[self.at], time.monotonic(), self.failed
        print()
        self.failed = next(iter(self.wrong(task.checks, shown=True)), None)
        if not (last and self.failed and last.check is self.failed.check):
            self.hints = 0
        if self.failed:
            print("\n" + report.failure(self.lab, self.failed))
        passed = self.bench.progress.passed
        again = [check for other in self.tasks for check in other.checks if other is not task and check.name in passed]
        if broken := again and self.wrong(again):
            print(f"\nIt passed before, and fails now ({len(broken)} such):\n" + report.failure(self.lab, broken[0]))
        print(f"{time.monotonic() - begin:.1f} s   h hint   n next task   q quit, then Enter", flush=True)

    def hint(self):
        if self.failed is None:
            return print("all checks of this task pass: n goes to the next one", flush=True)
        if (other := report.of_another_lab(self.lab, self.failed)) is not None:
            return print(f"no hint of this lab helps: what is not written belongs to lab {other}", flush=True)
        self.hints += 1
        print(self.bench.progress.hint(self.failed.check.name, (self.hints - 1) % report.HINTS + 1), flush=True)


def key_within(seconds):
    """What was typed (with Enter), "" if nothing was, "q" at the end of the input."""
    if not select.select([sys.stdin], [], [], seconds)[0]:
        return ""
    line = sys.stdin.readline()
    return line.strip()[:1] if line else "q"


def watch(bench):
    state, seen, key = Watch(bench), None, ""
    with contextlib.suppress(LabError):  # test() says what it is
        state.begin()
    while key != "q":
        try:
            if key == "h":
                state.hint()
            if key == "n":
                state.at, seen = (state.at + 1) % len(state.tasks), None
            if (now := [(bench.root / name).stat().st_mtime_ns for name in {*bench.lab.own, *bench.lab.units}]) != seen:
                seen = now
                state.test()
        except LabError as error:
            print(error, flush=True)
        key = key_within(0.5)
