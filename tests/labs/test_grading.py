"""Points, and what is taken of a submission. No program is built here: checks are answered by a table."""
import csv
import json
import multiprocessing
import os
import tempfile
import unittest
import warnings
import zipfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import formats
import helpers
from heed_lab import LabError, grading, pages, submissions
from heed_lab.build import CompileError
from heed_lab.running import FAILED, PASSED, Sandbox, Verdict
from heed_lab.submissions import Submission


class Submissions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.lab = helpers.course().lab(0)
        self.reference = helpers.course().texts(self.lab)
        self.name = self.lab.files[0]

    def submit(self, texts):
        path = self.folder / "ann"
        for name, text in texts.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        path.mkdir(exist_ok=True)
        return path

    def grade(self, texts, wrong=lambda check, seed: False, error=None):
        def program(lab, out, overlay):
            if error:
                raise CompileError(error)
            return "program"

        def run(program, check, seed, sandbox):
            return Verdict(check, FAILED if wrong(check, seed) else PASSED, seed, "3 < 4 & \x01")
        bench = SimpleNamespace(lab=self.lab, root=helpers.ROOT, prepare=lambda: None, build=SimpleNamespace(program=program))
        return grading.grade(bench, self.submit(texts), "key", run)

    def test_full_points(self):
        result = self.grade(self.reference)
        self.assertEqual(result.score + sum(self.lab.by_hand.values()), 100)
        self.assertEqual(result.by_kind(), {"works": 60, "laws": 30})
        self.assertEqual(result.notes[0], f"took {self.name}")

    def test_secret_seeds_cost_the_points_of_laws_only(self):
        result = self.grade(self.reference, lambda check, seed: check.name == "ChainRule" and seed != 1)
        self.assertEqual(result.by_kind(), {"works": 60, "laws": 20})

    def test_secret_seeds_depend_on_the_key(self):
        check = self.lab.checks[0]
        seeds = [grading.secret_seeds(key, self.lab, check) for key in ("a", "a", "b")]
        self.assertEqual(seeds[0], seeds[1])
        self.assertFalse(set(seeds[0]) & set(seeds[2]))
        self.assertEqual(len(set(seeds[0])), grading.SECRET_SEEDS)

    def test_what_fails_with_the_seed_that_is_shown_has_no_points(self):
        self.assertEqual(self.grade(self.reference, lambda check, seed: seed == 1).score, 0)

    def test_what_does_not_compile_has_no_points(self):
        result = self.grade(self.reference, error="expected ;")
        self.assertEqual(result.score, 0)
        self.assertIn("it does not compile: expected ;", result.notes)

    def test_missing_is_failed(self):
        result = self.grade({"other.h": "x"})
        self.assertEqual(result.score, 0)
        self.assertIn(f"there is no {self.name}", result.notes)

    def test_only_the_files_of_the_lab_are_taken(self):
        texts = Submission(self.submit({self.name: "mine", "labs/00-first-light/check.cc": "LAB_CHECK"})).texts(self.lab)
        self.assertEqual(texts, {self.name: "mine"})

    def test_links_are_not_followed(self):
        path = self.submit({})
        (path / self.name).parent.mkdir(parents=True)
        (path / self.name).symlink_to("/etc/hostname")
        self.assertEqual(Submission(path).texts(self.lab), {})

    def test_zip(self):
        path = self.folder / "ann.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("heed-main/" + self.name, "mine")
            archive.writestr("../../evil", "x")
        self.assertEqual(Submission(path).texts(self.lab), {self.name: "mine"})

    def test_bad_files_are_errors(self):
        for content, message in ((b"\xff\xfe", "no text in UTF-8"), (b"x" * (submissions.LARGEST + 1), "larger than")):
            with self.assertRaisesRegex(LabError, message):
                Submission(self.submit({self.name: content})).texts(self.lab)
        (self.folder / "file").write_text("x")
        with self.assertRaisesRegex(LabError, "a folder or a zip"):
            Submission(self.folder / "file").texts(self.lab)

    def test_names_are_flagged_and_cost_nothing(self):
        text = self.reference[self.name].replace("#include <cmath>", "#include <cmath>\n#include \"/etc/passwd\"\n")
        result = self.grade({self.name: text + "\nint x = system(\"ls\");\n"})
        self.assertEqual(result.score, 90)
        self.assertIn(f"to be looked at: {self.name} uses system", result.notes)
        self.assertIn(f'to be looked at: {self.name} has #include "/etc/passwd"', result.notes)

    def test_results_are_what_platforms_read(self):
        result = self.grade(self.reference, lambda check, seed: check.name == "ChainRule")
        for _ in range(2):  # a second time takes the place of the first
            grading.write_results(result, self.folder / "out")
        row = json.loads((self.folder / "out/ann.results.json").read_text())
        self.assertEqual(row["score"], sum(test["score"] for test in row["tests"]))
        formats.check_gradescope(row)
        self.assertEqual([test["score"] for test in row["tests"]], [40, 20, 0, 0])
        junit = (self.folder / "out/ann.junit.xml").read_text()
        formats.check_junit(junit)
        self.assertIn('tests="4" failures="2"', junit)
        lines = list(csv.reader((self.folder / "out/grades.csv").read_text().splitlines()))
        self.assertEqual(lines, [["student", "lab", "score", "works", "laws", "limits", "variation"],
                                 ["ann", "0", "60", "40", "20", "0", "0"]])
        self.assertEqual(json.loads(result.autolab()), {"scores": {"works": 40, "laws": 20}})
        formats.check_autolab(json.loads(result.autolab()))

    def test_two_graders_at_a_time_lose_no_rows(self):
        writers = [multiprocessing.get_context("fork").Process(target=grading.write_results, args=(grading.Grade(self.lab, f"s{i}"), self.folder / "out"))
                   for i in range(12)]
        for what in ("start", "join"):
            for writer in writers:
                getattr(writer, what)()
        self.assertEqual([writer.exitcode for writer in writers], [0] * 12)
        self.assertEqual(len((self.folder / "out/grades.csv").read_text().splitlines()), 13)

    def test_classroom_50(self):
        facts = {"CLASSROOM": "c", "ASSIGNMENT": "lab2", "SUBMISSION_TAG": "submit/x", "COMMIT_URL": "https://c", "RELEASE_URL": "https://r"}
        with mock.patch.dict("os.environ", facts):
            grading.write_results(self.grade(self.reference, lambda check, seed: check.name == "ChainRule"), self.folder / "out")
        row = json.loads((self.folder / "out/ann.classroom50.json").read_text())
        formats.check_classroom50(row)
        self.assertEqual((row["score"], row["max-score"], row["review"]), (60, 90, "https://c"))
        for key, value in (("score", 61), ("schema", "v2"), ("datetime", "now"), ("commit", ""), ("points", 3)):
            with self.assertRaises(AssertionError):
                formats.check_classroom50({**row, key: value})

    def test_formats_can_fail(self):
        for wrong in ({"score": "3"}, {"score": 3, "points": 3}, {"score": 3, "leaderboard": [{"name": "x"}]},
                      {"score": 3, "leaderboard": [{"name": "x", "value": 1, "order": "up"}]}, {"score": 3, "tests": [{"name": "x", "score": 2, "max_score": 1}]}):
            with self.assertRaises(AssertionError):
                formats.check_gradescope(wrong)
        with self.assertRaises(AssertionError):
            formats.check_junit('<testsuite name="x" tests="1" failures="0" errors="0"/>')
        with self.assertRaises(AssertionError):
            formats.check_autolab({"scores": {"works": "3"}})

    def standing(self, output):
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{output}\nEND\nexit 1\n")
        program.chmod(0o755)
        return grading.standing({"name": "speed", "line": "yours"}, program, Sandbox())

    def test_a_leaderboard_is_of_the_figure(self):
        board = self.standing('{"lines": {"roof": [9], "yours": [1, 2.26]}}')
        self.assertEqual(board, [{"name": "speed", "value": 2.3, "order": "desc"}])
        result = self.grade(self.reference)
        result.leaderboard = board
        formats.check_gradescope(json.loads(result.gradescope()))
        for output in ("", "[]", "{", '{"lines": {}}', '{"lines": {"yours": []}}', '{"lines": {"yours": [NaN]}}',
                       '{"lines": {"yours": ["<b>"]}}', '{"lines": {"yours": [null]}}',
                       '{"lines": {"yours": [1%s]}}' % ("0" * 400), "[" * 100000):
            self.assertEqual(self.standing(output), [], output[:99])

    def test_only_who_passes_is_on_the_leaderboard(self):
        self.lab.leaderboard = {"name": "speed", "line": "yours"}
        with mock.patch.object(grading, "standing", return_value=[{"name": "speed", "value": 1}]):
            self.assertTrue(self.grade(self.reference).leaderboard)
            self.assertFalse(self.grade(self.reference, lambda check, seed: check.name == "ChainRule").leaderboard)
            self.assertFalse(self.grade(self.reference, error="expected ;").leaderboard)

    def test_the_page_of_a_student(self):
        result = self.grade(self.reference, lambda check, seed: check.name == "ChainRule")
        text = pages.result_page(result)
        self.assertIn("60 points", text)
        self.assertIn("3 &lt; 4 &amp; ", text)  # the failure, escaped
        self.assertNotIn("http", text.replace("http-equiv", ""))
        if helpers.CHROMIUM:
            self.assertEqual(helpers.page_problems(text), {})

    def test_secret_seeds_stay_secret(self):
        result = self.grade(self.reference, lambda check, seed: seed != 1)
        for text in (result.gradescope(), result.junit(), pages.result_page(result)):
            for check in self.lab.checks:
                for seed in grading.secret_seeds("key", self.lab, check):
                    self.assertNotIn(str(seed), text)
            self.assertIn("It fails with a seed, or shapes, that are not shown.", text)

    def test_a_damaged_zip_is_one_line(self):
        path = self.folder / "ann.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(self.name, "mine " * 100)
        path.write_bytes(path.read_bytes().replace(b"mine mine", b"mine MINE", 1))
        with self.assertRaisesRegex(LabError, "a zip that cannot be read"):
            Submission(path).texts(self.lab)

    def test_folders_that_are_links_are_not_followed(self):
        path = self.submit({})
        (path / "tensor").symlink_to(helpers.ROOT / "tensor")
        self.assertEqual(Submission(path).texts(self.lab), {})

    def zipped(self, *members):
        """A zip of (name or ZipInfo, content)."""
        path = self.folder / "ann.zip"
        with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            warnings.simplefilter("ignore")  # of names that come twice
            for name, content in members:
                archive.writestr(name, content)
        return path

    def test_a_file_that_comes_twice_is_none(self):
        for names in ((self.name, self.name), ("a/" + self.name, "b/" + self.name)):
            self.assertEqual(Submission(self.zipped(*((name, "mine") for name in names))).texts(self.lab), {})

    def test_a_link_in_a_zip_is_its_text(self):
        link = zipfile.ZipInfo(self.name)
        link.external_attr = 0o120777 << 16
        self.assertEqual(Submission(self.zipped((link, "/etc/hostname"))).texts(self.lab), {self.name: "/etc/hostname"})

    def test_a_zip_bomb_is_cut(self):
        with self.assertRaisesRegex(LabError, "larger than"):
            Submission(self.zipped((self.name, bytes(50 << 20)))).texts(self.lab)
        self.assertLess(len(Submission(self.folder / "ann.zip").files([self.name])[self.name]), submissions.LARGEST + 2)

    def test_a_zip_of_many_files_is_refused(self):
        with self.assertRaisesRegex(LabError, "a zip of 10001 files"):
            Submission(self.zipped(*((str(i), "") for i in range(submissions.MANY + 1)))).texts(self.lab)

    def test_an_encrypted_zip_is_one_line(self):
        path = self.zipped((self.name, "mine"))
        content = bytearray(path.read_bytes())
        for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            content[content.index(mark) + at] |= 1
        path.write_bytes(content)
        with self.assertRaisesRegex(LabError, "a zip that cannot be read: .*encrypted"):
            Submission(path).texts(self.lab)

    def test_what_is_no_file_is_not_read(self):
        path = self.submit({}) / self.name
        path.parent.mkdir(parents=True)
        for make in (path.mkdir, lambda: os.mkfifo(path), lambda: path.symlink_to("/dev/zero")):
            make()
            self.assertEqual(Submission(self.folder / "ann").texts(self.lab), {})
            path.rmdir() if path.is_dir() else path.unlink()

    def test_git_is_not_asked(self):
        """Its settings may name commands to run."""
        path = self.submit(self.reference)
        (path / ".git/hooks").mkdir(parents=True)
        (path / ".git/config").write_text(f"[core]\n  fsmonitor = touch {self.folder}/evil\n[diff \"x\"]\n  textconv = touch {self.folder}/evil\n")
        (path / ".gitattributes").write_text("* diff=x filter=x\n")
        self.assertEqual(self.grade(self.reference).score, 90)
        self.assertFalse((self.folder / "evil").exists())

    def test_points_are_those_of_this_checkout(self):
        result = self.grade({**self.reference, "labs/00-first-light/lab.json": '{"points": 1000}'})
        self.assertEqual(result.score, 90)
        self.assertIn("left aside, this checkout's own judges: labs/00-first-light/lab.json was changed", result.notes)

    def test_names_are_no_formulas_and_no_folders(self):
        for name, want in (("=cmd()", "cmd__"), ("@SUM(A1)", "SUM_A1_"), ("a,b\n.zip", "a_b_"), ("Zoë.zip", "Zoë"), ("Zoe\u0308.ZIP", "Zoë"), ("--", "student"),
                           ("<script>", "script_"), ("ann.lee", "ann.lee")):
            self.assertEqual(Submission(Path("/tmp") / name).name, want)
        self.assertNotIn("/", Submission(Path("../..")).name)

    def test_what_a_program_says_is_text(self):
        result = self.grade(self.reference, error="\x1b[2J\x00<script>alert(1)</script>\u202e")
        self.assertIn("it does not compile: ?[2J?<script>alert(1)</script>?", result.notes)
        self.assertNotIn("<script>alert", pages.result_page(result))
        formats.check_junit(result.junit())
        self.assertNotIn("\x1b", result.gradescope() + result.junit() + pages.result_page(result))

    def test_a_variation_that_does_not_compile_costs_itself(self):
        self.lab = helpers.course().lab(4)
        self.reference = {name: (helpers.ROOT / name).read_text() for name in self.lab.own}

        def program(lab, out, overlay):
            if (overlay / lab.variation.file).exists():
                raise CompileError("variation.cc: expected ;")
            return "program"

        def run(program, check, seed, sandbox):
            return Verdict(check, PASSED if check in self.lab.checks else FAILED, seed, "blank")
        bench = SimpleNamespace(lab=self.lab, root=helpers.ROOT, prepare=lambda: None, build=SimpleNamespace(program=program))
        result = grading.grade(bench, self.submit(self.reference), "key", run)
        self.assertEqual(result.by_kind(), {"works": 45, "laws": 25, "limits": 10, "variation": 0})
        self.assertIn("the variation does not compile: variation.cc: expected ;", result.notes)
