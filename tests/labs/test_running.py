"""How a check's process ended, whatever it did."""
import contextlib
import io
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from heed_lab import commands, report, running

CHECK = SimpleNamespace(name="C", arguments=(), task=SimpleNamespace(cuts=[]))
HEAD = """#!/usr/bin/env python3
import json, os, signal, sys, time
fd, word = int(os.environ["HEED_LAB_REPORT"]), sys.stdin.readline().strip()
def send(**row):
    os.write(fd, (json.dumps({"word": word, **row}) + "\\n").encode())
"""


class Said(unittest.TestCase):
    def test_what_another_lab_is_to_write(self):
        """Not a hint of this lab, which would lead astray."""
        lab = SimpleNamespace(number=9, assigned=[])
        check = SimpleNamespace(name="C", task=SimpleNamespace(name="t"))
        said = [report.failure(lab, running.Verdict(check, running.BLANK, 7, f"not written yet: lab {n}, reshape")) for n in (1, 9)]
        self.assertIn("it needs a function of lab 1 that is not written yet", said[0])
        self.assertIn("labs/heed-lab watch 1), or put in what your teacher has published: labs/heed-lab catch-up", said[0])
        self.assertNotIn("hint", said[0])
        self.assertIn("hint: labs/heed-lab hint 9 C", said[1])
        watch = commands.Watch(SimpleNamespace(lab=SimpleNamespace(number=9, tasks=[], assigned=[]), progress=None))
        watch.judged, watch.failed = True, running.Verdict(check, running.BLANK, 7, "not written yet: lab 1, reshape")
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            watch.hint()
        self.assertIn("belongs to lab 1", shown.getvalue())


class Endings(unittest.TestCase):
    def run_code(self, code, seconds=5):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_text(HEAD + code)
            program.chmod(0o755)
            return running.run_check(program, CHECK, 7, seconds)

    def expect(self, status, says, code, seconds=5):
        verdict = self.run_code(code, seconds)
        self.assertEqual(verdict.status, status, verdict)
        self.assertIn(says, verdict.message)
        return verdict

    def test_passed(self):
        self.expect(running.PASSED, "", "send(check='C', passed=True, message='')")

    def test_failed(self):
        verdict = self.expect(running.FAILED, "2 of 3", "send(if_stopped='why')\n"
                              "send(check='C', passed=False, message='2 of 3'); sys.exit(1)")
        self.assertEqual(verdict.reasons, [])  # it was not stopped

    def test_exception(self):
        verdict = self.expect(running.FAILED, "bad_alloc", "send(if_stopped='why')\n"
                              "send(check='C', passed=False, message='C++ exception: bad_alloc'); sys.exit(1)")
        self.assertEqual(verdict.reasons, ["why"])

    def test_blank(self):
        self.expect(running.BLANK, "lab 2, add", "send(check='C', passed=False, message='exception with description "
                    "\"not written yet: lab 2, add\" thrown'); sys.exit(1)")

    def test_silence_is_no_success(self):
        self.expect(running.SILENT, "without a result", "pass")
        self.expect(running.SILENT, "status 1", "sys.exit(1)")

    def test_results_of_other_checks_do_not_count(self):
        self.expect(running.SILENT, "", "send(check='D', passed=True, message='')")

    def test_two_results_are_none(self):
        self.expect(running.SILENT, "", "send(check='C', passed=True); send(check='C', passed=True)")

    def test_who_does_not_know_the_word_is_not_believed(self):
        self.expect(running.SILENT, "", "word = 'guess'; send(check='C', passed=True, message='')")

    def test_what_is_no_json_is_skipped(self):
        self.expect(running.PASSED, "", "os.write(fd, b'\\xff{\\n[1]\\n7\\n'); send(check='C', passed=True)")
        self.expect(running.PASSED, "", "os.write(fd, b'[' * 100000 + b'\\n'); send(check='C', passed=True)")

    def test_the_truth_of_passed_is_a_boolean(self):
        self.expect(running.SILENT, "", "send(check='C', passed='yes')")

    def test_success_with_a_bad_status_is_failure(self):
        self.expect(running.FAILED, "status 3", "send(check='C', passed=True); sys.exit(3)")

    def test_crash(self):
        verdict = self.expect(running.CRASHED, "SIGSEGV", "send(if_stopped='deep')\nos.kill(os.getpid(), signal.SIGSEGV)")
        self.assertEqual(verdict.reasons, ["deep"])

    def test_a_signal_without_a_name(self):
        self.expect(running.CRASHED, "It ended with signal 40", "os.kill(os.getpid(), 40)")

    def test_a_crash_in_a_deep_folder_of_a_path_with_a_space(self):
        found = "kernel\n/usr/src/my tree/a/b.h:3\nmine\n/usr/src/my tree/labs/01-memory/kernels/gemm.cc:7\nmain\n/usr/include/c.h:9\n"
        with mock.patch.object(running.subprocess, "run", return_value=SimpleNamespace(stdout=found)):
            said = running.crash("SIGFPE", "lab(+0x10) [0x1]\n", "lab", {"labs/01-memory/kernels/gemm.cc"})
        self.assertEqual(said, "It ended with SIGFPE at 01-memory/kernels/gemm.cc:7, which calls kernel.")

    def test_what_a_crash_used_and_where(self):
        found = "kernel\n/tree/heed/a/b.h:3\nheed::cpu::mine<double>(double*)\n/tree/heed/a/mine.cc:7 (discriminator 2)\nmain\n/tree/labs/support/main.cc:9\n"
        with mock.patch.object(running.subprocess, "run", return_value=SimpleNamespace(stdout=found)):
            said = running.crash("SIGSEGV", "fault: null\nlab(+0x10) [0x1]\n/lib/c.so(+0x20) [0x2]\n", "lab", {"heed/a/mine.cc"})
        self.assertEqual(said.splitlines(), ["It ended with SIGSEGV at heed/a/mine.cc:7, which calls kernel. "
                                             "A null pointer was used: is an argument null here, or a tensor undefined?"])
        self.assertEqual(running.crash("SIGFPE", "fault: division\n", "lab", set()), "It ended with SIGFPE. A whole number was divided by 0.")

    def test_crash_after_success(self):
        self.expect(running.CRASHED, "SIGABRT", "send(check='C', passed=True); os.abort()")

    def test_endless_loop(self):
        verdict = self.expect(running.HANGS, "1 s of processor time", "send(if_stopped='paths')\nwhile True: pass", seconds=1)
        self.assertEqual(verdict.reasons, ["paths"])

    def test_waiting_for_ever(self):
        self.expect(running.HANGS, "after 1.2 s, before it had used the 0.1 s", "time.sleep(100)", seconds=0.1)

    def test_memory_ends(self):
        verdict = self.expect(running.FAILED, "MemoryError", "send(if_stopped='more and more')\n"
                              "try: x = bytearray(100 << 30)\n"
                              "except MemoryError: send(check='C', passed=False, message='C++ exception MemoryError'); sys.exit(1)")
        self.assertEqual(verdict.reasons, ["more and more"])

    def test_what_it_started_does_not_stay(self):
        begin = time.monotonic()
        self.expect(running.PASSED, "", "if os.fork() == 0: time.sleep(60)\nsend(check='C', passed=True)")
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_flood_of_reports(self):
        self.expect(running.SILENT, "", "for _ in range(3000): os.write(fd, b'x' * 1000)\nsend(check='C', passed=True)")
