"""The sub-commands. Exit status: 0 done, and all checks passed; 1 a check did not pass, or something is wrong; 2 usage."""
import argparse
import difflib
import os
import secrets
import shutil
import sys
from pathlib import Path

from . import LabError, comparing, grading, handout, pages, pictures, report, writing
from .build import Build
from .course import Course, is_handout, read_handout
from .progress import HINTS, Progress
from .repository import Repository
from .running import BLANK, HANGS, LARGEST_SEED, NOT_RUN, Verdict, run_check
from .watching import watch

STUDENT = "labs/student.txt"  # the name; git does not see it
DEBUGGED = ("-O0", "-g")  # with -Og GCC 12 marks no line of a kernel as one to stop at
COMMANDS = {}  # name: (function, its text, its arguments, whether it is of one lab)


class Bench:
    """A lab in a student's tree: the build, the program, and runs of its checks."""

    def __init__(self, root, number, student=None):
        self.root, self.course = root, Course(root, student_of(root) if student is None else student)
        self.lab = self.course.lab(number)
        self.build = Build(root, root / "build/lab")
        self.out = self.build.folder / "students" / self.lab.target

    def prepare(self):
        self.build.ensure(self.lab)

    def program(self):
        self.prepare()
        return self.build.program(self.lab, self.out)

    def run(self, checks, seed, tell=lambda verdict: None):
        """The verdicts, each told as it comes. After a check that does not end those of later tasks are not run: each might take as long."""
        program, verdicts, endless, progress = self.program(), [], None, Progress(self.root, self.lab)
        for check in checks:
            if endless and check.task is not endless.task:
                verdict = Verdict(check, NOT_RUN, seed, f"{endless.name} does not end")
            else:
                verdict = run_check(program, check, seed)
                endless = endless or (check if verdict.status == HANGS else None)
            tell(verdict)
            progress.add(verdict)
            verdicts.append(verdict)
        progress.save()
        return verdicts


def student_of(root):
    """The name that `id` was told."""
    path = root / STUDENT
    return path.read_text(encoding="utf-8") if path.exists() else ""


def chosen(lab, names):
    """The checks that names of tasks and checks stand for; all where there are none."""
    tasks = {task.name: task.checks for task in lab.tasks + lab.assigned}
    return [check for name in names for check in tasks.get(name) or [lab.check(name)]] or lab.judged


def write_page(path, text):
    Path(path).write_text(text, encoding="utf-8")
    print(f"wrote {path}; open it in a browser")


# ---- the commands, each with its arguments

def argument(*names, **options):
    return names, options


SEED = argument("--seed", type=int, default=secrets.randbelow(LARGEST_SEED), help="draw these inputs again")


def command(text, *arguments, lab=True):
    """Makes do_NAME a command: of a lab, with its Bench, or with the folder of the tree."""
    def declare(run):
        COMMANDS[run.__name__[3:].replace("_", "-")] = run, text, arguments, lab
        return run
    return declare


@command("the labs", lab=False)
def do_list(root, options):
    course = Course(root)
    print(f"{'lab':>3}  {'hours':>5}  title")
    labs = list(map(course.lab, read_handout(root)["labs"])) if is_handout(root) else list(course.labs.values())
    for lab in labs:
        print(f"{lab.number:>3}  {lab.hours:>5}  {lab.title}: {', '.join(lab.written)}")
        if done := Progress(root, lab).said():
            print(f"{'':>12}{done}")
    print(f"\nBegin with labs/heed-lab start {labs[0].number}.")


@command("make branch lab-N with the lab's functions taken out")
def do_start(bench, options):
    lab, repository, blanks, is_clone = bench.lab, Repository(bench.root), bench.course.blanks(bench.lab), not is_handout(bench.root)
    if is_clone:
        repository.refuse_changes(lab)
    bench.prepare()
    if is_clone:
        repository.start(lab, blanks)
    print(f"You are on branch {lab.branch}. " if is_clone else "This tree is a handout: what you are to write is taken out already. ", end="")
    print("\n  ".join([f"Read labs/{lab.folder.name}/README.md; write in", *lab.own]))
    print(f"and run labs/heed-lab test {lab.number}; a form for its questions: labs/heed-lab answers {lab.number}")


@command("build what you wrote and judge it", argument("checks", nargs="*", default=[], help="names of checks or tasks (all)"),
         argument("--all", action="store_true", help="show every failure, not only the first"), SEED)
def do_test(bench, options):
    lab, table = bench.lab, report.Table(bench.lab)
    verdicts = bench.run(chosen(lab, options.checks), options.seed, table.add)
    table.end()
    # What is written and wrong comes before what is not written yet.
    wrong = sorted((v for v in verdicts if not v.passed), key=lambda v: v.status in (BLANK, NOT_RUN))
    for verdict in wrong[:None if options.all else 1]:
        print("\n" + report.failure(lab, verdict))
    if not options.checks and not any(v.check in lab.checks for v in wrong):
        print("\n" + "\n".join(lab.hints().get("after", [])))
        if wrong:
            print(f"Not all is done yet: the variation, in {lab.variation.file}, has {report.points(wrong)} points.")
    return 1 if wrong else 0


@command("test again whenever you save")
def do_watch(bench, options):
    watch(bench)


@command("a form for the questions, the figure and what you did by hand")
def do_answers(bench, options):
    name = writing.path_of(bench.lab)
    if not (bench.root / name).exists():
        (bench.root / name).write_text(writing.form(bench.lab), encoding="utf-8")
    print(f"answer in {name}: what is asked stands there; what you did by hand goes in, or beside it")


@command("a hint for a check, or for each check of a task; there are three, from small to large",
         argument("name", help="of a check or a task"), argument("number", type=int, nargs="?", default=1))
def do_hint(bench, options):
    lab, number = bench.lab, options.number
    of_a_task = any(task.name == options.name for task in lab.tasks)
    for check in chosen(lab, [options.name]):
        print((f"{check.name}, " if of_a_task else "") + Progress(bench.root, lab).hint(check.name, number))
    if number < HINTS:
        print(f"the next one: labs/heed-lab hint {lab.number} {'CHECK' if of_a_task else options.name} {number + 1}")


@command("the numbers of your variations, from your name", argument(
    "name", nargs="?", metavar="NAME", help="as your teacher has it, in quotes if it has several words (the one given before)"), lab=False)
def do_id(root, options):
    """With a name given, keeps it for `test`."""
    if options.name:
        (root / STUDENT).write_text(options.name, encoding="utf-8")
    print(f"variations of {student_of(root) or 'nobody (labs/heed-lab id NAME)'}:")
    for lab in Course(root, student_of(root)).labs.values():
        for task in lab.assigned:
            print(f"{lab.number:>3}  {task.family}: {report.numbers(task)}; write it in {lab.variation.file}")


@command("take the functions of one task out again", argument("task"))
def do_reset(bench, options):
    Repository(bench.root).reset(bench.lab, bench.lab.task(options.task))
    print(f"task {options.task} is blank again")


@command("when all checks pass: the project's version beside yours", SEED)
def do_compare(bench, options):
    reference = Repository(bench.root).reference(bench.lab)
    if not all(v.passed for v in bench.run(bench.lab.checks, options.seed)):
        raise LabError("the project's version is shown beside yours when all checks pass; labs/heed-lab test says which do not")
    for name, theirs in reference.items():
        yours = (bench.root / name).read_text(encoding="utf-8").splitlines()
        print("\n".join(difflib.unified_diff(yours, theirs.splitlines(), f"{name} (yours)", f"{name} (heed)", lineterm="")))


@command("draw the lab's figure with what you wrote, as SVG", argument("--out", metavar="FILE", help="where to (lab-N.svg)"), SEED)
def do_figure(bench, options):
    path = Path(options.out or f"lab-{options.lab}.svg")
    pictures.draw(bench.root, bench.program(), options.seed, path)
    print(f"wrote {path}")


@command("pictures: a few lines in the terminal, and a page. graph and memory: an example and its backward pass; "
         "tensor: what a check compares; access: what a warp asks of the memory; roofline: speed beside what the machine can do",
         argument("what", nargs="+", choices=pictures.WHAT), argument("--check", help="whose tensors (those of the first check that fails)"),
         argument("--out", metavar="FILE", default="lab.html", help="where the page goes (lab.html)"), SEED)
def do_show(bench, options):
    seed, parts = options.seed, {}
    for what in options.what:
        text, body, script = pictures.part(bench, what, seed, options.check)
        print(text)
        parts[body] = script
    write_page(options.out, pictures.page(bench.lab, parts, f"{' '.join(options.what)} --seed {seed}"))


@command("run a check in gdb", argument("check"), argument("--at", metavar="FILE:LINE", help="run up to there"),
         argument("--build", action="store_true", help="only build the program, for another debugger, and say where it is"),
         argument("--thread", type=int, help="and only stop in this thread of a block, in a kernel of lab 9"), SEED)
def do_debug(bench, options):
    check = bench.lab.check(options.check)
    bench.prepare()  # the program that judges does not keep all lines and variables
    program = bench.build.program(bench.lab, bench.out.with_name(f"{bench.lab.target}-debug"), flags=DEBUGGED)
    if options.build:
        return print(program)
    if not shutil.which("gdb"):
        raise LabError("there is no gdb here (Debian: apt install gdb)")
    begin = [word for line in stop_at(options.at, options.thread) for word in ("-ex", line)]
    os.execvp("gdb", ["gdb", "-q", "-x", str(bench.root / "labs/support/gdb_commands.py"), *begin, "--args", str(program),
                      f"--gtest_filter=*.{check.name}", f"--seed={options.seed}", *check.arguments])


def stop_at(at, thread):
    """The commands of gdb that run to FILE:LINE, in one thread of a block if it is given."""
    condition = f" if threadIdx.x == {thread}" if thread is not None else ""
    return ["set breakpoint pending on", f"break {at}{condition}", "run"] if at else []


# ---- those of teachers

@command("points of a submission, with secret seeds; of this tree if none is named",
         argument("submission", nargs="?", help="a folder or a zip; the lab's files are taken, and nothing else"),
         argument("--key", metavar="FILE", help="secret words that the seeds of `laws` are made of (drawn if not given)"),
         argument("--name", help="the student's, whose variation is judged (that of the submission; of this tree, what `id` keeps)"),
         argument("--out", metavar="DIR", help="where results.json (Gradescope), junit.xml, a page and grades.csv go"))
def do_grade(bench, options):
    try:
        key = Path(options.key).read_text(encoding="utf-8").strip() if options.key else os.urandom(16).hex()
    except OSError as error:
        raise LabError(f"--key {options.key}: {error.strerror}") from None
    if not key:
        raise LabError(f"--key {options.key}: the file is empty; write any secret words into it")
    path = Path(options.submission or bench.root)
    student = options.name or (not options.submission and student_of(bench.root)) or grading.name_of(path)
    bench = Bench(bench.root, options.lab, student)
    result = grading.grade(bench, path, key)
    for task in bench.lab.assigned:
        result.notes.append(f"the variation is that of {grading.printable(student)!r}: {report.numbers(task)}")
    for row in result.rows:
        print(f"{row['score']:>3} of {row['max_score']:>3}  {row['name']}")
    print("\n".join(result.notes) + f"\n{result.score} points; by hand: {bench.lab.said_by_hand}")
    if options.out:
        grading.write_results(result, Path(options.out))
    print(result.autolab())


@command("for teachers: the mistakes of a class, with who made them",
         argument("folder", metavar="DIR", help="what `grade --out` wrote to"), lab=False)
def do_overview(root, options):
    print("\n".join(writing.overview(Course(root), Path(options.folder))))


@command("for teachers: write a tree without history and solutions", argument("--labs", metavar="0-2,4", help="which labs are cut (all)"),
         argument("--out", metavar="DIR", required=True), lab=False)
def do_handout(root, options):
    course = Course(root)
    labs = [course.lab(number) for number in handout.numbers(options.labs)] if options.labs else list(course.labs.values())
    count = handout.write_handout(course, labs, Path(options.out))
    print(f"wrote {count} files to {options.out}: labs {', '.join(str(lab.number) for lab in labs)}, all cut")


@command("for teachers: the lab's talk as one page of HTML, a slide for each section",
         argument("--out", metavar="FILE", help="where to (lab-N-talk.html)"))
def do_talk(bench, options):
    path = bench.lab.folder / "talk.md"
    if not path.exists():
        raise LabError(f"labs/{bench.lab.folder.name}/talk.md is not here; handouts do not have it")
    write_page(options.out or f"lab-{options.lab}-talk.html", pages.talk_page(path.read_text(encoding="utf-8")))


@command("for teachers: pairs of submissions, and of those with the library, that are alike",
         argument("folders", nargs="+", metavar="DIR", help="of submissions: this year's, and those before"),
         argument("--least", type=int, default=50, metavar="PERCENT", help="of the shorter one's fingerprints (50)"))
def do_similar(bench, options):
    rows = comparing.similar(bench.course, bench.lab, map(Path, options.folders), options.least / 100)
    for share, one, other, file, count in rows:
        print(f"{share:>5.0%}  {one}  {other}  {file} ({count} fingerprints)")
    print(f"{len(rows)} pairs share at least {options.least} % of a file; look at them side by side: alike is not copied")


@command("for teachers: three questions about lines that a student wrote", argument("submission"))
def do_ask(bench, options):
    rows = comparing.questions(bench.course, bench.lab, Path(options.submission))
    if not rows:
        raise LabError(f"{options.submission} has no lines of its own")
    for file, number, line, question in rows:
        print(f"{file}:{number}: {grading.printable(line)}\n    {question}")


@command("for teachers: the library's version of a lab, for catch-up")
def do_solution(bench, options):
    print(handout.solution(bench.course, bench.lab))


@command("put the library's version in, so that the next lab can begin",
         argument("file", help="what labs/heed-lab solution wrote"), lab=False)
def do_catch_up(root, options):
    lab = handout.catch_up(Course(root), options.file)
    print(f"lab {lab.number} is now as in the library: {', '.join(lab.written)}")


def parser():
    top = argparse.ArgumentParser(prog="labs/heed-lab", description="heed's course: parts of the real library, written anew "
                                  "and judged by laws. docs/teaching.md is the guide.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    for name, (_, text, arguments, of_lab) in COMMANDS.items():
        made = commands.add_parser(name, help=text, description=text)
        for names, options in (argument("lab", type=int, help="the number of the lab"),) * of_lab + arguments:
            made.add_argument(*names, **options)
    return top


def main(root, arguments):
    options = parser().parse_args([*arguments[1:], "--help"] if arguments[:1] == ["help"] else arguments)
    try:
        run, _, _, of_lab = COMMANDS[options.command or "list"]
        status = run(Bench(root, options.lab) if of_lab else root, options) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # who reads has seen enough, as in `heed-lab list | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except LabError as error:
        print(f"heed-lab: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 1
