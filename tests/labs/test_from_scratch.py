"""A handout with all labs cut, built from nothing, as where there are no packages: with sources that are fetched."""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import helpers
from heed_lab import handout
from heed_lab.running import BLANK, FAILED

FETCHING = helpers.ROOT / "cmake/HeedLabFetch.cmake"
WORK = helpers.BUILD / "labs/tests/from-scratch"
MIRROR, TREE = WORK / "mirror", WORK / "handout"
PACKAGES = ("nlohmann_json", "CLI11", "GTest", "ZLIB")


def run(*words, **options):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)


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


def make_mirror():
    """A folder like the archive's, with the sources of this machine's Debian; returns why there is none, or nothing."""
    if all((MIRROR / path).exists() for path, _ in archives()):
        return ""
    work = WORK / "apt"
    shutil.rmtree(work, ignore_errors=True)
    if why := sources_by_apt(work, [Path(path).parent.name for path, _ in archives()]):
        return why
    for path, _ in archives():
        if not (work / Path(path).name).exists():
            return f"the sources that apt gets here are not those of Debian 12: no {Path(path).name}"
        (MIRROR / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(work / Path(path).name, MIRROR / path)
    return ""


def fetching(mirror):
    """Options of cmake for a machine without the packages."""
    return ["-D", "HEED_LAB_FETCH=ON", "-D", f"HEED_LAB_MIRROR=file://{mirror}",
            *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in PACKAGES)]


class FromScratch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Without sources to fetch, as without a network, the handout is built with this machine's packages."""
        cls.why = make_mirror()
        shutil.rmtree(TREE, ignore_errors=True)
        course = helpers.course()
        handout.Handout(course, list(course.labs.values())).write(TREE)
        for command in (["--preset", "lab", *([] if cls.why else fetching(MIRROR))],
                        ["--build", "--preset", "lab", "-j", os.cpu_count(), "--target", "heed_lab_programs"]):
            done = run("cmake", *command, cwd=TREE)
            assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]

    def status_of(self, check, output):
        return re.search(rf"^ +[-+] {check.name} +\d+ points  (.*)$", output, re.M)[1]

    def test_all_labs_fail_politely(self):
        for lab in helpers.course().labs.values():
            with self.subTest(lab=lab.number):
                done = run(TREE / "labs/heed-lab", "test", lab.number, cwd=TREE)
                self.assertEqual(done.returncode, 1)
                self.assertIn(done.stderr, ("", f"Building what lab {lab.number} stands on ...\n"))
                for check in lab.judged:
                    broken = any(cut["kind"] == "break" for cut in check.task.cuts)
                    self.assertIn(self.status_of(check, done.stdout), (BLANK, FAILED) if broken else (BLANK,), done.stdout)

    def test_they_are_built_of_fetched_sources(self):
        if self.why:
            self.skipTest(self.why)
        included = run("ninja", "-C", TREE / "build/lab", "-t", "deps").stdout
        for header in ("gtest-src/googletest/include/gtest/gtest.h", "nlohmann_json-src/single_include/nlohmann/json.hpp", "zlib-src/zlib.h"):
            self.assertIn(f"_deps/{header}", included)
        self.assertEqual(re.findall(r"/usr/\S*include/(?:gtest/|nlohmann/|CLI/|zlib\.h)\S*", included), [])
        self.assertIn("_deps/cli11-src/include", (TREE / "build/lab/compile_commands.json").read_text())

    def test_another_archive_is_refused(self):
        if self.why:
            self.skipTest(self.why)
        mirror, (path, _) = WORK / "wrong-mirror", archives()[0]
        shutil.rmtree(mirror, ignore_errors=True)
        shutil.copytree(MIRROR, mirror)
        with open(mirror / path, "ab") as file:
            file.write(b"x")
        shutil.rmtree(WORK / "refused", ignore_errors=True)
        done = run("cmake", "--preset", "lab", "-S", helpers.ROOT, "-B", WORK / "refused", *fetching(mirror))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("hash", done.stderr.lower())
