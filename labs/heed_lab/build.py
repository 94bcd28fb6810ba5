"""Builds the program that judges a lab.

CMake builds the library and the lab's checks once, as the reference program labs/lab_NN of a build folder. What a student
wrote (or a blank, or a planted mistake) is then compiled on its own, with the command that CMake has for that file, and
linked in front of the library: its symbols win. So a change costs one to three files, and the library stays as it is."""
import hashlib
import json
import os
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import LabError

# A blank leaves parameters and variables unused. OpenMP's loops must not be left by an exception, and a blank throws.
EXTRA = ["-Wno-error", "-Wno-unused", "-Wno-unused-parameter", "-Wno-unknown-pragmas", "-fno-openmp-simd"]
LIBRARY = ("tensor", "autograd", "nn", "optim", "labs/support")


class CompileError(LabError):
    """The first error of the compiler in a student's file."""


def first_error(output, names):
    """The first error in one of the files, with what the compiler shows of it, and how many more there are."""
    lines = output.splitlines()
    errors = [i for i, line in enumerate(lines) if re.search(r":\d+:\d+: (fatal )?error: ", line)]
    theirs = [i for i in errors if any(name + ":" in lines[i] for name in names)] or errors
    if not theirs:
        return output[-2000:]
    shown = lines[theirs[0]:theirs[0] + 4]
    return "\n".join(shown) + (f"\n({len(errors) - 1} more errors)" if len(errors) > 1 else "")


class Build:
    """A build folder that CMake made, with Ninja, of the tree at `root`."""

    def __init__(self, root, folder):
        self.root, self.folder = Path(root).resolve(), Path(folder).resolve()
        self.links = {}

    def configure(self):
        """Makes the folder of the preset `lab`, if it is not there."""
        if not (self.folder / "build.ninja").exists():
            self.run(["cmake", "--preset", "lab"], "cmake")

    def run(self, command, what):
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True)
        if done.returncode != 0:
            raise LabError(f"{what} failed: {' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-3000:]}")
        return done.stdout

    def ensure(self, lab):
        """Builds the reference program of a lab, if the library changed in another file than the lab's own."""
        stamp = self.folder / "labs" / f"{lab.target}.stamp"
        program = self.folder / "labs" / lab.target
        sources = [p for folder in (*LIBRARY, f"labs/{lab.folder.name}") for p in (self.root / folder).rglob("*.*")
                   if p.suffix in (".h", ".cc") and str(p.relative_to(self.root)) not in lab.files]
        newest = max(p.stat().st_mtime for p in sources)
        if program.exists() and stamp.exists() and stamp.stat().st_mtime > newest:
            return
        self.run(["cmake", "--build", self.folder, "-j", str(os.cpu_count()), "--target", lab.target], "the build")
        stamp.touch()

    def command_of(self, unit):
        """(arguments, folder) of the command that compiles a file of the library."""
        if not hasattr(self, "commands"):
            rows = json.loads((self.folder / "compile_commands.json").read_text())
            self.commands = {}
            for row in rows:
                self.commands.setdefault(row["file"], (shlex.split(row["command"]), row["directory"]))
        try:
            return self.commands[str(self.root / unit)]
        except KeyError:
            raise LabError(f"{unit}: the build in {self.folder} does not compile it; a lab names it as a unit") from None

    def link_command(self, target):
        if target not in self.links:
            cache = (self.folder / "CMakeCache.txt").read_text()
            ninja = re.search(r"^CMAKE_MAKE_PROGRAM:\w+=(.*)$", cache, re.M).group(1)
            last = self.run([ninja, "-C", self.folder, "-t", "commands", target], "ninja").strip().splitlines()[-1]
            words = shlex.split(last)  # ": && c++ ... && :"
            self.links[target] = words[words.index("&&") + 1:len(words) - words[::-1].index("&&") - 1]
        return self.links[target]

    def compile(self, unit, overlay, out):
        words, folder = self.command_of(unit)
        words = list(words)
        source = overlay / unit if overlay and (overlay / unit).exists() else self.root / unit
        target = out / (unit.replace("/", "_") + ".o")
        words[words.index("-o") + 1] = str(target)
        words[words.index("-c") + 1] = str(source)
        first = next(i for i, word in enumerate(words) if word.startswith("-I"))
        words[first:first] = [f"-I{overlay}"] if overlay else []
        words[-2:-2] = EXTRA
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise CompileError(first_error(done.stderr, [unit.split("/")[-1], unit]))
        return target

    def program(self, lab, out, overlay=None, more_units=()):
        """The program of a lab with its units (and more) from `overlay`, from the tree where that has none, in `out`."""
        out.mkdir(parents=True, exist_ok=True)
        program, stamp = out / lab.target, out / "stamp"
        base = self.folder / "labs" / lab.target
        units = list(dict.fromkeys([*lab.units, *more_units]))
        digest = hashlib.sha256(f"{base.stat().st_mtime_ns}".encode())
        for name in sorted({*units, *lab.files}):
            path = overlay / name if overlay and (overlay / name).exists() else self.root / name
            digest.update(path.read_bytes())
        if program.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
            return program
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda unit: self.compile(unit, overlay, out), units))
        words = list(self.link_command(lab.target))
        words[words.index("-o") + 1] = str(program)
        first = next(i for i, word in enumerate(words) if word.endswith(".o"))
        words[first:first] = map(str, objects)
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise CompileError("the program does not link; does a function lack its body?\n" + done.stderr[-1500:])
        stamp.write_text(digest.hexdigest())
        return program


def write_overlay(folder, texts):
    """Writes {file: text} below a folder; a text that is there already keeps its time."""
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder
