"""What lab.json promises: every cut matches, points add up, checks have hints, mistakes apply."""
import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import helpers
from heed_lab import LabError, report
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
        self.assertEqual(sum(check.worth for check in lab.judged) + sum(lab.by_hand.values()), 100)

    @helpers.for_each_lab
    def test_checks_are_those_of_the_program(self, lab):
        def names(macro):
            return sorted(name for path in lab.folder.glob("*.cc") for name in re.findall(rf"^{macro}\((\w+)\)", path.read_text(), re.M))
        self.assertEqual(names("LAB_CHECK"), sorted(c.name for c in lab.checks))
        self.assertEqual(names("LAB_VARIATION"), sorted(f["check"] for f in lab.variation.families.values()) if lab.variation else [])

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
        for task in lab.tasks + lab.assigned:
            self.assertIn(f"### {task.name}", text)
        self.assertTrue((lab.folder / "talk.md").exists())

    @helpers.for_each_lab
    def test_the_handout_names_the_labs_that_it_needs(self, lab):
        said = (lab.folder / "README.md").read_text()
        sentences = [text for text in re.split(r"(?<=[.:])\s", said) if "other labs' code" in text]
        self.assertEqual([int(n) for text in sentences for n in re.findall(r"\d+", text)], lab.needs)

    @helpers.for_each_lab
    def test_mistakes_apply_once(self, lab):
        texts, slips = helpers.course().texts(lab), report.planted(helpers.ROOT, lab)
        self.assertGreaterEqual(len(slips), 4)
        for slip in slips:
            self.assertEqual(texts[slip.file].count(slip.old), 1, slip.old)
            lab.check(slip.check)
            self.assertTrue(slip.says, slip.new)


class Variations(unittest.TestCase):
    def test_numbers_follow_from_salt_and_name(self):
        variation = helpers.course().lab(4).variation
        one = variation.numbers("focal", "autumn", "Ann")
        self.assertEqual(one, variation.numbers("focal", "autumn", " ann "))
        self.assertEqual(*(variation.numbers("focal", "", name) for name in ("Zo\u00eb", "Zoe\u0308")))  # one letter, or two
        self.assertEqual(list(one), ["a", "g"])
        others = [variation.numbers("focal", salt, name) for salt in ("autumn", "spring") for name in ("ann", "bob", "eve", "")]
        self.assertGreaterEqual(len({tuple(numbers.values()) for numbers in others}), 7)

    def test_numbers_stay_in_their_bounds(self):
        variation = helpers.course().lab(4).variation
        found = [variation.numbers("neighbour", "", str(i)) for i in range(500)]
        self.assertEqual({numbers["k"] for numbers in found}, {1, 2, 3})
        self.assertEqual((min(n["e"] for n in found), max(n["e"] for n in found)), (0.1, 0.45))

    def test_the_teacher_picks_the_family(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(helpers.ROOT / "labs", Path(folder) / "labs")
            (Path(folder) / "labs/class.json").write_text('{"salt": "s", "families": {"4": "neighbour"}}')
            lab = Course(folder).lab(4)
            self.assertEqual([check.name for check in lab.judged[len(lab.checks):]], ["Neighbour"])
            self.assertEqual(lab.assigned[0].numbers, lab.variation.numbers("neighbour", "s", ""))
            self.assertEqual(lab.check("Neighbour").arguments, ("--numbers=" + ",".join(map(str, lab.assigned[0].numbers.values())),))
            for wrong, message in (('{"families": {"4": "none"}}', "families are focal, neighbour, got none"), ("[]", "labs/class.json: expected"),
                                   ('{"families": {"44": "focal"}}', "labs with a variation, 1, 2, .*; got {'44': 'focal'}"), ('{"families": null}', "got None"),
                                   ("x", "labs/class.json: Expecting")):
                (Path(folder) / "labs/class.json").write_text(wrong)
                with self.assertRaisesRegex(LabError, message):
                    Course(folder)


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
        family = {"name": "f", "check": "C", "numbers": {"p": [2, 1]}}
        self.expect_error("f: a number needs its least", variation={"file": "x", "families": [family]})

    def test_no_such_lab(self):
        with self.assertRaisesRegex(LabError, "there is no lab 77; there are 0"):
            Course(helpers.ROOT).lab(77)
