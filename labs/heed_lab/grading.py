"""Grades a submission: its files of the lab, and nothing else of it, in front of the library of this checkout."""
import csv
import hashlib
import io
import json
import math
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from . import one_at_a_time, pages, report, text_of
from .build import CompileError, write_files
from .course import KINDS_OF_POINTS
from .running import PATIENCE, Sandbox, Verdict, run_check
from .submissions import LARGEST, Submission, printable

SECRET_SEEDS = 3
SECONDS_OF_A_FIGURE = 60  # of processor time
# For a person to look at: what a solution has no need of.
BANNED = """constructor section init_priority environ read write unsetenv pthread_create thread seed system popen fork vfork execve execv execl
    ptrace prctl syscall dlopen dlsym mmap mprotect getenv fopen open ifstream ofstream socket kill signal sigaction exit _exit _Exit quick_exit
    atexit abort raise longjmp asm __asm__ weak alias ifunc setrlimit setenv putenv gtest testing main""".split()


def secret_seeds(key, lab, check):
    """The seeds of `laws`, which students cannot know."""
    return [int(hashlib.sha256(f"{key}\0{lab.number}\0{check.name}\0{i}".encode()).hexdigest()[:8], 16) for i in range(SECRET_SEEDS)]


def flags(lab, texts, reference):
    """Names that a solution has no need of, for a person to look at."""
    for name, text in texts.items():
        theirs, ours = (Counter(re.findall(r"\w+", words)) for words in (text, reference[name]))
        yield from (f"{name} uses {word}" for word in (*BANNED, *lab.banned) if theirs[word] > ours[word])
        includes, known = (set(re.findall(r"^\s*(#\s*include.*?)\s*$", words, re.M)) for words in (text, reference[name]))
        yield from (f"{name} has {include}" for include in includes - known if "not_done.h" not in include)


class Grade:
    """Points by check and kind, and why points were lost."""

    def __init__(self, lab, student):
        self.lab, self.student, self.rows, self.notes, self.leaderboard = lab, student, [], [], []
        self.answers, self.mistakes = "", {}  # {check: what it means, without the numbers of a draw}

    def add(self, check, kind, points, verdict):
        self.rows.append({"name": f"{check.task.name}: {check.name} ({kind})", "check": check.name, "kind": kind,
                          "max_score": points, "score": points if verdict.passed else 0,
                          "status": "passed" if verdict.passed else "failed",
                          "output": "" if verdict.passed else report.failure(self.lab, verdict)})
        if not verdict.passed and check.name not in self.mistakes:
            said = re.search("What it means: (.*)", self.rows[-1]["output"])
            self.mistakes[check.name] = re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "N", said[1] if said else verdict.status)

    @property
    def score(self):
        return sum(row["score"] for row in self.rows)

    def shown(self, row):
        """What a student may read: the output of `laws` holds secret seeds."""
        hidden = row["kind"] == "laws" and row["output"]
        return "It fails with a seed, or shapes, that are not shown." if hidden else printable(row["output"])

    def by_kind(self):
        return {kind: sum(row["score"] for row in self.rows if row["kind"] == kind) for kind in dict.fromkeys(row["kind"] for row in self.rows)}

    def gradescope(self):
        """results.json of Gradescope's autograder."""
        tests = [{"number": str(i), **{key: row[key] for key in ("name", "score", "max_score", "status")}, "output_format": "text",
                  "output": self.shown(row), "tags": [row["kind"]], "visibility": "after_due_date" if row["kind"] == "laws" else "visible"}
                 for i, row in enumerate(self.rows, 1)]
        board = {"leaderboard": self.leaderboard} if self.leaderboard else {}
        return json.dumps({"score": self.score, "output": "\n".join(self.notes), "tests": tests, **board}, indent=1) + "\n"

    def autolab(self):
        """The last line of an autograder of Autolab."""
        return json.dumps({"scores": self.by_kind()})

    def junit(self):
        failures = sum(row["status"] == "failed" for row in self.rows)
        suite = Element("testsuite", name=f"lab {self.lab.number}", tests=str(len(self.rows)), failures=str(failures), errors="0")
        for row in self.rows:
            case = SubElement(suite, "testcase", classname=row["kind"], name=row["check"])
            if row["status"] == "failed":
                SubElement(case, "failure", message=self.shown(row))
        return tostring(suite, "UTF-8", xml_declaration=True).decode() + "\n"

    def classroom50(self, facts):
        """result.json of an autograder of Classroom 50, which gives it the facts in its environment."""
        tests = [{"test-name": row["name"], "passed": row["status"] == "passed", "score": row["score"], "max-score": row["max_score"]}
                 for row in self.rows]
        return json.dumps({"schema": "classroom50/result/v1", "classroom": facts["CLASSROOM"], "assignment": facts["ASSIGNMENT"],
                           "submission": facts["SUBMISSION_TAG"], "commit": facts["COMMIT_URL"], "release": facts["RELEASE_URL"],
                           "review": facts.get("REVIEW_URL") or facts["COMMIT_URL"],
                           "datetime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "score": self.score,
                           "max-score": sum(row["max_score"] for row in self.rows), "tests": tests}, indent=1) + "\n"


def grade(bench, path, key, run=run_check):
    """The grade of one submission."""
    lab, submission, sandbox = bench.lab, Submission(path), Sandbox(bench.root)
    result, texts, verdicts = Grade(lab, submission.name), submission.texts(lab), {}
    reference = {name: (bench.root / name).read_text(encoding="utf-8") for name in lab.own}
    missing = sorted(set(lab.written) - set(texts))
    result.answers, of_answers = report.answers(lab, submission.files)
    result.notes = [f"took {', '.join(sorted(texts)) or 'nothing'}", *(f"there is no {name}" for name in missing),
                    *(f"to be looked at: {flag}" for flag in flags(lab, texts, reference)),
                    *(f"left aside, this checkout's own judges: {note}" for note in submission.tampered(bench.root, lab)),
                    *of_answers, *sandbox.notes]
    with tempfile.TemporaryDirectory() as folder:
        try:
            if missing:
                raise CompileError(f"{missing[0]} was not handed in")
            bench.prepare()
            program = compile_in(sandbox, bench.build, lab, Path(folder), texts, result.notes)
            for check in lab.judged:  # with a seed that is shown, then over the secret ones
                shown = run(program, check, 1, sandbox=sandbox)
                seeds = secret_seeds(key, lab, check) if "laws" in check.points and shown.passed else ()
                secret = (run(program, check, seed, sandbox=sandbox) for seed in seeds)
                verdicts[check] = shown, next((verdict for verdict in secret if not verdict.passed), shown)
            if lab.leaderboard and all(verdicts[check][0].passed for check in lab.checks):
                result.leaderboard = standing(lab.leaderboard, program, sandbox)
        except CompileError as error:
            result.notes.append(printable(f"it does not compile: {error}"))
            verdicts = {c: (Verdict(c, "does not compile", 0, str(error)),) * 2 for c in lab.judged}
    for check, (shown, secret) in verdicts.items():
        for kind, points in check.points.items():
            result.add(check, kind, points, secret if kind == "laws" else shown)
    return result


def compile_in(sandbox, build, lab, folder, texts, notes):
    """The program of a submission; without its variation, if that is what does not compile."""
    source, out = folder / "src", folder / "out"
    out.mkdir()
    folder.chmod(0o755)
    build.sandbox = sandbox
    sandbox.give(out)
    try:
        program = build.program(lab, out, write_files(source, texts, alone=True))
    except CompileError as error:
        if not lab.variation or texts.pop(lab.variation.file, None) is None:
            raise
        program = build.program(lab, out, write_files(source, texts, alone=True))
        notes.append(printable(f"the variation does not compile: {error}"))
    sandbox.take(out)
    return program


def standing(leaderboard, program, sandbox):
    """[the row of a leaderboard]: the last number of a line of the figure; nothing where that cannot be had."""
    with tempfile.TemporaryFile() as output:
        try:
            subprocess.run([*sandbox.running(SECONDS_OF_A_FIGURE), str(program), "--figure", "--seed=1"], stdout=output,
                           stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE * SECONDS_OF_A_FIGURE)
            output.seek(0)
            value = float(json.loads(output.read(LARGEST))["lines"][leaderboard["line"]][-1])
        except (OSError, subprocess.TimeoutExpired, ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
            return []
        finally:
            sandbox.end()
    return [{"name": leaderboard["name"], "value": round(value, 1), "order": "desc"}] if math.isfinite(value) else []


def write_results(result, out):
    """What platforms read, a page, and lines of tables of all submissions, each file whole or not at all."""
    files = {"results.json": result.gradescope(), "junit.xml": result.junit(), "html": pages.result_page(result)}
    if "SUBMISSION_TAG" in os.environ:
        files["classroom50.json"] = result.classroom50(os.environ)
    files = {f"{result.student}.{kind}": text for kind, text in files.items()}
    me, points = [result.student, str(result.lab.number)], result.by_kind()
    tables = (("grades.csv", ["score", *KINDS_OF_POINTS], [[result.score, *(points.get(kind, 0) for kind in KINDS_OF_POINTS)]]),
              ("mistakes.csv", ["check", "what it means"], [[check, printable(said)] for check, said in result.mistakes.items()]))
    with one_at_a_time(out):
        for name, columns, rows in tables:
            old = text_of(out / name).splitlines() if (out / name).exists() else []
            others = [row for row in csv.reader(old) if row[:2] != me] or [["student", "lab", *columns]]
            table = io.StringIO()
            csv.writer(table).writerows(others + [me + row for row in rows])
            files[name] = table.getvalue()
        for name, text in files.items():
            (out / f"{name}.new").write_bytes(text.encode())
            os.replace(out / f"{name}.new", out / name)
