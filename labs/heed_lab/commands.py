"""The sub-commands. Exit status: 0 done, and all checks passed; 1 a check did not pass, or something is wrong; 2 usage."""
import argparse
import difflib
import os
import shutil
import sys
from pathlib import Path

from . import LabError, comparing, explore, figures, grading, handout, pages, report, writing
from .build import Build
from .course import Course, is_handout, read_handout
from .progress import Progress
from .repository import Repository
from .running import BLANK, HANGS, NOT_RUN, Verdict, run_check
from .watching import watch


STUDENT = "labs/student.txt"  # the name; git does not see it
DEBUGGED = ("-O0", "-g")  # with -Og GCC 12 marks no line of a kernel as one to stop at


class Bench:
    """A lab in a student's tree: the build, the program, and runs of its checks."""

    def __init__(self, root, number):
        self.root = root
        self.lab = course_for(root, student_of(root)).lab(number)
        self.build = Build(root, root / "build/lab")
        self.out = self.build.folder / "students" / self.lab.target

    def prepare(self):
        self.build.configure()
        self.build.ensure(self.lab)

    def program(self):
        self.prepare()
        return self.build.program(self.lab, self.out)

    def program_to_debug(self):
        """With all lines and variables there, which the program that judges does not keep."""
        self.prepare()
        return self.build.program(self.lab, self.build.folder / "students" / f"{self.lab.target}-debug", flags=DEBUGGED)

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


def course_for(root, student):
    """The labs with this student's variations."""
    course = Course(root)
    course.assign(student)
    return course


def chosen(lab, names):
    """The checks that names of tasks and checks stand for; all where there are none."""
    found = []
    for name in names:
        tasks = [task for task in lab.tasks + lab.assigned if task.name == name]
        found += tasks[0].checks if tasks else [lab.check(name)]
    return found or lab.judged


def seed_of(options):
    return options.seed if options.seed is not None else int.from_bytes(os.urandom(3), "big")


def do_list(root, options):
    course = Course(root)
    print(f"{'lab':>3}  {'hours':>5}  title")
    labs = list(map(course.lab, read_handout(root)["labs"])) if is_handout(root) else list(course.labs.values())
    for lab in labs:
        print(f"{lab.number:>3}  {lab.hours:>5}  {lab.title}: {', '.join(lab.written)}")
        if done := Progress(root, lab).said():
            print(f"{'':>12}{done}")
    print(f"\nBegin with labs/heed-lab start {labs[0].number}.")
    return 0


def do_start(root, options):
    bench = Bench(root, options.lab)
    repository = Repository(root)
    blanks = Course(root).blanks(bench.lab)
    if not is_handout(root):
        repository.refuse_changes(bench.lab)
    bench.prepare()
    if is_handout(root):
        print("This tree is a handout: what you are to write is taken out already. ", end="")
    else:
        repository.start(bench.lab, blanks)
        print(f"You are on branch {repository.branch(bench.lab)}. ", end="")
    print(f"Read labs/{bench.lab.folder.name}/README.md; write in")
    for name in bench.lab.own:
        print(f"  {name}")
    print(f"and run labs/heed-lab test {options.lab}; a form for its questions: labs/heed-lab answers {options.lab}")
    return 0


def do_answers(root, options):
    lab = Course(root).lab(options.lab)
    path = root / writing.path_of(lab)
    if not path.exists():
        path.write_text(writing.form(lab), encoding="utf-8")
    print(f"answer in {writing.path_of(lab)}: what is asked stands there; what you did by hand goes in, or beside it")
    return 0


def do_overview(root, options):
    print("\n".join(writing.overview(Course(root), Path(options.folder))))
    return 0


def do_test(root, options):
    bench = Bench(root, options.lab)
    table = report.Table(bench.lab)
    verdicts = bench.run(chosen(bench.lab, options.checks), seed_of(options), table.add)
    table.end()
    wrong = [v for v in verdicts if not v.passed]
    # What is written and wrong comes before what is not written yet.
    for verdict in sorted(wrong, key=lambda v: v.status in (BLANK, NOT_RUN))[:len(wrong) if options.all else 1]:
        print("\n" + report.failure(bench.lab, verdict))
    if not options.checks and not any(v.check in bench.lab.checks for v in wrong):
        print("\n" + "\n".join(bench.lab.hints().get("after", [])))
        if wrong:
            print(f"Not all is done yet: the variation, in {bench.lab.variation.file}, has {report.points(wrong)} points.")
    return 1 if wrong else 0


def do_watch(root, options):
    return watch(Bench(root, options.lab))


def do_hint(root, options):
    lab = Course(root).lab(options.lab)
    checks, several = chosen(lab, [options.name]), any(task.name == options.name for task in lab.tasks)
    for check in checks:
        hints = lab.hints().get(check.name)
        if hints is None:
            raise LabError("a variation is yours alone and has no hints; the README of the lab says what it is")
        if not 1 <= options.number <= len(hints):
            raise LabError(f"{check.name} has the hints 1 to {len(hints)}")
        Progress(root, lab).took(check.name, options.number)
        print((f"{check.name}, " if several else "") + f"hint {options.number} of {len(hints)}: {hints[options.number - 1]}")
    if options.number < len(hints):
        print(f"the next one: labs/heed-lab hint {options.lab} {'CHECK' if several else options.name} {options.number + 1}")
    return 0


def do_id(root, options):
    """Says the numbers of a student's variations; with a name given, keeps it for `test`."""
    if options.name:
        (root / STUDENT).write_text(options.name, encoding="utf-8")
    course = course_for(root, student_of(root))
    print(f"variations of {student_of(root) or 'nobody (labs/heed-lab id NAME)'}:")
    for lab in course.labs.values():
        for task in lab.assigned:
            print(f"{lab.number:>3}  {task.family}: {report.numbers(task)}; write it in {lab.variation.file}")
    return 0


def do_reset(root, options):
    lab = Course(root).lab(options.lab)
    Repository(root).reset(lab, lab.task(options.task))
    print(f"task {options.task} is blank again")
    return 0


def do_compare(root, options):
    bench = Bench(root, options.lab)
    reference = Repository(root).reference(bench.lab)
    verdicts = bench.run(bench.lab.checks, seed_of(options))
    if not all(v.passed for v in verdicts):
        raise LabError("the project's version is shown beside yours when all checks pass; labs/heed-lab test says which do not")
    for name, theirs in reference.items():
        yours = (root / name).read_text(encoding="utf-8")
        lines = difflib.unified_diff(yours.splitlines(), theirs.splitlines(), f"{name} (yours)", f"{name} (heed)", lineterm="")
        print("\n".join(lines))
    return 0


def do_figure(root, options):
    bench = Bench(root, options.lab)
    path = Path(options.out or f"lab-{options.lab}.svg")
    figures.draw(root, bench.program(), seed_of(options), path)
    print(f"wrote {path}")
    return 0


def do_show(root, options):
    bench = Bench(root, options.lab)
    seed, path, parts = seed_of(options), Path(options.out or "lab.html"), {}
    for what in options.what:
        text, body, script = explore.part(bench, what, seed, options.check)
        print(text)
        parts[body] = script
    path.write_text(explore.page(bench.lab, parts, f"{' '.join(options.what)} --seed {seed}"), encoding="utf-8")
    print(f"wrote {path}; open it in a browser")
    return 0


def do_handout(root, options):
    course = Course(root)
    labs = [course.lab(number) for number in handout.numbers(options.labs)] if options.labs else list(course.labs.values())
    count = handout.write_handout(course, labs, Path(options.out))
    print(f"wrote {count} files to {options.out}: labs {', '.join(str(lab.number) for lab in labs)}, all cut")
    return 0


def do_talk(root, options):
    lab = Course(root).lab(options.lab)
    path, out = lab.folder / "talk.md", Path(options.out or f"lab-{options.lab}-talk.html")
    if not path.exists():
        raise LabError(f"labs/{lab.folder.name}/talk.md is not here; handouts do not have it")
    out.write_text(pages.talk_page(path.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {out}; open it in a browser, arrow keys turn pages")
    return 0


def do_solution(root, options):
    course = Course(root)
    print(handout.solution(course, course.lab(options.lab)))
    return 0


def do_catch_up(root, options):
    lab = handout.catch_up(Course(root), options.file)
    print(f"lab {lab.number} is now as in the library: {', '.join(lab.written)}")
    return 0


def do_grade(root, options):
    bench = Bench(root, options.lab)
    try:
        key = Path(options.key).read_text(encoding="utf-8").strip() if options.key else os.urandom(16).hex()
    except OSError as error:
        raise LabError(f"--key {options.key}: {error.strerror}") from None
    if not key:
        raise LabError(f"--key {options.key}: the file is empty; write any secret words into it")
    path = Path(options.submission or root)
    student = options.name or (not options.submission and student_of(root)) or grading.name_of(path)
    bench.lab = course_for(root, student).lab(options.lab)
    result = grading.grade(bench, path, key)
    for task in bench.lab.assigned:
        result.notes.append(f"the variation is that of {grading.printable(student)!r}: {report.numbers(task)}")
    for row in result.rows:
        print(f"{row['score']:>3} of {row['max_score']:>3}  {row['name']}")
    by_hand = ", ".join(f"{name} {points}" for name, points in bench.lab.by_hand.items())
    print("\n".join(result.notes) + f"\n{result.score} points; by hand: {by_hand}")
    if options.out:
        grading.write_results(result, Path(options.out))
    print(result.autolab())
    return 0


def do_similar(root, options):
    course = Course(root)
    rows = comparing.similar(course, course.lab(options.lab), [Path(folder) for folder in options.folders], options.least / 100)
    for share, one, other, file, count in rows:
        print(f"{share:>5.0%}  {one}  {other}  {file} ({count} fingerprints)")
    print(f"{len(rows)} pairs share at least {options.least} % of a file; look at them side by side: alike is not copied")
    return 0


def do_ask(root, options):
    course = Course(root)
    rows = comparing.questions(course, course.lab(options.lab), Path(options.submission))
    if not rows:
        raise LabError(f"{options.submission} has no lines of its own")
    for file, number, line, question in rows:
        print(f"{file}:{number}: {grading.printable(line)}\n    {question}")
    return 0


def do_debug(root, options):
    bench = Bench(root, options.lab)
    check = bench.lab.check(options.check)
    program = bench.program_to_debug()
    if options.build:
        print(program)
        return 0
    if not shutil.which("gdb"):
        raise LabError("there is no gdb here (Debian: apt install gdb)")
    begin = [word for line in stop_at(options.at, options.thread) for word in ("-ex", line)]
    os.execvp("gdb", ["gdb", "-q", "-x", str(root / "labs/support/gdb_commands.py"), *begin, "--args", str(program),
                      f"--gtest_filter=*.{check.name}", f"--seed={seed_of(options)}", *check.arguments])


def stop_at(at, thread):
    """The commands of gdb that run to FILE:LINE, in one thread of a block if it is given."""
    condition = f" if threadIdx.x == {thread}" if thread is not None else ""
    return ["set breakpoint pending on", f"break {at}{condition}", "run"] if at else []


def parser():
    top = argparse.ArgumentParser(prog="labs/heed-lab", description="heed's course: parts of the real library, written anew "
                                  "and judged by laws. docs/teaching.md is the guide.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    def command(name, run, text, lab=True):
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(run=run)
        if lab:
            made.add_argument("lab", type=int, help="the number of the lab")
        return made

    command("list", do_list, "the labs", lab=False)
    command("start", do_start, "make branch lab-N with the lab's functions taken out")
    test = command("test", do_test, "build what you wrote and judge it")
    test.add_argument("checks", nargs="*", default=[], help="names of checks or tasks (all)")
    test.add_argument("--all", action="store_true", help="show every failure, not only the first")
    command("watch", do_watch, "test again whenever you save")
    command("answers", do_answers, "a form for the questions, the figure and what you did by hand")
    hint = command("hint", do_hint, "a hint for a check, or for each check of a task; there are three, from small to large")
    hint.add_argument("name", help="of a check or a task")
    hint.add_argument("number", type=int, nargs="?", default=1)
    identity = command("id", do_id, "the numbers of your variations, from your name", lab=False)
    identity.add_argument("name", nargs="?", metavar="NAME",
                          help="as your teacher has it, in quotes if it has several words (the one given before)")
    command("reset", do_reset, "take the functions of one task out again").add_argument("task")
    compare = command("compare", do_compare, "when all checks pass: the project's version beside yours")
    figure = command("figure", do_figure, "draw the lab's figure with what you wrote, as SVG")
    figure.add_argument("--out", metavar="FILE", help="where to (lab-N.svg)")
    show = command("show", do_show, "pictures: a few lines in the terminal, and a page. graph and memory: an example and its backward pass; "
                   "tensor: what a check compares; access: what a warp asks of the memory; roofline: speed beside what the machine can do")
    show.add_argument("what", nargs="+", choices=explore.WHAT)
    show.add_argument("--check", help="whose tensors (those of the first check that fails)")
    show.add_argument("--out", metavar="FILE", help="where the page goes (lab.html)")
    debug = command("debug", do_debug, "run a check in gdb")
    debug.add_argument("check")
    debug.add_argument("--build", action="store_true", help="only build the program, for another debugger, and say where it is")
    debug.add_argument("--at", metavar="FILE:LINE", help="run up to there")
    debug.add_argument("--thread", type=int, help="and only stop in this thread of a block, in a kernel of lab 9")
    for made in (test, compare, figure, show, debug):
        made.add_argument("--seed", type=int, help="draw these inputs again")
    add_for_teachers(command)
    return top


def add_for_teachers(command):
    grade = command("grade", do_grade, "points of a submission, with secret seeds; of this tree if none is named")
    grade.add_argument("submission", nargs="?", help="a folder or a zip; the lab's files are taken, and nothing else")
    grade.add_argument("--key", metavar="FILE", help="secret words that the seeds of `laws` are made of (drawn if not given)")
    grade.add_argument("--name", help="the student's, whose variation is judged (that of the submission; of this tree, what `id` keeps)")
    grade.add_argument("--out", metavar="DIR", help="where results.json (Gradescope), junit.xml, a page and grades.csv go")
    overview = command("overview", do_overview, "for teachers: the mistakes of a class, with who made them", lab=False)
    overview.add_argument("folder", metavar="DIR", help="what `grade --out` wrote to")
    out = command("handout", do_handout, "for teachers: write a tree without history and solutions", lab=False)
    out.add_argument("--labs", metavar="0-2,4", help="which labs are cut (all)")
    out.add_argument("--out", metavar="DIR", required=True)
    talk = command("talk", do_talk, "for teachers: the lab's talk as one page of HTML, a slide for each section")
    talk.add_argument("--out", metavar="FILE", help="where to (lab-N-talk.html)")
    similar = command("similar", do_similar, "for teachers: pairs of submissions, and of those with the library, that are alike")
    similar.add_argument("folders", nargs="+", metavar="DIR", help="of submissions: this year's, and those before")
    similar.add_argument("--least", type=int, default=50, metavar="PERCENT", help="of the shorter one's fingerprints (50)")
    command("ask", do_ask, "for teachers: three questions about lines that a student wrote").add_argument("submission")
    command("solution", do_solution, "for teachers: the library's version of a lab, for catch-up")
    catch = command("catch-up", do_catch_up, "put the library's version in, so that the next lab can begin", lab=False)
    catch.add_argument("file", help="what labs/heed-lab solution wrote")


def main(root, arguments):
    options = parser().parse_args([*arguments[1:], "--help"] if arguments[:1] == ["help"] else arguments)
    try:
        status = options.run(root, options) if options.command else do_list(root, options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # who reads has seen enough, as in `heed-lab list | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except LabError as error:
        print(f"heed-lab: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 1
