"""The grader against what students try, with programs that are compiled and run: the points, and what is said."""
import functools
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import helpers
from heed_lab import grading
from heed_lab.cutting import span
from heed_lab.running import run_check

FORGE = '''
static void forge(const char* word) {
  for (const char* check : {"NodeHoldsItsInputs", "ConstantsAreNotRecorded", "SeveralOutputs"})
    for (int fd = 3; fd < 40; ++fd)
      ::dprintf(fd, "{\\"word\\": \\"%s\\", \\"check\\": \\"%s\\", \\"passed\\": true}\\n", word, check);
}
'''


class Hostile(unittest.TestCase):
    """Attacks on the task `record` of lab 2, which has three checks."""

    FILE = "autograd/var.cc"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "eve"
        self.lab = helpers.course().lab(2)
        self.lab.judged = self.lab.task("record").checks
        self.reference = helpers.course().texts(self.lab)
        self.WORKS, self.LAWS = (sum(check.points[kind] for check in self.lab.judged) for kind in ("works", "laws"))

    def attack(self, body, top=""):
        """The reference with something before it and at the begin of make_node()."""
        text = self.reference[self.FILE]
        begin, _ = span(text, {"kind": "function", "at": "std::shared_ptr<Node> make_node("}, self.FILE)
        return f"{top}{text[:begin]}{body}\n{text[begin:]}"

    def grade(self, text, more=None, seconds=10):
        files = {**self.reference, self.FILE: text, **(more or {})}
        for name, content in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(content)

        bench = SimpleNamespace(lab=self.lab, root=helpers.ROOT, prepare=lambda: None, build=helpers.build())
        return grading.grade(bench, self.folder, "key", functools.partial(run_check, seconds=seconds))

    def expect(self, text, points, says, more=None, seconds=10):
        """Grades; `says` stands in the notes or in what is said of a check."""
        result = self.grade(text, more, seconds)
        said = "\n".join([*result.notes, *(row["output"] for row in result.rows)])
        self.assertEqual(result.score, points, said)
        self.assertIn(says, said)
        return said

    def test_the_reference(self):
        self.expect(self.reference[self.FILE], self.WORKS + self.LAWS, "took autograd/node.cc, autograd/var.cc")

    def test_exit_at_run_time(self):
        said = self.expect(self.attack("std::exit(0);", "#include <cstdlib>\n"), 0, "(status 0) without a result")
        self.assertIn("to be looked at: autograd/var.cc uses exit", said)

    def test_crash(self):
        self.expect(self.attack("*(volatile int*)nullptr = 1;"), 0, "SIGSEGV")

    def test_endless_loop(self):
        self.expect(self.attack("for (volatile int i = 0;;) i = 1;"), 0, "does not end", seconds=1)  # by either clock

    def test_results_forged_on_standard_output(self):
        self.expect(self.attack('std::puts("[  PASSED  ] 1 test."); std::fflush(stdout); std::_Exit(0);',
                                "#include <cstdio>\n#include <cstdlib>\n"), 0, "without a result")

    def test_results_forged_on_a_guessed_descriptor(self):
        self.expect(self.attack('forge("guess"); ::_exit(0);', "#include <cstdio>\n#include <unistd.h>\n" + FORGE), 0,
                    "without a result")

    def test_the_word_is_taken_before_constructors(self):
        top = "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n" + FORGE + '''
static const bool stolen = [] {
  char word[64] = {};
  if (::read(0, word, 32) < 0 || !std::getenv("HEED_LAB_REPORT")) ::write(2, word, 1);
  forge(word);
  ::_exit(0);
  return true;
}();
'''
        said = self.expect(self.attack("(void)stolen;", top), 0, "without a result")
        self.assertIn("to be looked at: autograd/var.cc uses getenv", said)

    def test_checks_that_were_changed_or_deleted(self):
        blank = self.lab.cut(self.reference)[self.FILE]
        said = self.expect(blank, 0, "not written yet", {"labs/02-engine/check.cc": "LAB_CHECK(NodeHoldsItsInputs) {}\n"})
        self.assertIn("left aside, this checkout's own judges: labs/02-engine/check.cc was changed", said)
        self.assertIn("left aside, this checkout's own judges: labs/support/main.cc is gone", said)

    def test_a_thread_that_stays(self):
        top = "#include <chrono>\n#include <thread>\n"
        said = self.expect(self.attack("std::thread([] { for (;;) std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();", top),
                           self.WORKS + self.LAWS, "autograd/var.cc uses thread")
        self.assertIn("has #include <thread>", said)

    def test_a_hundred_gigabytes(self):
        self.expect(self.attack("static char* volatile all = new char[100LL << 30]; all[0] = 1;"), 0, "bad_alloc")

    def test_an_empty_file(self):
        self.expect("", 0, "autograd/var.cc no longer defines heed::")

    def test_a_function_that_is_not_there(self):
        text = self.reference[self.FILE].replace("void Var::zero_grad() const {", "static void other(const Var&) {}\n#if 0\nvoid f() {")
        self.expect(text + "#endif\n", 0, "it does not compile")

    def test_what_does_not_compile(self):
        self.expect(self.attack("int x = ;"), 0, "var.cc:")

    def test_right_for_the_seed_that_is_shown_only(self):
        body, top = "if (heed::lab::seed() != 1) return nullptr;", "#include <cstdint>\nnamespace heed::lab { uint64_t seed(); }\n"
        said = self.expect(self.attack(body, top), self.WORKS, "to be looked at: autograd/var.cc uses seed")
        self.assertIn("check NodeHoldsItsInputs", said)

    def test_an_empty_kernel(self):
        """Kernels lie in a shared library, which the program must not ask for what the student's file lacks."""
        lab = helpers.course().lab(4)
        texts = helpers.course().texts(lab)
        with self.assertRaisesRegex(grading.CompileError, "tensor/kernels/softmax.cc no longer defines .*heed::"):
            helpers.program(lab, {**texts, "tensor/kernels/softmax.cc": ""}, "empty")
