"""Builds of the labs from nothing: a handout with all labs cut, and one with sources that were fetched."""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import helpers
from heed_lab import handout
from heed_lab.course import Course
from heed_lab.running import BLANK, FAILED, PASSED, run_check

FETCHING = helpers.ROOT / "cmake/HeedLabFetch.cmake"
PACKAGES = ("nlohmann_json", "CLI11", "GTest", "ZLIB")


def run(*words, **options):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)


class Handout(unittest.TestCase):
    def status_of(self, check, output):
        return re.search(rf"^ +[-+] {check.name} +\d+ points  (.*)$", output, re.M)[1]

    def test_all_labs_cut_compile_and_fail_politely(self):
        folder = helpers.BUILD / "labs/tests/handout"
        shutil.rmtree(folder, ignore_errors=True)
        course = helpers.course()
        handout.write_handout(course, list(course.labs.values()), folder)
        for command in (["--preset", "lab"], ["--build", "--preset", "lab", "-j", os.cpu_count(), "--target", "heed_lab_programs"]):
            done = run("cmake", *command, cwd=folder)
            self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-3000:])
        for lab in Course(folder).labs.values():
            with self.subTest(lab=lab.number):
                done = run(folder / "labs/heed-lab", "test", lab.number, cwd=folder)
                self.assertEqual((done.returncode, done.stderr), (1, ""))
                for check in lab.judged:
                    broken = any(cut["kind"] == "break" for cut in check.task.cuts)
                    self.assertIn(self.status_of(check, done.stdout), (BLANK, FAILED) if broken else (BLANK,), done.stdout)


def archives():
    """[(path in the pool, hash)] of what cmake/HeedLabFetch.cmake asks for."""
    return re.findall(r"(\w/[\w-]+/\S+\.orig\.tar\.\w+)\s+([0-9a-f]{64})", FETCHING.read_text())


def sources_by_apt(folder, names):
    """Downloads the sources of packages as apt does, with lists of its own; returns why not, or nothing."""
    if not shutil.which("apt-get"):
        return "there is no apt-get here"
    (folder / "lists/partial").mkdir(parents=True)
    (folder / "archives/partial").mkdir(parents=True)
    targets = run("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages").stdout
    (folder / "sources.list").write_text("".join(f"deb-src {line}\n" for line in sorted(set(targets.splitlines()))))
    options = ["-o", f"Dir::Etc::SourceList={folder}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null",
               "-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}", "-o", "Acquire::Retries=1"]
    for words in (["update"], ["source", "--download-only", *names]):
        done = run("apt-get", *options, *words, cwd=folder)
        if done.returncode != 0:
            return f"apt-get {words[0]}: {done.stderr.strip()[-300:]}"
    return ""


class Fetched(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A folder like that of the archive, with the sources of this machine's Debian."""
        cls.mirror, work = helpers.BUILD / "labs/tests/mirror", helpers.BUILD / "labs/tests/apt"
        if not all((cls.mirror / path).exists() for path, _ in archives()):
            shutil.rmtree(work, ignore_errors=True)
            if why := sources_by_apt(work, [Path(path).parent.name for path, _ in archives()]):
                raise unittest.SkipTest(why)
            for path, _ in archives():
                if not (work / Path(path).name).exists():
                    raise unittest.SkipTest(f"the sources that apt gets here are not those of Debian 12: no {Path(path).name}")
                (cls.mirror / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(work / Path(path).name, cls.mirror / path)

    def configure(self, mirror, build):
        """As on a machine without the packages."""
        shutil.rmtree(build, ignore_errors=True)
        return run("cmake", "--preset", "lab", "-S", helpers.ROOT, "-B", build, "-D", "HEED_LAB_FETCH=ON",
                   "-D", f"HEED_LAB_MIRROR=file://{mirror}", *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in PACKAGES))

    def test_lab_0_with_fetched_sources(self):
        build, lab = helpers.BUILD / "labs/tests/fetched", helpers.course().lab(0)
        done = self.configure(self.mirror, build)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        done = run("cmake", "--build", build, "-j", os.cpu_count(), "--target", lab.target, "heed_lab_zlib")
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        for check in lab.checks:
            self.assertEqual(run_check(build / "labs" / lab.target, check, helpers.SEED).status, PASSED)
        included = run("ninja", "-C", build, "-t", "deps").stdout
        self.assertRegex(included, r"_deps/gtest-src/\S*/gtest\.h")
        self.assertEqual(re.findall(r"/usr/\S*include/(?:gtest/|nlohmann/|CLI/|zlib\.h)\S*", included), [])
        commands = (build / "compile_commands.json").read_text()
        for name in PACKAGES:
            self.assertIn(f"_deps/{name.lower()}-src", commands)

    def test_another_archive_is_refused(self):
        mirror = helpers.BUILD / "labs/tests/wrong-mirror"
        shutil.rmtree(mirror, ignore_errors=True)
        shutil.copytree(self.mirror, mirror)
        path, _ = archives()[0]
        with open(mirror / path, "ab") as file:
            file.write(b"x")
        done = self.configure(mirror, helpers.BUILD / "labs/tests/refused")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("hash", done.stderr.lower())
