"""`watch`: tests the task at hand whenever one of its files is saved. Times are polled: events of files fail on mounted drives."""
import os
import select
import sys
import time

from . import LabError, report
from .progress import Progress

KEYS = "h hint   n next task   q quit"


def times(bench):
    return [(bench.root / name).stat().st_mtime_ns for name in {*bench.lab.own, *bench.lab.units}]


def key_within(seconds):
    """What was typed (with Enter), "" if nothing was, "q" at the end of the input."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    if not ready:
        return ""
    line = sys.stdin.readline()
    return line.strip()[:1] if line else "q"


def seed():
    return int.from_bytes(os.urandom(3), "big")


class Watch:
    def __init__(self, bench):
        self.bench, self.tasks, self.at, self.hints, self.failed = bench, bench.lab.tasks + bench.lab.assigned, 0, 0, None

    def begin(self):
        """Goes to the first task that is not done."""
        try:
            while self.at + 1 < len(self.tasks) and all(v.passed for v in self.bench.run(self.tasks[self.at].checks, seed())):
                self.at += 1
        except LabError:  # test() says what it is
            pass

    def test(self):
        task, begin, table = self.tasks[self.at], time.monotonic(), report.Table(self.bench.lab)
        print()
        try:
            verdicts = self.bench.run(task.checks, seed(), table.add)
        except LabError as error:
            print(error)
            return
        table.end()
        failed = next((v for v in verdicts if not v.passed), None)
        if failed is None or self.failed is None or failed.check is not self.failed.check:
            self.hints = 0
        self.failed = failed
        if failed:
            print("\n" + report.failure(self.bench.lab, failed))
        self.tell_of_earlier(task)
        print(f"{time.monotonic() - begin:.1f} s   {KEYS}, then Enter", flush=True)

    def tell_of_earlier(self, task):
        """What passed before and no longer does, in other tasks than this one."""
        passed = Progress(self.bench.root, self.bench.lab).passed
        again = [check for other in self.tasks for check in other.checks if other is not task and check.name in passed]
        broken = [v for v in self.bench.run(again, seed()) if not v.passed] if again else []
        for verdict in broken[:1]:
            print(f"\nIt passed before, and fails now ({len(broken)} such):\n" + report.failure(self.bench.lab, verdict))

    def hint(self):
        if self.failed is None:
            print("all checks of this task pass: n goes to the next one", flush=True)
            return
        if (other := report.of_another_lab(self.bench.lab, self.failed)) is not None:
            print(f"no hint of this lab helps: what is not written belongs to lab {other}", flush=True)
            return
        name = self.failed.check.name
        hints = self.bench.lab.hints().get(name, ["a variation is yours alone and has no hints"])
        number = self.hints % len(hints) + 1
        print(f"hint {number}: {hints[number - 1]}", flush=True)
        Progress(self.bench.root, self.bench.lab).took(name, number)
        self.hints += 1


def watch(bench):
    state, seen = Watch(bench), None
    state.begin()
    while True:
        if (now := times(bench)) != seen:
            seen = now
            state.test()
        key = key_within(0.5)
        if key == "q":
            return 0
        if key == "h":
            state.hint()
        if key == "n":
            state.at, seen = (state.at + 1) % len(state.tasks), None
