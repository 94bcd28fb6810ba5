"""The sub-commands. Exit status: 0 done, and all checks passed; 1 a check did not pass, or something is wrong; 2 usage."""
import argparse
import difflib
import os
import select
import shutil
import sys
import textwrap
import time
from pathlib import Path

from . import LabError, grading, handout, one_at_a_time, pages, pictures, report, submissions, text_of
from .build import Build
from .course import Course
from .running import BLANK, HANGS, NOT_RUN, Verdict, any_seed, run_check
from .submissions import Submission, printable

STUDENT = "labs/student.txt"  # the name that `id` was told; git does not see it
DEBUGGED = ("-O0", "-g")  # with -Og GCC 12 marks no line of a kernel as one to stop at
PARSER = argparse.ArgumentParser(prog="labs/heed-lab", description="heed's course: parts of the real library, written anew "
                                 "and judged by laws. docs/teaching.md is the guide.")
SUBPARSERS = PARSER.add_subparsers(dest="command", metavar="COMMAND")


def argument(*names, **options):
    return names, options


LAB = argument("lab", type=int, help="the number of the lab")
SEED = argument("--seed", type=int, default=any_seed(), help="draw these inputs again")


def command(text, *arguments, lab=True):
    """Makes do_NAME a command: of a lab, or of the whole tree."""
    def declare(run):
        made = SUBPARSERS.add_parser(run.__name__[3:].replace("_", "-"), help=text, description=text)
        made.set_defaults(run=run)
        for names, options in (LAB,) * lab + arguments:
            made.add_argument(*names, **options)
        return run
    return declare


def write(path, text, then="; open it in a browser"):
    Path(path).write_text(text, encoding="utf-8")
    print(f"wrote {path}{then}")


class Bench:
    """A tree, and a lab in it, with its build and program: each do_NAME is a command."""

    def __init__(self, root, number=None, student=None):
        kept = root / STUDENT
        self.root, self.student = root, student or (text_of(kept) if kept.exists() else "")
        self.course, self.build = Course(root, self.student), Build(root, root / "build/lab")
        if number is not None:
            self.lab = self.course.lab(number)
            self.out, self.progress = self.build.folder / "students" / self.lab.target, report.Progress(root, self.lab)

    def prepare(self):
        self.build.ensure(self.lab)

    def program(self):
        self.prepare()
        with one_at_a_time(self.out):
            return self.build.program(self.lab, self.out)

    def run(self, checks, seed, shown=False):
        """The verdicts, shown as they come. After a check that does not end those of later tasks are not run: each might take as long."""
        program, verdicts, endless, task = self.program(), [], None, None
        say = print if shown else lambda *words, **options: None
        say(f"lab {self.lab.number}, {self.lab.title}")
        for check in checks:
            if endless and check.task is not endless.task:
                verdict = Verdict(check, NOT_RUN, seed, f"{endless.name} does not end")
            else:
                verdict = run_check(program, check, seed)
                endless = endless or (check if verdict.status == HANGS else None)
            say(f"  {check.task.name}\n" * (check.task is not task) + report.line(verdict), flush=True)
            verdicts.append(verdict)
            task = check.task
        self.progress.add(verdicts)
        say(report.sums(self.lab, verdicts))
        return verdicts

    def chosen(self, names):
        """The checks that names of tasks and checks stand for; all where there are none."""
        tasks = {task.name: task.checks for task in self.lab.tasks + self.lab.assigned}
        return list(dict.fromkeys(check for name in names for check in tasks.get(name) or [self.lab.check(name)])) or self.lab.judged

    @command("the labs", lab=False)
    def do_list(self):
        print("lab  hours  title")
        labs = list(map(self.course.lab, self.course.handout.get("labs", self.course.labs)))
        for lab in labs:
            row = f"{lab.number:>3}  {lab.hours:>5}  {lab.title}: {', '.join(lab.written)}"
            print(textwrap.fill(row, 100, subsequent_indent=" " * 12, break_long_words=False, break_on_hyphens=False))
            if done := report.Progress(self.root, lab).said():
                print(f"{'':>12}{done}")
        print(f"\nBegin with labs/heed-lab start {labs[0].number}.")

    @command("make branch lab-N with the lab's functions taken out")
    def do_start(self):
        lab, handed_out, begun = self.lab, self.course.handout, f"You are on branch {self.lab.branch}."
        (self.course.blanks if handed_out else self.course.refuse_changes)(lab)  # says why it cannot begin
        self.prepare()
        if handed_out:
            begun = "This tree is a handout: what you are to write is taken out already."
        else:
            self.course.start(lab)
        print("\n  ".join([f"{begun} Read labs/{lab.folder.name}/README.md; write in", *lab.own]))
        print(f"and run labs/heed-lab test {lab.number}; a form for its questions: labs/heed-lab answers {lab.number}")

    @command("build what you wrote and judge it", argument("checks", nargs="*", default=[], help="names of checks or tasks (all)"),
             argument("--all", action="store_true", dest="each", help="show every failure, not only the first"), SEED)
    def do_test(self, checks, each, seed):
        verdicts = self.run(self.chosen(checks), seed, shown=True)
        # What is written and wrong comes before what is not written yet.
        wrong = sorted((v for v in verdicts if not v.passed), key=lambda v: v.status in (BLANK, NOT_RUN))
        for verdict in wrong[:None if each else 1]:
            print("\n" + report.failure(self.lab, verdict))
        if not checks and not any(v.check in self.lab.checks for v in wrong):
            print("\n" + "\n".join(self.lab.hints().get("after", [])))
            print("Your teacher publishes the project's version after the deadline." if self.course.handout else
                  f"labs/heed-lab compare {self.lab.number} shows the project's version beside yours.")
            if wrong:
                print(f"Not all is done yet: the variation, in {self.lab.variation.file}, has {report.points(wrong)} points.")
        return 1 if wrong else 0

    @command("test again whenever you save")
    def do_watch(self):
        """Times of files are polled: events of files fail on mounted drives."""
        state, seen, key = Watch(self), None, ""
        while key != "q":
            try:
                if key == "h":
                    state.hint()
                if key == "n":
                    state.at, seen = (state.at + 1) % len(state.tasks), None
                paths = [self.root / name for name in {*self.lab.own, *self.lab.units}]
                if (now := [path.exists() and path.stat().st_mtime_ns for path in paths]) != seen:
                    seen = now
                    state.test()
            except (LabError, OSError) as error:
                print(error, flush=True)
            typed = select.select([sys.stdin], [], [], 0.5)[0] and (sys.stdin.readline() or "q")  # at the end of the input it quits
            key = typed.strip()[:1] if typed else ""

    @command("a form for the questions, the figure and what you did by hand")
    def do_answers(self):
        name = report.path_of(self.lab)
        if not (self.root / name).exists():
            (self.root / name).write_text(report.form(self.lab), encoding="utf-8")
        print(f"answer in {name}: what is asked stands there; what you did by hand goes in, or beside it")

    @command("a hint for a check, or for each check of a task; there are three, from small to large",
             argument("name", help="of a check or a task"), argument("number", type=int, nargs="?", default=1))
    def do_hint(self, name, number):
        of_a_task = any(task.name == name for task in self.lab.tasks)
        for check in self.chosen([name]):
            print(f"{check.name}, " * of_a_task + self.progress.hint(check.name, number))
        if number < report.HINTS:
            print(f"the next one: labs/heed-lab hint {self.lab.number} {'CHECK' if of_a_task else name} {number + 1}")

    @command("the numbers of your variations, from your name", argument(
        "name", nargs="?", help="as your teacher has it, in quotes if it has several words (the one given before)", metavar="NAME"), lab=False)
    def do_id(self, name):
        """With a name given, keeps it for `test`."""
        if name:
            (self.root / STUDENT).write_text(name, encoding="utf-8")
        bench = Bench(self.root)
        print(f"variations of {bench.student or 'nobody (labs/heed-lab id NAME)'}:")
        for lab in bench.course.labs.values():
            for task in lab.assigned:
                print(f"{lab.number:>3}  {task.family}: {task.said}; write it in {lab.variation.file}")

    @command("take the functions of one task out again", argument("task"))
    def do_reset(self, task):
        if not (cuts := self.lab.task(task).cuts):
            raise LabError(f"nothing was taken out for the task {task}: all of {self.lab.variation.file} is yours")
        self.course.put_back(cuts, self.course.blanks(self.lab, self.course.reference))
        print(f"task {task} is blank again")

    @command("when all checks pass: the project's version beside yours", SEED)
    def do_compare(self, seed):
        reference = self.course.reference(self.lab)
        if not all(v.passed for v in self.run(self.lab.checks, seed)):
            raise LabError("the project's version is shown beside yours when all checks pass; labs/heed-lab test says which do not")
        yours = self.course.texts(self.lab)
        for name, theirs in reference.items():
            print(*difflib.unified_diff(yours[name].splitlines(), theirs.splitlines(), f"{name} (yours)", f"{name} (heed)", lineterm=""), sep="\n")

    @command("draw the lab's figure with what you wrote, as SVG", argument("--out", metavar="FILE", help="where to (lab-N.svg)"), SEED)
    def do_figure(self, out, seed):
        write(out or f"lab-{self.lab.number}.svg", pictures.figure(self.root, self.program(), seed), "")

    @command("pictures: a few lines in the terminal, and a page. graph and memory: an example and its backward pass; "
             "tensor: what a check compares; access: what a warp asks of the memory; roofline: speed beside what the machine can do",
             argument("what", nargs="+", choices=pictures.WHAT), argument("--check", help="whose tensors (those of the first check that fails)"),
             argument("--out", metavar="FILE", default="lab.html", help="where the page goes (lab.html)"), SEED)
    def do_show(self, what, check, out, seed):
        if check and "tensor" not in what:
            raise LabError("--check says whose tensors are shown: it goes with tensor")
        parts = {}
        for each in what:
            text, body, script = pictures.part(self, each, seed, check)
            print(text)
            parts[body] = script
        write(out, pictures.page(self.lab, parts, f"{' '.join(what)} --seed {seed}"))

    @command("run a check in gdb", argument("check"), argument("--at", metavar="FILE:LINE", help="run up to there"),
             argument("--build", action="store_true", dest="only", help="only build the program, for another debugger, and say where it is"),
             argument("--thread", type=int, help="and only stop in this thread of a block, in a kernel of lab 9"), SEED)
    def do_debug(self, check, at, only, thread, seed):
        if thread is not None and not at:
            raise LabError("--thread says in which thread to stop: it goes with --at FILE:LINE")
        check = self.lab.check(check)
        self.prepare()  # the program that judges does not keep all lines and variables
        program = self.build.program(self.lab, self.out.with_name(f"{self.lab.target}-debug"), flags=DEBUGGED)
        if only:
            return print(program)
        if not shutil.which("gdb"):
            raise LabError("there is no gdb here (Debian: apt install gdb)")
        begin = [word for line in stop_at(at, thread) for word in ("-ex", line)]
        os.execvp("gdb", ["gdb", "-q", "-x", str(self.root / "labs/support/gdb_commands.py"), *begin, "--args", str(program),
                          f"--gtest_filter=*.{check.name}", f"--seed={seed}", *check.arguments])

    @command("points of a submission, with secret seeds; of this tree if none is named",
             argument("submission", nargs="?", help="a folder or a zip; the lab's files are taken, and nothing else"),
             argument("--key", metavar="FILE", help="secret words that the seeds of `laws` are made of (drawn if not given)"),
             argument("--name", help="the student's, whose variation is judged (that of the submission; of this tree, what `id` keeps)"),
             argument("--out", metavar="DIR", help="where results.json (Gradescope), junit.xml, a page and grades.csv go"))
    def do_grade(self, submission, key, name, out):
        words = text_of(Path(key)).strip() if key else os.urandom(16).hex()
        if not words:
            raise LabError(f"--key {key}: the file is empty; write any secret words into it")
        path = Path(submission or self.root)
        bench = Bench(self.root, self.lab.number, name or (not submission and self.student) or Submission(path).name)
        result = grading.grade(bench, path, words)
        result.notes += [f"the variation is that of {printable(bench.student)!r}: {task.said}" for task in bench.lab.assigned]
        print(*(f"{row['score']:>3} of {row['max_score']:>3}  {row['name']}" for row in result.rows), *result.notes,
              f"{result.score} points; by hand: {bench.lab.said_by_hand}", sep="\n")
        if out:
            grading.write_results(result, Path(out))
        print(result.autolab())

    @command("for teachers: the mistakes of a class, with who made them",
             argument("folder", metavar="DIR", help="what `grade --out` wrote to"), lab=False)
    def do_overview(self, folder):
        print("\n".join(report.overview(self.course, Path(folder))) or "no check failed")

    @command("for teachers: write a tree without history and solutions", argument("--labs", metavar="0-2,4", help="which labs are cut (all)"),
             argument("--out", metavar="DIR", required=True), lab=False)
    def do_handout(self, labs, out):
        labs = list(map(self.course.lab, handout.numbers(labs) if labs else self.course.labs))
        count = handout.Handout(self.course, labs).write(Path(out))
        print(f"wrote {count} files to {out}: labs {', '.join(str(lab.number) for lab in labs)}, all cut")

    @command("for teachers: the lab's talk as one page of HTML, a slide for each section",
             argument("--out", metavar="FILE", help="where to (lab-N-talk.html)"))
    def do_talk(self, out):
        path = self.lab.folder / "talk.md"
        if not path.exists():
            raise LabError(f"labs/{self.lab.folder.name}/talk.md is not here; handouts do not have it")
        write(out or f"lab-{self.lab.number}-talk.html", pages.talk_page(text_of(path)))

    @command("for teachers: pairs of submissions, and of those with the library, that are alike",
             argument("folders", nargs="+", metavar="DIR", help="of submissions: this year's, and those before"),
             argument("--least", type=int, default=50, metavar="PERCENT", help="of the shorter one's runs of tokens (50)"))
    def do_similar(self, folders, least):
        rows = submissions.similar(self.course, self.lab, map(Path, folders), least / 100)
        for share, one, other, file, count in rows:
            print(f"{share:>5.0%}  {one}  {other}  {file} ({count} runs of {submissions.RUN} tokens)")
        print(f"{len(rows)} pairs share at least {least} % of a file; look at them side by side: alike is not copied")

    @command("for teachers: three questions about lines that a student wrote", argument("submission"))
    def do_ask(self, submission):
        rows = submissions.questions(self.course, self.lab, Path(submission))
        if not rows:
            raise LabError(f"{submission} has no lines of its own")
        for file, number, line, question in rows:
            print(f"{file}:{number}: {printable(line)}\n    {question}")

    @command("for teachers: the library's version of a lab, for catch-up")
    def do_solution(self):
        print(handout.solution(self.course, self.lab))

    @command("put the library's version in, so that the next lab can begin",
             argument("file", help="what labs/heed-lab solution wrote"), lab=False)
    def do_catch_up(self, file):
        lab = handout.catch_up(self.course, file)
        print(f"lab {lab.number} is now as in the library: {', '.join(lab.written)}")


class Watch:
    """The task at hand of `watch`, at first the first one that is not done, and what the last test of it said."""

    def __init__(self, bench):
        self.bench, self.lab, self.tasks, self.failed = bench, bench.lab, bench.lab.tasks + bench.lab.assigned, None
        self.judged = False
        undone = (i for i, task in enumerate(self.tasks) if any(check.name not in bench.progress.passed for check in task.checks))
        self.at = next(undone, len(self.tasks) - 1)

    def first_wrong(self, checks, shown=False, said=""):
        wrong = [v for v in self.bench.run(checks, any_seed(), shown) if not v.passed]
        if wrong:
            print(f"\n{said.format(len(wrong))}{report.failure(self.lab, wrong[0])}")
        return wrong[0] if wrong else None

    def test(self):
        """Tests the task at hand; what passed before in others, and no longer does, is told."""
        task, begin, passed = self.tasks[self.at], time.monotonic(), self.bench.progress.passed
        self.judged = False  # unless it builds
        print()
        self.failed = self.first_wrong(task.checks, shown=True)
        self.judged = True
        if again := [check for other in self.tasks for check in other.checks if other is not task and check.name in passed]:
            self.first_wrong(again, said="It passed before, and fails now ({} such):\n")
        print(f"{time.monotonic() - begin:.1f} s   h hint   n next task   q quit, then Enter", flush=True)

    def hint(self):
        if not self.judged:
            return print("nothing was judged yet: first mend what the build says above", flush=True)
        if self.failed is None:
            return print("all checks of this task pass: n goes to the next one", flush=True)
        if (other := report.of_another_lab(self.lab, self.failed)) is not None:
            return print(f"no hint of this lab helps: what is not written belongs to lab {other}", flush=True)
        name, progress = self.failed.check.name, self.bench.progress
        print(progress.hint(name, min(progress.hints.get(name, 0) + 1, report.HINTS)), flush=True)


def stop_at(at, thread):
    """The commands of gdb that run to FILE:LINE, in one thread of a block if it is given."""
    condition = f" if threadIdx.x == {thread}" if thread is not None else ""
    return ["set breakpoint pending on", f"break {at}{condition}", "run"] if at else []


def main(root, arguments):
    options = vars(PARSER.parse_args([*arguments[1:], "--help"] if arguments[:1] == ["help"] else arguments or ["list"]))
    try:
        del options["command"]
        status = options.pop("run")(Bench(root, options.pop("lab", None)), **options) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # who reads has seen enough, as in `heed-lab list | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (LabError, OSError, UnicodeError) as error:
        print(f"heed-lab: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 1
