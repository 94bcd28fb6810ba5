"""Builds the program that judges a lab.

CMake builds the library and the lab's checks once, as the reference program labs/lab_NN of a build folder. What a student
wrote (or a blank, or a planted mistake) is then compiled on its own, with the command that CMake has for that file, and
linked in front of the library: its symbols win. So a change costs one to three files, and the library stays as it is."""
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import LabError, one_at_a_time
from .running import COMPILING

EXTRA = ["-Wno-error", "-Wno-unused", "-Wno-unused-parameter", "-Wno-unknown-pragmas"]  # a blank leaves parameters and variables unused
PLAIN_LOOPS = "-fno-openmp-simd"  # OpenMP's must not be left by an exception, and a blank in a header throws in those that call it
TEST_LIBRARY = ("_ZN7testing", "_ZNK7testing")
WANTED = "Uwv"  # letters of nm for what an object does not define itself
STANDARD = re.compile("_ZN?K?S")  # what a compiler emits of the standard library's templates is weak
LIBRARY = ("base", "emulator", "tensor", "autograd", "nn", "optim", "train", "dialog", "labs/support", "labs/01-memory/kernels")
FIRST_TIME = " (the first time: about a minute on two cores, two for labs 7 and 8)"


class CompileError(LabError):
    """The first error of the compiler in a student's file."""


def first_error(output, names=()):
    """The first error of a compiler in one of the files, with what it shows of it, and how many more there are; else the first complaints
    of the linker, each once; else the end of what was said."""
    lines = output.splitlines()
    errors = [i for i, line in enumerate(lines) if re.search(r":\d+:\d+: (fatal )?error: ", line)]
    for i in [i for i in errors if any(name + ":" in lines[i] for name in names)] or errors:
        return "\n".join(line[:300] for line in lines[i:i + 4]) + f"\n({len(errors) - 1} more errors)" * (len(errors) > 1)
    found = re.findall(r"(undefined reference to|multiple definition of) [`'](.*?)';?(?: |$)", output, re.M)
    says = [f"{'nothing defines' if kind[0] == 'u' else 'defined twice:'} {name}" for kind, name in dict.fromkeys(found)]
    return "\n".join(says[:3] + [f"({len(says) - 3} more)"] * (len(says) > 3)) or output[-2000:]


class Build:
    """A build folder that CMake made, with Ninja, of the tree at `root`."""

    def __init__(self, root, folder):
        self.root, self.folder = Path(root).resolve(), Path(folder).resolve()
        self.sandbox = None  # for what strangers wrote

    def compiler(self, words, folder):
        """Runs a compiler or linker, on what strangers wrote in their sandbox; what it says of what it cannot do, or nothing."""
        prefix = self.sandbox.words(COMPILING) if self.sandbox else []
        environment = {**os.environ, "CCACHE_DISABLE": "1"} if self.sandbox else None  # its folder is somebody else's
        with tempfile.TemporaryFile() as errors:
            done = subprocess.run([*prefix, *words], cwd=folder, stdout=errors, stderr=errors, env=environment)
            errors.seek(0)
            return done.returncode and (errors.read(1 << 20).decode(errors="replace") or "it was stopped")

    def run(self, command, what, names=()):
        """What the command says; in a terminal how far Ninja is, and how long that will take, as it goes."""
        process = subprocess.Popen(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        begin, said = time.monotonic(), []
        for line in process.stdout:
            said.append(line)
            if sys.stderr.isatty() and (step := re.match(r"\[(\d+)/(\d+)\]", line)):
                done, all_ = map(int, step.groups())
                left = (time.monotonic() - begin) * (all_ - done) / done
                print(f"\r  {done} of {all_} steps, about {left:.0f} s more ", end="" if done < all_ else "\n", file=sys.stderr, flush=True)
        if process.wait() != 0:
            raise LabError(f"{what} failed: {' '.join(map(str, command))}\n{first_error(''.join(said), names)}")
        return said

    def ensure(self, lab):
        """Builds the reference program of a lab, in the folder of the preset `lab`, if the library changed in another file than the lab's own."""
        program = self.folder / "labs" / lab.target
        stamp = program.with_suffix(".stamp")
        sources = [p for folder in (*LIBRARY, f"labs/{lab.folder.name}") for p in (self.root / folder).rglob("*.*")
                   if p.suffix in (".h", ".cc", ".cu") and p.is_file() and str(p.relative_to(self.root)) not in [*lab.files, *lab.own]]
        if program.exists() and stamp.exists() and stamp.stat().st_mtime > max(p.stat().st_mtime for p in sources):
            return
        first = "" if any(program.parent.glob("lab_??")) else FIRST_TIME
        print(f"Building what lab {lab.number} stands on{first} ...", file=sys.stderr, flush=True)
        with one_at_a_time(self.folder):
            if not (self.folder / "build.ninja").exists():
                self.run(["cmake", "--preset", "lab"], "cmake")
            self.run(["cmake", "--build", self.folder, "-j", str(os.cpu_count()), "--target", lab.target], "the build", lab.own)
            stamp.touch()

    @functools.cache
    def command_of(self, unit):
        """Of the command that compiles a file of the library: (arguments, folder, what it made)."""
        for row in json.loads((self.folder / "compile_commands.json").read_text()):  # of a kernel there is one for each level of the processor; any that was built does
            if row["file"] == str(self.root / unit):
                words = shlex.split(row["command"])
                if (made := Path(row["directory"]) / words[words.index("-o") + 1]).exists():
                    return tuple(words), row["directory"], made
        raise LabError(f"{unit}: the build in {self.folder} does not compile it; a lab names it as a unit")

    @functools.cache
    def link_command(self, target):
        last = self.run(["cmake", "--build", self.folder, "--", "-t", "commands", target], "ninja")[-1]
        return tuple(shlex.split(re.fullmatch(r": && (.*) && :\s*", last)[1]))

    def compile(self, unit, headers, overlay, out, flags):
        given, folder, _ = self.command_of(unit)
        words, target = list(given), out / (unit.replace("/", "_") + ".o")
        source = overlay / unit if overlay and (overlay / unit).exists() else self.root / unit
        words[words.index("-o") + 1], words[words.index("-c") + 1] = str(target), str(source)
        words[-2:-2] = [*EXTRA, *flags, "-MD", "-MF", str(target.with_suffix(".d"))]
        if overlay:
            words.insert(next(i for i, word in enumerate(words) if word.startswith("-I")), f"-I{overlay}")

        def anew():
            if wrong := self.compiler(words, folder):
                raise CompileError(first_error(wrong, [unit.split("/")[-1]]))
            if overlay:
                self.refuse_includes(unit, source, read_names(target), overlay)
        return made(target, words, [source, *headers], anew)

    def program(self, lab, out, overlay=None, more_units=(), flags=()):
        """The program of a lab with its units (and more) from `overlay`, from the tree where that has none, in `out`.
        What an overlay changes no file of is as in the library and not compiled."""
        out.mkdir(parents=True, exist_ok=True)
        program, base = out / lab.target, self.folder / "labs" / lab.target
        units = list(dict.fromkeys([*lab.units, *([lab.variation.file] if lab.variation else []), *more_units]))
        overlaid = sorted(p for p in overlay.rglob("*") if p.suffix in (".h", ".cu")) if overlay else []
        headers = overlaid or [self.root / name for name in lab.files if not name.endswith(".cc")]
        flags = [*flags, *([PLAIN_LOOPS] if any(b"heed::lab::not_done" in path.read_bytes() for path in headers) else [])]
        if overlay and not overlaid:
            units = [unit for unit in units if (overlay / unit).exists()]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda unit: self.compile(unit, headers, overlay, out, flags), units))
        words = list(self.link_command(lab.target))
        at = words.index("-o")
        words[at:at + 2] = [*map(str, objects), "-o", str(program)]
        return made(program, [str(base.stat().st_mtime_ns), *words], objects,
                    lambda: self.link(words, program, symbols(base), dict(zip(units, objects))))

    def link(self, words, program, judges, objects):
        """Links {unit: object} in front of the library; `judges` are the symbols of the reference program."""
        wrong = self.compiler(words, self.folder)
        linked = {} if wrong else symbols(program)
        for unit, path in objects.items():
            mine, theirs = symbols(path), symbols(self.command_of(unit)[2])
            # The library stands behind what a student wrote: a function that is not there must not come from it. (For want of one the
            # linker takes the library's object, and then finds all others twice.) Templates are weak, and may come from another
            # object: but not from a shared library.
            for name, kind in theirs.items():
                asked = kind in "TDBR" and (wrong or name in linked) or kind == "W" and linked.get(name) == "U" and "heed" in name
                if asked and mine.get(name, "U") == "U":
                    raise CompileError(f"{unit} no longer defines {readable(name)}")
            # What the checks stand on is the library's: nothing that a student defines may take its place.
            for name, kind in () if wrong else mine.items():
                known = theirs.get(name, "U") not in WANTED or kind in "WVu" and STANDARD.match(name)
                if kind not in WANTED and not known and (judges.get(name, "w") in "UTDBR" or name.startswith(TEST_LIBRARY)):
                    raise CompileError(f"{unit} defines {readable(name)}, which is there already")
        if wrong:
            raise CompileError("the program does not link; does a function lack its body?\n" + first_error(wrong))

    def refuse_includes(self, unit, source, names, overlay):
        """What a student writes anew cannot be included: neither the library's version of a file that was handed in, nor, in
        a file of theirs, what is no header."""
        theirs = {path.name for path in overlay.rglob("*.*")}
        for path in (Path(os.path.normpath(self.root / name)) for name in names):
            inside = path.relative_to(self.root) if path.is_relative_to(self.root) else None
            copy = (overlay / inside).is_file() if inside else path.name in theirs
            unit_of_theirs = path.suffix in (".cc", ".cu") and source.is_relative_to(overlay)
            if (copy or unit_of_theirs) and not path.is_relative_to(overlay) and path != source:
                raise CompileError(f"{unit} includes {inside or path.name}")


def symbols(path):
    """{name: letter of nm} of what an object or a program defines (T, W, ...) or wants (U)."""
    rows = map(str.split, subprocess.check_output(["nm", "-g", path], text=True).splitlines())
    return {words[-1].partition("@")[0]: words[-2] for words in rows if len(words) > 1}


def readable(name):
    return subprocess.run(["c++filt", name], capture_output=True, text=True).stdout.strip() or name


def read_names(target):
    """The files that the compiler read for an object."""
    depends = target.with_suffix(".d")
    text = depends.read_text(errors="replace") if depends.exists() else ""
    names = re.findall(r"(?:\\.|\S)+", text.replace("\\\n", " ").partition(":")[2])
    return [Path(re.sub(r"\\(.)", r"\1", name)) for name in names]  # before a space stands a backslash


def made(path, words, inputs, anew):
    """A file, made anew unless it was made by this command of these inputs, and of what the compiler read, as they are: a mark beside it says
    so. There is none if an input was saved meanwhile."""
    def state(read):
        digest = hashlib.sha256("\0".join(words).encode())
        for each in filter(Path.is_file, [*inputs, *read]):
            digest.update(each.read_bytes())
        return digest.hexdigest()
    mark = path.with_suffix(".digest")
    if not (path.exists() and mark.exists() and mark.read_text() == state(read_names(path))):
        mark.unlink(missing_ok=True)
        before = state([])
        anew()
        if state([]) == before:
            mark.write_text(state(read_names(path)))
    return path


def write_files(folder, files, alone=False):
    """Writes {file: bytes or text} below a folder; `alone`: nothing else is there."""
    if alone:
        shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder
