"""Blanks fail politely, the reference gets full points, and no lab needs what a later one takes out."""
import json
import os
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

import helpers
from heed_lab.running import BLANK, FAILED, PASSED, run_check


def statuses(program, lab, checks=None):
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda check: run_check(program, check, helpers.SEED), checks or lab.checks))
    return {v.check.name: v.status if v.status in (BLANK, PASSED) else f"{v.status}: {v.message}" for v in verdicts}


def sizes_drawn(program, names, seed):
    """{check: the first sizes and numbers that it drew}, as the program reports it."""
    read, write = os.pipe()
    with open(read, "rb") as reports:
        subprocess.run([program, f"--seed={seed}", "--gtest_filter=" + ":".join(f"Lab.{name}" for name in names), "--gtest_brief=1"],
                       input=b"word\n", stdout=subprocess.DEVNULL, pass_fds=[write],
                       env={**os.environ, "HEED_LAB_REPORT": str(write)}, check=True)
        os.close(write)
        rows = map(json.loads, reports.read().splitlines())
        return {row["check"]: row["drew"] for row in rows if "drew" in row}


def all_of(lab, status):
    return {check.name: status for check in lab.checks}


class Proofs(unittest.TestCase):
    @helpers.for_each_lab
    def test_reference(self, lab):
        """A variation is the student's alone: the library has none (test_variations.py)."""
        self.assertEqual(statuses(helpers.BUILD / "labs" / lab.target, lab), all_of(lab, PASSED))

    @helpers.for_each_lab
    def test_reference_with_any_seed(self, lab):
        """A check that is red for a correct program now and then would cost a student points."""
        checks = ":".join(f"Lab.{check.name}" for check in lab.checks)
        words = [helpers.BUILD / "labs" / lab.target, f"--gtest_filter={checks}", "--gtest_brief=1"]
        for seed in range(1, 21):
            done = subprocess.run([*words, f"--seed={seed}"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, f"seed {seed}: {done.stdout[-1000:]}")

    @helpers.for_each_lab
    def test_sizes_follow_from_the_seed(self, lab):
        """Points of `laws` are for seeds and shapes that a student has not seen."""
        names = [check.name for check in lab.checks if "laws" in check.points]
        drawn = [sizes_drawn(helpers.BUILD / "labs" / lab.target, names, seed) for seed in range(8)]
        self.assertEqual([name for name in names if len({str(sizes[name]) for sizes in drawn}) < 2], [])

    @helpers.for_each_lab
    def test_blank(self, lab):
        program = helpers.program(lab, lab.cut(helpers.course().texts(lab)), "blank")
        found = statuses(program, lab, lab.judged)
        for check in lab.judged:
            broken = any(cut["kind"] == "break" for cut in check.task.cuts)
            self.assertEqual(found[check.name].partition(":")[0], FAILED if broken else BLANK, found[check.name])

    @helpers.for_each_lab
    def test_later_labs_cut(self, lab):
        course = helpers.course()
        later = [other for other in course.labs.values() if other.number > lab.number]
        texts = {name: text for other in later for name, text in course.texts(other).items()}
        for other in later:
            texts.update(other.cut({name: texts[name] for name in other.files}))
        # A lab's own kernels stand in for those of the library that a later one takes out.
        brought = [unit for other in course.labs.values() if other not in later for unit in other.units if unit.startswith("labs/")]
        if later:
            # Nor can a lab that does not link the models call what is cut in them.
            models = any("heed_lab_dialog" in word for word in helpers.build().link_command(lab.target))
            absent = ("labs/",) if models else ("labs/", "dialog/", "train/")
            units = brought + [unit for other in later for unit in other.units if not unit.startswith(absent)]
            self.assertEqual(statuses(helpers.program(lab, texts, "later", units), lab), all_of(lab, PASSED))
