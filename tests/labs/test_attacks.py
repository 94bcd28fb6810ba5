"""What a submission can try while it runs or is compiled: one program that does what the seed says, and files that are refused."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import helpers
from heed_lab.build import CompileError
from heed_lab.cutting import span
from heed_lab.running import CRASHED, FAILED, HANGS, PASSED, SILENT, Sandbox, run_check

FILE = "autograd/var.cc"
TOP = '''
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <arpa/inet.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
namespace heed::lab { uint64_t seed(); }
// Whether a file can be opened so.
static bool opens(const char* path, int how) { return ::open(path, how) >= 0; }
static int deep(volatile int n) { return n == 0 ? 0 : deep(n + 1) + n; }
static void flood(int fd, long bytes) {
  const std::string line(1 << 16, 'x');
  for (long sent = 0; sent < bytes; sent += 1 << 16) if (::write(fd, line.data(), line.size()) < 0) return;
}
struct Leaver { ~Leaver() { ::_exit(0); } };
'''

# (what it does, how the check ends, what is said). Those that are stopped from something go on and pass; they leave with 3 where they succeed.
ANYWHERE = [
    ("std::quick_exit(0);", SILENT, "status 0"),
    ("::execl(\"/bin/true\", \"true\", nullptr);", SILENT, "status 0"),
    ("::setenv(\"LD_PRELOAD\", \"/tmp/evil.so\", 1); ::execl(\"/proc/self/exe\", \"lab\", \"--gtest_filter=None\", nullptr);", SILENT, ""),
    ("for (int fd = 3; fd < 100; ++fd) ::close(fd);", SILENT, "without a result"),
    ("for (int fd = 3; fd < 40; ++fd) flood(fd, 2 << 20);", SILENT, ""),
    ("throw 42;", FAILED, "Unknown C++ exception"),
    ("[]() noexcept { throw 42; }();", CRASHED, "SIGABRT"),
    ("std::raise(SIGABRT);", CRASHED, "SIGABRT"),
    ("if (deep(1)) return nullptr;", CRASHED, "SIGSEGV"),
    ("__builtin_trap();", CRASHED, "SIGILL"),
    ("std::signal(SIGSEGV, SIG_IGN); *(volatile int*)nullptr = 1;", CRASHED, "SIGSEGV"),
    ("flood(2, 100 << 20);", CRASHED, "SIGXFSZ"),
    ("[] { GTEST_SKIP(); }();  return nullptr;", FAILED, ""),
    ("static Leaver leaver; return nullptr;", FAILED, "has no node"),
    ("std::atexit([] { ::_exit(0); }); return nullptr;", FAILED, "has no node"),
    ("static Leaver leaver; std::atexit([] { *(volatile int*)nullptr = 1; });", CRASHED, "SIGSEGV"),
    ("std::raise(SIGSTOP);", HANGS, ""),
    ("::pause();", HANGS, ""),
    ("std::mutex m; m.lock(); m.lock();", HANGS, ""),
    ("std::signal(SIGXCPU, SIG_IGN); for (volatile int i = 0;;) i = 1;", HANGS, ""),
    ("rlimit all = {RLIM_INFINITY, RLIM_INFINITY}; if (::setrlimit(RLIMIT_CPU, &all) == 0) ::_exit(3);", PASSED, ""),
    ("flood(1, 100 << 20);", PASSED, ""),
]
AS_ANOTHER_USER = [
    ("if (opens(\"@key\", O_RDONLY)) ::_exit(3);", PASSED, ""),
    ("if (opens(\"@root/labs/02-engine/check.cc\", O_WRONLY)) ::_exit(3);", PASSED, ""),
    ("if (opens(\"@program\", O_WRONLY) || ::chmod(\"@program\", 0777) == 0 || ::unlink(\"@program\") == 0) ::_exit(3);", PASSED, ""),
    ("if (::kill(::getppid(), SIGTERM) == 0) ::_exit(3);", PASSED, ""),
    ("if (::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr) == 0) ::_exit(3);", PASSED, ""),
    ("if (opens((\"/proc/\" + std::to_string(::getppid()) + \"/mem\").c_str(), O_RDONLY)) ::_exit(3);", PASSED, ""),
    ("if (::setuid(0) == 0) ::_exit(3);", PASSED, ""),
    ("if (::fork() == 0) { ::setsid(); if (::fork() == 0) ::sleep(300); ::_exit(0); }", PASSED, ""),
    ("for (;;) ::fork();", HANGS, ""),
    ("sockaddr_in to = {}; to.sin_family = AF_INET; to.sin_port = htons(@port); to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);"
     " const int s = ::socket(AF_INET, SOCK_STREAM, 0); if (::connect(s, (sockaddr*)&to, sizeof to) == 0) ::_exit(3);", PASSED, ""),
]
# (a whole file, what the grader says)
INCLUDES = [
    ('#include "@root/autograd/var.cc"', "autograd/var.cc includes autograd/var.cc"),
    ('#define OTHER "@root/autograd/var.cc"\n#include OTHER', "autograd/var.cc includes autograd/var.cc"),
    ('#include "/proc/self/cwd/@up/autograd/var.cc"', "autograd/var.cc includes var.cc"),
]
# (before the file, what the grader says)
REFUSED = [
    ('#include "tensor/shape.cc"', "autograd/var.cc includes tensor/shape.cc"),
    ('#include "@key"', "Permission denied"),
    ("template <int n> struct Deep { static constexpr int value = Deep<n + 1>::value; };\nstatic_assert(Deep<0>::value);", "depth"),
    ("consteval int endless() { for (;;) {} }\nstatic_assert(endless());", "constexpr"),
    ("#error " + "\x1b[31m" * 50000, "#error"),
    ('extern "C" long write(int, const void*, unsigned long) { return 0; }', "defines write, which is there already"),
    ("int main() { return 0; }", "defined twice: main"),
    ("#include <cstdlib>\nvoid* operator new(unsigned long n) { return std::malloc(n); }", "defines operator new(unsigned long)"),
    ('#include "labs/support/diagnose.h"\nstd::string heed::lab::diagnose(const std::string&, const heed::Tensor&, const heed::Tensor&, '
     "const heed::lab::Expected&) { return {}; }", "defined twice: heed::lab::diagnose"),
    ('extern "C" __attribute__((weak)) bool all_passed() __asm__("_ZNK7testing10TestResult6PassedEv");\n'
     'extern "C" bool all_passed() { return true; }', "defines testing::TestResult::Passed() const"),
    ('__asm__(".globl _exit\\n_exit: ret");', "defines _exit, which is there already"),
]


class Attacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.folder.chmod(0o755)
        cls.key = cls.folder / "key"
        cls.key.write_text("secret words\n")
        cls.key.chmod(0o600)
        cls.sandbox = Sandbox(helpers.ROOT)
        cls.lab = helpers.course().lab(2)
        cls.reference = helpers.course().texts(cls.lab)[FILE]

    def compile(self, name, text, **values):
        """The program with this file in the sandbox; @key and the like stand for values."""
        build, out, source = helpers.build(), self.folder / name, self.folder / (name + ".src")
        for key, value in {"root": helpers.ROOT, "key": self.key, "program": out / self.lab.target, **values}.items():
            text = text.replace("@" + key, str(value))
        out.mkdir()
        (source / FILE).parent.mkdir(parents=True)
        (source / FILE).write_text(text)
        build.sandbox = self.sandbox
        self.sandbox.give(out)
        program = build.program(self.lab, out, source)
        self.sandbox.take(out)
        return program

    def test_at_run_time(self):
        attacks = ANYWHERE + (AS_ANOTHER_USER if self.sandbox.user else [])
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)
        begin, _ = span(self.reference, {"kind": "function", "at": "std::shared_ptr<Node> make_node("}, FILE)
        cases = "\n".join(f"case {100 + i}: {{ {code} break; }}" for i, (code, _, _) in enumerate(attacks))
        text = f"{TOP}{self.reference[:begin]}switch (heed::lab::seed()) {{\n{cases}\n}}\n{self.reference[begin:]}"
        program = self.compile("running", text, port=listening.getsockname()[1])
        for i, (code, status, says) in enumerate(attacks):
            with self.subTest(code=code):
                check = self.lab.check("NodeHoldsItsInputs")
                verdict = run_check(program, check, 100 + i, 0.25 if status == HANGS else 10, self.sandbox)
                self.assertEqual(verdict.status, status, verdict.message)
                self.assertIn(says, verdict.message)
        self.assertEqual(run_check(program, check, 1, sandbox=self.sandbox).status, PASSED)  # all is as it was

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_nothing_is_left_of_the_user(self):
        self.assertIsNotNone(self.sandbox.user, self.sandbox.notes)
        started = subprocess.Popen([*self.sandbox.drop, "setsid", "sh", "-c", "sleep 300 & setsid sleep 300"])
        while len(self.alive()) < 3:
            time.sleep(0.01)
        self.sandbox.end()
        self.assertEqual(started.wait(10), -signal.SIGKILL)
        for _ in range(100):
            if self.alive():
                time.sleep(0.01)
        self.assertEqual(self.alive(), [])

    def alive(self):
        """What runs as the user of the sandbox; one that ended and waits for its parent does nothing any more."""
        states = subprocess.run(["ps", "-o", "stat=", "-u", str(self.sandbox.user)], capture_output=True, text=True).stdout.split()
        return [state for state in states if not state.startswith("Z")]

    def test_refused(self):
        up = os.path.relpath(helpers.ROOT, helpers.BUILD)
        files = [*INCLUDES, *((f"{top}\n{self.reference}", says) for top, says in REFUSED)]
        for i, (text, says) in enumerate(files):
            if "@key" in text and not self.sandbox.user:
                continue
            with self.subTest(text=text[:80]):
                with self.assertRaises(CompileError) as caught:
                    self.compile(f"refused-{i}", text, up=up)
                self.assertIn(says, str(caught.exception))
                self.assertNotIn("secret words", str(caught.exception))
                self.assertLess(len(str(caught.exception)), 4000)
