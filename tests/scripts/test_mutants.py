"""scripts/mutants.py refuses rows that do not apply, goes on where it was, and counts right. Nothing is compiled."""
import json
import re
import sys
from unittest import mock

import mutants
from helpers import FolderTest, printed

SOURCE = "int one() { return 1; }\nint two() { return 2; }\n"


def row(digit, breaks="the number"):
    return {"file": "tensor/numbers.cc", "old": f"return {digit};", "new": "return 0;", "breaks": breaks, "tests": ["numbers_test"]}


class Checkout(FolderTest):
    """A checkout with one source and rows about it."""

    def setUp(self):
        super().setUp()
        self.write("tensor/numbers.cc", SOURCE)
        for name, value in (("ROOT", self.folder), ("KEPT", self.folder / "kept.jsonl")):
            patch = mock.patch.object(mutants, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def rows(self, *rows):
        self.write("tests/mutants/tensor.json", json.dumps(rows))


class Rows(Checkout):
    def test_a_row_applies_once(self):
        self.rows(row(1), row(2))
        first, second = mutants.read_rows()
        self.assertEqual([first["row"], second["row"]], ["tensor.json row 1", "tensor.json row 2"])
        self.assertNotEqual(first["id"], second["id"])

    def test_a_text_that_stands_twice_or_never_is_refused(self):
        for old, times in (("return ", 2), ("return 3;", 0)):
            self.rows(row(1), row(2) | {"old": old})
            message = f'tensor.json row 2: tensor/numbers.cc holds "old" {times} times, not once'
            with self.assertRaisesRegex(mutants.ListError, re.escape(message)):
                mutants.read_rows()

    def test_a_file_that_is_gone_is_refused(self):
        self.rows(row(1) | {"file": "tensor/gone.cc"})
        with self.assertRaisesRegex(mutants.ListError, 'tensor/gone.cc holds "old" 0 times'):
            mutants.read_rows()

    def test_a_row_is_another_one_if_its_bug_is(self):
        self.rows(row(1))
        before = mutants.read_rows()[0]["id"]
        self.rows(row(1, breaks="said better"))
        self.assertEqual(mutants.read_rows()[0]["id"], before)
        self.rows(row(1) | {"new": "return 7;"})
        self.assertNotEqual(mutants.read_rows()[0]["id"], before)


class Runs(Checkout):
    """main() with a tree that tells at once, and with the number of the row that it is asked about."""

    def run_main(self, verdicts, *arguments):
        """The exit status, what is printed and the numbers of the rows that were tried. A verdict may be an error."""
        tried = []

        def verdict(of, tests):
            tried.append(int(of["row"].split()[-1]))
            result = verdicts[tried[-1]]
            if isinstance(result, BaseException):
                raise result
            return {"result": result}

        tree = mock.Mock(verdict=verdict, fast_tests=lambda: ["numbers_test", "other_test"])
        with mock.patch.object(mutants, "Tree", lambda path, jobs: tree), mock.patch.object(mutants, "forget_ignored_signals"), \
                mock.patch.object(sys, "argv", ["mutants.py", "--work", str(self.folder / "work"), *arguments]):
            status, text = printed(mutants.main)
        return status, text, sorted(tried)

    def order(self):
        return [int(of["row"].split()[-1]) for of in sorted(mutants.read_rows(), key=lambda of: of["id"])]

    def test_counts_and_status(self):
        self.rows(row(1), row(2), row(1) | {"new": "return 5;"})
        status, text, tried = self.run_main({1: "killed", 2: "survived", 3: "does not compile"})
        self.assertEqual((status, tried), (1, [1, 2, 3]))
        self.assertIn("3 mutants: 1 killed, 1 survived, 1 do not compile, 0 not run yet; 50.0 % of 2 killed", text)
        self.assertIn("survived: tensor.json row 2: tensor/numbers.cc: the number", text)
        status, text, tried = self.run_main({2: "killed", 3: "killed"}, "--survivors")
        self.assertEqual((status, tried), (0, [2, 3]))
        self.assertIn("3 mutants: 3 killed, 0 survived, 0 do not compile, 0 not run yet; 100.0 % of 3 killed", text)

    def test_nothing_is_run_for_a_summary(self):
        self.rows(row(1), row(2))
        status, text, tried = self.run_main({}, "--summary")
        self.assertEqual((status, tried), (1, []))
        self.assertIn("2 mutants: 0 killed, 0 survived, 0 do not compile, 2 not run yet; 0.0 % of 0 killed", text)

    def test_a_run_that_was_stopped_goes_on_where_it_was(self):
        self.rows(row(1), row(2), row(1) | {"new": "return 5;"})
        first, second, third = self.order()
        with self.assertRaises(KeyboardInterrupt):
            self.run_main({first: "killed", second: KeyboardInterrupt()})
        status, _, tried = self.run_main({second: "killed", third: "killed"})
        self.assertEqual((status, tried), (0, sorted([second, third])))
        self.assertEqual(self.run_main({})[::2], (0, []))

    def test_half_a_line_costs_one_result(self):
        self.rows(row(1), row(2))
        first, second = self.order()
        self.run_main({1: "killed", 2: "killed"})
        path = self.folder / "work/results.jsonl"
        path.write_text(path.read_text()[:-10])  # as the run was killed while it wrote the second
        self.assertEqual(self.run_main({second: "killed"})[::2], (0, [second]))
        self.assertEqual(self.run_main({})[::2], (0, []))

    def test_a_row_that_changed_is_run_again(self):
        self.rows(row(1), row(2))
        self.run_main({1: "killed", 2: "killed"})
        self.rows(row(1), row(2) | {"new": "return 7;"})
        self.assertEqual(self.run_main({2: "killed"})[::2], (0, [2]))

    def test_parts_share_the_list(self):
        self.rows(*(row(1) | {"new": f"return {n};"} for n in range(20, 40)))
        tried = [self.run_main(dict.fromkeys(range(1, 21), "killed"), "--part", f"{part}/3", "--again")[2] for part in range(3)]
        self.assertEqual(sorted(sum(tried, [])), list(range(1, 21)))
        self.assertGreater(min(map(len, tried)), 0)
        for part in ("3/3", "-1/3"):
            self.assertRaises(ValueError, mutants.part_of, part)

    def test_the_later_of_two_results_counts(self):
        self.rows(row(1))
        identity = mutants.read_rows()[0]["id"]
        line = lambda result, date: json.dumps({"id": identity, "file": "tensor/numbers.cc", "result": result, "date": date}) + "\n"
        for kept, own, status in (("2026-01-02", "2026-01-01", 0), ("2026-01-02", "2026-01-02", 1), (None, "2026-01-01", 1)):
            self.write("kept.jsonl", line("killed", kept))
            self.write("work/results.jsonl", line("survived", own))
            self.assertEqual(self.run_main({})[::2], (status, []))

    def test_what_is_kept_is_of_the_rows_there_are_and_sorted(self):
        self.rows(row(1), row(2))
        self.run_main({1: "killed", 2: "survived"})
        self.run_main({}, "--keep")
        kept = [json.loads(line) for line in mutants.KEPT.read_text().splitlines()]
        self.assertEqual([line["id"] for line in kept], sorted(of["id"] for of in mutants.read_rows()))
        self.assertEqual({line["result"] for line in kept}, {"killed", "survived"})
        self.rows(row(2))
        self.run_main({}, "--keep")
        self.assertEqual([json.loads(line)["result"] for line in mutants.KEPT.read_text().splitlines()], ["survived"])


class Planted(FolderTest):
    """Tree.verdict() plants the bug, and takes it away again."""

    def setUp(self):
        super().setUp()
        self.tree = mutants.Tree.__new__(mutants.Tree)
        self.tree.path = self.tree.build = self.folder
        self.tree.seconds = {"a_test": 0, "b_test": 0}
        self.source = self.write("tensor/numbers.cc", SOURCE)
        self.row = row(1) | {"row": "tensor.json row 1"}

    def verdict(self, run, message=""):
        self.tree.compile, self.tree.run = lambda tests: message, run
        try:
            return self.tree.verdict(self.row, ["a_test", "b_test"])
        finally:
            self.assertEqual(self.source.read_text(), SOURCE)

    def test_tests_see_the_bug_until_one_notices(self):
        seen = []

        def run(test, limit):
            seen.append((test, self.source.read_text()))
            return ["B.C", "B.D", "B.E", "B.F"] if test == "b_test" else []

        result = self.verdict(run)
        self.assertEqual((result["result"], result["program"], result["by"]), ("killed", "b_test", ["B.C", "B.D", "B.E"]))
        bug = SOURCE.replace("return 1;", "return 0;")
        self.assertEqual(seen, [("a_test", bug), ("b_test", bug)])
        self.assertEqual(self.verdict(lambda test, limit: [])["result"], "survived")

    def test_what_does_not_compile_is_no_kill(self):
        result = self.verdict(lambda test, limit: self.fail("nothing to run"), message="error: x")
        self.assertEqual(result, {"result": "does not compile", "message": "error: x"})

    def test_the_source_is_as_before_after_an_error(self):
        def stopped(test, limit):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.verdict(stopped)
        self.row["old"] = "return"
        with self.assertRaisesRegex(mutants.ListError, "tensor.json row 1: does not apply to tensor/numbers.cc"):
            self.verdict(stopped)

    def failed(self, program, limit=60, of="python/tests"):
        self.write(f"{of}/run.py", program)
        return self.tree.run({"python/tests": "python", "tests/scripts": "scripts"}[of] + ":test_x", limit)

    def test_tests_of_scripts_need_no_build(self):
        with mock.patch.object(mutants.subprocess, "run", lambda *command, **options: self.fail(command)):
            self.assertEqual(self.tree.compile(["scripts:test_x", "scripts"]), "")
        self.assertEqual(self.failed("import sys; assert sys.argv[1:] == ['test_x']", of="tests/scripts"), [])
        self.assertEqual(self.failed("exit(3)", of="tests/scripts"), ["scripts:test_x (exit status 3)"])

    def test_targets_are_built_once(self):
        built = []
        done = mock.Mock(returncode=0)
        with mock.patch.object(mutants.subprocess, "run", lambda command, **options: built.append(command) or done):
            self.tree.jobs = 2
            self.tree.compile(["a_test:A.*", "python:test_x", "a_test", "scripts:test_y", "torture"])
        self.assertEqual([command[command.index("--target") + 1:] for command in built], [["a_test", "heed_program", "heed_torture"]])

    def test_programs_of_googletest_stop_at_the_first_failure(self):
        program = self.write("tests/a_test", "#!/bin/sh\necho \"$@\"; echo '[  FAILED  ] A.B, where'; exit 1\n")
        program.chmod(0o755)
        self.assertEqual(self.tree.run("a_test:A.*", 60), ["A.B"])
        program.write_text("#!/bin/sh\n[ \"$*\" = '--gtest_brief=1 --gtest_fail_fast --gtest_filter=A.*' ]\n")
        self.assertEqual(self.tree.run("a_test:A.*", 60), [])

    def test_failed_tests_have_their_names(self):
        self.assertEqual(self.failed("import sys; assert sys.argv[1:] == ['test_x']"), [])
        self.assertEqual(self.failed("print('FAIL: test_y (test_x.Numbers.test_y)\\nERROR: test_z (test_x.Numbers)'); exit(1)"),
                         ["test_x.Numbers.test_y", "test_x.Numbers"])
        self.assertEqual(self.failed("exit(3)"), ["python:test_x (exit status 3)"])
        self.assertEqual(self.failed("import time; time.sleep(60)", limit=0.2), ["python:test_x (hangs)"])
