"""What the commands say, in a clone and in a handout."""
import contextlib
import io
import os
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import helpers
from heed_lab import LabError, commands, handout
from heed_lab.build import FIRST_TIME, Build, CompileError, made, read_names, write_files


def run(root, *words):
    """(exit status, standard output, standard error)"""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = commands.main(root, list(map(str, words)))
    return status, out.getvalue(), errors.getvalue()


class InAHandout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root, course = Path(cls.folder.name), helpers.course()
        handout.Handout(course, [course.lab(0), course.lab(2)]).write(cls.root)

    def test_start_says_what_to_do(self):
        with mock.patch.object(commands.Bench, "prepare") as prepare:
            status, said, _ = run(self.root, "start", 2)
        prepare.assert_called_once()
        self.assertEqual(status, 0)
        self.assertEqual(said.splitlines(), [
            "This tree is a handout: what you are to write is taken out already. Read labs/02-engine/README.md; write in",
            "  autograd/node.cc", "  autograd/var.cc", "  labs/02-engine/variation.cc", "and run labs/heed-lab test 2; a form for its questions: labs/heed-lab answers 2"])

    def test_list_has_its_labs(self):
        _, said, _ = run(self.root, "list")
        self.assertEqual([line.split()[0] for line in said.splitlines()[1:3]], ["0", "2"])
        self.assertTrue(said.endswith("\n\nBegin with labs/heed-lab start 0.\n"))
        course = helpers.course()
        readme = handout.Handout(course, [course.lab(2), course.lab(3)]).files["README.md"].decode()
        for command in ("start 2", "hint 2 reachable"):
            self.assertIn(f"`labs/heed-lab {command}`", readme)
        self.assertNotRegex(readme, r"\b(LAB|TASK|0)\b")

    def test_start_of_a_lab_that_is_not_in_it(self):
        self.assertEqual(run(self.root, "start", 4), (1, "", "heed-lab: lab 4 is not cut in this handout; labs 0, 2 are\n"))

    def test_reset(self):
        path = self.root / "autograd/node.cc"
        blank = path.read_text()
        path.write_text(blank.replace('not_done("lab 2, add")', "mine()"))
        self.assertEqual(run(self.root, "reset", 2, "add"), (0, "task add is blank again\n", ""))
        self.assertEqual(path.read_text(), blank)

    def test_compare_says_who_has_it(self):
        status, _, said = run(self.root, "compare", 2)
        self.assertEqual(status, 1)
        self.assertIn("your teacher publishes it after the deadline", said)


class Hints(unittest.TestCase):
    def test_of_a_check(self):
        status, said, _ = run(helpers.ROOT, "hint", 2, "NewestFirst", 2)
        self.assertEqual(status, 0)
        self.assertRegex(said, r"^hint 2 of 3: .*\nthe next one: labs/heed-lab hint 2 NewestFirst 3\n$")

    def test_of_a_task(self):
        status, said, _ = run(helpers.ROOT, "hint", 2, "reachable")
        self.assertEqual(status, 0)
        lines = said.splitlines()
        self.assertEqual([line.partition(",")[0] for line in lines[:-1]], ["FindsEachNodeOnce", "NewestFirst", "ManyPaths"])
        self.assertEqual(lines[-1], "the next one: labs/heed-lab hint 2 CHECK 2")

    def test_of_neither(self):
        self.assertEqual(run(helpers.ROOT, "hint", 2, "nothing")[0], 1)
        self.assertIn("has no hints", run(helpers.ROOT, "hint", 2, "variation")[2])
        self.assertIn("has the hints 1 to 3", run(helpers.ROOT, "hint", 2, "reachable", 4)[2])


class Mistaken(unittest.TestCase):
    """Words that would do nothing, or something else."""

    def test_each_is_one_line(self):
        for words, message in ((("debug", 2, "NewestFirst", "--thread", 3), "it goes with --at"), (("show", 2, "graph", "--check", "NewestFirst"), "it goes with tensor"),
                               (("reset", 2, "variation"), "all of labs/02-engine/variation.cc is yours"), (("grade", 2, "--key", "/bin/sh"), "/bin/sh is no text in UTF-8")):
            status, _, errors = run(helpers.ROOT, *words)
            self.assertEqual((status, errors.count("\n")), (1, 1), errors)
            self.assertIn(message, errors)

    def test_a_check_that_is_named_twice_runs_once(self):
        bench = commands.Bench(helpers.ROOT, 2)
        self.assertEqual([check.name for check in bench.chosen(["NewestFirst", "reachable", "NewestFirst"])], ["NewestFirst", "FindsEachNodeOnce", "ManyPaths"])


class Watching(unittest.TestCase):
    def at(self, done):
        lab = helpers.course().lab(2)
        passed = {check.name for task in lab.tasks + lab.assigned if task.name in done for check in task.checks}
        watch = commands.Watch(types.SimpleNamespace(lab=lab, progress=types.SimpleNamespace(passed=passed)))
        return watch.tasks[watch.at].name

    def test_begins_with_the_first_task_that_is_not_done(self):
        names = [task.name for task in helpers.course().lab(2).tasks]
        self.assertEqual(self.at([]), names[0])
        self.assertEqual(self.at(names[:3]), names[3])
        self.assertEqual(self.at(names[1:]), names[0])
        self.assertEqual(self.at(names), "variation")
        self.assertEqual(self.at([*names, "variation"]), "variation")

    def test_a_hint_needs_a_build(self):
        task = types.SimpleNamespace(name="t", checks=[])
        bench = types.SimpleNamespace(lab=types.SimpleNamespace(tasks=[task], assigned=[]), progress=types.SimpleNamespace(passed=set()))
        watch = commands.Watch(bench)
        for built in (True, False):
            bench.run = mock.Mock(return_value=[], side_effect=None if built else LabError("the build failed"))
            with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(LabError):
                watch.test()
            with contextlib.redirect_stdout(said):
                watch.hint()
            self.assertIn("all checks of this task pass" if built else "first mend what the build says", said.getvalue())


class Builds(unittest.TestCase):
    def flags_of(self, number, texts):
        """What a submission is compiled with beside the library's own flags."""
        build, seen = helpers.build(), []

        def compiled(unit, headers, overlay, out, flags):
            seen.append(flags)
            raise CompileError(unit)
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(build, "compile", compiled), contextlib.suppress(CompileError):
            build.program(helpers.course().lab(number), Path(folder), write_files(Path(folder) / "src", texts, alone=True))
        return seen[0]

    def test_loops_are_plain_only_while_a_header_throws_in_them(self):
        """Else what a student writes would be slower than the library by a factor of ten, and figures would measure that."""
        course = helpers.course()
        for number, plain in ((0, True), (4, False), (5, True)):
            lab = course.lab(number)
            self.assertEqual(self.flags_of(number, course.blanks(lab)), ["-fno-openmp-simd"] * plain, number)
            self.assertEqual(self.flags_of(number, course.texts(lab)), [], number)

    def test_what_is_saved_while_it_compiles_is_compiled_again(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "a.cc", Path(folder) / "a.o"
            source.write_text("old")

            def compiler():
                read = source.read_text()
                source.write_text("new")
                target.write_text(read)
            made(target, ["cc"], [source], compiler)
            made(target, ["cc"], [source], compiler)
            self.assertEqual(target.read_text(), "new")
            made(target, ["cc"], [source], self.fail)

    def test_names_with_spaces_that_a_compiler_read(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.d").write_text("/x\\ y/a.o: /x\\ y/a.cc \\\n /x\\ y/b.h c.h\n")
            self.assertEqual(read_names(Path(folder) / "a.o"), [Path("/x y/a.cc"), Path("/x y/b.h"), Path("c.h")])

    def test_links_of_editors_are_no_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            (root := Path(folder)).joinpath("base").mkdir()
            (root / "base/a.cc").touch()
            os.utime(root / "base/a.cc", (0, 0))
            (root / "base/.#a.cc").symlink_to("ann@home.1234")  # Emacs: a.cc has changes
            (root / "build/labs").mkdir(parents=True)
            for name in ("lab_00", "lab_00.stamp"):
                (root / "build/labs" / name).touch()
            Build(root, root / "build").ensure(types.SimpleNamespace(target="lab_00", folder=root / "labs/00-x", files=[], own=[]))

    def test_it_says_that_it_builds(self):
        with tempfile.TemporaryDirectory() as folder:
            build, lab = Build(helpers.ROOT, folder), helpers.course().lab(0)
            (build.folder / "labs").mkdir()
            program = build.folder / "labs" / lab.target

            def ensure():
                errors = io.StringIO()
                with mock.patch.object(build, "run", side_effect=lambda *words, **_: program.touch()), contextlib.redirect_stderr(errors):
                    build.ensure(lab)
                return errors.getvalue()
            self.assertEqual(ensure(), f"Building what lab 0 stands on{FIRST_TIME} ...\n")
            self.assertEqual(ensure(), "")
            (build.folder / "labs" / f"{lab.target}.stamp").unlink()
            self.assertEqual(ensure(), "Building what lab 0 stands on ...\n")
