"""What a student meets: verdicts as they come, sums of points, what a linker says, and a name that is kept."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import helpers
from heed_lab import commands, report
from heed_lab.build import CompileError, first_error
from heed_lab.commands import Bench
from heed_lab.running import BLANK, FAILED, HANGS, NOT_RUN, PASSED, Verdict


def said_by(run):
    """(what it returns, what it prints)"""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        found = run()
    return found, out.getvalue()


@contextlib.contextmanager
def ending(how, ran=lambda check: None):
    """Checks end as {check: status} says, all others pass."""
    def run_check(program, check, seed):
        ran(check)
        return Verdict(check, how.get(check.name, PASSED), seed)
    with mock.patch.object(commands, "run_check", run_check), mock.patch.object(Bench, "program"):
        yield


class Runs(unittest.TestCase):
    def setUp(self):
        self.bench = Bench(helpers.ROOT, 2)

    def test_after_a_check_that_does_not_end_later_tasks_are_not_run(self):
        with ending({"NewestFirst": HANGS}):
            verdicts = self.bench.run(self.bench.lab.judged, 7)
        first = self.bench.lab.tasks[0].checks
        self.assertEqual([v.status for v in verdicts[:3]], [PASSED, HANGS, PASSED])
        self.assertEqual({(v.status, v.message) for v in verdicts[len(first):]}, {(NOT_RUN, "NewestFirst does not end")})
        self.assertEqual(len(verdicts), len(self.bench.lab.judged))

    def test_each_is_told_as_it_comes(self):
        seen = []
        with ending({}, lambda check: seen.append(("ran", check.name))):
            with mock.patch.object(report, "line", lambda verdict: seen.append(("told", verdict.check.name)) or ""):
                said_by(lambda: self.bench.run(self.bench.lab.checks, 7, shown=True))
        self.assertEqual(seen, [(what, check.name) for check in self.bench.lab.checks for what in ("ran", "told")])

    def test_what_one_that_does_not_end_means(self):
        check = self.bench.lab.checks[0]
        text = report.failure(self.bench.lab, Verdict(check, HANGS, 7, "It did not end within 10 s."))
        self.assertIn("What it means: a loop whose condition never turns false", text)
        text = report.failure(self.bench.lab, Verdict(check, HANGS, 7, "It did not end.", reasons=["2^60 paths"]))
        self.assertEqual(text.splitlines()[1:3], ["  What it means: 2^60 paths", "  It did not end."])  # what it means comes first
        self.assertNotIn("never turns false", text)

    def test_in_a_terminal(self):
        def test(how, *words):
            with ending(how):
                return said_by(lambda: commands.main(helpers.ROOT, ["test", "2", *words]))
        status, text = test({"ManyPaths": FAILED, "SeveralOutputs": BLANK, "Checkpoint": BLANK})
        points = {check.name: sum(check.points.values()) for check in self.bench.lab.judged}
        lost = points["ManyPaths"] + points["SeveralOutputs"] + points["Checkpoint"]
        self.assertEqual(status, 1)
        self.assertIn(f"{len(points) - 3} of {len(points)} checks pass: {90 - lost} of 90 points; graded by hand: figure 7, derivation and questions 3\n", text)
        self.assertIn("check ManyPaths: failed", text)
        self.assertNotIn("That is the engine", text)
        status, text = test({"Checkpoint": BLANK})
        self.assertEqual(status, 1)
        self.assertIn("That is the engine", text)
        self.assertTrue(text.endswith("Not all is done yet: the variation, in labs/02-engine/variation.cc, has 10 points.\n"))
        status, text = test({})
        self.assertEqual(status, 0)
        self.assertNotIn("Not all is done yet", text)
        self.assertNotIn("by hand", test({}, "reachable")[1])


class Words(unittest.TestCase):
    def usage(self, *words):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
            said_by(lambda: commands.main(helpers.ROOT, list(words)))
        return ended.exception.code, errors.getvalue()

    def test_help(self):
        for words in (["help"], ["help", "test"]):
            self.assertEqual(self.usage(*words), (0, ""))

    def test_what_is_required(self):
        code, errors = self.usage("test")
        self.assertEqual(code, 2)
        self.assertTrue(errors.endswith("required: lab\n"), errors)


class Linking(unittest.TestCase):
    ERRORS = ("/usr/bin/ld: a.o: in function `f()':\na.cc:3: undefined reference to `heed::reachable(int)'\n"
              "/usr/bin/ld: a.cc:9: undefined reference to `heed::reachable(int)'\n"
              "/usr/bin/ld: l.a(node.cc.o): multiple definition of `heed::Node::~Node()'; b.o:b.cc:3: first defined here\n"
              "collect2: error: ld returned 1 exit status\n")

    def test_complaints_of_the_linker(self):
        want = "nothing defines heed::reachable(int)\ndefined twice: heed::Node::~Node()"
        self.assertEqual(first_error(self.ERRORS), want)
        self.assertEqual(first_error(self.ERRORS, ["node.cc"]), want)
        many = "".join(f"undefined reference to `f{i}()'\n" for i in range(9))
        self.assertEqual(first_error(many).splitlines()[-1], "(6 more)")
        self.assertEqual(first_error("no space left"), "no space left")

    def test_a_function_that_is_gone(self):
        lab = helpers.course().lab(2)
        texts = helpers.course().texts(lab)
        text = texts["autograd/node.cc"]
        begin, end = text.index("std::vector<std::shared_ptr<Node>> reachable("), text.index("Tensor OutputGrads::take")
        with self.assertRaisesRegex(CompileError, r"^autograd/node.cc no longer defines heed::reachable\(.*\)$"):
            helpers.program(lab, {**texts, "autograd/node.cc": text[:begin] + text[end:]}, "gone")


class Names(unittest.TestCase):
    def test_grade_of_this_tree_is_that_of_the_name_that_id_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "labs").symlink_to(helpers.ROOT / "labs")
            kept = root / "name.txt"
            kept.write_text("Ann Example")
            judged = []

            def grade(bench, path, key):
                judged.append(bench.lab.assigned[0].numbers)
                return SimpleNamespace(rows=[], notes=[], score=0, autolab=lambda: "{}")
            with mock.patch.object(commands, "STUDENT", "name.txt"), mock.patch.object(commands.grading, "grade", grade):
                said = [said_by(lambda words=words: commands.main(root, ["grade", "2", *words]))[1]
                        for words in ([], ["--name", "Bob"], [str(root / "Bob")])]
        numbers = [helpers.course().lab(2).variation.numbers("checkpoint", "", name) for name in ("Ann Example", "Bob", "Bob")]
        self.assertEqual(judged, numbers)
        self.assertNotEqual(numbers[0], numbers[1])
        self.assertIn(f"the variation is that of 'Ann Example': p = {numbers[0]['p']}, q = {numbers[0]['q']}", said[0])

    def test_the_name_outlives_the_build_and_is_not_committed(self):
        self.assertFalse(commands.STUDENT.startswith("build/"))
        self.assertIn(f"/{commands.STUDENT}", (helpers.ROOT / ".gitignore").read_text().splitlines())
