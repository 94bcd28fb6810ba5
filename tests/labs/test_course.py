"""What lab.json promises: every cut matches, points add up, checks have hints, mistakes apply."""
import json
import re
import tempfile
import unittest
from pathlib import Path

import helpers
from heed_lab import LabError
from heed_lab.course import Course, Lab


class Labs(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreaterEqual(len(helpers.course().labs), 2)

    @helpers.for_each_lab
    def test_every_cut_matches_once(self, lab):
        texts = helpers.course().texts(lab)
        blank = lab.cut(texts)
        for name in lab.files:
            self.assertNotEqual(blank[name], texts[name])

    def test_labs_can_be_cut_together(self):
        course = helpers.course()
        texts = {name: text for lab in course.labs.values() for name, text in course.texts(lab).items()}
        for lab in course.labs.values():
            texts.update(lab.cut({name: texts[name] for name in lab.files}))

    @helpers.for_each_lab
    def test_points_add_up_to_100(self, lab):
        self.assertEqual(lab.points(), 100)

    @helpers.for_each_lab
    def test_checks_are_those_of_the_program(self, lab):
        source = (lab.folder / "check.cc").read_text()
        self.assertEqual(sorted(re.findall(r"^LAB_CHECK\((\w+)\)", source, re.M)), sorted(c.name for c in lab.checks))

    @helpers.for_each_lab
    def test_every_check_has_three_hints(self, lab):
        hints = lab.hints()
        self.assertEqual(set(hints), {c.name for c in lab.checks} | {"after"})
        for check in lab.checks:
            self.assertEqual(len(hints[check.name]), 3, check.name)
        self.assertTrue(hints["after"])

    @helpers.for_each_lab
    def test_the_handout_names_every_task(self, lab):
        text = (lab.folder / "README.md").read_text()
        for task in lab.tasks:
            self.assertIn(f"### {task.name}", text)
        self.assertTrue((lab.folder / "talk.md").exists())

    @helpers.for_each_lab
    def test_mistakes_apply_once(self, lab):
        texts = helpers.course().texts(lab)
        self.assertGreaterEqual(len(lab.slips), 4)
        for slip in lab.slips:
            self.assertEqual(texts[slip["file"]].count(slip["old"]), 1, slip["old"])
            self.assertTrue(slip["says"])
            lab.check(slip["check"])


class BadDescriptions(unittest.TestCase):
    def expect_error(self, message, **changes):
        good = json.loads((helpers.ROOT / "labs/00-first-light/lab.json").read_text())
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "00-x"
            path.mkdir()
            (path / "lab.json").write_text(json.dumps({**good, **changes}))
            with self.assertRaisesRegex(LabError, message):
                Lab(path)

    def test_errors_name_the_file(self):
        self.expect_error("labs/00-x/lab.json: expected an object", extra=1)
        self.expect_error("begins with 07-", number=7)
        self.expect_error("a cut has no kind|kind of a cut", tasks=[{"name": "t", "cuts": [{}], "checks": []}])
        self.expect_error("has no points", tasks=[{"name": "t", "cuts": [], "checks": [{"name": "C"}]}])
        self.expect_error("expected an object", slips=[{"file": "x"}])

    def test_no_such_lab(self):
        with self.assertRaisesRegex(LabError, "there is no lab 77; there are 0"):
            Course(helpers.ROOT).lab(77)
