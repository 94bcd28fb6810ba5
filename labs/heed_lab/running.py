"""Runs checks, each in a process of its own, and says how they ended. A check that did not report has failed."""
import json
import math
import os
import re
import resource
import secrets
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field

SECONDS = 10          # of processor time that a check may take, so that a busy machine changes no verdict
PATIENCE = 12         # times that until it is stopped although it only waits
MEMORY = 4 << 30      # bytes
PROCESSES = 256       # with threads, where a user of its own is counted

PASSED, FAILED, BLANK = "passed", "failed", "not written"
CRASHED, HANGS, SILENT, NOT_RUN = "crashed", "does not end", "no report", "not run"


@dataclass
class Verdict:
    check: object
    status: str
    seed: int
    message: str = ""
    seconds: float = 0
    reasons: list = field(default_factory=list)  # what the check gave as the likeliest reasons for a stop
    tensors: list = field(default_factory=list)  # pairs that it compared, where that was asked for

    @property
    def passed(self):
        return self.status == PASSED


class Pipe:
    """Reads what a process reports, up to a megabyte, while it runs."""

    def __init__(self):
        self.read_end, self.write_end = os.pipe()
        self.bytes = b""
        self.thread = threading.Thread(target=self.read, daemon=True)

    def start(self):
        os.close(self.write_end)
        self.thread.start()

    def read(self):
        while chunk := os.read(self.read_end, 65536):
            if len(self.bytes) < 1 << 20:
                self.bytes += chunk

    def lines(self, word):
        """The lines of JSON that know the word."""
        self.thread.join(2)
        found = []
        for line in self.bytes.decode(errors="replace").splitlines():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict) and row.get("word") == word:
                found.append(row)
        return found


def limits(seconds):
    """{name: value}, as prlimit and the module resource name them."""
    return {"cpu": math.ceil(seconds), "as": MEMORY, "fsize": 1 << 26, "core": 0}


def limit(pid, seconds):
    """Sets limits that the process cannot raise. It waits for the word, so no check has begun."""
    for name, value in limits(seconds).items() if hasattr(resource, "prlimit") else ():
        hard = value + 1 if name == "cpu" else value
        try:
            resource.prlimit(pid, getattr(resource, f"RLIMIT_{name.upper()}"), (value, hard))
        except (OSError, ValueError):
            pass  # it has ended already, or the limit here is lower


def confined(sandbox, seconds):
    """What goes in front of the command that runs somebody else's program."""
    return sandbox.words(limits(seconds) | ({"nproc": PROCESSES} if sandbox.user else {}))


def run_check(program, check, seed, seconds=SECONDS, sandbox=None, more=()):
    """Runs one check of a lab's program, of somebody else in a sandbox."""
    prefix = confined(sandbox, seconds) if sandbox else ()
    pipe, word = Pipe(), secrets.token_hex(16)
    environment = {**os.environ, "HEED_LAB_REPORT": str(pipe.write_end)}
    begin = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([*prefix, str(program), f"--gtest_filter=*.{check.name}", f"--seed={seed}", "--gtest_brief=1",
                                    *check.arguments, *more],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors,
                                   pass_fds=[pipe.write_end], env=environment, start_new_session=True)
        pipe.start()
        limit(process.pid, seconds)
        try:
            process.stdin.write(f"{word}\n".encode())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it ended before
        try:
            status = process.wait(PATIENCE * seconds)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(process.pid, signal.SIGKILL)  # and what it started
        except ProcessLookupError:
            pass
        process.wait()
        if sandbox:
            sandbox.end()
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - 20000))
        said = errors.read().decode(errors="replace")
    hangs = status in (None, -signal.SIGXCPU, -signal.SIGKILL)
    rows = pipe.lines(word)
    verdict = judge(check, seed, rows, None if hangs else status, said, program)
    verdict.seconds = time.monotonic() - begin
    verdict.tensors = [row for row in rows if "tensor" in row]
    if status is None:
        verdict.message = (f"It was stopped after {PATIENCE * seconds:g} s, before it had used the {seconds:g} s of processor time that it may: "
                           "it waits, or the machine is busy.")
    elif hangs:
        verdict.message = f"It did not end within {seconds:g} s of processor time."
    return verdict


def judge(check, seed, rows, status, errors, program=""):
    """What the reported lines and the exit status (None: it was stopped) mean."""
    reasons = [row["if_stopped"] for row in rows if isinstance(row.get("if_stopped"), str)]
    results = [row for row in rows if row.get("check") == check.name]
    if status is None:
        return Verdict(check, HANGS, seed, reasons=reasons)
    if status < 0:
        name = signal.Signals(-status).name
        return Verdict(check, CRASHED, seed, crash(name, errors, program, {cut["file"] for cut in check.task.cuts}), reasons=reasons)
    if len(results) != 1 or not isinstance(results[0].get("passed"), bool):
        return Verdict(check, SILENT, seed, f"The program ended (status {status}) without a result of this check.",
                       reasons=reasons)
    message = str(results[0].get("message", ""))
    if results[0]["passed"]:
        if status == 0:
            return Verdict(check, PASSED, seed)
        return Verdict(check, FAILED, seed, f"The check passed, but the program ended with status {status}.")
    if blank := re.search(r"not written yet: ([^\"\n]*)", message):
        return Verdict(check, BLANK, seed, blank.group(0))
    stopped = "C++ exception" in message
    return Verdict(check, FAILED, seed, with_lines(message, program), reasons=reasons if stopped else [])


CODE = re.compile(r"\ncode [^\n]*\(\+?(0x[0-9a-f]+)\)[^\n]*")
# What stands for an element in a kernel: the access is where the kernel uses it.
PROXIES = re.compile(r"/(emulator/(cuda\.h|watched\.h|grid\.cc|marks\.cc)|tensor/kernels/kernel\.h):")


def with_lines(message, program):
    """The message with the line of a kernel for a place in the code, where the program knows it."""
    def line(match):
        try:
            done = subprocess.run(["addr2line", "-ie", str(program), match[1]], capture_output=True, text=True, timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        known = [where for where in done.stdout.splitlines() if "?" not in where and not PROXIES.search(where)]
        found = re.search(r"((?:\w[\w-]*/){0,2}[\w.]+:\d+)( \(|$)", known[0]) if known else None
        return f"\n  at {found[1]}" if found else ""
    return re.sub(r"\ncode [^\n]*\[0x[0-9a-f]+\]", "", CODE.sub(line, message))


FAULTS = {"null": "A null pointer was used: is an argument null here, or a tensor undefined?", "division": "A whole number was divided by 0.",
          "address": "An address that is nobody's was used: an index past the end, or below 0?",
          "stack": "The stack is full: a function calls itself without end.",
          "abort": "It was stopped because something is wrong that goes on no further: an assertion, an exception that nobody catches, or memory that was overwritten."}
JUDGES = re.compile(r"/labs/(support|\d\d-[\w-]+/(check|figure|show)\w*)|/gtest|/usr/")


def crash(name, errors, program, files):
    """What a crashed program was doing, in which line of these files, and on which way: without the frames of what judges."""
    fault, asserted = re.findall(r"^fault: (\w+)$", errors, re.M), re.search(r"([\w.]+:\d+): [^\n]* (Assertion '.*) failed", errors)
    where = lines_of(errors, program)
    mine = next((i for i, (_, line) in enumerate(where) if line.rpartition(":")[0] in files), 0)
    at = f" at {where[mine][1]}" + (f", which calls {where[mine - 1][0]}" if mine else "") if where else ""
    said = f"It ended with {name}{at}. {FAULTS[fault[-1]] if fault and fault[-1] in FAULTS else ''}".rstrip()
    calls = [f"  called in {line}" + (f", {function}" if function != "operator" else "") for function, line in where[mine + 1:mine + 4]]
    return "\n".join([said] + ([f"  {asserted[2]} ({asserted[1]})"] if asserted else []) + calls)


def lines_of(errors, program):
    """[(function, file:line)] of a crash, from the inside, each once; frames of other objects have other addresses."""
    offsets = re.findall(rf"^{re.escape(str(program))}\(\+?(0x[0-9a-f]+)\)", errors, re.M)
    if not offsets or not program:
        return []
    before = [hex(int(offset, 16) - (i > 0)) for i, offset in enumerate(offsets)]  # a call returns behind its line
    try:
        done = subprocess.run(["addr2line", "-Cfie", str(program), *before], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return []
    found = done.stdout.splitlines()
    rows = [(re.sub(r"\(.*|<.*|.*::", "", name), short(line)) for name, line in zip(found[::2], found[1::2])
            if "?" not in line and not JUDGES.search(line)]
    return list(dict.fromkeys(rows))


def short(line):
    return re.sub(r"^\S*?/((?:[\w-]+/){0,2}[\w.]+:\d+).*", r"\1", line)
