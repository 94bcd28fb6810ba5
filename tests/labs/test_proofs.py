"""Blanks fail politely, the reference gets full points, and no lab needs what a later one takes out."""
import unittest
from concurrent.futures import ThreadPoolExecutor

import helpers
from heed_lab.running import BLANK, PASSED, run_check


def statuses(program, lab):
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda check: run_check(program, check, helpers.SEED), lab.checks))
    return {v.check.name: v.status if v.status in (BLANK, PASSED) else f"{v.status}: {v.message}" for v in verdicts}


class Proofs(unittest.TestCase):
    def each(self):
        for lab in helpers.course().labs.values():
            with self.subTest(lab=lab.number):
                yield lab, {check.name: PASSED for check in lab.checks}

    def test_reference(self):
        for lab, passed in self.each():
            self.assertEqual(statuses(helpers.BUILD / "labs" / lab.target, lab), passed)

    def test_blank(self):
        for lab, passed in self.each():
            program = helpers.program(lab, lab.cut(helpers.course().texts(lab)), "blank")
            self.assertEqual(statuses(program, lab), dict.fromkeys(passed, BLANK))

    def test_later_labs_cut(self):
        course = helpers.course()
        for lab, passed in self.each():
            later = [other for other in course.labs.values() if other.number > lab.number]
            texts = course.texts(lab)
            for other in later:
                texts.update(course.texts(other))
            for other in later:
                texts.update(other.cut({name: texts[name] for name in other.files}))
            if later:
                units = [unit for other in later for unit in other.units]
                self.assertEqual(statuses(helpers.program(lab, texts, "later", units), lab), passed)
