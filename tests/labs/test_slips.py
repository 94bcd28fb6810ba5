"""Planted mistakes (slips/) are caught by the check that their row names, whatever is drawn, and explained in the words that it names.
Solutions that are unusual and right (right/: [original code, what stands in its place]) pass all checks.

HEED_SLIP_SEEDS=20 HEED_SLIPS=4,7:12- python3 tests/labs/run.py BUILD test_slips   more seeds; lab 4, and lab 7 from its slip 12 on"""
import json
import os
import re
import unittest
from concurrent.futures import ThreadPoolExecutor

import helpers
from heed_lab import report
from heed_lab.build import CompileError
from heed_lab.running import BLANK, CRASHED, HANGS, PASSED, run_check

SEEDS = int(os.environ.get("HEED_SLIP_SEEDS", 3))


def asked():
    """[(lab, number, slip)], all where the environment names none."""
    labs = helpers.course().labs
    names = [part.rstrip("-").partition(":") for part in os.environ.get("HEED_SLIPS", "").split(",") if part]
    first = {int(lab): int(number or 0) for lab, _, number in names} or dict.fromkeys(labs, 0)
    return [(labs[lab], i, slip) for lab, least in first.items() for i, slip in enumerate(report.planted(helpers.ROOT, labs[lab])) if i >= least]


def problems(lab, number, slip):
    """What is wrong with the verdicts, by seed."""
    text = helpers.course().texts(lab)[slip.file]
    if text.count(slip.old) != 1:
        return f"{slip.old!r} occurs {text.count(slip.old)} times in {slip.file}"
    try:
        program = helpers.program(lab, {slip.file: text.replace(slip.old, slip.new)}, f"slip-{number}")
    except CompileError as error:
        return str(error)
    found = {}
    for seed in range(helpers.SEED, helpers.SEED + SEEDS):
        verdict = run_check(program, lab.check(slip.check), seed)
        said = report.failure(lab, verdict)
        if verdict.status in (PASSED, BLANK):
            found[seed] = verdict.status
        elif slip.says not in said or "Failed" in verdict.message.splitlines():  # GoogleTest's own word, which tells nothing
            found[seed] = "; ".join(re.findall("What it means: (.*)", said)) or said
        if verdict.status == HANGS or (verdict.status == CRASHED and seed > helpers.SEED + 1):  # each seed takes long, and is like the others
            break
    return found


class Slips(unittest.TestCase):
    def test_caught_and_explained(self):
        with ThreadPoolExecutor(2) as pool:
            for (lab, number, slip), wrong in zip(asked(), pool.map(lambda row: problems(*row), asked())):
                with self.subTest(lab=lab.number, slip=number, new=slip.new, check=slip.check, says=slip.says):
                    self.assertFalse(wrong, wrong)


class Right(unittest.TestCase):
    @helpers.for_each_lab
    def test_unusual_solutions_pass(self, lab):
        path, texts = helpers.HERE / f"right/{lab.number:02}.json", helpers.course().texts(lab)
        rows = [(file, *row) for file, found in json.loads(path.read_text()).items() for row in found] if path.exists() else []
        for number, (file, old, new) in enumerate(rows):
            with self.subTest(new=new):
                self.assertEqual(texts[file].count(old), 1, old)
                program = helpers.program(lab, {file: texts[file].replace(old, new)}, f"right-{number}")
                verdicts = [run_check(program, check, seed) for seed in range(helpers.SEED, helpers.SEED + SEEDS) for check in lab.checks]
                self.assertEqual([report.failure(lab, verdict) for verdict in verdicts if not verdict.passed], [])
