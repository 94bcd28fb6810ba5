"""The package as pip installs it: complete, of the program's version, offline."""
import re
import shutil
import subprocess
import sys
import unittest
from importlib.metadata import version

import heed
from helpers import ROOT, FolderTest, has


def can_install():
    """Without a network: pip and setuptools must be there, and what makes wheels."""
    if not (has("pip") and has("setuptools")):
        return False
    return has("wheel") or int(version("setuptools").split(".")[0]) >= 71


class Package(FolderTest):
    def test_version(self):
        project = re.search(r"project\(heed VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
        self.assertEqual(heed.__version__, project.group(1))

    def test_import_in_the_root_of_the_checkout(self):
        code = "import heed, heed.runs; print(heed.__file__, heed.runs.read_run is heed.read_run, heed.__spec__.name)"
        said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.split(), [str(ROOT / "python" / "heed" / "__init__.py"), "True", "heed"])

    def test_what_is_missing_is_named_alone(self):
        self.fails("this needs no_such, which is not installed: pip install no_such", heed._files.extra, "no_such")
        for file in (*(ROOT / "python").rglob("*.py"), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"):
            self.assertNotRegex(file.read_text(), r"pip install '?heed\b", file)

    @unittest.skipUnless(can_install(), "python3 has no pip, setuptools or wheel")
    def test_pip_install(self):
        source, target = self.folder / "source", self.folder / "target"
        shutil.copytree(ROOT / "python", source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
                   "--no-index", "--disable-pip-version-check", "--target", str(target), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        code = ("import sys; sys.path.insert(0, sys.argv[1]); import heed, importlib.metadata as m; "
                "print(heed.__file__, m.version('heed-dialogue'))")
        said = subprocess.run([sys.executable, "-c", code, str(target)], cwd=self.folder, capture_output=True,
                              text=True, check=True).stdout
        self.assertEqual(said.split(), [str(target / "heed" / "__init__.py"), heed.__version__])
        installed = {path.relative_to(target).as_posix() for path in (target / "heed").rglob("*")
                     if path.is_file() and path.suffix != ".pyc"}
        sources = {path.relative_to(source).as_posix() for path in (source / "heed").rglob("*")
                   if path.is_file() and path.suffix != ".pyc"}
        self.assertEqual(installed, sources)
