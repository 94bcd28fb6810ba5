"""What is kept of a student's work, the form for answers, and what a class gets wrong."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import helpers
from heed_lab import LabError, commands, grading, report
from heed_lab.report import Progress
from heed_lab.running import FAILED, PASSED, Verdict
from test_student import ending, said_by


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for what in (mock.patch.object(report, "PROGRESS", Path(folder.name) / "progress.json"), mock.patch.object(Progress, "save", helpers.SAVE)):
            what.start()
            self.addCleanup(what.stop)
        self.lab = helpers.course().lab(2)

    def kept(self):
        return Progress(helpers.ROOT, self.lab)

    def test_points_and_hints(self):
        self.assertEqual(self.kept().said(), "")
        with ending({"ManyPaths": FAILED}):
            said_by(lambda: commands.main(helpers.ROOT, ["test", "2"]))
        said_by(lambda: commands.main(helpers.ROOT, ["hint", "2", "ManyPaths", "2"]))
        lost = sum(self.lab.check("ManyPaths").points.values())
        self.assertEqual(self.kept().said(), f"5 of 6 tasks, {100 - 10 - lost} of 90 points, 2 hints")
        self.assertIn(self.kept().said(), said_by(lambda: commands.main(helpers.ROOT, ["list"]))[1])
        with ending({}):
            said_by(lambda: commands.main(helpers.ROOT, ["test", "2"]))
        self.assertEqual(self.kept().said(), "6 of 6 tasks, 90 of 90 points, 2 hints")

    def test_what_is_no_progress_is_none(self):
        for text in ("", "[]", '{"2": 1}', '{"2": {"passed": 3}}', '{"2": {"passed": [], "hints": {"x": "y"}}}', '{"2": {"passed": [], "hints": {"x": 1e999}}}', "[" * 100000):
            report.PROGRESS.write_text(text)
            self.assertEqual(self.kept().said(), "")

    def test_a_hint_beside_watch_counts(self):
        watch = self.kept()
        self.kept().hint("ManyPaths", 2)
        watch.add([])
        self.assertEqual(self.kept().hints, {"ManyPaths": 2})

    def test_watch_tells_of_what_passed_before(self):
        with ending({}):
            said_by(lambda: commands.main(helpers.ROOT, ["test", "2"]))
        watch = commands.Watch(commands.Bench(helpers.ROOT, 2))
        watch.at = 3
        with ending({"ManyPaths": FAILED}):
            text = said_by(watch.test)[1]
        self.assertIn("It passed before, and fails now (1 such):\nlab 2, task reachable, check ManyPaths", text)


class Answers(unittest.TestCase):
    def test_every_lab_has_a_form(self):
        for lab in helpers.course().labs.values():
            titles = [title for title, _ in report.asked(lab)]
            self.assertLessEqual({"By hand", "Question 1", "The figure"}, set(titles), lab.number)
            for title in titles:
                self.assertEqual(report.form(lab).count(f"## {title}\n"), 1, lab.number)

    def test_what_was_answered(self):
        lab = helpers.course().lab(4)
        name = report.path_of(lab)
        self.assertEqual(report.answers(lab, lambda names: {})[1], ["to be graded by hand: nothing was handed in"])
        text = report.form(lab).replace("## Question 2", "819 MB.\n\n## Question 2")
        files = {name: text.encode(), report.path_of(lab, "by-hand.jpg"): b""}
        _, notes = report.answers(lab, lambda names: {name: files[name] for name in names if name in files})
        self.assertEqual(notes, [f"to be graded by hand: by-hand.jpg, {name}; not answered: Question 2, Question 3, Question 4, Question 5, The figure"])


class Overview(unittest.TestCase):
    def test_who_made_which_mistake(self):
        lab = helpers.course().lab(4)
        check = lab.check("GradientOfSoftmax")
        with tempfile.TemporaryDirectory() as folder:
            for student, says in (("ann", "Yours is y dy: the second term is missing."), ("bob", "Yours is y dy: the second term is missing."), ("eve", "")):
                grade = grading.Grade(lab, student)
                verdict = Verdict(check, FAILED if says else PASSED, 1, f"What it means: {says}")
                grade.add(check, "works", 6, verdict)
                grading.write_results(grade, Path(folder))
            lines = list(report.overview(helpers.course(), Path(folder)))
            for name, text in (("grades.csv", "student,lab\nann,4"), ("mistakes.csv", "student,lab,check,what it means\nann,4,C,why")):
                (Path(folder) / name).write_text("\ufeff" + text)  # as Excel saves it
            self.assertEqual(list(report.overview(helpers.course(), Path(folder))), ["  1 of 1  lab 4, C: why  (ann)"])
            (Path(folder) / "mistakes.csv").write_text("student;lab\nann;4")
            with self.assertRaisesRegex(LabError, "not as `grade --out` writes them: 'lab'"):
                list(report.overview(helpers.course(), Path(folder)))
        self.assertEqual(lines[0], "  2 of 3  lab 4, GradientOfSoftmax: Yours is y dy: the second term is missing.  (ann, bob)")
        self.assertEqual(lines[1].split(), "like dx.put(i, y[i] * dy[i]); for dx.put(i, y[i] * (dy[i] - dot));".split())
