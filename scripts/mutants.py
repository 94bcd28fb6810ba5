#!/usr/bin/env python3
"""Plants the small bugs of tests/mutants/*.json one at a time and sees which of them a test notices.

Every row is an object: "file", "old" (a text that the file holds exactly once), "new" (what takes its place), "breaks" (what
goes wrong then) and "tests" (the programs that ought to notice, the likeliest first; "NAME:FILTER" runs only some tests of one;
"python" is python/tests/run.py and "scripts" tests/scripts/run.py, and their filters are names of these).
The sources are copied to WORK/tree and built there with the release preset, so the checkout is never touched. A row's result is
appended to WORK/results.jsonl as soon as it is known: a run that was stopped goes on where it was, and a row that was changed is
run again. --keep puts what is known of the rows into docs/results/mutants.jsonl, with which a run on another machine goes on.
Exit status: 0 if every row was killed, 1 if some survived, 2 if a row or the unchanged tree is wrong.
"""
import argparse, hashlib, json, os, re, shutil, signal, subprocess, sys, time
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "docs/results/mutants.jsonl"
TARGET = {"torture": "heed_torture", "python": "heed_program", "scripts": None}  # tests whose target has another name, or that have none
IN_PYTHON = {"python": "python/tests/run.py", "scripts": "tests/scripts/run.py"}
ARGUMENTS = {"torture": ["--quick"]}
PYTHON = next(p for p in ("/usr/bin/python3", sys.executable) if os.path.exists(p))  # the system's has what the set-up installs


class ListError(Exception):
    """The list, or the tree that it is about, is wrong."""


def read_rows():
    rows = []
    for path in sorted((ROOT / "tests/mutants").glob("*.json")):
        for number, row in enumerate(json.loads(path.read_text()), 1):
            row["row"] = f"{path.name} row {number}"
            source = ROOT / row["file"]
            text = source.read_text() if source.exists() else ""
            if text.count(row["old"]) != 1:
                raise ListError(f'{row["row"]}: {row["file"]} holds "old" {text.count(row["old"])} times, not once')
            identity = [row["file"], row["old"], row["new"]]
            row["id"] = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:16]
            rows.append(row)
    return rows


def read_results(path):
    results = {}
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                result = json.loads(line)
            except ValueError:  # the line at which a run was killed
                continue
            results[result["id"]] = result
    return results


def append(path, result):
    """A line more, not behind what a run that was killed has left of one."""
    with path.open("a+b") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - 1, 0))
        whole = file.read() in (b"", b"\n")
        file.write((b"" if whole else b"\n") + json.dumps(result).encode() + b"\n")


def keep(rows, results):
    """Writes the results of the rows that there are, sorted by id, so that a later run changes few lines."""
    known = sorted((results[row["id"]] for row in rows if row["id"] in results), key=lambda result: result["id"])
    KEPT.write_text("".join(json.dumps({k: r.get(k) for k in ("id", "file", "result", "date")}) + "\n" for r in known))


def copy_tree(tree):
    """Makes `tree` what the checkout is; files that are the same keep their time, so they are not compiled again."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"], check=True,
                            capture_output=True).stdout.decode().split("\0")
    names = {name for name in listed if name and (ROOT / name).is_file()}
    for old in [p for p in tree.rglob("*") if p.is_file() and tree / "build" not in p.parents]:
        if str(old.relative_to(tree)) not in names:
            old.unlink()
    for name in names:
        source, target = ROOT / name, tree / name
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


class Tree:
    """The copy, its build, and the tests of it that are known to pass unchanged."""

    def __init__(self, path, jobs):
        self.path, self.build, self.jobs = path, path / "build/release", jobs
        self.seconds = {}  # of a test on the unchanged tree
        copy_tree(path)
        # A variable that nobody reads any more is a bug like others, and no error of the compiler.
        subprocess.run(["cmake", "--preset", "release", "-D", "HEED_WERROR=OFF"], cwd=path, check=True,
                       stdout=subprocess.DEVNULL)

    def compile(self, tests):
        programs = dict.fromkeys(test.split(":")[0] for test in tests)
        targets = [target for program in programs if (target := TARGET.get(program, program))]
        if not targets:
            return ""
        done = subprocess.run(["cmake", "--build", self.build, "-j", str(self.jobs), "--target", *targets],
                              capture_output=True, text=True)
        return "" if done.returncode == 0 else (done.stdout + done.stderr)[-3000:]

    def run(self, test, limit):
        """The names of the tests that failed, [] if none did."""
        program, _, only = test.partition(":")
        if program in IN_PYTHON:
            command = [PYTHON, self.path / IN_PYTHON[program]] + ([only] if only else [])
        elif program in TARGET:
            command = [self.build / "bin" / TARGET[program], *ARGUMENTS.get(program, [])]
        else:
            command = [self.build / "tests" / program, "--gtest_brief=1", "--gtest_fail_fast"]
            command += [f"--gtest_filter={only}"] if only else []
        process = subprocess.Popen(command, cwd=self.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, start_new_session=True,
                                   env={**os.environ, "HEED_PROGRAM": str(self.build / "bin/heed")})
        try:
            output = process.communicate(timeout=limit)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)  # what it started, too
            process.communicate()
            return [f"{test} (hangs)"]
        if process.returncode == 0:
            return []
        failed = re.findall(r"\[  FAILED  \] ([^\s,]+\.[^\s,]+)|^(?:FAIL|ERROR): \S+ \((\S+)\)", output, re.MULTILINE)
        failed = [a or b for a, b in failed]
        return list(dict.fromkeys(failed)) or [f"{test} (exit status {process.returncode})"]

    def passes_unchanged(self, tests):
        new = [t for t in tests if t not in self.seconds]
        if new and (message := self.compile(new)):
            raise ListError(f"the unchanged tree does not compile:\n{message}")
        for test in new:
            begin = time.monotonic()
            if failed := self.run(test, 1800):
                raise ListError(f"{test}: fails on the unchanged tree: {failed}")
            self.seconds[test] = time.monotonic() - begin

    def fast_tests(self):
        names = {p.stem for p in self.path.glob("tests/**/*_test.cc")}
        return sorted(n for n in names if not re.search("_slow_test$|^cuda_|^emulate", n)) + ["torture"]

    def verdict(self, row, tests):
        """What became of a row: killed (and by what), survived, or an error of the list."""
        self.passes_unchanged(tests)
        file = self.path / row["file"]
        text = file.read_text()
        if text.count(row["old"]) != 1:
            raise ListError(f'{row["row"]}: does not apply to {row["file"]}')
        begin = time.monotonic()
        try:
            file.write_text(text.replace(row["old"], row["new"]))
            for test in tests:  # each is built when its turn has come: most rows need one
                if message := self.compile([test]):
                    return {"result": "does not compile", "message": message}
                if failed := self.run(test, 60 + 20 * self.seconds[test]):
                    return {"result": "killed", "program": test.split(":")[0], "by": failed[:3],
                            "seconds": round(time.monotonic() - begin)}
            return {"result": "survived", "seconds": round(time.monotonic() - begin)}
        finally:
            file.write_text(text)


def summary(rows, results):
    known = [(row, results[row["id"]]) for row in rows if row["id"] in results]
    count = {name: sum(r["result"] == name for _, r in known) for name in ("killed", "survived", "does not compile")}
    tried = count["killed"] + count["survived"]
    lines = [f'{len(rows)} mutants: {count["killed"]} killed, {count["survived"]} survived, '
             f'{count["does not compile"]} do not compile, {len(rows) - len(known)} not run yet; '
             f'{100 * count["killed"] / max(tried, 1):.1f} % of {tried} killed']
    lines += [f'{result["result"]}: {row["row"]}: {row["file"]}: {row["breaks"]}'
              for row, result in known if result["result"] != "killed"]
    return "\n".join(lines), len(known) == len(rows) and count["killed"] == len(rows)


def wanted(row, result, options):
    if options.only and options.only not in row["file"] + " " + row["breaks"]:
        return False
    if result is None or options.again:
        return True
    return result["result"] == "does not compile" or (result["result"] == "survived" and (options.survivors or options.all))


def part_of(text):
    part, parts = map(int, text.split("/"))
    if not 0 <= part < parts:
        raise ValueError
    return part, parts


def forget_ignored_signals():
    """A shell's background job ignores Ctrl-C, and one of nohup SIGHUP; tests of signals would inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(name, signal.SIG_DFL)


def main():
    forget_ignored_signals()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build/mutants", help="folder of the copy and the results")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose file or description holds TEXT")
    parser.add_argument("--survivors", action="store_true", help="once more those that survived")
    parser.add_argument("--all", action="store_true", help="those that survived, with every fast test")
    parser.add_argument("--again", action="store_true", help="rows that have a result, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the compiler (default: every core)")
    parser.add_argument("--part", default=(0, 1), type=part_of, metavar="I/N", help="every N-th row, from the I-th on: runs, each with its own --work, share the list")
    parser.add_argument("--summary", action="store_true", help="only say what is known")
    parser.add_argument("--keep", action="store_true", help=f"only write what is known to {KEPT.relative_to(ROOT)}")
    options = parser.parse_args()
    rows = read_rows()
    options.work.mkdir(parents=True, exist_ok=True)
    path = options.work / "results.jsonl"
    results = read_results(KEPT)
    for name, result in read_results(path).items():
        if name not in results or (result.get("date") or "") >= (results[name]["date"] or ""):
            results[name] = result
    part, parts = options.part
    todo = [row for row in rows if int(row["id"], 16) % parts == part and wanted(row, results.get(row["id"]), options)]
    todo = [] if options.summary or options.keep else todo
    todo.sort(key=lambda row: row["id"])  # in no order: what a part of a run says holds for the whole
    tree = Tree(options.work / "tree", options.jobs) if todo else None
    for number, row in enumerate(todo, 1):
        tests = row["tests"] + ([t for t in tree.fast_tests() if t not in row["tests"]] if options.all else [])
        result = {"id": row["id"], "file": row["file"], "breaks": row["breaks"], "date": str(date.today()), **tree.verdict(row, tests)}
        results[row["id"]] = result
        append(path, result)
        print(f'{number}/{len(todo)} {result["result"]}: {row["file"]}: {row["breaks"]} {result.get("by", "")}', flush=True)
    if options.keep:
        keep(rows, results)
    text, all_killed = summary(rows, results)
    print(text)
    return 0 if all_killed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ListError, subprocess.CalledProcessError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
