"""Runs checks, each in a process of its own, and says how they ended: a check that did not report has failed. Code of others is
compiled and run without network, and as a user who owns nothing, as far as who grades may do that."""
import contextlib
import json
import math
import os
import re
import resource
import secrets
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field

SECONDS = 10          # of processor time that a check may take, so that a busy machine changes no verdict
PATIENCE = 12         # times that until it is stopped although it only waits
RUNNING = {"as": 4 << 30, "fsize": 1 << 26, "core": 0}  # bytes
COMPILING = {"cpu": 60, "as": 3 << 30, "fsize": 1 << 28, "core": 0}  # seconds, bytes
PROCESSES = 256       # with threads, where a user of its own is counted
FIRST_USER = 61200    # and up, as other services take those for one job, too

PASSED, FAILED, BLANK = "passed", "failed", "not written"
CRASHED, HANGS, SILENT, NOT_RUN = "crashed", "does not end", "no report", "not run"


@dataclass
class Verdict:
    check: object
    status: str
    seed: int
    message: str = ""
    reasons: list = field(default_factory=list)  # what the check gave as the likeliest reasons for a stop
    tensors: list = field(default_factory=list)  # pairs that it compared, where that was asked for

    @property
    def passed(self):
        return self.status == PASSED


def any_seed():
    return secrets.randbelow(1 << 24)


def rows_of(reports, word):
    """The lines of JSON that know the word."""
    for line in reports.decode(errors="replace").splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict) and row.get("word") == word:
                yield row


class Sandbox:
    """words() go in front of a command. `user` is None where the command runs as who grades. Without a root it is none: for one's own code."""

    def __init__(self, root=None):
        self.net, self.drop, self.user, self.notes = [], [], None, []
        if not root:
            return

        def works(words):
            return shutil.which(words[0]) and subprocess.run(words, capture_output=True).returncode == 0
        is_root, user = os.geteuid() == 0, FIRST_USER + os.getpid() % 4000
        net = ["unshare", "--net"] if is_root else ["unshare", "--net", "--map-root-user"]
        if works([*net, "true"]):
            self.net = net
        else:
            self.notes.append("graded with the network at hand: unshare --net does not work here")
        drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]
        if is_root and works([*drop, "test", "-r", root / "CMakeLists.txt"]):
            self.drop, self.user = drop, user
        else:
            self.notes.append("graded as the user at hand: another one needs root, setpriv, and a checkout that all may read")

    def words(self, limits):
        """No network, {limit of prlimit: value}, which the command cannot raise (those at hand stay where they are lower), another user."""
        hard = {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1] for name in limits}
        words = [f"--{name}={min(value, hard[name]) if hard[name] >= 0 else value}" for name, value in limits.items()]
        return [*self.net, *(["prlimit", *words] if shutil.which("prlimit") else []), *self.drop]

    def running(self, seconds):
        """What goes in front of a lab's program, which may take so much processor time."""
        return self.words({"cpu": math.ceil(seconds), **RUNNING, **({"nproc": PROCESSES} if self.user else {})})

    def give(self, folder):
        """Makes the user the owner of a folder, in which a compiler writes."""
        if self.user is not None:
            os.chown(folder, self.user, self.user)

    def take(self, folder):
        """Makes what it wrote ours, so that what runs there changes nothing for the next run; others may read it."""
        for path in [folder, *folder.rglob("*")] if self.user is not None else ():
            os.chown(path, os.geteuid(), os.getegid(), follow_symlinks=False)
        folder.chmod(0o755)

    def end(self):
        """Ends what the user still runs, also what left its group of processes: all at once, so that nothing forks meanwhile."""
        if self.user is not None:
            subprocess.run([*self.drop, "sh", "-c", "kill -KILL -1"], capture_output=True)


def run_check(program, check, seed, seconds=SECONDS, sandbox=Sandbox(), more=()):
    """Runs one check of a lab's program, of somebody else in a sandbox."""
    word = secrets.token_hex(16)
    command = [*sandbox.running(seconds), str(program), f"--gtest_filter=*.{check.name}", f"--seed={seed}",
               "--gtest_brief=1", *check.arguments, *more]
    with tempfile.TemporaryFile() as errors, tempfile.NamedTemporaryFile() as reports:
        writes = os.open(reports.name, os.O_WRONLY | os.O_APPEND)  # who runs may say more, and read or change nothing
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors, pass_fds=[writes],
                                   env={**os.environ, "HEED_LAB_REPORT": str(writes)}, start_new_session=True)
        os.close(writes)
        with contextlib.suppress(BrokenPipeError):  # it ended before
            process.stdin.write(f"{word}\n".encode())
            process.stdin.close()
        try:
            status = process.wait(PATIENCE * seconds)
        except subprocess.TimeoutExpired:
            status = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and what it started
        process.wait()
        sandbox.end()
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - 20000))
        said = errors.read().decode(errors="replace")
        rows = list(rows_of(reports.read(1 << 20), word))
    how, message = judge(check, rows, status, said, program, seconds)
    reasons = [row["if_stopped"] for row in rows if isinstance(row.get("if_stopped"), str)]
    stopped = how in (HANGS, CRASHED, SILENT) or "C++ exception" in message
    return Verdict(check, how, seed, message, reasons if stopped else [], [row for row in rows if "tensor" in row])


def judge(check, rows, status, errors, program, seconds):
    """(status, message): what the reported lines and the exit status (None: it was stopped) mean."""
    if status is None:
        return HANGS, (f"It was stopped after {PATIENCE * seconds:g} s, before it had used the {seconds:g} s of processor time that it may: "
                       "it waits, or the machine is busy.")
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return HANGS, f"It did not end within {seconds:g} s of processor time."
    if status < 0:
        name = next((known.name for known in signal.Signals if known == -status), f"signal {-status}")
        return CRASHED, crash(name, errors, program, {cut["file"] for cut in check.task.cuts})
    said = errors.strip().splitlines()
    if status == 127 and not rows and said:  # the loader's
        return NOT_RUN, f"The program could not be started: {said[-1][:300]}"
    results = [row for row in rows if row.get("check") == check.name]
    if len(results) != 1 or not isinstance(results[0].get("passed"), bool):
        return SILENT, f"The program ended (status {status}) without a result of this check."
    if results[0]["passed"]:
        return (FAILED, f"The check passed, but the program ended with status {status}.") if status else (PASSED, "")
    message = str(results[0].get("message", ""))
    blank = re.search(r"not written yet: ([^\"\n]*)", message)
    return (BLANK, blank[0]) if blank else (FAILED, with_lines(message, program))


# What stands for an element in a kernel: the access is where the kernel uses it.
PROXIES = re.compile(r"/(emulator/(cuda\.h|watched\.h|grid\.cc|marks\.cc)|tensor/kernels/kernel\.h):")
JUDGES = re.compile(r"/labs/(support|\d\d-[\w-]+/((check|figure|show)\w*|\w+\.h))|/gtest|/usr/(local/)?(include|lib)")


def lines_at(program, addresses, hidden):
    """[(function, file:line)] of places in a program, with those that are inlined there, without what is hidden."""
    try:
        words = ["addr2line", "-Cfie", str(program), *addresses]
        found = subprocess.run(words, capture_output=True, text=True, timeout=10).stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [(re.sub(r"[(<].*", "", name.replace("(anonymous namespace)::", "")).split("::")[-1], re.sub(r"^.*?/((?:[\w-]+/){0,2}[\w.]+:\d+).*", r"\1", line))
            for name, line in zip(found[::2], found[1::2]) if "?" not in line and not hidden.search(line)]


def with_lines(message, program):
    """The message with the line of a kernel for a place in the code, where the program knows it."""
    def line(match):
        found = match[1] and lines_at(program, [match[1]], PROXIES)
        return f"\n  at {found[0][1]}" if found else ""
    return re.sub(r"\ncode [^\n]*?(?:\(\+?(0x[0-9a-f]+)\)[^\n]*|\[0x[0-9a-f]+\])", line, message)


FAULTS = {"null": "A null pointer was used: is an argument null here, or a tensor undefined?", "division": "A whole number was divided by 0.",
          "vector": "A vector was read or written at a place that is no multiple of its size (is there a type for unaligned ones?), or by a number that is no address at all.",
          "address": "An address that is nobody's was used: an index past the end, or below 0?",
          "stack": "The stack is full: a function calls itself without end.",
          "abort": "It was stopped because something is wrong that goes on no further: an assertion, an exception that nobody catches, or memory that was overwritten, or given back twice."}


def crash(name, errors, program, files):
    """What a crashed program was doing, in which line of these files, and on which way: without the frames of what judges."""
    fault, asserted = re.findall(r"^fault: (\w+)$", errors, re.M), re.search(r"([\w.]+:\d+): [^\n]* (Assertion '.*) failed", errors)
    offsets = re.findall(rf"^{re.escape(str(program))}\(\+?(0x[0-9a-f]+)\)", errors, re.M)  # frames of other objects have other addresses
    before = [hex(int(offset, 16) - (i > 0)) for i, offset in enumerate(offsets)]  # a call returns behind its line
    where = list(dict.fromkeys(lines_at(program, before, JUDGES) if program and offsets else []))
    mine = next((i for i, (_, line) in enumerate(where) if any(f"/{file}".endswith("/" + line.rpartition(":")[0]) for file in files)), 0)
    at = f" at {where[mine][1]}" + (f", which calls {where[mine - 1][0]}" if mine else "") if where else ""
    said = f"It ended with {name}{at}. {FAULTS[fault[-1]] if fault and fault[-1] in FAULTS else ''}".rstrip()
    calls = [f"  called in {line}" + (f", {function}" if function != "operator" else "") for function, line in where[mine + 1:mine + 4]]
    return "\n".join([said] + ([f"  {asserted[2]} ({asserted[1]})"] if asserted else []) + calls)
