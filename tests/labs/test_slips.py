"""Planted mistakes are caught by the check that lab.json names, and explained in the words that it names."""
import unittest

import helpers
from heed_lab import report
from heed_lab.running import BLANK, PASSED, run_check


class Slips(unittest.TestCase):
    def test_caught_and_explained(self):
        for lab in helpers.course().labs.values():
            texts = helpers.course().texts(lab)
            for number, slip in enumerate(lab.slips):
                with self.subTest(lab=lab.number, slip=number, new=slip["new"]):
                    wrong = {**texts, slip["file"]: texts[slip["file"]].replace(slip["old"], slip["new"])}
                    program = helpers.program(lab, wrong, f"slip-{number}")
                    verdict = run_check(program, lab.check(slip["check"]), helpers.SEED)
                    self.assertNotIn(verdict.status, (PASSED, BLANK))
                    self.assertIn(slip["says"], report.failure(lab, verdict))
                    self.assertNotIn("Failed", verdict.message.splitlines())  # GoogleTest's own word, which tells nothing
